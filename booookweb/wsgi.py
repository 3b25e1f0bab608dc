import gc
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")

application = get_wsgi_application()

# All pages are loaded now, before threads serve, and not by the first request. What is loaded stays, so collections of
# garbage leave it alone from here on: about every second large dashboard waited while one looked through all of it.
import_module("booookweb.urls")
gc.collect()
gc.freeze()

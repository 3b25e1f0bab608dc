from django.apps import AppConfig


class BooookWebConfig(AppConfig):
    name = "booookweb"
    verbose_name = "Booook Web"

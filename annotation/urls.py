from django.urls import path

from annotation.views.annotate import annotate

app_name = "annotation"

urlpatterns = [
    path("tasks/<uuid:key>/annotate/", annotate, name="annotate"),
]

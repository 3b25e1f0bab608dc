from django.urls import URLPattern

app_name = "annotation-api"

urlpatterns: list[URLPattern] = []

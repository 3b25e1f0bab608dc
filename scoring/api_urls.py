from django.urls import URLPattern

app_name = "scoring-api"

urlpatterns: list[URLPattern] = []

from django.urls import URLPattern

app_name = "summarizer-api"

urlpatterns: list[URLPattern] = []

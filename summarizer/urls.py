from django.urls import URLPattern

app_name = "summarizer"

urlpatterns: list[URLPattern] = []

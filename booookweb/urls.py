"""All addresses. Each app brings its pages (`urls.py`) and its part of the API (`api_urls.py`)."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from booookweb import views

urlpatterns = [
    path("", views.home, name="home"),
    path("health/", views.health, name="health"),
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("", include("summarizer.urls")),
    path("", include("annotation.urls")),
    path("", include("scoring.urls")),
    path("api/v1/", include("summarizer.api_urls")),
    path("api/v1/", include("annotation.api_urls")),
    path("api/v1/", include("scoring.api_urls")),
]

handler403 = "booookweb.views.permission_denied"

"""All addresses. Each app brings its pages (`urls.py`) and its part of the API (`api_urls.py`)."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from booookweb.api.schema import Documentation
from booookweb.views import account, api_tokens, design, health, home, joining, login, people, people_import

urlpatterns = [
    # First, because marks are saved here every few seconds, and patterns are tried one after the other.
    path("api/v1/", include("annotation.api_urls")),
    path("", home.home, name="home"),
    path("health/", health.health, name="health"),
    path("login/", login.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("account/", account.account, name="account"),
    path("account/tokens/", api_tokens.token_add, name="token-add"),
    path("account/tokens/<int:api_token>/revoke/", api_tokens.token_revoke, name="token-revoke"),
    path("people/", people.people, name="people"),
    path("people/import/", people_import.people_import, name="people-import"),
    path("people/new/", people.person_add, name="person-add"),
    path("people/<int:pk>/new-password/", people.person_reset_password, name="person-reset-password"),
    path("people/<int:pk>/close/", people.person_deactivate, name="person-deactivate"),
    path("people/<int:pk>/open/", people.person_reactivate, name="person-reactivate"),
    path("people/<int:pk>/delete/", people.person_delete, name="person-delete"),
    path("join/<str:token>/", joining.join, name="join"),
    path("design/", design.design, name="design"),
    path("", include("summarizer.urls")),
    path("", include("annotation.urls")),
    path("", include("scoring.urls")),
    path("api/docs/", Documentation.as_view(), name="api-docs"),
    path("api/v1/", include("booookweb.api.urls")),
    path("api/v1/", include("summarizer.api_urls")),
    path("api/v1/", include("scoring.api_urls")),
]

handler400 = "booookweb.views.errors.bad_request"
handler403 = "booookweb.views.errors.permission_denied"
handler404 = "booookweb.views.errors.not_found"
handler500 = "booookweb.views.errors.server_error"

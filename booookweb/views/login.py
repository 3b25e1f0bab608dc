"""Logging in. Failed attempts are counted and stopped by django-axes (see settings)."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView


class LoginForm(AuthenticationForm):
    error_messages = {
        "invalid_login": "Name and password do not belong together. Both tell capital letters from small ones.",
        "inactive": "This account is closed. Ask an admin of your group.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "Name"


class Login(LoginView):
    template_name = "booookweb/login.html"
    authentication_form = LoginForm
    redirect_authenticated_user = True

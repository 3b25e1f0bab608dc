"""Who may reach which route: one table, enforced by one middleware.

A route that is not in the table is refused for everybody, so a forgotten entry can't open a page. What a person may
see inside a route (their own tasks, studies they are not blind to) is decided in `annotation.access`.
"""

from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from booookweb.models import Role

#: Addresses that scripts and programs ask: they answer in JSON, and take tokens beside sessions.
API = "/api/v1/"
#: What lies below is for programs, also where nothing is.
ANY_API = "/api/"

PUBLIC: frozenset[Role] | None = None
NOBODY: frozenset[Role] = frozenset()
EVERYONE = frozenset(Role)
RESEARCHERS = frozenset({Role.RESEARCHER, Role.ADMIN})
ADMINS = frozenset({Role.ADMIN})

#: What is open to a person who has yet to choose a password of their own.
BEFORE_OWN_PASSWORD = {"account", "login", "logout", "health"}

#: View name (with namespace) -> roles that may reach it; `PUBLIC` needs no login.
ROUTES: dict[str, frozenset[Role] | None] = {
    "login": PUBLIC,
    "logout": EVERYONE,
    "health": PUBLIC,
    "join": PUBLIC,
    "home": EVERYONE,
    "account": EVERYONE,
    "design": RESEARCHERS,
    "people": RESEARCHERS,
    "people-import": RESEARCHERS,
    "person-add": ADMINS,
    "person-reset-password": RESEARCHERS,
    "person-deactivate": ADMINS,
    "person-reactivate": ADMINS,
    "person-delete": ADMINS,
    "summarizer:books": RESEARCHERS,
    "summarizer:book-upload": RESEARCHERS,
    "summarizer:book": RESEARCHERS,
    "summarizer:book-edit": RESEARCHERS,
    "summarizer:book-sections": RESEARCHERS,
    "summarizer:book-section": RESEARCHERS,
    "summarizer:book-delete": RESEARCHERS,
    "summarizer:book-reference-add": RESEARCHERS,
    "summarizer:book-reference-remove": RESEARCHERS,
    "annotation:tasks": EVERYONE,
    "annotation:guidelines": EVERYONE,
    "annotation:annotate": EVERYONE,
    "annotation:review": EVERYONE,
    "annotation:compare": EVERYONE,
    "annotation:fine": EVERYONE,
    "annotation:coarse": EVERYONE,
    "annotation:coarse-together": EVERYONE,
    "annotation:example-fine": EVERYONE,
    "annotation:example-coarse": EVERYONE,
    "annotation:example-coarse-together": EVERYONE,
    "annotation:review-guesses": EVERYONE,
    "annotation:begin": EVERYONE,
    "annotation:training": EVERYONE,
    "annotation:qualification": EVERYONE,
    "annotation:withdraw": EVERYONE,
    "annotation:judge-launch": ADMINS,
    "annotation:judge-plan": ADMINS,
    "annotation:judge-units-studies": ADMINS,
    "annotation:judge-units": ADMINS,
    "annotation:judge-units-plan": ADMINS,
    "annotation:studies": RESEARCHERS,
    "annotation:study-add": RESEARCHERS,
    "annotation:study": RESEARCHERS,
    "annotation:study-settings": RESEARCHERS,
    "annotation:study-consent": RESEARCHERS,
    "annotation:study-training": RESEARCHERS,
    "annotation:study-checks": RESEARCHERS,
    "annotation:known-summary": RESEARCHERS,
    "annotation:summary-plant": RESEARCHERS,
    "annotation:study-guidelines": RESEARCHERS,
    "annotation:study-guidelines-version": RESEARCHERS,
    "annotation:study-summaries": RESEARCHERS,
    "annotation:study-judges": RESEARCHERS,
    "annotation:study-members": RESEARCHERS,
    "annotation:study-withdraw": RESEARCHERS,
    "annotation:study-invitations": RESEARCHERS,
    "annotation:study-comparisons": RESEARCHERS,
    "annotation:comparison-round": RESEARCHERS,
    "annotation:study-faithfulness": RESEARCHERS,
    "annotation:faithfulness-work": RESEARCHERS,
    "annotation:summary-units": RESEARCHERS,
    "annotation:study-qualification": RESEARCHERS,
    "annotation:qualification-units": RESEARCHERS,
    "annotation:qualification-propose": ADMINS,
    "annotation:study-open-annotating": RESEARCHERS,
    "annotation:study-open-review": RESEARCHERS,
    "annotation:study-unblind": RESEARCHERS,
    "annotation:study-places": RESEARCHERS,
    "annotation:mark-place": RESEARCHERS,
    "annotation:study-terms": RESEARCHERS,
    "annotation:study-walk-annotate": RESEARCHERS,
    "annotation:study-walk-review": RESEARCHERS,
    "annotation:study-walk-compare": RESEARCHERS,
    "annotation:study-payouts": RESEARCHERS,
    "annotation:study-payouts-csv": RESEARCHERS,
    "annotation:study-close": RESEARCHERS,
    "annotation-api:marks": EVERYONE,
    "annotation-api:mark": EVERYONE,
    "annotation-api:marks-submit": EVERYONE,
    "annotation-api:marks-skip": EVERYONE,
    "annotation-api:marks-reopen": EVERYONE,
    "annotation-api:marks-active-time": EVERYONE,
    "annotation-api:review": EVERYONE,
    "annotation-api:review-decision": EVERYONE,
    "annotation-api:review-submit": EVERYONE,
    "annotation-api:review-active-time": EVERYONE,
    "annotation-api:comparison": EVERYONE,
    "annotation-api:comparison-answer": EVERYONE,
    "annotation-api:comparison-submit": EVERYONE,
    "annotation-api:comparison-reopen": EVERYONE,
    "annotation-api:comparison-active-time": EVERYONE,
    "annotation-api:fine": EVERYONE,
    "annotation-api:fine-hints": EVERYONE,
    "annotation-api:fine-submit": EVERYONE,
    "annotation-api:fine-reopen": EVERYONE,
    "annotation-api:fine-judgement": EVERYONE,
    "annotation-api:fine-active-time": EVERYONE,
    "annotation-api:coarse": EVERYONE,
    "annotation-api:coarse-rating": EVERYONE,
    "annotation-api:coarse-submit": EVERYONE,
    "annotation-api:coarse-reopen": EVERYONE,
    "annotation-api:coarse-active-time": EVERYONE,
    "annotation-api:coarse-together": EVERYONE,
    "annotation-api:coarse-recalibration": EVERYONE,
    "annotation-api:summary-units": RESEARCHERS,
    "annotation-api:qualification-units": RESEARCHERS,
    "annotation-api:summary-gold": RESEARCHERS,
    "annotation-api:summary-gold-decision": RESEARCHERS,
    "annotation-api:summary-gold-finish": RESEARCHERS,
    "annotation-api:summary-gold-reopen": RESEARCHERS,
    "summarizer:endpoints": RESEARCHERS,
    "summarizer:endpoint-add": ADMINS,
    "summarizer:endpoint-edit": ADMINS,
    "summarizer:endpoint-test": ADMINS,
    "summarizer:launch": ADMINS,
    "summarizer:launch-plan": ADMINS,
    "summarizer:jobs": RESEARCHERS,
    "summarizer:job": RESEARCHERS,
    "summarizer:job-progress": RESEARCHERS,
    "summarizer:job-cancel": ADMINS,
    "summarizer:job-pause": ADMINS,
    "summarizer:job-resume": ADMINS,
    "summarizer:job-retry": ADMINS,
    "summarizer:summary": RESEARCHERS,
    "summarizer:summary-tree": RESEARCHERS,
    "scoring:dashboard": RESEARCHERS,
    "scoring:people": RESEARCHERS,
    "scoring:judge-and-people": RESEARCHERS,
    "scoring:differences": RESEARCHERS,
    "scoring:faithfulness": RESEARCHERS,
    "scoring:summary-faithfulness": RESEARCHERS,
    "scoring:summary-truths": RESEARCHERS,
    "scoring:qualification": RESEARCHERS,
    "scoring:marks": RESEARCHERS,
    "scoring:answers": RESEARCHERS,
    "scoring:report": RESEARCHERS,
    "scoring:study-report": RESEARCHERS,
    "scoring:report-version": RESEARCHERS,
    "scoring:report-version-file": RESEARCHERS,
    "scoring:chart": RESEARCHERS,
    "scoring:table": RESEARCHERS,
    "scoring:summary-marks": RESEARCHERS,
    "scoring:book-marks": RESEARCHERS,
    "scoring:summary-gold": RESEARCHERS,
    "scoring:import-summaries": RESEARCHERS,
    "scoring:import-articles": RESEARCHERS,
    "scoring:import-judgements": RESEARCHERS,
    "scoring:metrics": RESEARCHERS,
    "scoring:exports": RESEARCHERS,
    "scoring:exports-list": RESEARCHERS,
    "scoring:export-file": RESEARCHERS,
    "scoring:gold": RESEARCHERS,
    "scoring:gold-file": RESEARCHERS,
    "scoring:methods": RESEARCHERS,
    "token-add": RESEARCHERS,
    "token-revoke": RESEARCHERS,
    "api-docs": RESEARCHERS,
    "rest-api:schema": RESEARCHERS,
    "rest-api:me": RESEARCHERS,
    "rest-api:books": RESEARCHERS,
    "rest-api:book": RESEARCHERS,
    "rest-api:book-text": RESEARCHERS,
    "rest-api:book-references": RESEARCHERS,
    "rest-api:endpoints": RESEARCHERS,
    "rest-api:endpoint": RESEARCHERS,
    "rest-api:prompt-sets": RESEARCHERS,
    "rest-api:prompt-set": RESEARCHERS,
    "rest-api:systems": RESEARCHERS,
    "rest-api:system": RESEARCHERS,
    "rest-api:summaries": RESEARCHERS,
    "rest-api:summary": RESEARCHERS,
    "rest-api:summary-nodes": RESEARCHERS,
    "rest-api:jobs": RESEARCHERS,
    "rest-api:job": RESEARCHERS,
    "rest-api:job-action": ADMINS,
    "rest-api:launch-summarize": ADMINS,
    "rest-api:launch-judge": ADMINS,
    "rest-api:studies": RESEARCHERS,
    "rest-api:study": RESEARCHERS,
    "rest-api:study-summaries": RESEARCHERS,
    "rest-api:study-members": RESEARCHERS,
    "rest-api:study-phase": RESEARCHERS,
    "rest-api:study-unblind": RESEARCHERS,
    "rest-api:study-annotation-sets": RESEARCHERS,
    "rest-api:study-annotations": RESEARCHERS,
    "rest-api:study-verdicts": RESEARCHERS,
    "rest-api:study-review-decisions": RESEARCHERS,
    "rest-api:study-comparisons": RESEARCHERS,
    "rest-api:study-gold": RESEARCHERS,
    "rest-api:summary-gold": RESEARCHERS,
    "rest-api:study-faithfulness": RESEARCHERS,
    "rest-api:faithfulness-figures": RESEARCHERS,
    "rest-api:study-units": RESEARCHERS,
    "rest-api:study-unit-judgements": RESEARCHERS,
    "rest-api:study-ratings": RESEARCHERS,
    "rest-api:study-report": RESEARCHERS,
    "rest-api:study-reports": RESEARCHERS,
    "rest-api:report-version": RESEARCHERS,
    "rest-api:study-exports": RESEARCHERS,
    "rest-api:study-export": RESEARCHERS,
    "rest-api:study-export-file": RESEARCHERS,
    "rest-api:study-metrics": RESEARCHERS,
    "rest-api:import-summaries": RESEARCHERS,
    "rest-api:import-metrics": RESEARCHERS,
    "rest-api:import-references": RESEARCHERS,
    "rest-api:import-articles": RESEARCHERS,
    "rest-api:import-judgements": RESEARCHERS,
    "rest-api:import-label-studio": RESEARCHERS,
    "rest-api:import-export": ADMINS,
    "rest-api:import-release": ADMINS,
}
#: Routes of the table above that more people may read than change.
CHANGES: dict[str, frozenset[Role]] = {
    "rest-api:endpoints": ADMINS,
    "rest-api:endpoint": ADMINS,
    "rest-api:prompt-sets": ADMINS,
}
#: What changes nothing, and so all that a token which only reads may do.
READING = ("GET", "HEAD", "OPTIONS")


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API)


class RoleMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        match = request.resolver_match
        route = match.view_name if match else ""
        roles = ROUTES.get(route, NOBODY)
        if roles is not None:
            if not request.user.is_authenticated:
                return _login_needed(request)
            changes = request.method not in READING
            if request.user.role not in (CHANGES.get(route, roles) if changes else roles):
                raise PermissionDenied("Your role does not include this page.")
            if changes and getattr(getattr(request, "api_token", None), "read_only", False):
                return _refuse("This token only reads. Make one that may also change things.", "read-only")
        # Also where no login is needed: nobody joins a study with the password that somebody else gave them.
        if route not in BEFORE_OWN_PASSWORD and getattr(request.user, "must_change_password", False):
            return _own_password_needed(request)
        return None


def _refuse(detail: str, code: str) -> HttpResponse:
    return JsonResponse({"detail": detail, "code": code}, status=403)


def _own_password_needed(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        return _refuse("Choose a password of your own first, under your account. Your work is kept.", "password")
    if getattr(request, "htmx", None):
        return HttpResponseClientRedirect(reverse("account"))
    return redirect("account")


def _login_needed(request: HttpRequest) -> HttpResponse:
    """A redirect for pages; for scripts a 401 that they can tell from an answer (never a login form inside a page)."""
    if is_api(request):
        detail = "You are logged out. Log in again (your work is kept); a program sends “Authorization: Bearer TOKEN”."
        answer = JsonResponse({"detail": detail, "code": "login"}, status=401)
        answer["WWW-Authenticate"] = "Bearer"
        return answer
    if htmx := getattr(request, "htmx", None):
        return HttpResponseClientRedirect(f"{reverse('login')}?{urlencode({'next': htmx.current_url_abs_path or '/'})}")
    return redirect_to_login(request.get_full_path())

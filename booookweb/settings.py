"""Settings. Everything that differs between machines comes from the environment (or `.env`) and is checked here.

Without any of it the project runs on SQLite and Celery's file-system transport, in `var/`.
"""

import secrets
import tomllib
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from booookweb import broker

BASE_DIR = Path(__file__).resolve().parent.parent
#: Of the software: frozen reports say with which one they were made.
VERSION = str(tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

#: Everything the running system writes: database, uploads, broker folders, logins of the demo.
VAR_DIR = Path(env.str("BOOOOKWEB_VAR", default=str(BASE_DIR / "var"))).resolve()
VAR_DIR.mkdir(parents=True, exist_ok=True)

DEBUG = env.bool("DEBUG", default=False)


def _secret_key() -> str:
    """The key from the environment, else one made at random on the first run and kept in `var/`."""
    if key := str(env.str("SECRET_KEY", default="")):
        return key
    path = VAR_DIR / "secret_key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    key = path.read_text().strip()
    if not key:
        raise ImproperlyConfigured(f"{path} is empty. Delete it, or set SECRET_KEY.")
    return key


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "booookweb",
    "summarizer",
    "annotation",
    "scoring",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "axes",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "booookweb.security.ContentSecurityPolicyMiddleware",
    "booookweb.security.NothingKeptMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "booookweb.api.authentication.TokenMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "booookweb.access.RoleMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "booookweb.urls"
WSGI_APPLICATION = "booookweb.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"],
                ),
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "booookweb.navigation.navigation",
            ],
        },
    }
]

# --- database -------------------------------------------------------------------------------------------------------

DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'booookweb.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Immediate transactions and WAL: writers queue instead of failing with "database is locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=30000;",
    }
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"].setdefault("CONN_HEALTH_CHECKS", True)
    # What `annotation.statements` asks is planned once a connection; Django's own queries never are.
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("prepare_threshold", 2)
else:
    raise ImproperlyConfigured("DATABASE_URL must be an sqlite:// or postgres:// address.")
# Opening a connection costs as much as a small request.
DATABASES["default"].setdefault("CONN_MAX_AGE", 600)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- people ---------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "booookweb.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "booookweb/locked_out.html"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False

# --- broker and caches ----------------------------------------------------------------------------------------------

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 5}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
else:
    CELERY_BROKER_URL = f"{broker.SCHEME}://localhost"
    CELERY_BROKER_TRANSPORT_OPTIONS = broker.folder_options(VAR_DIR / "broker")
    # In files, so that the web server and the worker share it.
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": VAR_DIR / "cache",
            "OPTIONS": {"MAX_ENTRIES": 5000},
        }
    }

CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = env.int("WORKER_CONCURRENCY", default=16)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker waits for its broker however long it takes: the sweep then finds what got lost.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TIMEZONE = "UTC"
# Jobs are steered through the database alone; with the file-system transport, control queues of workers that are gone
# would fill the folder for ever.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False

# --- jobs -----------------------------------------------------------------------------------------------------------

#: How long an item stays with a worker that gives no sign of life. Signs come ten times as often.
JOB_LEASE_SECONDS = env.float("JOB_LEASE_SECONDS", default=30.0)
#: How long a worker that is told to stop waits for the LLM calls in flight before it gives them up as lost.
WORKER_STOP_SECONDS = env.float("WORKER_STOP_SECONDS", default=3.0)
#: How long one LLM request may go without an answer.
LLM_TIMEOUT_SECONDS = env.float("LLM_TIMEOUT_SECONDS", default=600.0)
#: How often a server is asked how far a batch is.
BATCH_POLL_SECONDS = env.float("BATCH_POLL_SECONDS", default=30.0)

# --- web ------------------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "scoring.charts.bundle.ChartScriptFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "booookweb.static_files.StaticFilesStorage"},
}
# Collected files are served compressed; before they are collected (tests), straight from where they lie.
WHITENOISE_USE_FINDERS = not STATIC_ROOT.is_dir()

#: How new summaries are split into sentences: "punkt" as in the published study, or "strict" (see docs/researchers.md).
SENTENCE_SPLITTER = env.str("SENTENCE_SPLITTER", default="punkt")
if SENTENCE_SPLITTER not in ("punkt", "strict"):
    raise ImproperlyConfigured("SENTENCE_SPLITTER must be punkt or strict.")

#: Largest book file taken, in bytes, and how much text one may unpack to.
UPLOAD_LIMIT_BYTES = env.int("UPLOAD_LIMIT_BYTES", default=30 * 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_ENGINE = "booookweb.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 14 * 24 * 3600
HTTPS = env.bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
CSRF_FAILURE_VIEW = "booookweb.views.errors.csrf_failure"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "booookweb.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotation.api.parsing.FlatJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "PAGE_SIZE": 100,
    "STRICT_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Booook Web",
    "DESCRIPTION": "What researchers and admins do on the pages, for programs. Send a token from your account page as "
    "`Authorization: Bearer TOKEN`.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "PREPROCESSING_HOOKS": ["booookweb.api.schema.only_documented"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "booookweb.api.schema.completed",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "docExpansion": "list", "validatorUrl": None},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
    # At a finer level the client would write whole requests, with their headers, into the log.
    "loggers": {"openai": {"level": "WARNING"}},
}

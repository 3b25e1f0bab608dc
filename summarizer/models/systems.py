"""What makes summaries: an endpoint, a prompt set and the parameters that a study compares as a system."""

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q


def validate_base_url(value: str) -> None:
    """An http(s) address with a host; names without a dot (a container, a machine of the group) are fine.

    A user name or password inside it is refused: keys are never stored.
    """
    try:
        parts = urlsplit(value)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        raise ValidationError("This is not an address. Write it like https://api.example.org/v1.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_valid or any(map(str.isspace, value)):
        raise ValidationError("The address must begin with http:// or https:// and name a server.")
    if parts.username is not None or parts.password is not None:
        raise ValidationError("Leave user name and password out of the address: keys stay in the environment.")
    if parts.query or parts.fragment:
        raise ValidationError("Leave out everything from ? or # on: the address ends with a path like /v1.")


class Endpoint(models.Model):
    """An LLM behind an OpenAI-compatible address, or a baseline that needs none.

    The key itself is never stored: `api_key_variable` names the environment variable that holds it.
    """

    class Provider(models.TextChoices):
        OPENAI = "openai", "OpenAI-compatible"
        EXTRACTIVE = "extractive", "Extractive baseline (no LLM)"
        RULES = "rules", "Rule baseline (no LLM)"

    name = models.SlugField(max_length=100, unique=True)
    provider = models.CharField(max_length=20, choices=Provider.choices, default=Provider.OPENAI)
    base_url = models.CharField(max_length=500, blank=True, validators=[validate_base_url])
    model = models.CharField(max_length=200, blank=True)
    api_key_variable = models.CharField(
        max_length=100,
        blank=True,
        validators=[
            RegexValidator(r"^[A-Z][A-Z0-9_]*_API_KEY$", "The name of the variable must end in _API_KEY, in capitals.")
        ],
    )
    #: Tokens that prompt and answer share.
    context_window = models.PositiveIntegerField(default=8192, validators=[MinValueValidator(256)])
    #: USD per million tokens; null = not known, then no cost is shown.
    price_prompt = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    price_cached = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    price_completion = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    #: Calls in flight at once, and limits a minute (null = none).
    concurrency = models.PositiveIntegerField(default=8, validators=[MinValueValidator(1)])
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    #: Parameters the server was found to refuse, learned once and remembered:
    #: {"max_tokens": "max_completion_tokens", "temperature": null}.
    parameter_replacements = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(provider="openai") | (~Q(base_url="") & ~Q(model="")),
                name="endpoint_has_address_and_model",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_llm(self) -> bool:
        """False for the baselines, which are labelled as such wherever their output appears."""
        return self.provider == self.Provider.OPENAI


class PromptSet(models.Model):
    """Prompt files, immutable and named by their content: changed files are a new row under the same name."""

    class Placeholders(models.TextChoices):
        NAMED = "named", "Named placeholders"
        POSITIONAL = "positional", "Positional placeholders (layout of the public release)"

    name = models.CharField(max_length=200)
    content_sha256 = models.CharField(max_length=64)
    placeholders = models.CharField(max_length=10, choices=Placeholders.choices)
    #: {relative path: text}
    files = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "-created_at"]
        constraints = [models.UniqueConstraint(fields=["name", "content_sha256"], name="prompt_set_version_once")]

    def __str__(self) -> str:
        return f"{self.name} ({self.content_sha256[:8]})"


class System(models.Model):
    """A way of making summaries, as a study compares it."""

    class Strategy(models.TextChoices):
        HIERARCHICAL = "hierarchical", "Hierarchical merging"
        INCREMENTAL = "incremental", "Incremental updating"
        ONE_PASS = "one-pass", "One pass"
        IMPORTED = "imported", "Imported"

    name = models.CharField(max_length=200, unique=True)
    strategy = models.CharField(max_length=20, choices=Strategy.choices)
    endpoint = models.ForeignKey(Endpoint, null=True, blank=True, on_delete=models.PROTECT, related_name="systems")
    prompt_set = models.ForeignKey(PromptSet, null=True, blank=True, on_delete=models.PROTECT, related_name="systems")
    #: The model at the time the system was made: an endpoint may be pointed at another one later.
    model = models.CharField(max_length=200, blank=True)
    context_window = models.PositiveIntegerField(null=True, blank=True)
    #: 0 where the book is read at once.
    chunk_size = models.PositiveIntegerField(null=True, blank=True)
    max_summary_tokens = models.PositiveIntegerField(null=True, blank=True)
    temperature = models.FloatField(null=True, blank=True)
    #: Its summaries went through the removal of artifacts.
    cleaned = models.BooleanField(default=False)
    #: SHA-256 over all that affects its output, with the texts of the prompt files it uses in place of their set: two
    #: launches at one instant with sets that differ in other files make one system. Null for imported and older ones.
    identity = models.CharField(max_length=64, null=True, blank=True, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "strategy",
                    "endpoint",
                    "model",
                    "context_window",
                    "prompt_set",
                    "chunk_size",
                    "max_summary_tokens",
                    "temperature",
                    "cleaned",
                ],
                condition=~Q(strategy="imported"),
                name="system_parameters_once",
            ),
            models.CheckConstraint(
                condition=Q(strategy="imported")
                | Q(
                    endpoint__isnull=False,
                    prompt_set__isnull=False,
                    chunk_size__isnull=False,
                    max_summary_tokens__isnull=False,
                    temperature__isnull=False,
                    context_window__isnull=False,
                ),
                name="system_parameters_complete",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_baseline(self) -> bool:
        """Made without an LLM; every page that shows its output says so."""
        return self.endpoint is not None and not self.endpoint.is_llm

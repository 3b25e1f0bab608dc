"""The eight types of coherence errors (BooookScore, section 3 and table 2), defined in our own words.

They are plain data here and rows in the database: studies refer to rows, the judge's parser needs only the keys.
"""

from dataclasses import dataclass

from django.db import transaction

from annotation.models import ErrorType


@dataclass(frozen=True, slots=True)
class ErrorTypeDefinition:
    key: str
    name: str
    tag: str
    definition: str
    example: str
    #: Name of a colour token in static/css/tokens.css.
    colour: str


ERROR_TYPES = (
    ErrorTypeDefinition(
        key="entity omission",
        name="Entity omission",
        tag="EN",
        definition=(
            "Someone or something (a person, place, object, group or idea) turns up, and the summary does not say who "
            "or what that is, or leaves out what one must know about it."
        ),
        example="“Petra moves into the boathouse.” Nobody called Petra was mentioned before, and nothing explains her.",
        colour="--type-entity-omission",
    ),
    ErrorTypeDefinition(
        key="event omission",
        name="Event omission",
        tag="EV",
        definition=(
            "Something that happened is referred to or taken for granted, and the summary does not tell it, or leaves "
            "out the part of it that later sentences depend on."
        ),
        example="“After the night at the chapel they no longer speak.” What happened at the chapel is never told.",
        colour="--type-event-omission",
    ),
    ErrorTypeDefinition(
        key="causal omission",
        name="Causal omission",
        tag="CA",
        definition="Somebody acts or something comes about, and the reason or the motive is missing or unclear.",
        example="“She saves the mill and then burns it down.” Nothing says why she would.",
        colour="--type-causal-omission",
    ),
    ErrorTypeDefinition(
        key="salience",
        name="Salience",
        tag="SA",
        definition="A detail is told that does nothing for the main storyline and only draws attention away from it.",
        example="“His kitchen has blue tiles, and on Thursdays he bakes bread.” Neither ever matters.",
        colour="--type-salience",
    ),
    ErrorTypeDefinition(
        key="discontinuity",
        name="Discontinuity",
        tag="DI",
        definition=(
            "The thread breaks: a sudden jump to another person, time or place, a missing transition, or a sentence "
            "that stands where it does not belong."
        ),
        example="In the middle of a trial: “Twenty years earlier, a girl counts lamps on a roof.”",
        colour="--type-discontinuity",
    ),
    ErrorTypeDefinition(
        key="duplication",
        name="Duplication",
        tag="DU",
        definition="The summary tells again what it has told already, without adding anything.",
        example="“They save the works from the storm.” The same was told three sentences before.",
        colour="--type-duplication",
    ),
    ErrorTypeDefinition(
        key="inconsistency",
        name="Inconsistency",
        tag="IN",
        definition="Two places of the summary contradict each other.",
        example="He reads the letters in the archive, and later “he has never learned to read”.",
        colour="--type-inconsistency",
    ),
    ErrorTypeDefinition(
        key="language",
        name="Language",
        tag="LA",
        definition="Grammar, wording or an unclear reference makes it hard to tell what the sentence says.",
        example="“Having fallen for nine years, the farmers dance in it.” Who or what fell?",
        colour="--type-language",
    ),
)


@transaction.atomic
def ensure_error_types() -> list[ErrorType]:
    """The rows of the eight types, in order; missing ones are made, existing ones stay as they are."""
    existing = {row.key: row for row in ErrorType.objects.filter(key__in=[each.key for each in ERROR_TYPES])}
    return [
        existing.get(each.key)
        or ErrorType.objects.get_or_create(
            key=each.key,
            defaults={
                "name": each.name,
                "tag": each.tag,
                "definition": each.definition,
                "example": each.example,
                "colour": each.colour,
                "order": order,
            },
        )[0]
        for order, each in enumerate(ERROR_TYPES)
    ]

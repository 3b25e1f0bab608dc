from annotation.models.comparing import ComparisonQuestion, ComparisonRound, ComparisonSheet
from annotation.models.consent import BookKnowledge, Consent, ConsentText
from annotation.models.faithfulness import (
    Evidence,
    FaithfulnessPlan,
    Rating,
    SampledUnit,
    Unit,
    UnitHints,
    UnitJudgement,
    UnitSample,
    UnitVerdict,
)
from annotation.models.gold import GoldDecision, GoldErrorType, GoldEvent, GoldSet, GoldSource, GoldSpan
from annotation.models.guesses import OriginGuess
from annotation.models.guidelines import GuidelinesRead, GuidelinesVersion
from annotation.models.invitations import ExternalId, Invitation, PlatformSession
from annotation.models.known import KnownPlace, KnownSummary, PlantedMark
from annotation.models.marks import Annotation, AnnotationErrorType, AnnotationSet, ErrorType, Span, Verdict
from annotation.models.pay import Payment
from annotation.models.people import Annotator
from annotation.models.preference import Comparison, ComparisonAnswer, ComparisonTally
from annotation.models.qualification import (
    Perturbation,
    Qualification,
    QualificationAttempt,
    QualificationPass,
    QualificationUnit,
)
from annotation.models.review import ReviewDecision, ReviewItem
from annotation.models.studies import BEFORE_TASKS, Assignment, MarksSeen, Purpose, ShownAs, Study, StudyMember
from annotation.models.training import Training, TrainingAttempt, TrainingPass
from annotation.models.unblinding import Unblinding
from annotation.models.withdrawal import Withdrawal

__all__ = [
    "BEFORE_TASKS",
    "Annotation",
    "AnnotationErrorType",
    "AnnotationSet",
    "Annotator",
    "Assignment",
    "BookKnowledge",
    "Comparison",
    "ComparisonAnswer",
    "ComparisonQuestion",
    "ComparisonRound",
    "ComparisonSheet",
    "ComparisonTally",
    "Consent",
    "ConsentText",
    "ErrorType",
    "Evidence",
    "ExternalId",
    "FaithfulnessPlan",
    "GoldDecision",
    "GoldErrorType",
    "GoldEvent",
    "GoldSet",
    "GoldSource",
    "GoldSpan",
    "GuidelinesRead",
    "GuidelinesVersion",
    "Invitation",
    "KnownPlace",
    "KnownSummary",
    "MarksSeen",
    "OriginGuess",
    "Payment",
    "Perturbation",
    "PlantedMark",
    "PlatformSession",
    "Purpose",
    "Qualification",
    "QualificationAttempt",
    "QualificationPass",
    "QualificationUnit",
    "Rating",
    "ReviewDecision",
    "ReviewItem",
    "SampledUnit",
    "ShownAs",
    "Span",
    "Study",
    "StudyMember",
    "Training",
    "TrainingAttempt",
    "TrainingPass",
    "Unblinding",
    "Unit",
    "UnitHints",
    "UnitJudgement",
    "UnitSample",
    "UnitVerdict",
    "Verdict",
    "Withdrawal",
]

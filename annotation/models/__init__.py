from annotation.models.marks import Annotation, AnnotationSet, ErrorType, Span, Verdict
from annotation.models.people import Annotator
from annotation.models.preference import Comparison, ComparisonAnswer, ComparisonTally
from annotation.models.review import ReviewDecision, ReviewItem
from annotation.models.studies import Assignment, Study, StudyMember

__all__ = [
    "Annotation",
    "AnnotationSet",
    "Annotator",
    "Assignment",
    "Comparison",
    "ComparisonAnswer",
    "ComparisonTally",
    "ErrorType",
    "ReviewDecision",
    "ReviewItem",
    "Span",
    "Study",
    "StudyMember",
    "Verdict",
]

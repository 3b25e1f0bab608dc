from django.urls import path

from annotation.api import coarse, comparison, fine, gold, marks, review, units

app_name = "annotation-api"

urlpatterns = [
    path("tasks/<uuid:key>/marks/", marks.Marks.as_view(), name="marks"),
    path("tasks/<uuid:key>/marks/submit/", marks.Submit.as_view(), name="marks-submit"),
    path("tasks/<uuid:key>/marks/skip/", marks.Skip.as_view(), name="marks-skip"),
    path("tasks/<uuid:key>/marks/reopen/", marks.Reopen.as_view(), name="marks-reopen"),
    path("tasks/<uuid:key>/marks/active-time/", marks.ActiveTime.as_view(), name="marks-active-time"),
    path("tasks/<uuid:key>/marks/<uuid:client_key>/", marks.Mark.as_view(), name="mark"),
    path("tasks/<uuid:key>/review/", review.Review.as_view(), name="review"),
    path("tasks/<uuid:key>/review/submit/", review.ReviewSubmit.as_view(), name="review-submit"),
    path("tasks/<uuid:key>/review/active-time/", review.ReviewActiveTime.as_view(), name="review-active-time"),
    path("tasks/<uuid:key>/review/marks/<uuid:item>/", review.ReviewDecision.as_view(), name="review-decision"),
    path("tasks/<uuid:key>/comparison/", comparison.Comparison.as_view(), name="comparison"),
    path("tasks/<uuid:key>/comparison/submit/", comparison.ComparisonSubmit.as_view(), name="comparison-submit"),
    path("tasks/<uuid:key>/comparison/reopen/", comparison.ComparisonReopen.as_view(), name="comparison-reopen"),
    path(
        "tasks/<uuid:key>/comparison/active-time/",
        comparison.ComparisonActiveTime.as_view(),
        name="comparison-active-time",
    ),
    path(
        "tasks/<uuid:key>/comparison/answers/<slug:slot>/",
        comparison.ComparisonAnswer.as_view(),
        name="comparison-answer",
    ),
    path("tasks/<uuid:key>/fine/", fine.Fine.as_view(), name="fine"),
    path("tasks/<uuid:key>/fine/hints/", fine.Hints.as_view(), name="fine-hints"),
    path("tasks/<uuid:key>/fine/submit/", fine.FineSubmit.as_view(), name="fine-submit"),
    path("tasks/<uuid:key>/fine/reopen/", fine.FineReopen.as_view(), name="fine-reopen"),
    path("tasks/<uuid:key>/fine/<int:position>/", fine.Judgement.as_view(), name="fine-judgement"),
    path("tasks/<uuid:key>/fine/<int:position>/active-time/", fine.UnitTime.as_view(), name="fine-active-time"),
    path("tasks/<uuid:key>/coarse/", coarse.Coarse.as_view(), name="coarse"),
    path("tasks/<uuid:key>/coarse/rating/", coarse.Rating.as_view(), name="coarse-rating"),
    path("tasks/<uuid:key>/coarse/submit/", coarse.CoarseSubmit.as_view(), name="coarse-submit"),
    path("tasks/<uuid:key>/coarse/reopen/", coarse.CoarseReopen.as_view(), name="coarse-reopen"),
    path("tasks/<uuid:key>/coarse/active-time/", coarse.RatingTime.as_view(), name="coarse-active-time"),
    path("tasks/<uuid:key>/coarse/together/", coarse.Together.as_view(), name="coarse-together"),
    path("tasks/<uuid:key>/coarse/together/<uuid:rated>/", coarse.Recalibration.as_view(), name="coarse-recalibration"),
    path("studies/<slug:slug>/qualification/units/", units.QualificationUnits.as_view(), name="qualification-units"),
    path("studies/<slug:slug>/summaries/<int:pk>/units/", units.SummaryUnits.as_view(), name="summary-units"),
    path("studies/<slug:slug>/summaries/<int:pk>/gold/", gold.Gold.as_view(), name="summary-gold"),
    path("studies/<slug:slug>/summaries/<int:pk>/gold/finish/", gold.Finish.as_view(), name="summary-gold-finish"),
    path("studies/<slug:slug>/summaries/<int:pk>/gold/reopen/", gold.Reopen.as_view(), name="summary-gold-reopen"),
    path(
        "studies/<slug:slug>/summaries/<int:pk>/gold/<uuid:client_key>/",
        gold.Decision.as_view(),
        name="summary-gold-decision",
    ),
]

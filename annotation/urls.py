from django.urls import path

from annotation.views import (
    comparison_rounds,
    faithfulness_tasks,
    judge,
    studies,
    study_checks,
    study_consent,
    study_content,
    study_faithfulness,
    study_guidelines,
    study_placing,
    study_qualification,
    study_terms,
    study_training,
    tasks,
    unit_judge,
    walk_through,
)
from annotation.views.annotate import annotate
from annotation.views.begin import begin
from annotation.views.checking_example import example_coarse, example_fine, example_together
from annotation.views.compare import compare
from annotation.views.guesses import review_guesses
from annotation.views.invitations import study_invitations
from annotation.views.qualification import qualification_result
from annotation.views.review import review
from annotation.views.training import training_feedback
from annotation.views.unblinding import study_unblind
from annotation.views.withdrawals import study_withdraw, withdraw

app_name = "annotation"

urlpatterns = [
    path("tasks/", tasks.my_tasks, name="tasks"),
    path("tasks/<uuid:key>/guidelines/", tasks.guidelines, name="guidelines"),
    path("tasks/<uuid:key>/begin/", begin, name="begin"),
    path("tasks/<uuid:key>/training/", training_feedback, name="training"),
    path("tasks/<uuid:key>/review/", review, name="review"),
    path("tasks/<uuid:key>/review/guesses/", review_guesses, name="review-guesses"),
    path("tasks/<uuid:key>/annotate/", annotate, name="annotate"),
    path("tasks/<uuid:key>/compare/", compare, name="compare"),
    path("tasks/<uuid:key>/fine/", faithfulness_tasks.fine, name="fine"),
    path("tasks/<uuid:key>/coarse/", faithfulness_tasks.coarse, name="coarse"),
    path("tasks/<uuid:key>/coarse/together/", faithfulness_tasks.together, name="coarse-together"),
    path("tasks/<uuid:key>/fine/example/", example_fine, name="example-fine"),
    path("tasks/<uuid:key>/coarse/example/", example_coarse, name="example-coarse"),
    path("tasks/<uuid:key>/coarse/example/together/", example_together, name="example-coarse-together"),
    path("tasks/<uuid:key>/qualification/", qualification_result, name="qualification"),
    path("tasks/<uuid:key>/withdraw/", withdraw, name="withdraw"),
    path("judge/", judge.judge_launch, name="judge-launch"),
    path("judge/plan/", judge.judge_plan, name="judge-plan"),
    path("judge/units/", unit_judge.judge_units_studies, name="judge-units-studies"),
    path("studies/", studies.study_list, name="studies"),
    path("studies/new/", studies.study_add, name="study-add"),
    path("studies/<slug:slug>/", studies.study_page, name="study"),
    path("studies/<slug:slug>/settings/", studies.study_settings, name="study-settings"),
    path("studies/<slug:slug>/checks/", study_checks.study_checks, name="study-checks"),
    path("studies/<slug:slug>/checks/<int:known>/", study_checks.known_summary, name="known-summary"),
    path("studies/<slug:slug>/checks/plant/<int:pk>/", study_checks.study_plant, name="summary-plant"),
    path("studies/<slug:slug>/training/", study_training.study_training, name="study-training"),
    path("studies/<slug:slug>/consent/", study_consent.study_consent, name="study-consent"),
    path("studies/<slug:slug>/guidelines/", study_guidelines.study_guidelines, name="study-guidelines"),
    path(
        "studies/<slug:slug>/guidelines/<int:number>/",
        study_guidelines.study_guidelines_version,
        name="study-guidelines-version",
    ),
    path("studies/<slug:slug>/summaries/", study_content.study_summaries, name="study-summaries"),
    path("studies/<slug:slug>/judges/", study_content.study_judges, name="study-judges"),
    path("studies/<slug:slug>/people/", study_content.study_members, name="study-members"),
    path("studies/<slug:slug>/invitations/", study_invitations, name="study-invitations"),
    path("studies/<slug:slug>/withdraw/", study_withdraw, name="study-withdraw"),
    path("studies/<slug:slug>/comparisons/", comparison_rounds.study_comparisons, name="study-comparisons"),
    path("studies/<slug:slug>/comparisons/<int:pk>/", comparison_rounds.comparison_round, name="comparison-round"),
    path("studies/<slug:slug>/faithfulness/", study_faithfulness.study_faithfulness, name="study-faithfulness"),
    path("studies/<slug:slug>/faithfulness/work/", study_faithfulness.faithfulness_work, name="faithfulness-work"),
    path(
        "studies/<slug:slug>/faithfulness/qualification/",
        study_qualification.study_qualification,
        name="study-qualification",
    ),
    path(
        "studies/<slug:slug>/faithfulness/qualification/propose/",
        study_qualification.qualification_propose,
        name="qualification-propose",
    ),
    path(
        "studies/<slug:slug>/faithfulness/qualification/statements/",
        study_qualification.qualification_units,
        name="qualification-units",
    ),
    path(
        "studies/<slug:slug>/faithfulness/summaries/<int:pk>/", study_faithfulness.summary_units, name="summary-units"
    ),
    path("studies/<slug:slug>/faithfulness/judge/", unit_judge.judge_units, name="judge-units"),
    path("studies/<slug:slug>/faithfulness/judge/plan/", unit_judge.judge_units_plan, name="judge-units-plan"),
    path("studies/<slug:slug>/open-annotating/", studies.study_open_annotating, name="study-open-annotating"),
    path("studies/<slug:slug>/open-review/", studies.study_open_review, name="study-open-review"),
    path("studies/<slug:slug>/unblind/", study_unblind, name="study-unblind"),
    path("studies/<slug:slug>/places/", study_placing.study_places, name="study-places"),
    path("studies/<slug:slug>/places/<int:pk>/", study_placing.study_place, name="mark-place"),
    path("studies/<slug:slug>/terms/", study_terms.study_terms, name="study-terms"),
    path("studies/<slug:slug>/payouts/", study_terms.study_payouts, name="study-payouts"),
    path("studies/<slug:slug>/payouts.csv", study_terms.study_payouts_csv, name="study-payouts-csv"),
    path("studies/<slug:slug>/walk-through/annotate/", walk_through.walk_annotate, name="study-walk-annotate"),
    path("studies/<slug:slug>/walk-through/review/", walk_through.walk_review, name="study-walk-review"),
    path("studies/<slug:slug>/walk-through/compare/", walk_through.walk_compare, name="study-walk-compare"),
    path("studies/<slug:slug>/close/", studies.study_close, name="study-close"),
]

from django.urls import path

from scoring.views import (
    answers,
    charts,
    dashboard,
    exports,
    faithfulness,
    gold,
    imports,
    judge_and_people,
    marks,
    methods,
    people,
    study_report,
    summary_marks,
    table_files,
)

app_name = "scoring"

urlpatterns = [
    path("summaries/import/", imports.summaries, name="import-summaries"),
    path("summaries/import/articles/", imports.articles, name="import-articles"),
    path("studies/<slug:slug>/faithfulness/import/", imports.judgements, name="import-judgements"),
    path("studies/<slug:slug>/metrics/", imports.metrics, name="metrics"),
    path("methods/", methods.methods, name="methods"),
    path("studies/<slug:slug>/dashboard/", dashboard.dashboard, name="dashboard"),
    path("studies/<slug:slug>/people-compared/", people.people, name="people"),
    path("studies/<slug:slug>/judge-and-people/", judge_and_people.judge_and_people, name="judge-and-people"),
    path("studies/<slug:slug>/judge-and-people/sentences/", judge_and_people.differences, name="differences"),
    path("studies/<slug:slug>/faithfulness/figures/", faithfulness.faithfulness, name="faithfulness"),
    path("studies/<slug:slug>/marks/", marks.marks, name="marks"),
    path("studies/<slug:slug>/answers/", answers.answers, name="answers"),
    path("studies/<slug:slug>/report.json", dashboard.report, name="report"),
    path("studies/<slug:slug>/report/", study_report.study_report, name="study-report"),
    path("studies/<slug:slug>/report/<int:version>/", study_report.report_version, name="report-version"),
    path("studies/<slug:slug>/report/<int:version>.json", study_report.report_version_file, name="report-version-file"),
    path("studies/<slug:slug>/charts/<slug:key>.<str:form>", charts.chart_file, name="chart"),
    path("studies/<slug:slug>/tables/<slug:group>/<slug:table>.<str:form>", table_files.table_file, name="table"),
    path("studies/<slug:slug>/summaries/<int:pk>/", summary_marks.summary_marks, name="summary-marks"),
    path(
        "studies/<slug:slug>/summaries/<int:pk>/faithfulness/",
        faithfulness.summary_faithfulness,
        name="summary-faithfulness",
    ),
    path(
        "studies/<slug:slug>/summaries/<int:pk>/faithfulness/truth/",
        faithfulness.summary_truths,
        name="summary-truths",
    ),
    path("studies/<slug:slug>/books/<int:pk>/", summary_marks.book_marks, name="book-marks"),
    path("studies/<slug:slug>/exports/", exports.exports, name="exports"),
    path("studies/<slug:slug>/exports/list/", exports.exports_list, name="exports-list"),
    path("studies/<slug:slug>/exports/<int:export>/", exports.export_file, name="export-file"),
    path("studies/<slug:slug>/gold/", gold.gold, name="gold"),
    path("studies/<slug:slug>/gold.json", gold.gold_file, name="gold-file"),
    path("studies/<slug:slug>/summaries/<int:pk>/gold/", gold.summary_gold, name="summary-gold"),
]

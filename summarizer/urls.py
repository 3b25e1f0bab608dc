from django.urls import path

from summarizer.views import books, endpoints, jobs, launch, references, summaries

app_name = "summarizer"

urlpatterns = [
    path("books/", books.book_list, name="books"),
    path("books/new/", books.book_upload, name="book-upload"),
    path("books/<int:pk>/", books.book_page, name="book"),
    path("books/<int:pk>/edit/", books.book_edit, name="book-edit"),
    path("books/<int:pk>/sections/", books.book_sections, name="book-sections"),
    path("books/<int:pk>/sections/<int:index>/", books.book_section, name="book-section"),
    path("books/<int:pk>/delete/", books.book_delete, name="book-delete"),
    path("books/<int:pk>/references/", references.reference_add, name="book-reference-add"),
    path(
        "books/<int:pk>/references/<int:reference>/remove/", references.reference_remove, name="book-reference-remove"
    ),
    path("endpoints/", endpoints.endpoint_list, name="endpoints"),
    path("endpoints/new/", endpoints.endpoint_add, name="endpoint-add"),
    path("endpoints/test/", endpoints.endpoint_test, name="endpoint-test"),
    path("endpoints/<int:pk>/", endpoints.endpoint_edit, name="endpoint-edit"),
    path("jobs/", jobs.job_list, name="jobs"),
    path("jobs/launch/", launch.launch, name="launch"),
    path("jobs/launch/plan/", launch.launch_plan, name="launch-plan"),
    path("jobs/<int:pk>/", jobs.job_page, name="job"),
    path("jobs/<int:pk>/progress/", jobs.job_progress_part, name="job-progress"),
    path("jobs/<int:pk>/cancel/", jobs.job_cancel, name="job-cancel"),
    path("jobs/<int:pk>/pause/", jobs.job_pause, name="job-pause"),
    path("jobs/<int:pk>/resume/", jobs.job_resume, name="job-resume"),
    path("jobs/<int:pk>/retry/", jobs.job_retry, name="job-retry"),
    path("summaries/<int:pk>/", summaries.summary_page, name="summary"),
    path("summaries/<int:pk>/tree/", summaries.summary_tree_page, name="summary-tree"),
]

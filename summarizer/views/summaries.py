"""One summary, and how it was built."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET

from summarizer.models import Summary, System
from summarizer.selectors.costs import cost_of_summary, cost_of_system
from summarizer.selectors.summaries import cleanings, summary_steps, summary_tree


@require_GET
def summary_page(request: HttpRequest, pk: int) -> HttpResponse:
    summary = _summary(pk)
    context = {
        "summary": summary,
        "sentences": [
            summary.text[start:end] for start, end in summary.sentences.order_by("index").values_list("start", "end")
        ],
        "has_tree": summary.nodes.exists() and not summary.cleaned_from_id,
        "cleanings": cleanings(summary),
        "cost": cost_of_summary(summary),
        "system_cost": cost_of_system(summary.system),
    }
    return render(request, "summarizer/summary.html", context)


@require_GET
def summary_tree_page(request: HttpRequest, pk: int) -> HttpResponse:
    summary = _summary(pk)
    if summary.cleaned_from_id:
        # Its own page shows what the cleaning changed; all steps are those of the version before it.
        return redirect("summarizer:summary-tree", summary.cleaned_from_id)
    if summary.system.strategy == System.Strategy.INCREMENTAL and (steps := summary_steps(summary)):
        kinds = [step.node.kind for step in steps]
        counts = {"updates": kinds.count("update"), "compressions": kinds.count("compression")}
        context = {"summary": summary, "steps": steps, "counts": counts}
        return render(request, "summarizer/summary_steps.html", context)
    return render(request, "summarizer/summary_tree.html", {"summary": summary, "levels": summary_tree(summary)})


def _summary(pk: int) -> Summary:
    related = ("book", "system__endpoint", "system__prompt_set", "job_item__job__endpoint", "cleaned_from")
    return get_object_or_404(Summary.objects.select_related(*related), pk=pk)

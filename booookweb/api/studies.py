"""Studies: making one, its settings, what and who is in it, and leading it from phase to phase.

All of it shows tasks and people, never marks or scores, so that those who are blind to the study may see it too.
"""

from typing import Any

from django.db.models import Count
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import annotator_of, require_own_tasks_done
from annotation.api.requests import valid
from annotation.models import ShownAs, Study, StudyMember
from annotation.selectors.progress import TaskProgress, progress_of
from annotation.selectors.studies import annotating_problems, members_of, review_gaps, review_problems
from annotation.selectors.unblinding import unblinding_gaps, unblinding_of
from annotation.services import studies as services
from annotation.services.unblinding import unblind
from booookweb.api.base import IdField, ListQuery, Query, RestView, chosen, listed, page_of
from booookweb.api.errors import NotThere
from booookweb.api.summaries import SummarySerializer, summaries_listed
from booookweb.models import User
from summarizer.models import Summary

MOST_AT_ONCE = 5000
LARGEST_OVERLAP = 1000
LONGEST_GUIDELINES = 200_000


class StudyQuery(ListQuery):
    phase = serializers.ChoiceField(choices=Study.Phase.choices, required=False)


class StudySerializer(serializers.ModelSerializer[Study]):
    summaries = serializers.IntegerField(source="summary_count")
    members = serializers.IntegerField(source="member_count")

    class Meta:
        model = Study
        fields: tuple[str, ...] = (
            *("name", "title", "phase", "summaries", "members", "annotation_overlap", "review_overlap"),
            *("review_shown_as", "types_shown_in_review", "asks_about_book", "is_sample", "created_at"),
        )


class TasksSerializer(serializers.Serializer[TaskProgress]):
    submitted = serializers.IntegerField()
    open = serializers.IntegerField()
    free = serializers.IntegerField(help_text="Places that nobody has.")


class StudyDetailSerializer(StudySerializer):
    judges = serializers.ListField(child=serializers.CharField())
    guidelines = serializers.CharField()
    unblinded_at = serializers.DateTimeField(allow_null=True, help_text="When its review's sources were opened.")
    annotate = TasksSerializer()
    review = TasksSerializer()
    compare = TasksSerializer()
    fine = TasksSerializer(help_text="Units of summaries to judge.")
    coarse = TasksSerializer(help_text="Summaries to rate.")

    class Meta(StudySerializer.Meta):
        fields: tuple[str, ...] = (
            *StudySerializer.Meta.fields,
            *("judges", "guidelines", "unblinded_at", "annotate", "review", "compare", "fine", "coarse"),
        )


class StudySettingsSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=300, required=False, help_text="Annotators see it.")
    annotation_overlap = serializers.IntegerField(
        min_value=1, max_value=LARGEST_OVERLAP, required=False, help_text="People per summary."
    )
    review_overlap = serializers.IntegerField(
        min_value=0, max_value=LARGEST_OVERLAP, required=False, help_text="Reviewers per mark; 0: no review."
    )
    review_shown_as = serializers.ChoiceField(choices=ShownAs.choices, required=False)
    types_shown_in_review = serializers.BooleanField(required=False)
    asks_about_book = serializers.BooleanField(required=False)


class NewStudySerializer(StudySettingsSerializer):
    name = serializers.SlugField(max_length=100, help_text="Short name, for addresses and commands.")
    guidelines = serializers.CharField(
        max_length=LONGEST_GUIDELINES,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Markdown; the usual text if left out.",
    )


class StudySummariesSerializer(serializers.Serializer[Any]):
    add = serializers.ListField(child=IdField(), default=list, max_length=MOST_AT_ONCE)
    remove = serializers.ListField(child=IdField(), default=list, max_length=MOST_AT_ONCE)


class ChangedSerializer(serializers.Serializer[Any]):
    summaries = serializers.IntegerField(help_text="In the study now.")


class MemberSerializer(serializers.ModelSerializer[StudyMember]):
    pseudonym = serializers.CharField(source="annotator.pseudonym")
    username = serializers.CharField(source="annotator.user.username", default=None, allow_null=True)

    class Meta:
        model = StudyMember
        fields: tuple[str, ...] = ("pseudonym", "username", "annotates", "reviews", "compares", "judges_units", "rates")


class NewMemberSerializer(serializers.Serializer[Any]):
    username = serializers.CharField(max_length=150)
    annotates = serializers.BooleanField(default=True)
    reviews = serializers.BooleanField(default=True)
    compares = serializers.BooleanField(required=False, help_text="Left out, it stays as it is; so do the next two.")
    judges_units = serializers.BooleanField(required=False)
    rates = serializers.BooleanField(required=False)


class MemberQuery(Query):
    pseudonym = serializers.CharField(max_length=200)


class PhaseSerializer(serializers.Serializer[Any]):
    phase = serializers.ChoiceField(choices=Study.Phase.choices)
    problems = serializers.ListField(child=serializers.CharField(), help_text="What the next phase can't do without.")
    gaps = serializers.ListField(child=serializers.CharField(), help_text="What is not finished, and would be left.")


class NextPhaseSerializer(serializers.Serializer[Any]):
    phase = serializers.ChoiceField(choices=[each for each in Study.Phase.choices if each[0] != Study.Phase.SETUP])
    accept_incomplete = serializers.BooleanField(default=False, help_text="Review: end tasks that are still open.")


class UnblindSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=1000, help_text="Why the sources are opened now; stands in the report.")
    accept_unfinished = serializers.BooleanField(default=False, help_text="End review tasks that are still open.")


def study_named(slug: str) -> Study:
    return get_object_or_404(Study, name=slug)


class Studies(RestView):
    queries = {"GET": StudyQuery}

    @extend_schema(parameters=[StudyQuery], responses=page_of(StudySerializer))
    def get(self, request: Request) -> Response:
        """Studies, newest first."""
        studies = _counted().filter(**chosen(self.query, phase="phase")).order_by("-pk")
        return listed(request, studies, self.query, StudySerializer)

    @extend_schema(request=NewStudySerializer, responses={201: StudyDetailSerializer})
    def post(self, request: Request) -> Response:
        """Make a study. 409 for a name that is taken."""
        data = valid(NewStudySerializer(data=request.data))
        study = services.create_study(**data, created_by=self.user(request))
        return Response(_detail(study.name), status=201)


class OneStudy(RestView):
    @extend_schema(responses=StudyDetailSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """A study with its settings and how far its tasks are."""
        return Response(_detail(slug))

    @extend_schema(request=StudySettingsSerializer, responses=StudyDetailSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change settings. 409 for one that can't be changed any more."""
        study = study_named(slug)
        services.update_study(study=study, **valid(StudySettingsSerializer(data=request.data)))
        return Response(_detail(slug))


class StudySummaries(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(SummarySerializer))
    def get(self, request: Request, slug: str) -> Response:
        """The study's summaries, without their texts."""
        summaries = summaries_listed().filter(studies=study_named(slug)).defer("text").order_by("pk")
        return listed(request, summaries, self.query, SummarySerializer)

    @extend_schema(request=StudySummariesSerializer, responses=ChangedSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Put summaries into the study or take them out, while it is being set up."""
        study = study_named(slug)
        data = valid(StudySummariesSerializer(data=request.data))
        if to_add := _summaries(data["add"]):
            services.add_summaries(study=study, summaries=to_add)
        if to_remove := _summaries(data["remove"]):
            services.remove_summaries(study=study, summaries=to_remove)
        return Response({"summaries": study.summaries.count()})


class StudyMembers(RestView):
    queries = {"GET": ListQuery, "DELETE": MemberQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(MemberSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """The people of the study, and what they do."""
        members = members_of(study_named(slug)).order_by("pk")
        return listed(request, members, self.query, MemberSerializer)

    @extend_schema(request=NewMemberSerializer, responses=MemberSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Make a person a member, or change what a member does."""
        study = study_named(slug)
        data = valid(NewMemberSerializer(data=request.data))
        person = User.objects.filter(username=data.pop("username"), is_active=True).first()
        if person is None:
            raise NotThere("There is nobody of this name with an open account.")
        return Response(MemberSerializer(services.add_member(study=study, annotator=annotator_of(person), **data)).data)

    @extend_schema(parameters=[MemberQuery], responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """A person leaves: what they handed in stays, their open tasks go to others."""
        study = study_named(slug)
        member = study.members.filter(annotator__pseudonym=self.query["pseudonym"]).first()
        if member:
            services.remove_member(study=study, member=member)
        return Response(status=204)


class StudyPhase(RestView):
    @extend_schema(responses=PhaseSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """The phase, and what stands against the next one."""
        return Response(_phase(study_named(slug)))

    @extend_schema(request=NextPhaseSerializer, responses=PhaseSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Open annotating (`annotating`), then the review (`reviewing`), or close the study (`closed`)."""
        study = study_named(slug)
        data = valid(NextPhaseSerializer(data=request.data))
        match data["phase"]:
            case Study.Phase.ANNOTATING:
                study = services.open_annotating(study=study)
            case Study.Phase.REVIEWING:
                study = services.open_review(study=study, accept_incomplete=data["accept_incomplete"])
            case _:
                study = services.close_study(study=study)
        return Response(_phase(study))


class StudyUnblind(RestView):
    @extend_schema(request=UnblindSerializer, responses=StudyDetailSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """End the blind review: all decisions become final, and the sources of the marks can be seen."""
        study = study_named(slug)
        require_own_tasks_done(request.user, study)
        unblind(study=study, user=request.user, **valid(UnblindSerializer(data=request.data)))
        return Response(_detail(slug))


def _counted() -> Any:
    return Study.objects.annotate(
        summary_count=Count("summaries", distinct=True), member_count=Count("members", distinct=True)
    )


def _detail(slug: str) -> dict[str, Any]:
    study = get_object_or_404(_counted(), name=slug)
    unblinding, progress = unblinding_of(study), progress_of(study)
    return {
        **StudySerializer(study).data,
        "judges": list(study.judges.order_by("pk").values_list("pseudonym", flat=True)),
        "guidelines": study.guidelines,
        "unblinded_at": unblinding.at if unblinding else None,
        "annotate": TasksSerializer(progress.annotate).data,
        "review": TasksSerializer(progress.review).data,
        "compare": TasksSerializer(progress.compare).data,
        "fine": TasksSerializer(progress.fine).data,
        "coarse": TasksSerializer(progress.coarse).data,
    }


def _phase(study: Study) -> dict[str, Any]:
    problems, gaps = [], []
    if study.phase == Study.Phase.SETUP:
        problems = annotating_problems(study)
    elif study.phase == Study.Phase.ANNOTATING:
        problems, gaps = review_problems(study), review_gaps(study)
    elif study.phase == Study.Phase.REVIEWING:
        gaps = unblinding_gaps(study)
    return {"phase": study.phase, "problems": problems, "gaps": gaps}


def _summaries(ids: list[int]) -> list[Summary]:
    found = list(Summary.objects.filter(pk__in=ids).defer("text"))
    if missing := sorted(set(ids) - {each.pk for each in found}):
        raise NotThere(f"There is no summary {', '.join(map(str, missing[:5]))}.")
    return found

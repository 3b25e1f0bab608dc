from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.access import blinded_summary_ids
        from annotation.faithfulness.proposal_job import PerturbKind
        from annotation.judge.kind import JudgeKind
        from annotation.judge.rules import RuleProvider
        from annotation.unit_judge.kind import UnitJudgeKind
        from summarizer.jobs import kinds
        from summarizer.models import Endpoint
        from summarizer.providers import registry

        kinds.register(JudgeKind(), hides=blinded_summary_ids)
        kinds.register(PerturbKind())
        kinds.register(UnitJudgeKind(), hides=blinded_summary_ids)
        registry.register(Endpoint.Provider.RULES, lambda endpoint: RuleProvider())

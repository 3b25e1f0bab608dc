import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

PROTECT_USED_TYPES = [
    migrations.CreateModel(
        name="AnnotationErrorType",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "annotation",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="+", to="annotation.annotation"
                ),
            ),
            (
                "errortype",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.errortype"
                ),
            ),
        ],
        options={"db_table": "annotation_annotation_error_types", "unique_together": {("annotation", "errortype")}},
    ),
    migrations.AlterField(
        model_name="annotation",
        name="error_types",
        field=models.ManyToManyField(
            blank=True,
            related_name="annotations",
            through="annotation.AnnotationErrorType",
            to="annotation.errortype",
        ),
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("annotation", "0006_tally_answer_of_system"),
        ("summarizer", "0004_section_part_and_proposal"),
    ]

    operations = [
        # The table is the one that Django made for the relation: only what deleting a type does is new.
        migrations.SeparateDatabaseAndState(state_operations=PROTECT_USED_TYPES),
        migrations.CreateModel(
            name="MarksSeen",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_seen_at", models.DateTimeField(auto_now_add=True)),
                (
                    "summary",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="summarizer.summary"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "marks seen",
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(fields=("user", "summary"), name="marks_seen_once")],
            },
        ),
    ]

import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('annotation', '0001_initial'), ('annotation', '0002_initial'), ('annotation', '0003_skip_reason'), ('annotation', '0004_study_without_review'), ('annotation', '0005_tally_constraints'), ('annotation', '0006_tally_answer_of_system'), ('annotation', '0007_marks_seen_and_used_types'), ('annotation', '0008_guidelines_versions'), ('annotation', '0009_review_shown_as'), ('annotation', '0010_unblinding'), ('annotation', '0011_deadlines_and_pay'), ('annotation', '0012_comparisons_by_people'), ('annotation', '0013_origin_guesses'), ('annotation', '0014_consent'), ('annotation', '0015_unblinding_pseudonym'), ('annotation', '0016_withdrawal'), ('annotation', '0017_attention_checks'), ('annotation', '0018_annotator_left'), ('annotation', '0019_invitations'), ('annotation', '0020_gold_sets'), ('annotation', '0021_training'), ('annotation', '0022_hours_of_reviews_and_comparisons')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('summarizer', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ComparisonRound',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=50)),
                ('overlap', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)])),
                ('state', models.CharField(choices=[('setup', 'Being set up'), ('open', 'Open'), ('closed', 'Closed')], default='setup', max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['study', 'id'],
            },
        ),
        migrations.CreateModel(
            name='ErrorType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=50, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('tag', models.CharField(max_length=2)),
                ('definition', models.TextField()),
                ('example', models.TextField(blank=True)),
                ('colour', models.CharField(max_length=30)),
                ('order', models.PositiveIntegerField()),
                ('retired', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['order'],
            },
        ),
        migrations.CreateModel(
            name='AnnotationSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('study', 'The study'), ('check', 'Attention check'), ('training', 'Training'), ('planted', 'Planted for a review')], default='study', max_length=10)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('submitted', 'Submitted'), ('skipped', 'Skipped')], default='draft', max_length=10)),
                ('version', models.PositiveIntegerField(default=0)),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('skip_reason', models.CharField(blank=True, max_length=500)),
                ('summary', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotation_sets', to='summarizer.summary')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client_key', models.UUIDField()),
                ('questions', models.TextField(blank=True)),
                ('version', models.PositiveIntegerField(default=1)),
                ('flags', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('annotation_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='annotation.annotationset')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Annotator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('person', 'Person'), ('judge', 'Judge')], max_length=10)),
                ('pseudonym', models.CharField(max_length=200, unique=True)),
                ('left_at', models.DateTimeField(blank=True, null=True)),
                ('is_sample', models.BooleanField(default=False)),
                ('model', models.CharField(blank=True, max_length=200)),
                ('mode', models.CharField(blank=True, choices=[('sentence', 'Sentence by sentence'), ('batch', 'Several sentences a call')], max_length=10)),
                ('temperature', models.FloatField(blank=True, null=True)),
                ('max_answer_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('repeat', models.PositiveIntegerField(default=1)),
                ('absent_rule', models.CharField(blank=True, choices=[('published', "The prompt's demonstrations are not judged, all others had nothing found"), ('nothing-found', 'Judged, nothing found'), ('not-judged', 'Not judged')], max_length=20)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judges', to='summarizer.endpoint')),
                ('prompt_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judges', to='summarizer.promptset')),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='annotator', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pseudonym'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('endpoint__isnull', False), ('kind', 'judge')), fields=('endpoint', 'model', 'prompt_set', 'mode', 'temperature', 'max_answer_tokens', 'repeat'), name='judge_parameters_once'), models.CheckConstraint(condition=models.Q(('kind', 'person'), ('user__isnull', True), _connector='OR'), name='judge_has_no_login'), models.CheckConstraint(condition=models.Q(('kind', 'judge'), ('endpoint__isnull', True), _connector='OR'), name='person_has_no_endpoint'), models.CheckConstraint(condition=models.Q(('left_at__isnull', True), ('user__isnull', True), _connector='OR'), name='left_has_no_login')],
            },
        ),
        migrations.AddField(
            model_name='annotationset',
            name='annotator',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotation_sets', to='annotation.annotator'),
        ),
        migrations.CreateModel(
            name='BookKnowledge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answer', models.CharField(choices=[('no', 'No'), ('partly', 'Partly, or I don’t remember'), ('yes', 'Yes')], max_length=10)),
                ('answered_at', models.DateTimeField(auto_now_add=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='books_known', to='annotation.annotator')),
                ('book', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='summarizer.book')),
            ],
            options={
                'verbose_name_plural': 'book knowledge',
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('annotator', 'book'), name='book_knowledge_once'), models.CheckConstraint(condition=models.Q(('answer__in', ('no', 'partly', 'yes'))), name='book_knowledge_known')],
            },
        ),
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.CharField(default='formal', max_length=50)),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='summarizer.summary')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='summarizer.summary')),
                ('asked_in', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='annotation.comparisonround')),
            ],
            options={
                'ordering': ['study', 'id'],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(unique=True)),
                ('task', models.CharField(choices=[('annotate', 'Annotate'), ('review', 'Review'), ('compare', 'Compare')], max_length=10)),
                ('purpose', models.CharField(choices=[('study', 'The study'), ('check', 'Attention check'), ('training', 'Training'), ('planted', 'Planted for a review')], default='study', max_length=10)),
                ('order', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('open', 'Open'), ('submitted', 'Submitted'), ('skipped', 'Skipped')], default='open', max_length=10)),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_marks', models.PositiveIntegerField(default=0)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.annotator')),
                ('summary', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='summarizer.summary')),
                ('comparison', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.comparison')),
            ],
            options={
                'ordering': ['study', 'annotator', 'order', 'id'],
            },
        ),
        migrations.CreateModel(
            name='ComparisonQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(max_length=40)),
                ('words', models.CharField(max_length=300)),
                ('kind', models.CharField(choices=[('choice', 'One of the two, or a draw'), ('yes-no', 'Yes or no'), ('each', 'Yes or no, about each of the two')], default='choice', max_length=10)),
                ('order', models.PositiveIntegerField()),
                ('asks_comment', models.BooleanField(default=True)),
                ('required', models.BooleanField(default=True)),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='annotation.comparisonround')),
            ],
            options={
                'ordering': ['round', 'order'],
                'constraints': [models.UniqueConstraint(fields=('round', 'key'), name='comparison_question_once'), models.UniqueConstraint(fields=('round', 'order'), name='comparison_question_order_once'), models.CheckConstraint(condition=models.Q(('kind__in', ('choice', 'yes-no', 'each'))), name='comparison_question_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='ComparisonSheet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_is_a', models.BooleanField()),
                ('answers', models.JSONField(blank=True, default=dict)),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_sheet', to='annotation.assignment')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='ConsentText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['study', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('accepted_at', models.DateTimeField(auto_now_add=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consents', to='annotation.annotator')),
                ('text', models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name='consents', to='annotation.consenttext')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at__isnull', True)), fields=('text', 'annotator'), name='consent_once')],
            },
        ),
        migrations.CreateModel(
            name='AnnotationErrorType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.annotation')),
                ('errortype', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.errortype')),
            ],
            options={
                'db_table': 'annotation_annotation_error_types',
                'unique_together': {('annotation', 'errortype')},
            },
        ),
        migrations.AddField(
            model_name='annotation',
            name='error_types',
            field=models.ManyToManyField(blank=True, related_name='annotations', through='annotation.AnnotationErrorType', to='annotation.errortype'),
        ),
        migrations.CreateModel(
            name='ExternalId',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='external_ids', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='GoldDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client_key', models.UUIDField()),
                ('outcome', models.CharField(choices=[('mark', 'In the gold set'), ('rejected', 'Rejected')], max_length=10)),
                ('questions', models.TextField(blank=True)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('version', models.PositiveIntegerField()),
                ('pseudonym', models.CharField(max_length=200)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='GoldErrorType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.golddecision')),
                ('errortype', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.errortype')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('decision', 'errortype'), name='gold_error_type_once')],
            },
        ),
        migrations.AddField(
            model_name='golddecision',
            name='error_types',
            field=models.ManyToManyField(blank=True, related_name='gold_decisions', through='annotation.GoldErrorType', to='annotation.errortype'),
        ),
        migrations.CreateModel(
            name='GoldSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('open', 'Open'), ('finished', 'Finished')], default='open', max_length=10)),
                ('version', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('summary', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gold_sets', to='summarizer.summary')),
            ],
            options={
                'ordering': ['study', 'summary'],
            },
        ),
        migrations.CreateModel(
            name='GoldEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('act', models.CharField(choices=[('decided', 'Decided'), ('changed', 'Changed'), ('taken back', 'Taken back'), ('finished', 'Finished'), ('reopened', 'Reopened')], max_length=10)),
                ('pseudonym', models.CharField(max_length=200)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('client_key', models.UUIDField(blank=True, null=True)),
                ('content', models.JSONField(blank=True, default=dict)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('gold_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.goldset')),
            ],
            options={
                'ordering': ['gold_set', 'version'],
                'constraints': [models.UniqueConstraint(fields=('gold_set', 'version'), name='gold_event_version_once')],
            },
        ),
        migrations.AddField(
            model_name='golddecision',
            name='gold_set',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='annotation.goldset'),
        ),
        migrations.CreateModel(
            name='GoldSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotation_version', models.PositiveIntegerField()),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_sources', to='annotation.annotation')),
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='annotation.golddecision')),
                ('gold_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='annotation.goldset')),
            ],
            options={
                'ordering': ['decision', 'annotation'],
                'constraints': [models.UniqueConstraint(fields=('gold_set', 'annotation'), name='gold_source_decided_once')],
            },
        ),
        migrations.CreateModel(
            name='GoldSpan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('quote', models.TextField()),
                ('decision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='spans', to='annotation.golddecision')),
            ],
            options={
                'ordering': ['decision', 'position'],
                'constraints': [models.UniqueConstraint(fields=('decision', 'position'), name='gold_span_position_once'), models.CheckConstraint(condition=models.Q(('position__in', (0, 1))), name='gold_span_first_or_second'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='gold_span_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='GuidelinesVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField(blank=True)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['study', 'number'],
            },
        ),
        migrations.CreateModel(
            name='ComparisonAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=50)),
                ('words', models.CharField(blank=True, max_length=300)),
                ('answer', models.CharField(max_length=10)),
                ('comment', models.TextField(blank=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_answers', to='annotation.annotator')),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='annotation.comparison')),
                ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='comparison_answers', to='annotation.guidelinesversion')),
            ],
            options={
                'ordering': ['comparison', 'id'],
                'constraints': [models.UniqueConstraint(fields=('comparison', 'annotator', 'question'), name='comparison_answer_once')],
            },
        ),
        migrations.AddField(
            model_name='annotationset',
            name='guidelines',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='annotation_sets', to='annotation.guidelinesversion'),
        ),
        migrations.AddField(
            model_name='annotation',
            name='guidelines',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='annotations', to='annotation.guidelinesversion'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('link', 'Everybody who has the link chooses a name and a password'), ('platform', 'For a platform like Prolific, which adds each person’s id to the link')], default='link', max_length=10)),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('note', models.CharField(blank=True, max_length=100)),
                ('annotates', models.BooleanField(default=True)),
                ('reviews', models.BooleanField(default=True)),
                ('compares', models.BooleanField(default=False)),
                ('maximum_uses', models.PositiveIntegerField(validators=[django.core.validators.MinValueValidator(1)])),
                ('uses', models.PositiveIntegerField(default=0)),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['study', '-id'],
            },
        ),
        migrations.CreateModel(
            name='KnownSummary',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('study', 'The study'), ('check', 'Attention check'), ('training', 'Training'), ('planted', 'Planted for a review')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('summary', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='known_in', to='summarizer.summary')),
            ],
            options={
                'verbose_name_plural': 'known summaries',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='KnownPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('quote', models.TextField()),
                ('explanation', models.TextField(blank=True)),
                ('error_types', models.ManyToManyField(blank=True, related_name='+', to='annotation.errortype')),
                ('known', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='annotation.knownsummary')),
            ],
            options={
                'ordering': ['known', 'start', 'end'],
                'constraints': [models.UniqueConstraint(fields=('known', 'start', 'end'), name='known_place_once'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='known_place_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='MarksSeen',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_seen_at', models.DateTimeField(auto_now_add=True)),
                ('summary', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='summarizer.summary')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'marks seen',
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('user', 'summary'), name='marks_seen_once')],
            },
        ),
        migrations.CreateModel(
            name='PlantedMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('expected', models.CharField(choices=[('agree', 'Agree: the question is plainly right'), ('disagree', 'Disagree: the question is plainly wrong')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('annotation', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='planted', to='annotation.annotation')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('expected__in', ('agree', 'disagree'))), name='planted_mark_expected_known')],
            },
        ),
        migrations.CreateModel(
            name='PlatformSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_sha256', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('external_id', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='annotation.externalid')),
                ('invitation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='annotation.invitation')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('external_id', 'invitation'), name='platform_session_once')],
            },
        ),
        migrations.CreateModel(
            name='ReviewItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(unique=True)),
                ('order', models.PositiveIntegerField()),
                ('planted', models.BooleanField(default=False)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_items', to='annotation.annotation')),
            ],
            options={
                'ordering': ['study', 'order'],
            },
        ),
        migrations.CreateModel(
            name='ReviewDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('agreement', models.CharField(choices=[('agree', 'Agree'), ('partial', 'Partially agree'), ('disagree', 'Disagree')], max_length=10)),
                ('reasons', models.JSONField(blank=True, default=list)),
                ('comment', models.TextField(blank=True)),
                ('shown_as', models.CharField(choices=[('marked', 'As they were marked'), ('snapped', 'Snapped to their sentences')], default='marked', max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='review_decisions', to='annotation.guidelinesversion')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='review_decisions', to='annotation.annotator')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='annotation.reviewitem')),
            ],
            options={
                'ordering': ['item', 'id'],
                'constraints': [models.UniqueConstraint(fields=('item', 'reviewer'), name='review_decision_once'), models.CheckConstraint(condition=models.Q(('agreement__in', ('agree', 'partial', 'disagree'))), name='review_agreement_known')],
            },
        ),
        migrations.CreateModel(
            name='OriginGuess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('order', models.PositiveIntegerField()),
                ('guess', models.CharField(blank=True, choices=[('person', 'A person'), ('llm', 'An LLM'), ('unknown', 'Can’t tell')], max_length=10)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='origin_guesses', to='annotation.assignment')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='origin_guesses', to='annotation.reviewitem')),
            ],
            options={
                'verbose_name_plural': 'origin guesses',
                'ordering': ['assignment', 'order'],
                'constraints': [models.UniqueConstraint(fields=('assignment', 'item'), name='origin_guess_once'), models.CheckConstraint(condition=models.Q(('guess__in', ('', 'person', 'llm', 'unknown'))), name='origin_guess_known')],
            },
        ),
        migrations.CreateModel(
            name='Span',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('quote', models.TextField()),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='spans', to='annotation.annotation')),
            ],
            options={
                'ordering': ['annotation', 'position'],
                'constraints': [models.UniqueConstraint(fields=('annotation', 'position'), name='span_position_once'), models.CheckConstraint(condition=models.Q(('position__in', (0, 1))), name='span_position_first_or_second'), models.CheckConstraint(condition=models.Q(('start__lt', models.F('end'))), name='span_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100, unique=True)),
                ('title', models.CharField(max_length=300)),
                ('guidelines', models.TextField(blank=True)),
                ('phase', models.CharField(choices=[('setup', 'Being set up'), ('annotating', 'Annotating'), ('reviewing', 'Reviewing'), ('closed', 'Closed')], default='setup', max_length=12)),
                ('annotation_overlap', models.PositiveIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)])),
                ('review_overlap', models.PositiveIntegerField(default=1)),
                ('types_shown_in_review', models.BooleanField(default=False)),
                ('review_shown_as', models.CharField(choices=[('marked', 'As they were marked'), ('snapped', 'Snapped to their sentences')], default='marked', max_length=10)),
                ('annotate_by', models.DateField(blank=True, null=True)),
                ('review_by', models.DateField(blank=True, null=True)),
                ('compare_by', models.DateField(blank=True, null=True)),
                ('pay_per_summary', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('pay_per_hour', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('pay_per_reviewed_summary', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('pay_per_reviewed_mark', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('pay_per_review_hour', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('pay_per_comparison', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('pay_per_comparison_hour', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0'))])),
                ('asks_about_book', models.BooleanField(default=False)),
                ('completion_code', models.CharField(blank=True, max_length=100)),
                ('completion_url', models.CharField(blank=True, max_length=500, validators=[django.core.validators.URLValidator(schemes=['https'])])),
                ('seed', models.PositiveIntegerField(default=0)),
                ('import_notes', models.JSONField(blank=True, default=list)),
                ('is_sample', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('judges', models.ManyToManyField(blank=True, limit_choices_to={'kind': 'judge'}, related_name='judged_studies', to='annotation.annotator')),
                ('summaries', models.ManyToManyField(blank=True, related_name='studies', to='summarizer.summary')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('pay_per_summary__isnull', True), ('pay_per_hour__isnull', True), _connector='OR'), name='study_pays_one_way'), models.CheckConstraint(condition=models.Q(('pay_per_review_hour__isnull', True), models.Q(('pay_per_reviewed_mark__isnull', True), ('pay_per_reviewed_summary__isnull', True)), _connector='OR'), name='study_pays_reviews_one_way'), models.CheckConstraint(condition=models.Q(('pay_per_comparison__isnull', True), ('pay_per_comparison_hour__isnull', True), _connector='OR'), name='study_pays_comparisons_one_way')],
            },
        ),
        migrations.AddField(
            model_name='reviewitem',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='review_items', to='annotation.study'),
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.DecimalField(decimal_places=2, max_digits=10, validators=[django.core.validators.MinValueValidator(0)])),
                ('paid_at', models.DateTimeField(auto_now_add=True)),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='payments', to='annotation.annotator')),
                ('noted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='payments', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='payment_of_something')],
            },
        ),
        migrations.AddField(
            model_name='knownsummary',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='known_summaries', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='invitation',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='guidelinesversion',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guidelines_versions', to='annotation.study'),
        ),
        migrations.CreateModel(
            name='GuidelinesRead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('read_at', models.DateTimeField(auto_now=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.annotator')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.guidelinesversion')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.study')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('annotator', 'study'), name='guidelines_read_once')],
            },
        ),
        migrations.AddField(
            model_name='goldset',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_sets', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='consenttext',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consent_texts', to='annotation.study'),
        ),
        migrations.CreateModel(
            name='ComparisonTally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.CharField(max_length=50)),
                ('question', models.CharField(max_length=50)),
                ('answer', models.CharField(blank=True, max_length=10)),
                ('count', models.PositiveIntegerField()),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_tallies', to='annotation.annotator')),
                ('system', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='summarizer.system')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_tallies', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'round', 'id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('system__isnull', False)), fields=('study', 'round', 'annotator', 'question', 'system', 'answer'), name='comparison_tally_system_once'), models.UniqueConstraint(condition=models.Q(('system__isnull', True)), fields=('study', 'round', 'annotator', 'question', 'answer'), name='comparison_tally_answer_once')],
            },
        ),
        migrations.AddField(
            model_name='comparisonround',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_rounds', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='comparison',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.study'),
        ),
        migrations.AddField(
            model_name='annotationset',
            name='study',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='annotation_sets', to='annotation.study'),
        ),
        migrations.CreateModel(
            name='StudyMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotates', models.BooleanField(default=True)),
                ('reviews', models.BooleanField(default=True)),
                ('compares', models.BooleanField(default=False)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.annotator')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'id'],
                'constraints': [models.UniqueConstraint(fields=('study', 'annotator'), name='study_member_once')],
            },
        ),
        migrations.CreateModel(
            name='Training',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('qualifies', models.BooleanField(default=False)),
                ('pass_percent', models.PositiveIntegerField(default=50, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('marks_allowed', models.PositiveIntegerField(blank=True, null=True)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='training', to='annotation.study')),
            ],
            options={
                'ordering': ['study'],
            },
        ),
        migrations.CreateModel(
            name='TrainingAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('places', models.PositiveIntegerField()),
                ('touched', models.PositiveIntegerField()),
                ('marks_elsewhere', models.PositiveIntegerField()),
                ('sentences_elsewhere', models.PositiveIntegerField()),
                ('passed', models.BooleanField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_attempts', to='annotation.annotator')),
                ('known', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='annotation.knownsummary')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_attempts', to='annotation.study')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('known', 'annotator'), name='training_attempt_once')],
            },
        ),
        migrations.CreateModel(
            name='TrainingPass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_passes', to='annotation.annotator')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_passes', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'training passes',
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('study', 'annotator'), name='training_pass_once')],
            },
        ),
        migrations.CreateModel(
            name='Unblinding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pseudonym', models.CharField(blank=True, max_length=200)),
                ('reason', models.CharField(max_length=1000)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='unblinding', to='annotation.study')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('clean', 'Clean'), ('confused', 'Confused'), ('unparsed', 'Unparsed')], max_length=10)),
                ('problem', models.CharField(blank=True, max_length=300)),
                ('annotation', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='verdict', to='annotation.annotation')),
                ('annotation_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='annotation.annotationset')),
                ('call', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='verdicts', to='summarizer.llmcall')),
                ('sentence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='verdicts', to='summarizer.sentence')),
            ],
            options={
                'ordering': ['annotation_set', 'sentence'],
                'constraints': [models.UniqueConstraint(fields=('annotation_set', 'sentence'), name='verdict_once'), models.CheckConstraint(condition=models.Q(('state', 'confused'), ('annotation__isnull', True), _connector='OR'), name='only_confused_has_mark'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'confused'), _negated=True), ('annotation__isnull', False), _connector='OR'), name='confused_has_mark')],
            },
        ),
        migrations.CreateModel(
            name='Withdrawal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by_themselves', models.BooleanField()),
                ('removed', models.JSONField(default=dict)),
                ('paid', models.DecimalField(decimal_places=2, default=0, max_digits=10)),
                ('due', models.DecimalField(decimal_places=2, default=0, max_digits=10)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawals', to='annotation.annotator')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawals', to='annotation.study')),
            ],
            options={
                'ordering': ['study', 'id'],
                'constraints': [models.UniqueConstraint(fields=('study', 'annotator'), name='withdrawal_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='golddecision',
            constraint=models.UniqueConstraint(fields=('gold_set', 'client_key'), name='gold_decision_sent_once'),
        ),
        migrations.AddConstraint(
            model_name='golddecision',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'mark'), ('reason', '')), models.Q(('outcome', 'rejected'), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='gold_rejection_has_reason'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(fields=('annotation_set', 'client_key'), name='annotation_sent_once'),
        ),
        migrations.AddConstraint(
            model_name='reviewitem',
            constraint=models.UniqueConstraint(fields=('study', 'annotation'), name='review_item_once'),
        ),
        migrations.AddConstraint(
            model_name='reviewitem',
            constraint=models.UniqueConstraint(fields=('study', 'order'), name='review_item_order_once'),
        ),
        migrations.AddConstraint(
            model_name='knownsummary',
            constraint=models.UniqueConstraint(fields=('study', 'summary'), name='known_summary_once'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('uses__lte', models.F('maximum_uses'))), name='invitation_uses_limited'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ('link', 'platform'))), name='invitation_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='guidelinesversion',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='guidelines_version_once'),
        ),
        migrations.AddConstraint(
            model_name='goldset',
            constraint=models.UniqueConstraint(fields=('study', 'summary'), name='gold_set_once'),
        ),
        migrations.AddConstraint(
            model_name='goldset',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('open', 'finished'))), name='gold_set_state_known'),
        ),
        migrations.AddConstraint(
            model_name='consenttext',
            constraint=models.UniqueConstraint(fields=('study', 'number'), name='consent_text_once'),
        ),
        migrations.AddConstraint(
            model_name='comparisonround',
            constraint=models.UniqueConstraint(fields=('study', 'name'), name='comparison_round_once'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.UniqueConstraint(fields=('study', 'round', 'first', 'second'), name='comparison_once'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('first', models.F('second')), _negated=True), name='comparison_of_two'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('study', 'annotator', 'task', 'summary'), name='assignment_once'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('study', 'annotator', 'comparison'), name='assignment_compared_once'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('comparison__isnull', False), ('summary__isnull', True), ('task', 'compare')), models.Q(models.Q(('task', 'compare'), _negated=True), ('comparison__isnull', True), ('summary__isnull', False)), _connector='OR'), name='assignment_of_summary_or_comparison'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='assignment_end_dated'),
        ),
        migrations.AddConstraint(
            model_name='annotationset',
            constraint=models.UniqueConstraint(fields=('study', 'annotator', 'summary'), name='annotation_set_once'),
        ),
        migrations.AddConstraint(
            model_name='annotationset',
            constraint=models.UniqueConstraint(condition=models.Q(('study__isnull', True)), fields=('annotator', 'summary'), name='judge_annotation_set_once'),
        ),
    ]

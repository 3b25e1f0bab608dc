from typing import Any

from django.db import migrations, models


def keep_pseudonyms(apps: Any, schema_editor: Any) -> None:
    """Reports named the login of whoever unblinded a study; from now on the pseudonym, if the person has one."""
    unblindings = apps.get_model("annotation", "Unblinding").objects.filter(by__annotator__isnull=False)
    for unblinding in unblindings.select_related("by__annotator"):
        unblinding.pseudonym = unblinding.by.annotator.pseudonym
        unblinding.save(update_fields=["pseudonym"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0014_consent")]

    operations = [
        migrations.AddField(
            model_name="unblinding",
            name="pseudonym",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.RunPython(keep_pseudonyms, migrations.RunPython.noop),
    ]

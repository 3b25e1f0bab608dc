from pathlib import Path

from django.conf import settings


def test_tests_write_into_a_folder_of_their_own() -> None:
    assert Path(settings.BASE_DIR) not in Path(settings.VAR_DIR).parents

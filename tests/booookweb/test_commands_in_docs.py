"""Commands that the README and the guides tell people to run."""

import re
import shlex
from pathlib import Path

import pytest
from django.conf import settings
from gunicorn.config import Config

PAGES = [settings.BASE_DIR / "README.md", *sorted((settings.BASE_DIR / "docs").glob("*.md"))]


def commands(page: Path, program: str) -> list[list[str]]:
    lines = re.findall(rf"^\.venv/bin/{program} .*", page.read_text(), re.MULTILINE)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_gunicorn_is_told_about() -> None:
    assert any(commands(page, "gunicorn") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_gunicorn_takes_its_options_and_opens_no_socket_under_the_home_of_its_user(page: Path) -> None:
    for options in commands(page, "gunicorn"):
        parsed = Config().parser().parse_args(options)
        assert parsed.args == ["booookweb.wsgi"]
        assert parsed.control_socket_disable is True

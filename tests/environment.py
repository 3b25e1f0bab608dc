"""Loaded first of all (`-p tests.environment`), before pytest-django reads the settings."""

import os
import tempfile

# Nothing that a test writes lands in the folder of a running installation.
if "BOOOOKWEB_VAR" not in os.environ:
    os.environ["BOOOOKWEB_VAR"] = tempfile.mkdtemp(prefix="booookweb-tests-")

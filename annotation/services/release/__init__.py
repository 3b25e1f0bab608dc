"""Writing a public release into the database: all of it or nothing, and nothing twice."""

from annotation.services.release.importing import import_release

__all__ = ["import_release"]

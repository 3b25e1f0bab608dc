"""Reading back what an export wrote: all of it or nothing, and nothing twice."""

from scoring.imports.context import ImportRefused
from scoring.imports.importing import import_export

__all__ = ["ImportRefused", "import_export"]

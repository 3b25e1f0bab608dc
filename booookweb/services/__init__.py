"""Changes to people."""

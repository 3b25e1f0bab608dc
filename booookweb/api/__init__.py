"""The REST API under /api/v1/, for programs: it translates, and calls the services and selectors that pages call."""

"""What can be wrong with launching and steering jobs."""


class JobError(Exception):
    """A job can't be launched or steered that way; its words are for the user."""

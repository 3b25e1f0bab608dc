"""What does not fit a context window, said before anything is sent."""

#: Tokens kept free in every window for the wrapping of the chat protocol and for a tokenizer that counts a little more.
WINDOW_MARGIN = 32


class DoesNotFit(Exception):
    """The parameters cannot work for this book in this window; the message names the largest value that would."""

    def __init__(self, message: str, *, largest_chunk_size: int | None = None) -> None:
        super().__init__(message)
        self.largest_chunk_size = largest_chunk_size

"""The forms in which a book is uploaded and described."""

import re
from datetime import date
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


class PartialDateField(forms.CharField):
    """A date of which the month and the day may be missing: they count as the first."""

    def clean(self, value: Any) -> date | None:
        text = super().clean(value).strip()
        if not text:
            return None
        match = _DATE.fullmatch(text)
        try:
            if match is None:
                raise ValueError
            return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
        except ValueError as error:
            raise forms.ValidationError("Write the date as 1813, 1813-01 or 1813-01-28.") from error


class BookDetailsForm(forms.Form):
    """What is known of a book beside its text."""

    title = forms.CharField(max_length=500)
    author = forms.CharField(required=False, max_length=500)
    genres = forms.CharField(required=False, max_length=1000, help_text="Several with commas between them.")
    publication_date = PartialDateField(
        required=False,
        label="Published",
        max_length=10,
        help_text="The year is enough. A book older than an LLM may be known to it.",
        widget=forms.TextInput(attrs={"placeholder": "2024-05-01"}),
    )

    def clean_genres(self) -> list[str]:
        return [genre.strip() for genre in self.cleaned_data["genres"].split(",") if genre.strip()]


class BookUploadForm(BookDetailsForm):
    field_order = ["file"]

    file = forms.FileField(
        label="Book file",
        widget=forms.FileInput(attrs={"accept": ".txt,.text,.md,.epub,text/plain,application/epub+zip"}),
        error_messages={
            "required": "Choose a file.",
            "empty": "This file is empty.",
            "missing": "Choose a file.",
        },
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        limit = f"{settings.UPLOAD_LIMIT_BYTES / 1024**2:.3g} MB"
        self.fields["file"].help_text = f"Plain text or EPUB without copy protection, up to {limit}."
        self.fields["title"].required = False
        for name in ("title", "author"):
            self.fields[name].help_text = "Left empty, it is taken from the file."

    def clean_file(self) -> "UploadedFile[Any]":
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > settings.UPLOAD_LIMIT_BYTES:
            raise forms.ValidationError(
                f"This file is larger than {settings.UPLOAD_LIMIT_BYTES / 1024**2:.3g} MB, the most a book may have."
            )
        return file

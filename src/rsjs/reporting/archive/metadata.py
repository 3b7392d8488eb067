"""What an archive says of the paper it goes with; placeholders where that is not known yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rsjs.core.errors import InputError

NUMBER = "XXXX.YYYY"  # as in the journal's instructions
PLACEHOLDERS = {
    "--number": NUMBER,
    "--title": "TITLE OF THE PAPER",
    "--authors": "NAMES OF THE AUTHORS",
    "--repository": "https://github.com/OWNER/REPOSITORY",
}


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper of the INFORMS Journal on Computing."""

    number: str  # that the journal gave it, e.g. 2026.0001
    title: str
    authors: Sequence[str]
    doi: str
    repository: str  # address of the development repository

    @property
    def archive_doi(self) -> str:
        """DOI that the journal gives the archive."""
        return f"10.1287/ijoc.{self.number}.cd"


def paper(
    *,
    number: str | None = None,
    title: str | None = None,
    authors: str | None = None,
    doi: str | None = None,
    repository: str | None = None,
) -> Paper:
    """
    Return the paper as far as it is known; authors are separated by semicolons.

    InputError for a number, DOI or address of another form.
    """
    for option, value, pattern, expected in (
        ("--number", number, r"\d{4}\.\d{4}", "a number like 2026.0001"),
        ("--paper-doi", doi, r"10\.\d{4,9}/\S+", "a DOI like 10.1287/ijoc.2026.0001"),
        ("--repository", repository, r"https?://\S+", "an address like https://github.com/a/b"),
    ):
        if value is not None and not re.fullmatch(pattern, value):
            raise InputError(option, value, expected)
    names = [" ".join(name.split()) for name in (authors or "").split(";") if name.strip()]
    return Paper(
        number=number or NUMBER,
        title=" ".join((title or "").split()) or PLACEHOLDERS["--title"],
        authors=names or [PLACEHOLDERS["--authors"]],
        doi=doi or f"10.1287/ijoc.{number or NUMBER}",
        repository=(repository or PLACEHOLDERS["--repository"]).rstrip("/"),
    )


def left_to_fill(files: Iterable[Path]) -> list[str]:
    """Return the placeholders that texts still hold, each with the files and how often."""
    texts = {path.name: path.read_text("utf-8") for path in files}
    return [
        f"{placeholder}: {option}, or by hand in "
        + ", ".join(
            f"{name} ({text.count(placeholder)})"
            for name, text in texts.items()
            if placeholder in text
        )
        for option, placeholder in PLACEHOLDERS.items()
        if any(placeholder in text for text in texts.values())
    ]

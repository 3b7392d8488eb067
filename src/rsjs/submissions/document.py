"""The document of a submission, `submission.toml`: who, when, method, reference, machine."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from rsjs.campaigns.spec import read_toml
from rsjs.core.errors import InputError, described
from rsjs.instances.io.json_schema import fit, schema_text
from rsjs.submissions.files import TOML, Files

FORMAT = "rsjs-submission/1"
LICENCE = "CC-BY-4.0"
CLOSED, OPEN = "closed", "open"
CLOSED_LIMITS = {"time_s": 60, "threads": 1, "memory_mb": 4096}  # at most, of each run
FIRST_DATE = date(2019, 1, 1)  # of the first paper on these problems
SCHEMES = ("https://", "http://", "doi:", "arXiv:")
MOST_MARKS = 2  # combining marks on a letter
BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs without ink
schema = partial(schema_text, package="rsjs.submissions")


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What a submission says of itself."""

    family: str
    name: str
    who: tuple[str, ...]
    date: str
    method: str
    reference: str
    machine: str
    division: str
    limits: Mapping[str, int] | None = None

    @property
    def id(self) -> str:
        """Return its name in tables: FAMILY/NAME."""
        return f"{self.family}/{self.name}"


def read(files: Files) -> Submission:
    """Read the document of a submission; InputError names the entry and what was expected."""
    path = files.path(TOML)
    _, document = read_toml(path, files.text(TOML))
    fit(document, schema("submission"), path)
    try:
        _check(document, files.folders)
    except InputError as error:
        raise error.at(path) from None
    who = tuple(document["who"])
    given = {key: document[key] for key in document if key not in ("format", "licence", "who")}
    return Submission(**given, who=who)


def _check(document: Mapping[str, Any], folders: tuple[str, ...]) -> None:
    for i, name in enumerate(document["who"]):
        refuse_odd_text(f"/who/{i}", name)
        if _folded(name) in map(_folded, document["who"][:i]):
            raise InputError(f"/who/{i}", name, "each name once")
    for key in ("method", "reference", "machine"):
        refuse_odd_text(f"/{key}", document[key])
    _refuse_scheme(document["reference"])
    _refuse_date(document["date"])
    for key, folder in zip(("name", "family"), reversed(folders), strict=False):
        if document[key] != folder:
            expected = f"{folder!r}, its folder: rename the folder, or change this"
            raise InputError(f"/{key}", document[key], expected)
    limits = document.get("limits")
    if document["division"] == CLOSED and limits is None:
        expected = f"[limits] {CLOSED_LIMITS} or less: state them, or enter the open division"
        raise InputError("/limits", described("none"), expected)
    for key, most in CLOSED_LIMITS.items() if document["division"] == CLOSED else ():
        if limits is not None and limits[key] > most:
            expected = f"at most {most} in the closed division: enter the open one"
            raise InputError(f"/limits/{key}", limits[key], expected)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def refuse_odd_text(pointer: str, text: str) -> None:
    """
    Refuse a text that would steer a terminal, a spreadsheet or a reader's eye.

    It has one line of printable characters in their composed form (NFC), begins with a letter or a
    digit, and ends with no space.
    """
    marks = 0
    for sign in text:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if not sign.isprintable() or sign in BLANK or marks > MOST_MARKS:
            what = f"the character U+{ord(sign):04X}"
            raise InputError(pointer, described(what), "printable text of one line: remove it")
    if unicodedata.normalize("NFC", text) != text:
        raise InputError(pointer, text, "text in Unicode's composed form, NFC: normalise it")
    if not text[0].isalnum() or text[-1] == " ":
        expected = "text that begins with a letter or a digit, without space at its end"
        raise InputError(pointer, text, expected)


def _refuse_scheme(reference: str) -> None:
    head = reference.split(maxsplit=1)[0]
    scheme = head.partition(":")[0] + ":"
    if ":" in head.removesuffix(":") and not head.startswith(SCHEMES):
        raise InputError("/reference", scheme, f"a citation, or one of {', '.join(SCHEMES)}")


def _refuse_date(text: str) -> None:
    latest = datetime.now(UTC).date() + timedelta(days=1)  # of any time zone
    try:
        given = date.fromisoformat(text)
    except ValueError:
        raise InputError("/date", text, "a day of the calendar, YYYY-MM-DD") from None
    if not FIRST_DATE <= given <= latest:
        raise InputError("/date", text, f"a day from {FIRST_DATE} to today")


def text_of(submission: Submission) -> str:
    """Return the TOML text of a submission."""
    lines = [f"format = {_quoted(FORMAT)}"]
    for key in ("family", "name", "who", "date", "method", "reference", "machine", "division"):
        value = getattr(submission, key)
        shown = f"[{', '.join(map(_quoted, value))}]" if key == "who" else _quoted(value)
        lines.append(f"{key} = {shown}")
    lines.append(f"licence = {_quoted(LICENCE)}")
    if submission.limits is not None:
        lines += ["", "[limits]"] + [f"{key} = {value}" for key, value in submission.limits.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def refuse_odd(submission: Submission, path: Path) -> None:
    """Refuse what `read` would, before it is written."""
    document = {**vars(submission), "who": [*submission.who], "format": FORMAT, "licence": LICENCE}
    if document["limits"] is None:
        del document["limits"]
    fit(document, schema("submission"), path)
    _check(document, ())

"""A campaign as it stands in an archive, where its instance files are those in data/."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from rsjs.core.errors import InputError, described

FILES = re.compile(r"(?m)^(\s*files\s*=\s*)\[[^\]]*\]")


def archived(text: str, files: Sequence[str]) -> str:
    """
    The text of a campaign with other instance files.

    Parameters
    ----------
    files : sequence of str
        Relative to the campaign; they take the place of the patterns under `files`.

    Raises
    ------
    InputError
        If the text does not say `files = [...]` in so many words.
    """
    document = tomllib.loads(text)
    changed = FILES.sub(lambda found: found[1] + json.dumps(list(files)), text)
    if tomllib.loads(changed) != _with_files(document, files):
        found = described("instance files that are not named by `files = [...]`")
        raise InputError("/instances", found, "a line of its own for each `files`")
    return changed


def shows(text: str) -> str:
    """What a campaign is for, on one line."""
    return " ".join(str(tomllib.loads(text)["shows"]).split())


def environments(text: str) -> list[str]:
    """The Python environments that a campaign names."""
    return sorted(tomllib.loads(text).get("environments", {}))


def _with_files(document: dict[str, Any], files: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {
        key: [
            {**entry, "files": list(files)} if "files" in entry else entry
            for entry in document[key]
        ]
        for key in ("instances", "workloads")
        if key in document
    }
    return {**document, **given}

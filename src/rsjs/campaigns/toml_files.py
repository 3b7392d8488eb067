"""Reading TOML files."""

from __future__ import annotations

import tomllib
from datetime import date, time
from math import isfinite
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.json_schema import pointer, walk


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """
    The text of a TOML file, and what it says.

    Raises
    ------
    InputError
        Naming the file.
    """
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except ValueError as error:  # also of an integer with thousands of digits
        raise InputError("", described(str(error)), "a TOML document", path) from None
    except RecursionError:
        found = described("brackets nested too deeply")
        raise InputError("", found, "a TOML document", path) from None
    for steps, value in walk(document):
        if isinstance(value, date | time) or (isinstance(value, float) and not isfinite(value)):
            raise InputError(pointer(steps), described(f"{value}"), "text or a finite number", path)
    return text, document


def expanded(path: str, at: str) -> Path:
    """Return a path of a document with the home that `~` or `~user` stands for."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(at, path, "a path, ~ or ~user of a known user") from None

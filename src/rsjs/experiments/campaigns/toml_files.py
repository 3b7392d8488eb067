"""Reading TOML files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from rsjs.instances.errors import InputError, described


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """
    The text of a TOML file, and what it says.

    Raises
    ------
    InputError
        Naming the file.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("", described(reason), "a readable file", path) from None
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError("", described(str(error)), "a TOML document", path) from None

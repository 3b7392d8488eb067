"""Reading TOML files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from rsjs.instances.errors import InputError, described, reason


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
    except (OSError, ValueError) as error:
        raise InputError("", reason(error), "a readable file", path) from None
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError("", described(str(error)), "a TOML document", path) from None
    except RecursionError:
        found = described("brackets nested too deeply")
        raise InputError("", found, "a TOML document", path) from None


def expanded(path: str, at: str) -> Path:
    """Return a path of a document with the home that `~` or `~user` stands for."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(at, path, "a path, ~ or ~user of a known user") from None

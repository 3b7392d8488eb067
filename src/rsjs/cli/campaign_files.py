"""Campaigns by name or file, and the options that say which part of one is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError, described

if TYPE_CHECKING:
    from rsjs.campaigns.spec import Campaign


def bundled() -> Mapping[str, str]:
    """Name -> file name of the campaigns that come with the package."""
    folder = files("rsjs.campaigns") / "bundled"
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())
    return {name: f"{name}.toml" for name in names}


def campaign(named: str) -> Campaign:
    """The campaign in a file, or a bundled one by its name."""
    from rsjs.campaigns.spec import read

    known = bundled()
    if named in known and not Path(named).is_file():
        with as_file(files("rsjs.campaigns") / "bundled" / known[named]) as path:
            return read(path)
    if named.endswith(".toml") or Path(named).exists():
        return read(Path(named))
    near = get_close_matches(named, known, n=3) or [*known]
    raise InputError("", described(f"campaign {named}"), f"a TOML file, or {', '.join(near)}")


def shard(text: str) -> tuple[int, int]:
    """
    Part i of n.

    >>> shard("2/4")
    (2, 4)
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError("--shard", text, "i/n with 1 <= i <= n, e.g. 2/4")
    return int(found[1]), int(found[2])

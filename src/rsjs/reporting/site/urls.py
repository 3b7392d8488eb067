"""Where things are in the site: paths from its root, safe on every file system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import quote

LONGEST = 64  # characters of a name that are kept


def slug(name: str, salt: str = "") -> str:
    """
    A file name for any text, its own also where case does not count.

    >>> slug("greedy:code?x=<1>", "salt")
    'greedy-code-x-1-f155be44'
    """
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:LONGEST].strip("-")
    return f"{plain}-{sha256(f'{name}|{salt}'.encode()).hexdigest()[:8]}"


def family_page(name: str) -> str:
    """Of a family."""
    return f"families/{name}.html"


def method_page(name: str) -> str:
    """Of a method."""
    return f"methods/{slug(name)}.html"


def instance_slug(row: Mapping[str, Any]) -> str:
    """The file name, without suffix, of what belongs to the instance of a row."""
    return slug(str(row["instance"]), str(row["instance_sha256"]))


def instance_page(row: Mapping[str, Any]) -> str:
    """Of the instance of a row."""
    return f"instances/{instance_slug(row)}.html"


def run_place(row: Mapping[str, Any]) -> str:
    """Of a run: its instance's page, which shows it."""
    return f"{instance_page(row)}#r-{row['anchor']}"


def runs_of(page: str, words: str) -> str:
    """
    The runs of a page that contain some words.

    >>> runs_of("methods/a.html", "sts N2")
    'methods/a.html#runs=sts%20N2'
    """
    return f"{page}#runs={quote(words)}"

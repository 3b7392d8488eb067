"""Where pages are, and how they are written from templates: paths from the root of the site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import MISSING
from rsjs.reporting.tables.labels import outcome, status_word

LONGEST = 64  # characters of a name that are kept


@lru_cache(maxsize=2**16)
def slug(name: str, salt: str = "") -> str:
    """
    Return a file name for any text, its own also where case does not count.

    >>> slug("greedy:code?x=<1>", "salt")
    'greedy-code-x-1-6ed10390'
    """
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:LONGEST].strip("-")
    return f"{plain}-{sha256(f'{name}|{salt}'.encode()).hexdigest()[:8]}"


def family_url(name: str) -> str:
    """Return the page of a family."""
    return f"families/{name}.html"


def method_url(name: str) -> str:
    """Return the page of a method."""
    return f"methods/{slug(name)}.html"


def instance_slug(row: Mapping[str, Any]) -> str:
    """Return the file name, without suffix, of what belongs to the instance of a row."""
    return slug(str(row["instance"]), str(row["instance_sha256"]))


def instance_url(row: Mapping[str, Any]) -> str:
    """Return the page of the instance of a row."""
    return f"instances/{instance_slug(row)}.html"


def run_url(row: Mapping[str, Any]) -> str:
    """Return the place of a run: the page of its instance, which shows it."""
    return f"{instance_url(row)}#r-{row['anchor']}"


def runs_url(page: str, words: str) -> str:
    """
    Return the runs on a page that contain some words.

    >>> runs_url("methods/a.html", "sts N2")
    'methods/a.html#runs=sts%20N2'
    """
    return f"{page}#runs={quote(words)}"


def breakable(name: str) -> Any:
    """Return a name that may go on in the next line after its punctuation."""
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[?,:@_=-])", name)
    return Markup("<wbr>").join(escape(piece) for piece in pieces)


def _shown(show: Callable[[float], str], unit: str = "") -> Callable[[float | None], str]:
    return lambda value: MISSING if value is None else f"{show(value)} {unit}".rstrip()


FILTERS: dict[str, Callable[..., Any]] = {
    "breakable": breakable,
    "cost": _shown(formats.cost, "$"),
    "counted": formats.counted,
    "family_url": family_url,
    "indented": lambda value: json.dumps(value, indent=1),
    "measured": _shown(formats.measured),
    "method_url": method_url,
    "percent": _shown(formats.percent, "%"),
    "pixels": _shown("{:.1f}".format),
    "ratio": lambda value: formats.significant(value, 3),
    "run_url": run_url,
    "seconds": _shown(formats.measured, "s"),
    "status": status_word,
}


class Pages:
    """Writes pages below the root of a site; every page links those of its families."""

    def __init__(self, root: Path, title: str, families: Sequence[str]) -> None:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        self._root = root
        self._environment = Environment(
            loader=PackageLoader("rsjs.reporting.site"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(FILTERS)
        self._environment.globals.update(
            site=title, version=version("rsjs-bench"), family_names=families, outcome=outcome
        )

    def write(self, path: str, template: str, content: dict[str, Any]) -> None:
        """Write a page; links in templates begin with `root`, the way up from the page."""
        made = self._environment.get_template(f"{template}.html.j2")
        file = self._root / path
        file.parent.mkdir(exist_ok=True)
        up = "../" * path.count("/")
        file.write_text(made.render(root=up, page=path, **content), "utf-8")

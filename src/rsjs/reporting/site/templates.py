"""Pages written from templates: all data are escaped, missing numbers are a dash."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rsjs.reporting.site.families import Family
from rsjs.reporting.site.urls import family_page
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import MISSING


def _shown(show: Callable[[float], str], unit: str) -> Callable[[float | None], str]:
    return lambda value: MISSING if value is None else f"{show(value)} {unit}".rstrip()


def breakable(name: str) -> Any:
    """A name that may go on in the next line after its punctuation."""
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[?,:@_=-])", name)
    return Markup("<wbr>").join(escape(piece) for piece in pieces)


FILTERS: dict[str, Callable[..., Any]] = {
    "breakable": breakable,
    "cost": _shown(formats.cost, "$"),
    "percent": _shown(formats.percent, "%"),
    "seconds": _shown(formats.measured, "s"),
    "pixels": _shown("{:.1f}".format, ""),
}


class Pages:
    """
    Writes pages below the root of a site.

    Parameters
    ----------
    root : path
    title : str
        Of the site.
    families : sequence of Family
        For the links on every page.
    """

    def __init__(self, root: Path, title: str, families: list[Family]) -> None:
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
            site=title,
            version=version("rsjs-bench"),
            links=[(family.name, family_page(family.name)) for family in families],
        )

    def write(self, path: str, template: str, content: dict[str, Any]) -> None:
        """A page; links in templates begin with `root`, the way up from the page."""
        made = self._environment.get_template(f"{template}.html.j2")
        file = self._root / path
        file.parent.mkdir(exist_ok=True)
        up = "../" * path.count("/")
        file.write_text(made.render(root=up, page=path, **content), "utf-8")

"""Texts of an archive from templates; jinja2 is imported when one is made."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.reporting import markdown_table


def require_jinja() -> None:
    """Refuse to begin without jinja2."""
    if find_spec("jinja2") is None:
        expected = "the extra `report`: pip install 'rsjs-bench[report]'"
        raise InputError("", described("no jinja2"), expected)


def page(name: str, facts: Mapping[str, Any]) -> str:
    """The text that the template of a name makes of facts."""
    from jinja2 import Environment, StrictUndefined

    text = files("rsjs.reporting.kit").joinpath("templates", f"{name}.j2").read_text("utf-8")
    plain = Environment(
        autoescape=False,  # Markdown and shell, no HTML
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    plain.filters |= {"code": markdown_table.code, "escaped": markdown_table.escaped}
    return plain.from_string(text).render(facts)

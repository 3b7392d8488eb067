"""
How objects show themselves in a notebook.

HTML, pictures and data frames are made by `rsjs.reporting.notebook`, which imports the classes that
are shown. These have its name only: it is imported on first use, as the function of a method is.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Displayed:
    """Base of what a notebook shows as a table instead of its `repr`."""

    def _repr_html_(self) -> str:
        return str(display("html", self))


def display(function: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of `rsjs.reporting.notebook`."""
    return getattr(import_module("rsjs.reporting.notebook"), function)(*arguments, **options)

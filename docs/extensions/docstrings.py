"""Docstrings as reStructuredText: they are plain text whose only markup are backticks and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sphinx.application import Sphinx

MARKUP = re.compile(r"(?<!`)(?:\*(?! )|\||(?<=\w)_(?!\w))")
ITEM = re.compile(r"(?:\d+\.|[-*]) ")


def _marked_up(app, what: str, name: str, subject, options, lines: list[str]) -> None:
    """Escape what reStructuredText would take for markup; formulas of modules are literal."""
    lines[:] = [*(_with_formulas(lines) if what == "module" else _with_examples(lines))]


def _with_examples(lines: list[str]) -> Iterator[str]:
    """Yield the lines, escaped but for those of examples."""
    example = False
    for line in lines:
        example = line.startswith(">>>") or (example and bool(line.strip()))
        yield line if example else _escaped(line)


def _with_formulas(lines: list[str]) -> Iterator[str]:
    """Yield the lines; those that are indented, but for items of lists, are literal blocks."""
    formula = item = False
    for line in lines:
        if line.strip():
            indented = line.startswith(" ")
            item = bool(ITEM.match(line)) or (item and indented)
            if formula != (indented and not item):
                formula = not formula
                yield from ["", ".. code-block:: none", ""] if formula else [""]
        yield line if formula else _escaped(line)


def _escaped(line: str) -> str:
    return MARKUP.sub(lambda found: "\\" + found[0], line)


def _defaults(app, what: str, name: str, subject, options, signature, returned):
    """Write the default of a field that has a factory as `...`, so that the signature is Python."""
    return signature and signature.replace("<factory>", "..."), returned


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _marked_up, priority=100)  # before numpydoc
    app.connect("autodoc-process-signature", _defaults, priority=600)  # after numpydoc
    return {"parallel_read_safe": True}

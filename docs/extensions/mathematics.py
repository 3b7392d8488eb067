"""
Formulas as MathML, which browsers show without a script: pages fetch nothing.

Pages write inline formulas as GitHub reads them, between dollars and backticks.
"""

from __future__ import annotations

import re

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

LOG = getLogger(__name__)
INLINE = re.compile(r"\$`([^`\n]+)`\$")


def _inline(translator, node: nodes.math) -> None:
    _write(translator, node, as_block=False)


def _display(translator, node: nodes.math_block) -> None:
    _write(translator, node, as_block=True)


def _write(translator, node: nodes.Element, *, as_block: bool) -> None:
    try:
        translator.body.append(latex2mathml.tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        LOG.warning("formula: %s", error, location=node)
    raise nodes.SkipNode


def _roles(app: Sphinx, page: str, source: list[str]) -> None:
    """Write the inline formulas of a page as roles."""
    source[0] = INLINE.sub(r"{math}`\1`", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.connect("source-read", _roles)
    return {"parallel_read_safe": True}

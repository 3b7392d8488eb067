"""Formulas as MathML, which browsers show without a script: pages fetch nothing."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

LOG = getLogger(__name__)


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


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True}

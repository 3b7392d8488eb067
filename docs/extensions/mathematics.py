"""Formulas as MathML, which browsers show without a script: pages fetch nothing."""

from __future__ import annotations

from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx


def _inline(translator, node):
    _write(translator, node, as_block=False)


def _display(translator, node):
    _write(translator, node, as_block=True)


def _write(translator, node, *, as_block):
    from docutils.nodes import SkipNode

    text = latex2mathml.tex2mathml(node.astext(), as_block=as_block)
    translator.body.append(text)
    raise SkipNode


def setup(app: Sphinx):
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True}

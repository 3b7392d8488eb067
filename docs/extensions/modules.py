"""`{modules}`: a section for each module that it names, or whose package: its text, its members."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

MARKUP = re.compile(r"(?<!`)(?:[*|]|(?<=\w)_(?!\w))")


class Modules(SphinxDirective):
    """Names, one per line. With `members` what they offer too, for which they are imported."""

    has_content = True
    option_spec = {"members": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        return [self._section(name) for line in self.content for name in self._modules(line)]

    def _modules(self, name: str) -> Iterator[str]:
        """The module itself, or all of a package."""
        try:
            found = find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise self.error(f"no module {name}")
        if found.submodule_search_locations is None:
            yield name
            return
        for module in pkgutil.iter_modules(found.submodule_search_locations, f"{name}."):
            yield from self._modules(module.name)

    def _section(self, name: str) -> nodes.section:
        file = Path(find_spec(name).origin)
        self.env.note_dependency(str(file))
        text = ast.get_docstring(ast.parse(file.read_text("utf-8")))
        section = nodes.section(ids=[nodes.make_id(name)])
        section += nodes.title("", "", nodes.literal("", name))
        section += nodes.literal_block(text, text, language="none")
        if "members" in self.options:
            asked = ["```{eval-rst}", f".. automodule:: {name}", "   :members:", "```"]
            self.state.nested_parse(StringList(asked, file), 0, section)
        return section


def _plain(app, what: str, name: str, subject, options, lines: list[str]) -> None:
    """Docstrings are text to be read in the source: nothing in them is markup but backticks."""
    if what == "module":  # shown as it stands
        lines.clear()
    code = False
    for i, line in enumerate(lines):
        code = line.startswith(">>>") or (code and bool(line.strip()))
        if not code:
            lines[i] = MARKUP.sub(lambda found: "\\" + found[0], line)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("modules", Modules)
    app.connect("autodoc-process-docstring", _plain, priority=100)  # before numpydoc
    return {"parallel_read_safe": True}

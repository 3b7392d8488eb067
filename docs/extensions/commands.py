"""`{commands}`: what `--help` says of every command of `rsjs`."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command


class Commands(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        from rsjs.cli.main import app

        return [_section(words, text) for words, text in _helps(get_command(app), "rsjs")]


def _helps(command, words: str, parent=None) -> Iterator[tuple[str, str]]:
    """Words and help of a command and of those below it."""
    context = command.context_class(command, info_name=words.rpartition(" ")[2], parent=parent)
    yield words, command.get_help(context)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _helps(command.get_command(context, name), f"{words} {name}", context)


def _section(words: str, text: str) -> nodes.section:
    section = nodes.section(ids=[nodes.make_id(words)])
    section += nodes.title("", "", nodes.literal("", words))
    section += nodes.literal_block(text, text, language="none")
    return section


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}

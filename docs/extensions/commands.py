"""
`{commands}`: a section for each command of `rsjs`, its arguments and options as a table.

Typer's commands are not those of click any more, so that sphinx-click does not know them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command

HEADS = ("argument, option", "value", "default", "meaning")
TYPES = {int: "an integer", float: "a number"}


class Commands(SphinxDirective):
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        from rsjs.cli.main import app

        return [*_sections(get_command(app), "rsjs")]


def _sections(command: Any, words: str, parent: Any = None) -> Iterator[nodes.section]:
    """A section for a command and for each of those below it."""
    context = command.context_class(command, info_name=words.rpartition(" ")[2], parent=parent)
    section = nodes.section(ids=[nodes.make_id(words)])
    section += nodes.title("", "", nodes.literal("", words))
    usage = " ".join([words, *command.collect_usage_pieces(context)])
    section += nodes.literal_block(usage, usage, language="none")
    section += _texts(command.help or "")
    if rows := [_row(one) for one in command.get_params(context) if one.name != "help"]:
        section += _table(HEADS, rows)
    names = command.list_commands(context) if hasattr(command, "list_commands") else []
    below = {name: command.get_command(context, name) for name in names}
    if below:
        section += nodes.bullet_list("", *(_item(f"{words} {name}", below[name]) for name in names))
    yield section
    for name, one in below.items():
        yield from _sections(one, f"{words} {name}", context)


def _texts(text: str) -> Iterator[nodes.Element]:
    """Paragraphs of a help text; those marked by a backspace as they stand."""
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("\b\n"):
            yield nodes.literal_block(part[2:], part[2:], language="none")
        else:
            yield nodes.paragraph("", "", *_marked(" ".join(part.split())))


def _row(parameter: Any) -> list[nodes.Element]:
    """What to type, its value, its default and its meaning."""
    is_argument = parameter.param_type_name == "argument"
    metavar = parameter.metavar or parameter.name.upper()
    named = [metavar] if is_argument else [*parameter.opts, *parameter.secondary_opts]
    return [
        nodes.paragraph("", "", *_codes(named)),
        nodes.paragraph("", "" if is_argument else _value(parameter)),
        nodes.paragraph("", _default(parameter)),
        nodes.paragraph("", "", *_marked(getattr(parameter, "help", "") or "")),
    ]


def _value(parameter: Any) -> str:
    """Type of an option's value, or what it may be; nothing for a flag."""
    if getattr(parameter, "is_flag", False):
        return ""
    kind = parameter.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(str(choice.value) for choice in kind)
    return ", ".join(filter(None, [parameter.metavar, TYPES.get(kind)]))


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if default is None or isinstance(default, bool) or callable(default):
        return ""
    if isinstance(default, list | tuple):
        return ", ".join(map(str, default))
    return str(getattr(default, "value", default))


def _codes(words: Iterable[str]) -> Iterator[nodes.Node]:
    for i, word in enumerate(words):
        if i:
            yield nodes.Text(", ")
        yield nodes.literal("", word)


def _marked(text: str) -> Iterator[nodes.Node]:
    """Text with what stands between backticks as code."""
    for i, part in enumerate(text.split("`")):
        yield nodes.literal("", part) if i % 2 else nodes.Text(part)


def _item(words: str, command: Any) -> nodes.list_item:
    summary = command.get_short_help_str(limit=100)
    link = nodes.reference("", "", nodes.literal("", words), refid=nodes.make_id(words))
    return nodes.list_item("", nodes.paragraph("", "", link, *_marked(f": {summary}")))


def _table(heads: Iterable[str], rows: list[list[nodes.Element]]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in heads), cols=len(HEADS))
    header = [nodes.entry("", nodes.paragraph("", head)) for head in heads]
    group += nodes.thead("", nodes.row("", *header))
    body = [nodes.row("", *(nodes.entry("", cell) for cell in row)) for row in rows]
    group += nodes.tbody("", *body)
    return nodes.table("", group, classes=["colwidths-auto"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}

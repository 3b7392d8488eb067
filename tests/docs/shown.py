"""What pages show: commands, one per line, and blocks of Python, in their order."""

import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(r"^```(\S*)(?: .*)?$")
MARK = re.compile(r"^<!-- (not run|file|with): (.+) -->$")
PROGRAMS = ("rsjs", "python", "python3", "make")


@dataclass(frozen=True)
class Command:
    """
    Attributes
    ----------
    words : list of str
        Program and arguments.
    stdin, stdout : str
        Files that `<` and `>` name; "" = none.
    """

    words: list[str]
    stdin: str = ""
    stdout: str = ""


@dataclass(frozen=True)
class Block:
    """
    Attributes
    ----------
    line : int
        Of the page, from 1.
    language : str
        Of its fence; "" = indented, or none is named.
    text : str
    marks : dict
        Comments right before it. `not run`: the reason. `file`: what it is the text of. `with`: a
        folder of the repository that its commands find where they run.
    """

    line: int
    language: str
    text: str
    marks: dict[str, str]

    @property
    def commands(self):
        """Its command lines, none if it is a block of another kind."""
        joined = self.text.replace("\\\n", " ").split("\n")
        lines = [shlex.split(line, comments=True) for line in joined]
        return [_command(words) for words in lines if words and words[0] in PROGRAMS]

    @property
    def is_python(self):
        return self.language == "python" or self.text.startswith("import rsjs")


def _command(words):
    streams = {"<": "", ">": ""}
    while len(words) > 2 and words[-2] in streams:
        *words, stream, file = words
        streams[stream] = file
    return Command(words, streams["<"], streams[">"])


def blocks(page):
    """Blocks of a page, indented by four or fenced, with what comments before one say of it."""
    lines = page.read_text("utf-8").split("\n")
    at, marks = 0, {}
    while at < len(lines):
        begin = at
        if mark := MARK.match(lines[at]):
            marks[mark[1]] = mark[2]
        elif fence := FENCE.match(lines[at]):
            at = lines.index("```", at + 1)
            yield Block(begin + 1, fence[1], "\n".join(lines[begin + 1 : at]), marks)
            marks = {}
        elif lines[at].startswith("    ") and not lines[at - 1].strip():
            at = _last_indented(lines, at)
            text = "\n".join(line[4:] for line in lines[begin : at + 1])
            yield Block(begin + 1, "", text, marks)
            marks = {}
        at += 1


def _last_indented(lines, at):
    """Last line of the indented block that begins at line `at`; it may have empty lines within."""
    last = at
    while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
        last = at if lines[at].strip() else last
        at += 1
    return last

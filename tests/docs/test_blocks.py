"""
Every command and every block of Python on the pages is run, page by page, in an empty folder.

Notebooks are run where the documentation is built, in a Jupyter kernel.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.shown import Block, Command, blocks

ROOT = Path(__file__).parents[2]
DOCS = sorted({*(ROOT / "docs").rglob("*.md")} - {*(ROOT / "docs/guides/notebooks").iterdir()})
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SUBMITTING.md", *DOCS]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
NEEDS = {"needs a cluster", "needs files of yours", "needs traces"}
OTHERS = {"installs", "takes minutes", "rewrites files of the repository", "a part of a file"}
REASONS = NEEDS | OTHERS


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.solver
@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_a_page_shows_runs(page, carry_out, tmp_path):
    names: dict[str, object] = {"__name__": "page"}
    shown = list(blocks(page))
    for block in shown:
        if file := block.marks.get("file"):
            (tmp_path / file).write_text(block.text + "\n", "utf-8")
    for block in shown:
        where = f"{page.name}:{block.line}"
        if folder := block.marks.get("with"):
            shutil.copytree(ROOT / folder, tmp_path / folder)
        if {"file", "not run"} & block.marks.keys():
            continue
        elif block.is_python:
            exec(compile(block.text, where, "exec"), names)
        else:
            for command in block.commands:
                wrong = carry_out(command)
                assert not wrong, f"{where}: {' '.join(command.words)}\n{wrong}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_is_not_run_has_a_reason_and_exists(page, options_of):
    for block in blocks(page):
        if reason := block.marks.get("not run"):
            assert reason in REASONS, f"{page.name}:{block.line}"
            for command in block.commands:
                _assert_exists(command.words, options_of, f"{page.name}:{block.line}")


def _assert_exists(words, options_of, where):
    if words[0] == "rsjs":
        shown = {word for word in words if re.match(r"--?[a-zA-Z]", word)}
        assert shown <= options_of(words[1:]), where
    elif words[0] == "make":
        assert f"\n{words[1]}: " in (ROOT / "Makefile").read_text("utf-8"), where
    elif words[:2] == ["python", "-m"]:
        module = ROOT / words[2].replace(".", "/")
        assert module.with_suffix(".py").exists() or module.is_dir(), where


def test_a_block_goes_on_after_empty_lines_and_knows_its_marks(tmp_path):
    page = tmp_path / "page.md"
    text = "<!-- not run: installs -->\n\n    rsjs a  # why\n\n    rsjs b < x > y\n\nend\n"
    page.write_text(text + "```toml\nkey = 1\n```\n")
    first, second = blocks(page)
    assert first.marks == {"not run": "installs"}
    assert first.commands == [Command(["rsjs", "a"]), Command(["rsjs", "b"], "x", "y")]
    assert second == Block(8, "toml", "key = 1", {})

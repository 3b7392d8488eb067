"""README says what the registry and the commands say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rsjs.cli.main import app
from rsjs.instances.schema import FAMILIES
from rsjs.methods import all_methods, parse

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_table_of_methods_is_the_registry():
    block = README.split("<!-- methods -->")[1].split("<!-- /methods -->")[0]
    rows = [[c.strip(" `") for c in line.split("|")[1:-1]] for line in block.strip().split("\n")]
    assert rows[0] == ["method", "kind", *FAMILIES]
    served = {row[0]: (row[1], [mark == "yes" for mark in row[2:]]) for row in rows[2:]}
    assert served == {
        name: (
            method.kind,
            [
                all(
                    getattr(objective, kind) in getattr(method, kind)
                    for kind in ("energy", "tardiness_at", "open_nodes", "expectation")
                )
                for objective in FAMILIES.values()
            ],
        )
        for name, method in all_methods().items()
    }


@pytest.mark.parametrize("line", re.findall(r"^    (rsjs .*)$", README, re.MULTILINE))
def test_every_command_shown_is_one_that_exists(line):
    words = shlex.split(line)[1:]
    name = words[:2] if words[0] in ("generate", "workload") else words[:1]
    shown = CliRunner().invoke(app, [*name, "--help"])
    assert shown.exit_code == 0
    for option in (word for word in words if word.startswith("-")):
        assert option in shown.output


def test_every_method_shown_can_be_spelled():
    for method in re.findall(r"--methods? (\S+)", README):
        for spelling in method.split(","):
            parse(spelling)


def test_every_file_linked_is_there():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target

"""What a user sees first: help, version, usage errors."""

import os
import shlex
import subprocess
import sys
from dataclasses import replace

import pytest
from typer.main import get_command

from rsjs.cli.main import COMMANDS, PLACES, app
from rsjs.instances.catalogue.node_types import MEMBERS
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import write_instance

HEAVY = {"numpy", "scipy", "pandas", "matplotlib", "pyomo", "highspy", "pyscipopt", "ortools"}
IMPORTS = "import sys; from rsjs.cli.main import main; main(['--help']); print(*sys.modules)"


def _paths(command, path=(), parent=None):
    yield path
    context = command.context_class(command, parent=parent)
    for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _paths(command.get_command(context, name), (*path, name), context)


PATHS = list(_paths(get_command(app)))


@pytest.mark.parametrize("command", PATHS, ids=" ".join)
def test_every_help_has_an_example_and_every_command_offers_json(command, rsjs):
    shown = rsjs(*command, "--help")
    assert shown.code == 0
    assert "Example:\n" in shown.out
    assert f"rsjs {' '.join(command)}".strip() in shown.out.partition("Example:")[2]
    if command not in ((), ("generate",)):
        assert "--json" in shown.out
    assert shown.err == ""


def test_commands_are_listed_under_headings_with_whole_summaries(rsjs):
    lines = [line.split(maxsplit=1) for line in rsjs("--help").out.splitlines()]
    for heading, commands in COMMANDS.items():
        assert f"{heading}:".split(maxsplit=1) in lines
        for name, (_, summary) in commands.items():
            assert [name, summary] in lines
    assert {path[0] for path in PATHS if path} == {*PLACES}


def test_there_are_at_most_40_commands():
    """The families of `generate` are one command."""
    parents = {path[:-1] for path in PATHS}
    leaves = {path for path in PATHS if path not in parents and path[0] != "generate"}
    assert len(leaves) + 1 <= 40


@pytest.mark.parametrize("group", sorted({path[:-1] for path in PATHS if path}), ids=" ".join)
def test_no_summary_is_cut_at_80_columns(group, rsjs, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    shown = rsjs(*group, "--help").out
    assert not [line for line in shown.splitlines()[1:] if line.endswith("...")]


def test_the_help_of_the_generator_names_every_catalogue(rsjs):
    shown = " ".join(rsjs("generate", "jahani", "--help").out.replace("-\n", "-").split())
    shown = shown.replace("- ", "-")
    assert all(name in shown for name in MEMBERS)


def test_without_a_command_the_help_is_shown(rsjs):
    assert rsjs().out.strip() == rsjs("--help").out.strip()


def test_the_version_is_that_of_the_package(rsjs):
    assert rsjs("--version").out.startswith("rsjs-bench 0.")


def test_the_help_imports_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "typer" in loaded
    assert not loaded & (HEAVY | {"rich"})


@pytest.mark.process
def test_python_m_is_the_command(process):
    ended = process("--help")
    assert ended.code == 0
    assert ended.out.startswith("Usage: rsjs ")


@pytest.mark.process
def test_a_reader_that_leaves_early_causes_no_traceback():
    command = f"{sys.executable} -m rsjs list catalogues --json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout == "{\n"
    assert done.stderr == ""


@pytest.mark.process
def test_streams_that_are_closed_or_lack_letters_lose_no_work(tmp_path):
    command = [sys.executable, "-m", "rsjs", "compare", "-o", str(tmp_path), "--methods", "edf"]
    instance = tmp_path / "i.json"
    write_instance(replace(generate(nodes=2, jobs=3, seed=1), name="Pavía"), instance)
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*command, instance], capture_output=True, env=plain, check=True)
    assert b"Pav\\xeda" in done.stdout
    assert (tmp_path / "rows.csv").exists()
    closed = shlex.join([sys.executable, "-m", "rsjs", "list", "methods", "--json"]) + " >&-"
    done = subprocess.run(closed, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

"""Options of commands, and a way to run what a page shows."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from rsjs.cli.main import app, main


@pytest.fixture(scope="session")
def options_of():
    """The options of the command that words begin with."""

    def options(words):
        command = get_command(app)
        while hasattr(command, "commands"):
            command = command.get_command(None, words[0])
            words = words[1:]
        return {name for parameter in command.params for name in parameter.opts}

    return options


@pytest.fixture
def carry_out(tmp_path, capsys, monkeypatch):
    """Run a command in an empty folder, `rsjs` in this process; what went wrong, "" = nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # Python that starts in a folder imports from it
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)  # `python` within a command is this one

    def carried_out(command):
        program, *words = [name for word in command.words for name in _expanded(word, tmp_path)]
        if program == "python3":
            ended = subprocess.run([sys.executable, *words], capture_output=True, text=True)
            return "" if ended.returncode == 0 else ended.stdout + ended.stderr
        if program != "rsjs":
            return f"{program} is not run: mark the block"
        text = Path(command.stdin).read_text("utf-8") if command.stdin else ""
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        capsys.readouterr()
        code = main(words)
        printed = capsys.readouterr()
        if command.stdout:
            Path(command.stdout).write_text(printed.out, "utf-8")
        return "" if code == 0 else printed.out + printed.err

    return carried_out


def _expanded(word, folder):
    found = sorted(folder.glob(word)) if "*" in word else []
    return [str(path.relative_to(folder)) for path in found] or [word]

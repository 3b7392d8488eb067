"""The command run in this process or in one of its own, and files to run it on."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

import pytest
import typer.main

from rsjs.cli.main import main
from rsjs.instances.generators import jahani
from rsjs.instances.io.files import read_instance, write_instance, write_solution, write_workload
from rsjs.instances.solution import Solution

SMALL = {"nodes": 2, "jobs": 8, "seed": 1}


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Standard output, which must be one JSON document and nothing else."""
        return json.loads(self.out)

    @property
    def output(self):
        """Standard output of a command that did what it was asked to do."""
        assert self.code == 0
        return self.out

    @property
    def refusal(self):
        """Standard error of a command that refused its input: one line, nothing else came out."""
        assert (self.code, self.out, self.err.count("\n")) == (2, "", 1)
        assert self.err.startswith("rsjs: error: ")
        return self.err


@pytest.fixture(scope="package", autouse=True)
def _one_tree():
    """Commands are built once: Typer builds all of them anew in every call, which takes longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.main.get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def blank(monkeypatch):
    """Pictures are composed and not rendered, which takes longest; their files are empty."""
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: None)


@pytest.fixture
def rsjs(capsys, monkeypatch):
    """Run the command in this process, on a terminal of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        streams = capsys.readouterr()
        return Ended(code, streams.out, streams.err)

    return run


@pytest.fixture
def process():
    """Run the command in a process of its own."""

    def run(*arguments):
        command = [sys.executable, "-m", "rsjs", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """
    Files that tests read and never write.

    small.json, other.json, large.json (10 x 100), workload.json; idle.json and idle-other.json,
    decisions for small and other that postpone every job; damaged.json.gz.
    """
    made = tmp_path_factory.mktemp("files")
    write_instance(jahani.generate(**SMALL), made / "small.json")
    write_instance(jahani.generate(**{**SMALL, "seed": 2}), made / "other.json")
    write_instance(jahani.generate(nodes=10, jobs=100, seed=1), made / "large.json")
    write_workload(jahani.workload(**SMALL), made / "workload.json")
    for name, target in (("small", "idle"), ("other", "idle-other"), ("large", "idle-large")):
        instance = read_instance(made / f"{name}.json")
        jobs, nodes = len(instance.jobs), instance.cluster.nodes
        idle = Solution.of([-1] * jobs, [0] * jobs, [0] * nodes)
        write_solution(idle, instance.digest, made / f"{target}.json", method="by hand")
    write_instance(jahani.generate(**SMALL), made / "whole.json.gz")
    whole = (made / "whole.json.gz").read_bytes()
    (made / "damaged.json.gz").write_bytes(whole[: len(whole) // 2])
    (made / "not-utf8.json").write_bytes(b'{"format": "\xff"}')
    return made

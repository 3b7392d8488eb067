"""`rsjs solve -`: an instance in, one solution out and nothing else."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rsjs.instances.check import check
from rsjs.instances.generators import jahani, sts
from rsjs.instances.io.files import read_solution, write_instance, write_workload

SMALL = {"nodes": 2, "jobs": 6, "seed": 1}


@pytest.fixture
def filtered(rsjs, monkeypatch):
    """The command with some bytes on its standard input."""

    def run(data, *arguments):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return rsjs("solve", "-", *arguments)

    return run


def test_a_closed_standard_input_is_told(rsjs, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input: found nothing: it is closed" in rsjs("solve", "-").refusal


def test_standard_input_without_end_is_refused(rsjs, monkeypatch):
    with Path("/dev/zero").open("rb") as endless:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(endless))
        told = "standard input: found more than that, expected at most 256 MiB"
        assert told in rsjs("solve", "-").refusal


@pytest.mark.process
def test_a_verified_solution_comes_out_with_its_checked_cost(filtered, rsjs, tmp_path):
    instance = sts.generate(**SMALL)
    write_instance(instance, tmp_path / "i.json")
    ended = filtered((tmp_path / "i.json").read_bytes(), "--method", "greedy:paper")
    assert ended.code == 0
    assert (ended.out.count("\n"), ended.json["format"]) == (1, "rsjs-solution/1")
    (tmp_path / "s.json").write_text(ended.out)
    found = read_solution(tmp_path / "s.json")
    assert found.instance_digest == instance.digest
    assert found.objective == check(instance, found.solution).objective
    assert found.method == "greedy:paper"
    assert "objective" in ended.err
    assert rsjs("check", tmp_path / "i.json", tmp_path / "s.json").code == 0


@pytest.mark.process
def test_an_exact_method_also_tells_its_bound(filtered, tmp_path):
    write_instance(jahani.generate(**SMALL), tmp_path / "i.json")
    ended = filtered((tmp_path / "i.json").read_bytes(), "--method", "enumeration", "--json")
    assert ended.json["bound"] == ended.json["objective"]
    assert json.loads(ended.err)["stop"] == "optimal"


@pytest.mark.process
def test_it_is_a_filter_with_the_recommended_method_by_default(tmp_path):
    write_instance(sts.generate(**SMALL), tmp_path / "i.json")
    with (tmp_path / "i.json").open("rb") as file:
        command = [sys.executable, "-m", "rsjs", "solve", "-"]
        done = subprocess.run(command, stdin=file, capture_output=True, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["method"] == "rsjs_sifting@highs"
    assert b"rsjs: note: --method rsjs_sifting@highs is recommended here: " in done.stderr


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "standard input: found Expecting value at line 1 column 1"),
        (b"[]", "standard input: found an array of 0, expected an object"),
        (b"{}", "standard input: found no key 'format'"),
        (b'{"format": "rsjs-instance/1"}', "standard input: found no key"),
        (b'{"a": 1, "a": 2}', "standard input: /a: found the key twice"),
        (b"\xff{}", "standard input: found byte 0xff at offset 0"),
        (b"\x1f\x8b\x08\x00", "standard input: found byte 0x8b at offset 1"),
    ],
)
def test_bad_documents_are_refused(data, told, filtered):
    assert told in filtered(data).refusal


def test_a_workload_and_an_unknown_method_are_refused(filtered, tmp_path):
    write_workload(jahani.workload(**SMALL), tmp_path / "w.json")
    write_instance(jahani.generate(**SMALL), tmp_path / "i.json")
    refusal = filtered((tmp_path / "w.json").read_bytes()).refusal
    assert "/format: found 'rsjs-workload/1'" in refusal
    assert "greedy" in filtered((tmp_path / "i.json").read_bytes(), "--method", "gredy").refusal
    ended = filtered((tmp_path / "i.json").read_bytes(), "--time-limit", "0")
    assert (ended.code, ended.out) == (2, "")


@pytest.mark.process
def test_without_a_solution_nothing_comes_out(filtered, tmp_path):
    write_instance(sts.generate(**SMALL), tmp_path / "i.json")
    arguments = ("--method", "greedy", "--memory-limit", "1")
    ended = filtered((tmp_path / "i.json").read_bytes(), *arguments)
    assert (ended.code, ended.out) == (1, "")
    assert "no solution" in ended.err

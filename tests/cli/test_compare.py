"""Comparisons: every file is written, nothing is passed over in silence."""

import csv
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from rsjs.cli.compare import file_name
from rsjs.cli.main import main
from rsjs.cli.options import split
from rsjs.runs import provenance

FILES = {"rows.csv", "table.md", "table.tex", "events.json", "gap.png"}
FILES |= {"ratio.png", "cost.png"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("greedy", ["greedy"]),
        ("greedy:code,edf:paper", ["greedy:code", "edf:paper"]),
        (" greedy , edf ,", ["greedy", "edf"]),
        ("rg?iterations=5,seed=2,edf", ["rg?iterations=5,seed=2", "edf"]),
        ("rg:paper?a=1,b=2,rg?a=3", ["rg:paper?a=1,b=2", "rg?a=3"]),
        ("edf,rg?a=1,sts@highs?b=2", ["edf", "rg?a=1", "sts@highs?b=2"]),
        ("rg?a=1,none,b=2", ["rg?a=1", "none", "b=2"]),  # none is no method: told as such
        ("edf,b=2", ["edf", "b=2"]),  # there are no options that it could belong to
    ],
)
def test_methods_are_split_between_options(text, parts):
    assert split(text) == parts


def test_file_names_are_safe_everywhere():
    assert file_name("a/b--rg:paper?x=1,y=é|2") == "a_b--rg_paper_x=1,y=__2"


@dataclass(frozen=True)
class Compared:
    """One comparison, looked at by several tests."""

    code: int
    out: str
    err: str
    folder: Path


@pytest.fixture(scope="module")
def compared(folder, tmp_path_factory):
    """Two rules and the oracle on two instances, one of them too large for the oracle."""
    made, out, err = tmp_path_factory.mktemp("results"), StringIO(), StringIO()
    files = (folder / "small.json", folder / "large.json", folder / "small.json")
    methods = "enumeration,greedy:code,edf:paper,greedy"
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["compare", *map(str, files), "--methods", methods, "-o", str(made)])
    return Compared(code, out.getvalue(), err.getvalue(), made)


@pytest.mark.process
def test_all_files_are_written(compared):
    assert compared.code == 0
    assert {path.name for path in compared.folder.iterdir()} == {*FILES, "solutions", "store"}
    with (compared.folder / "rows.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    pairs = [(int(row["jobs"]), row["method"]) for row in rows]
    assert pairs == [  # what stands twice is run once
        (8, "enumeration"),
        (8, "greedy:code"),
        (8, "edf:paper"),
        (100, "greedy:code"),
        (100, "edf:paper"),
    ]
    for key, value in provenance.stamp().items():
        assert {row[key] for row in rows} == {"" if value is None else str(value)}
    assert len(list((compared.folder / "solutions").glob("*--*.json.gz"))) == 5
    for picture in ("gap.png", "cost.png"):
        assert (compared.folder / picture).read_bytes().startswith(b"\x89PNG")
    events = json.loads((compared.folder / "events.json").read_text())
    assert [run["method"] for run in events] == [method for _, method in pairs]
    assert events[0]["best_bound"] is not None
    assert all(event["seconds"] >= 0 for run in events for event in run["events"])


@pytest.mark.process
def test_the_table_is_printed_with_what_was_left_out(compared):
    assert "greedy:code" in compared.out
    assert "Not run:\n  enumeration on jahani-" in compared.out
    assert "serves up to 10 jobs, not 100" in compared.out
    assert "rows.csv" in compared.out


@pytest.mark.process
def test_each_run_is_told_on_standard_error_when_it_ends(compared):
    told = [line.split()[0] for line in compared.err.splitlines() if line.startswith(" ")]
    assert told == [f"{i}/5" for i in range(1, 6)]


@pytest.mark.process
def test_solutions_can_be_checked(compared, rsjs, folder):
    found = [*(compared.folder / "solutions").glob("*N10*")]
    assert found
    for path in found:
        assert rsjs("check", folder / "large.json", path).code == 0


@pytest.mark.process
def test_json_holds_rows_and_what_was_left_out(rsjs, folder, tmp_path):
    methods = "greedy:paper,enumeration"
    ended = rsjs("compare", folder / "large.json", "--methods", methods, "-o", tmp_path, "--json")
    assert ended.code == 0
    [row] = ended.json["rows"]
    assert (row["method"], row["status"]) == ("greedy:paper", "ok")
    [left] = ended.json["left_out"]
    assert left["method"] == "enumeration"
    assert {Path(name).name for name in ended.json["files"]} == FILES


@pytest.mark.process
def test_a_solver_that_is_missing_is_listed_with_its_command(rsjs, folder, tmp_path, monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    methods = "greedy,jahani_patterns@scip"
    output = rsjs("compare", folder / "small.json", "--methods", methods, "-o", tmp_path).output
    assert "jahani_patterns@scip on jahani-" in output
    assert "pip install 'pyscipopt" in output
    refusal = rsjs("solve", folder / "small.json", "--method", "jahani_patterns@scip").refusal
    assert "pip install 'pyscipopt" in refusal


@pytest.mark.process
def test_a_run_without_a_solution_makes_the_exit_code_1(rsjs, folder, tmp_path):
    line = ("--methods", "greedy", "--memory-limit", "1", "-o", tmp_path, "--json")
    ended = rsjs("compare", folder / "small.json", *line)
    assert ended.code == 1
    assert ended.json["rows"][0]["status"] == "no_solution"
    assert not (tmp_path / "solutions").exists()

"""Solvers that only Pyomo reaches, on the command line: missing, listed, and run by a stand-in."""

import os
import sys
from pathlib import Path

import pytest

from rsjs.formulations import enumeration
from rsjs.instances import costs
from rsjs.instances.files import read_instance

STAND_IN = Path(__file__).parents[1] / "formulations" / "stand_ins" / "program.py"


@pytest.fixture(scope="module")
def optimum(folder):
    """The least cost of the small instance."""
    instance = read_instance(folder / "small.json")
    best = enumeration.best(instance)
    assert best is not None
    return costs.terms(instance, best).total


@pytest.mark.parametrize(
    ("solver", "command"),
    [
        ("gurobi", "pip install 'gurobipy>=11,<14'"),
        ("cbc", "apt-get install coinor-cbc"),
        ("glpk", "apt-get install glpk-utils"),
    ],
)
def test_a_missing_one_is_told_in_one_line_with_the_command(
    rsjs, folder, tmp_path, monkeypatch, solver, command
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    refusal = rsjs("solve", folder / "small.json", "--method", f"jahani_patterns@{solver}").refusal
    assert f"solver {solver} is not installed: {command}" in refusal


def test_lists_say_that_pyomo_is_the_way_and_that_they_were_not_tried(rsjs):
    solvers = {solver["name"]: solver for solver in rsjs("list", "solvers", "--json").json}
    for name in ("gurobi", "cbc", "glpk"):
        assert len(solvers[name]["notes"]) == 2
    assert solvers["highs"]["notes"] == []
    assert solvers["relaxation"]["notes"] == ["a bound only, no schedule"]
    text = " ".join(rsjs("list", "solvers").out.split())
    assert "through Pyomo only (route=pyomo is implied)" in text
    assert "declared, not tested with the solver itself" in text
    assert "cbc (through Pyomo)" in rsjs("list", "methods").out
    assert "not tested with the solver itself" in " ".join(rsjs("doctor").out.split())


@pytest.mark.process
@pytest.mark.solver
@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")
def test_a_program_is_run_and_its_solution_verified(rsjs, folder, tmp_path, monkeypatch, optimum):
    script = tmp_path / "cbc"
    script.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    line = ("--gap", "0", "--json", "--time-limit", "3600", "--method", "jahani_patterns@cbc")
    ended = rsjs("solve", folder / "small.json", *line)
    assert ended.code == 0
    assert (ended.json["stop"], ended.json["feasible"]) == ("optimal", True)
    assert ended.json["objective"] == pytest.approx(optimum, rel=1e-9)
    assert ended.json["solver_version"] == "2.10.8"


@pytest.mark.process
@pytest.mark.solver
def test_a_relaxation_gives_a_bound_below_the_optimum_and_no_schedule(rsjs, folder, optimum):
    line = ("--gap", "0", "--json", "--method", "jahani_patterns@relaxation")
    relaxed = rsjs("solve", folder / "small.json", *line)
    assert relaxed.code == 1
    assert relaxed.json["stop"] == "iterations"
    assert not relaxed.json["feasible"]
    assert 0 < relaxed.json["bound"] <= optimum + 1e-9
    assert relaxed.json["counts"]["integers"] == 62

"""
Gurobi, CBC and GLPK through Pyomo, as far as that can be known without them.

None of the three is needed: stand-ins (folder `stand_ins`) speak in their place, and HiGHS finds
what they answer. That the real ones understand what they are asked is not tested here.
"""

import importlib
import json
import os
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyomo.environ as pyo
import pytest

from rsjs.formulations import linear, pyomo_interface
from rsjs.formulations.backends import cbc, glpk, gurobi
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS, backend
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.solution import Stop
from rsjs.methods import parse

STAND_INS = Path(__file__).parent / "stand_ins"
EXACT = Limits(gap=0.0)
ONLY_PYOMO = ["gurobi", "cbc", "glpk"]

PROGRAMS = ["cbc", "glpk"]
LONG = 300.0  # s

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts")


def knapsack():
    """max 5a + 4b + 3c, 2a + 3b + c <= 3, as a minimisation: a = c = 1 costs -8 + 10."""
    model = pyo.ConcreteModel(name="knapsack")
    model.x = pyo.Var("abc", within=pyo.Binary)
    model.room = pyo.Constraint(expr=2 * model.x["a"] + 3 * model.x["b"] + model.x["c"] <= 3)
    model.cost = pyo.Objective(expr=10 - 5 * model.x["a"] - 4 * model.x["b"] - 3 * model.x["c"])
    return model


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Stand-ins for `cbc` and `glpsol` on PATH; returns what the last one was asked."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cbc", "glpsol"):
        script = folder / name
        script.write_text(f"#!{sys.executable}\n{(STAND_INS / 'program.py').read_text()}")
        script.chmod(0o755)
    asked = tmp_path / "asked.json"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STAND_IN_ASKED", str(asked))
    return lambda: json.loads(asked.read_text())


@pytest.fixture
def gurobipy(monkeypatch):
    """A stand-in for the package, also where Pyomo keeps it."""
    monkeypatch.syspath_prepend(str(STAND_INS))
    from pyomo.contrib.solver.solvers.gurobi import gurobi_direct, gurobi_direct_base

    module = importlib.import_module("gurobipy")
    for place in (gurobi_direct, gurobi_direct_base):
        monkeypatch.setattr(place, "gurobipy", module)
    monkeypatch.setattr(gurobi_direct_base.GurobiDirectBase, "_gurobipy_available", True)
    monkeypatch.setattr(gurobi_direct_base.GurobiDirectBase, "_tc_map", None)
    yield module
    sys.modules.pop("gurobipy")


@pytest.mark.parametrize("name", ONLY_PYOMO)
def test_they_are_declared_as_reached_through_pyomo_and_not_tried(name):
    declared = backend(name)
    assert (declared.run, declared.tried) == (None, False)
    assert {Feature.INTEGER, Feature.CONTINUOUS} <= declared.features
    assert not declared.features & {Feature.STREAMS_BOUNDS, Feature.STREAMS_INCUMBENTS}
    with pytest.raises(ValueError, match=f"{name} is reached through Pyomo only"):
        declared.load()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("gurobi", "pip install 'gurobipy>=11,<14'"),
        ("cbc", "apt-get install coinor-cbc"),
        ("glpk", "apt-get install glpk-utils"),
    ],
)
def test_without_the_solver_one_line_says_how_to_get_it(name, command, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    assert not backend(name).available()
    assert backend(name).version() is None
    assert parse(f"jahani_patterns@{name}").missing().endswith(command)
    with pytest.raises(ValueError, match=f"'{name}' is not installed; {command[:7]}"):
        backend(name).import_solver()


def test_options_of_each():
    limits = Limits(time_limit=12.5, gap=0.01, threads=3, seed=2**32 - 1)
    gaps = {"TimeLimit": 12.5, "MIPGap": 0.01, "MIPGapAbs": 0.0}
    assert gurobi.options(limits) == {**gaps, "Threads": 3, "Seed": (2**32 - 1) % 2_000_000_001}
    gaps = {"sec": 12.5, "timeMode": "elapsed", "ratioGap": 0.01, "allowableGap": 0.0}
    assert cbc.options(limits) == {**gaps, "randomCbcSeed": 2**31 - 1, "threads": 3}
    assert "threads" not in cbc.options(replace(limits, threads=1))
    assert glpk.options(limits) == {"tmlim": 12, "mipgap": 0.01, "seed": 2**31 - 1}
    assert glpk.options(replace(limits, time_limit=0.3))["tmlim"] == 1


@pytest.mark.parametrize(
    ("told", "cost", "stop", "gap", "expected"),
    [
        (None, 100.0, Stop.OPTIMAL, 0.0, 100.0),
        (100.0, 100.0, Stop.OPTIMAL, 0.01, 100 - 1 / 0.99),  # "optimal" may mean within the gap
        (-100.0, -100.0, Stop.OPTIMAL, 0.01, -100 - 1 / 0.99),
        (5.0, 5.0, Stop.OPTIMAL, 1.0, None),
        (50.0, 100.0, Stop.TIME_LIMIT, 0.0, 50 * (1 - 1e-5)),  # six digits
        (-50.0, None, Stop.TIME_LIMIT, 0.0, -50 * (1 + 1e-5)),
        (None, 100.0, Stop.TIME_LIMIT, 0.0, None),
    ],
)
def test_what_cbc_has_proven(told, cost, stop, gap, expected):
    found = cbc.bound(told, cost, stop, gap)
    assert found is None if expected is None else found == pytest.approx(expected, rel=1e-12)


@pytest.mark.process
@pytest.mark.parametrize(("name", "release"), [("cbc", "2.10.8"), ("glpk", "5.0")])
def test_a_program_tells_its_release_and_finds_the_optimum(name, release, programs):
    assert backend(name).available()
    assert backend(name).version() == release
    model = knapsack()
    result = pyomo_interface.solve(model, backend(name), EXACT, seconds=LONG)
    assert (result.stop, result.status) == (Stop.OPTIMAL, "optimal")
    assert (result.objective, result.bound) == (2.0, 2.0)
    assert [round(model.x[i].value) for i in "abc"] == [1, 0, 1]


@pytest.mark.process
def test_programs_are_asked_in_their_own_words(programs):
    limits = Limits(gap=0.25, threads=2, seed=7)
    model = started(knapsack())
    pyomo_interface.solve(model, backend("cbc"), limits, seconds=99.5, warm_start=True)
    asked = programs()
    option = dict(pairwise(asked))
    expected = {"-sec": "99.5", "-timeMode": "elapsed", "-ratioGap": "0.25", "-allowableGap": "0.0"}
    expected |= {"-threads": "2", "-randomCbcSeed": "7"}
    assert option.items() >= expected.items()
    assert asked.index("-ratioGap") < asked.index("-import") < asked.index("-solve")
    assert "-mipstart" in asked
    pyomo_interface.solve(knapsack(), backend("glpk"), Limits(gap=0.25, seed=7), seconds=99.5)
    option = dict(pairwise(programs()))
    assert option.items() >= {"--tmlim": "99", "--mipgap": "0.25", "--seed": "7"}.items()


def started(model):
    for i, value in zip("abc", (0, 1, 0), strict=True):
        model.x[i].value = value
    return model


@pytest.mark.process
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("ends", "stop", "objective"),
    [
        ("limit", Stop.TIME_LIMIT, 2.0),
        ("empty", Stop.TIME_LIMIT, None),
        ("infeasible", Stop.INFEASIBLE, None),
    ],
)
def test_what_a_program_knows_at_its_end_is_kept(
    name, ends, stop, objective, programs, monkeypatch
):
    monkeypatch.setenv("STAND_IN_ENDS", ends)
    # GLPK has one word for gap and limit; the time that it took tells them apart
    result = pyomo_interface.solve(knapsack(), backend(name), EXACT, seconds=1.0)
    assert (result.stop, result.objective) == (stop, objective)
    if ends == "limit" and name == "cbc":
        assert result.bound == pytest.approx(1.25, rel=2e-5)
        assert result.bound < 1.25  # six digits may be rounded up
    elif ends != "empty":
        assert result.bound is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_without_time_no_program_is_started(name, programs):
    result = pyomo_interface.solve(knapsack(), backend(name), EXACT, seconds=0.0)
    assert (result.stop, result.objective, result.bound) == (Stop.TIME_LIMIT, None, None)
    with pytest.raises(FileNotFoundError):
        programs()


def test_gurobi_finds_the_optimum_and_is_asked_in_its_own_words(gurobipy):
    model = knapsack()
    limits = Limits(gap=0.0, threads=2, seed=7)
    result = pyomo_interface.solve(model, backend("gurobi"), limits, seconds=LONG)
    assert (result.stop, result.objective, result.bound) == (Stop.OPTIMAL, 2.0, 2.0)
    assert [round(model.x[i].value) for i in "abc"] == [1, 0, 1]
    assert gurobipy.ASKED.items() >= {"MIPGap": 0.0, "MIPGapAbs": 0.0, "Threads": 2}.items()
    assert gurobipy.ASKED["Seed"] == 7
    assert 0.0 < gurobipy.ASKED["TimeLimit"] <= LONG
    assert result.counts == {"IterCount": 5, "BarIterCount": 0, "NodeCount": 3}


def test_gurobi_is_given_a_start(gurobipy):
    model = started(knapsack())
    pyomo_interface.solve(model, backend("gurobi"), EXACT, seconds=LONG, warm_start=True)
    assert sorted(gurobipy.STARTS.values()) == [0, 0, 1]


def test_gurobi_at_its_time_limit_keeps_solution_and_bound(gurobipy, monkeypatch):
    monkeypatch.setattr(gurobipy, "ENDS", gurobipy.GRB.TIME_LIMIT)
    result = pyomo_interface.solve(knapsack(), backend("gurobi"), EXACT, seconds=LONG)
    assert (result.stop, result.objective) == (Stop.TIME_LIMIT, 2.0)


def test_an_infeasible_model_has_no_bound_in_gurobi(gurobipy):
    model = knapsack()
    model.impossible = pyo.Constraint(expr=model.x["a"] + model.x["b"] >= 3)
    result = pyomo_interface.solve(model, backend("gurobi"), EXACT, seconds=LONG)
    assert (result.stop, result.objective, result.bound) == (Stop.INFEASIBLE, None, None)


def solved(instance, solver, **options):
    request = parse(f"jahani_patterns@{solver}")
    call = Call(solver=solver, options={**request.options, **options}, limits=EXACT)
    return request.method.load()(instance, call, Report(LONG))


@pytest.mark.process
@pytest.mark.parametrize("solver", ONLY_PYOMO)
def test_a_method_reaches_them_without_naming_the_route(solver, programs, gurobipy):
    instance = generate(nodes=2, jobs=6, seed=1)
    result, expected = solved(instance, solver), solved(instance, "highs")
    verdict = check(instance, result.solution)
    assert verdict.feasible
    assert verdict.objective == pytest.approx(expected.objective, rel=1e-9)
    assert result.bound == pytest.approx(expected.objective, rel=1e-9)
    assert result.stop is Stop.OPTIMAL


@pytest.mark.parametrize("solver", ONLY_PYOMO)
def test_the_route_without_pyomo_is_refused(solver, programs, gurobipy):
    with pytest.raises(ValueError, match=f"{solver} is reached through Pyomo only, not by route"):
        solved(generate(nodes=1, jobs=2, seed=1), solver, route="arrays")


def test_every_other_solver_keeps_the_route_it_is_asked_for():
    for name, declared in BACKENDS.items():
        for asked in ("standard_form", "arrays", "pyomo"):
            if declared.run is not None:
                assert linear.route(Call(solver=name, options={"route": asked})) == asked

"""The rules "code" against runs of the authors' public program (GPUScheduler)."""

import csv

import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.greedy.randomized import Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.heuristics.registry import METHODS
from rsjs.instances import costs
from rsjs.instances.io.gpuscheduler_csv import read_any

SIZES = ("azure4_N10_J40", "azure8_N25_J100", "azure4_N100_J400_tight")
CASES = tuple(f"oneshot_{size}_s1" for size in SIZES)
NAMES = {"Greedy": "greedy", "FIFO": "fifo", "EDF": "edf", "Priority": "priority"}


def _solution(instance, method):
    solution = METHODS[method].load()(instance, Call(rule="code"), Report()).solution
    assert solution is not None
    return solution


def _assert_costs(shared, instance, solution, *key):
    """The costs are those in the row of a case, a method and a seed."""
    with (shared / "data/peer/oneshot.csv").open() as file:
        (row,) = (r for r in csv.DictReader(file) if (r["case"], r["method"], r["seed"]) == key)
    terms = costs.terms(instance, solution)
    assert terms.total == pytest.approx(float(row["f_obj"]), rel=1e-9)
    assert terms.energy == pytest.approx(float(row["vm_cost"]), rel=1e-9)
    assert terms.tardiness == pytest.approx(float(row["tardi_cost"]), rel=1e-9)
    assert terms.postponement == pytest.approx(float(row["worst_tardi_cost"]), rel=1e-9)
    assert (solution.job_node >= 0).sum() == int(row["running"])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_costs_equal_the_authors(shared, case, name):
    instance = read_any(shared / "data/peer" / case)
    _assert_costs(shared, instance, _solution(instance, NAMES[name]), case, name, "1")


@pytest.mark.parametrize("case", CASES)
def test_greedy_schedule_equals_the_authors(shared, case):
    instance = read_any(shared / "data/peer" / case)
    solution = _solution(instance, "greedy")
    with (shared / "data/peer" / case / "greedy_schedule.csv").open() as file:
        theirs = {
            row["job"]: (int(row["node"]), row["vm"], int(row["nGPUs"])) if row["node"] else None
            for row in csv.DictReader(file)
        }
    ours = {}
    for job, node, gpus in zip(
        instance.jobs.id, solution.job_node.tolist(), solution.job_gpus.tolist(), strict=True
    ):
        vm = instance.cluster.node_types[solution.node_type[node]].name
        ours[job] = (node, vm, gpus) if node >= 0 else None
    assert ours == theirs


@pytest.mark.parametrize(
    ("case", "seed"), [(CASES[0], 1), (CASES[1], 2), (CASES[1], 3), (CASES[2], 1)]
)
def test_randomized_greedy_costs_equal_the_authors(shared, case, seed):
    instance = read_any(shared / "data/peer" / case)
    options = {"iterations": 1000, "stream": "minstd"}
    call = Call(rule="code", options=options, limits=Limits(seed=seed))
    result = METHODS["randomized_greedy"].load()(instance, call, Report())
    _assert_costs(shared, instance, result.solution, case, "RandomGreedy", str(seed))


@pytest.mark.parametrize("case", CASES)
def test_every_iteration_equals_the_authors(shared, case):
    lines = (shared / "data/peer" / case / "rg_costs_minstd_seed1.csv").read_text().split()
    instance = read_any(shared / "data/peer" / case)
    tables = prepared(instance, RANDOMIZED_RULES["code"], seed=1, stream="minstd")
    ours = Constructions(tables).costs(1, len(lines))
    assert len(lines) == 1000
    assert ours == pytest.approx([float(line) for line in lines], rel=1e-9)

"""The rules "code" and the authors' events against an online run of their GPUScheduler."""

import csv

import pytest

from rsjs.instances.instance import Workload
from rsjs.instances.io.gpuscheduler_csv import read_any
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Status

CASE = "online_azure4_N10_J100_exp120000_s1"
NAMES = {"Greedy": "greedy", "FIFO": "fifo", "EDF": "edf", "Priority": "priority"}


@pytest.mark.parametrize("name", NAMES)
def test_online_totals_equal_the_authors_to_six_digits(shared, name):
    with (shared / "data/peer/online.csv").open() as file:
        (row,) = (r for r in csv.DictReader(file) if (r["case"], r["method"]) == (CASE, name))
    workload = read_any(shared / "data/peer" / CASE)
    assert isinstance(workload, Workload)
    found = simulate(workload, policy(f"{NAMES[name]}:code", workload), Options(events="authors"))
    totals = found.totals
    assert found.status == Status.COMPLETE
    assert f"{3600 * totals.tardiness_hours:.6g}" == f"{float(row['total_tardiness']):.6g}"
    assert f"{totals.tardiness:.6g}" == f"{float(row['tardi_cost']):.6g}"
    assert f"{totals.energy:.6g}" == f"{float(row['vm_cost']):.6g}"
    assert f"{totals.cost:.6g}" == f"{float(row['total_cost']):.6g}"


@pytest.mark.parametrize("method", ["fifo", "edf", "priority"])
def test_the_authors_program_runs_one_of_three_jobs_on_one_node(make, method):
    times = {"release": [0, 1, 2], "due": [9, 4, 4], "weight": [1, 10, 100]}
    workload = make(types={"A1": [2.0]}, hours=[{"A": [3.0]}] * 3, **times)
    theirs = simulate(workload, policy(f"{method}:code", workload), Options(events="authors"))
    assert theirs.status == Status.LOST
    assert "lost j1, j2" in theirs.message
    assert (theirs.totals.completed, theirs.totals.cost) == (1, 6.0)
    corrected = simulate(workload, policy(f"{method}:code", workload))
    assert corrected.status == Status.COMPLETE
    # one after the other, 9 h at 2 $/h; the second ends at 6, the third at 9, both due at 4
    tardiness = 100 * 2 + 10 * 5 if method == "priority" else 10 * 2 + 100 * 5
    assert (corrected.totals.energy, corrected.totals.tardiness) == (18.0, tardiness)


def test_greedy_loses_no_job(make):
    workload = make(types={"A1": [2.0]}, hours=[{"A": [3.0]}] * 3, release=[0, 1, 2], due=[9, 9, 9])
    found = simulate(workload, policy("greedy:code", workload), Options(events="authors"))
    assert (found.status, found.totals.completed) == (Status.COMPLETE, 3)


def test_the_authors_submit_one_job_per_event(make):
    workload = make(types={"A1": [2.0]}, nodes=[["A1"], ["A1"]], hours=[{"A": [3.0]}] * 2)
    for events, decisions in (("authors", 2), ("gathered", 1)):
        found = simulate(workload, policy("greedy:code", workload), Options(events=events))
        assert (found.totals.decisions, found.totals.events) == (decisions, decisions + 1)

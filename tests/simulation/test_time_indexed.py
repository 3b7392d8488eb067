"""The time-indexed program of a workload: against enumeration, bounds and the simulator."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.formulations.hindsight.time_indexed import JobRun, data_of, relaxed, solve
from rsjs.instances.generators import sts
from rsjs.instances.solution import Solution
from rsjs.instances.transform import in_steps
from rsjs.simulation.bounds import workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.policy import Choice, Policy
from tests.simulation.offline_optimum import offline_optimum
from tests.simulation.test_workload_bound import VARIANTS, tiny

ABOVE = 1 + 1e-6
LIMITS = Limits(gap=0.0)


def _replay(runs):
    """The policy that runs jobs as in a schedule."""

    def decide(state, memory):
        now, cluster = state.now + 1e-7, state.workload.cluster
        place = {run.job: run for run in runs if run.begin <= now < run.end}
        rows = state.rows.tolist()
        idle = JobRun(-1, -1, 0, 0.0, 0.0)
        own = [place.get(row, idle) for row in rows]
        nodes = [run.node for run in own]
        kind = np.full(cluster.nodes, -1)
        for node in nodes:
            if node >= 0:
                kind[node] = cluster.allowed[node].argmax()
        times = [time for run in runs for time in (run.begin, run.end) if time > now]
        change = np.full(len(rows), min(times, default=np.inf) - state.now)
        return Choice(solution=Solution.of(nodes, [r.gpus for r in own], kind), change=change)

    return Policy(spelling="replay", decide=decide)


def test_runs_that_do_not_fill_their_steps_have_room(make):
    workload = make(hours=[{"A": [0.5]}] * 10, due=[0.5] * 10)
    for variant in VARIANTS:
        data = data_of(workload, variant, 1.0)
        assert max(run.end for run in data.first) <= data.latest.max() + 1e-9
        found = solve(data, LIMITS)
        assert (found.stop, len(found.runs) >= 10) == (Stop.OPTIMAL, True)


def test_a_job_whose_delay_costs_nothing_may_end_at_any_time(make):
    workload = make(hours=[{"A": [1.0]}, {"A": [1.0]}], weight=[0.0, 1.0], due=[1.0, 1.0])
    found = solve(data_of(workload), LIMITS)
    assert (found.stop, {run.job: run.begin for run in found.runs}[1]) == (Stop.OPTIMAL, 0.0)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 4)
def test_between_bound_and_enumeration_and_as_simulated(seed, make):
    workload = in_steps(tiny(Random(seed), make), 0.5)
    for variant in VARIANTS:
        found = solve(data_of(workload, variant, 0.5), LIMITS)
        assert found.stop == Stop.OPTIMAL
        assert workload_bound(workload, variant=variant).value <= found.cost * ABOVE
        replayed = simulate(workload, _replay(found.runs)).totals
        assert replayed.completed == replayed.jobs
        assert replayed.cost <= found.cost * ABOVE
        if variant == "no_preemption":
            # enumeration starts jobs at submissions and completions, the program anywhere
            best = offline_optimum(workload, variant)
            assert found.cost <= best * ABOVE
            assert best <= found.cost * ABOVE or not data_of(workload, variant, 0.5).linear.all()
            assert replayed.cost == pytest.approx(found.cost, rel=1e-6)
            assert replayed.preemptions == 0


@pytest.mark.parametrize(("step", "late"), [(1.0, 0.5), (0.5, 0.0)])
def test_with_preemption_finer_steps_may_be_cheaper(make, step, late):
    """Three jobs of an hour on two GPUs, due after 1.5 h: one is split, or one is late."""
    hours, due = [{"A": [1.0]}] * 3, [1.5] * 3
    workload = make(nodes=[["A1"]] * 2, hours=hours, due=due, weight=[9] * 3)
    found = solve(data_of(workload, "one_mode", step), LIMITS)
    assert found.cost == pytest.approx(3 + 9 * late)


def test_where_jobs_must_be_late_the_bound_is_near_the_relaxation_and_below_the_optimum():
    """The subgradient method alone stops at 366, where a GPU-hour is worth tens of $."""
    workload = in_steps(sts.workload(nodes=2, jobs=16, seed=2, gap_seconds=1000), 1.0)
    bound = workload_bound(workload, variant="no_preemption").value
    data = data_of(workload)
    assert bound < relaxed(data, LIMITS) * ABOVE < bound * 1.005
    found = solve(data, LIMITS)
    assert found.cost == pytest.approx(596.7117)
    assert simulate(workload, _replay(found.runs)).totals.cost == pytest.approx(found.cost)


@pytest.mark.parametrize(
    ("shape", "options", "told"),
    [
        ({}, {"variant": "rigid"}, "/variant: found 'rigid', expected one of free, one_mode, no_"),
        ({}, {"step": 0.0}, "/step: found 0.0, expected steps of > 0 hours"),
        (
            {"types": {"A1": [1.0], "A2": [1.0, 2.0]}, "nodes": [["A1", "A2"]]},
            {},
            "/cluster/nodes: found nodes of several types, expected one type each",
        ),
    ],
)
def test_what_it_does_not_serve_is_refused(make, shape, options, told):
    with pytest.raises(InputError) as error:
        data_of(make(**shape), **options)
    assert told in str(error.value)

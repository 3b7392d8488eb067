"""Order of events, and what policies see."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Kind
from rsjs.simulation.policy import Choice, Policy, Status
from rsjs.simulation.state import State


def _spy(script, seen):
    def decide(state, memory):
        seen.append(state)
        return replace(script.decide(state, memory), memory=(memory or 0) + 1)

    return Policy(spelling="spy", decide=decide)


def test_completions_come_before_arrivals_and_one_decision_follows(make, scripted):
    workload = make(hours=[{"A": [2.0]}] * 3, release=[0, 2, 2 + 0.9e-9], due=[9] * 3)
    seen: list[State] = []
    found = simulate(workload, _spy(scripted({"j0": (0, 1)}, {"j1": (0, 1)}, {"j2": (0, 1)}), seen))
    ended, both = (Kind.COMPLETION,), (Kind.COMPLETION, Kind.ARRIVAL)
    assert [record.kinds for record in found.records] == [(Kind.ARRIVAL,), both, ended, ended]
    assert [state.rows.tolist() for state in seen] == [[0], [1, 2], [2]]
    assert (seen[1].current.job_node == -1).all()
    assert not seen[1].used.any()


def test_a_policy_sees_the_jobs_at_hand_and_not_their_epochs(two, both):
    seen: list[State] = []
    simulate(two, _spy(both, seen))
    told = [(state.now, state.number, state.elapsed) for state in seen]
    assert told == [(0.0, 0, 0.0), (1.0, 1, 1.0), (3.0, 2, 2.0)]
    instance = seen[1].instance
    assert instance.jobs.id == ("j0", "j1")
    assert (instance.jobs.epochs_done.tolist(), instance.now) == ([1.0, 0.0], 1.0)
    assert instance.current is not None
    assert instance.current.job_node.tolist() == [0, -1]
    assert seen[2].instance.jobs.id == ("j0",)
    hidden = {**vars(instance), **vars(seen[1]), **vars(seen[1].workload)}
    assert not [name for name in hidden if "realised" in name]


def test_the_instance_of_a_moment_passes_the_door(two, both):
    seen: list[State] = []
    simulate(two, _spy(both, seen))
    for state in seen:
        assert isinstance(replace(state.instance), Instance)  # made anew, checked
        assert replace(state.of(np.array([0]))).jobs.id == ("j0",)


def test_memory_is_handed_from_call_to_call(two):
    memories: list[object] = []

    def decide(state, memory):
        memories.append(memory)
        nodes = [0 if name == "j0" else 1 for name in state.instance.jobs.id]
        kind = np.where(np.isin([0, 1], nodes), 0, -1)
        return Choice(solution=Solution.of(nodes, [1] * len(nodes), kind), memory=len(memories))

    simulate(two, Policy(spelling="by hand", decide=decide))
    assert memories == [None, 1, 2]


def test_a_switch_is_an_event_unless_another_comes_before(two, scripted):
    script = scripted({"j0": (0, 1)}, {"j0": (0, 1), "j1": (1, 1)})

    def decide(state, memory):
        change = np.full(len(state.rows), np.inf)
        change[0] = 1.5
        return replace(script.decide(state, memory), change=change)

    found = simulate(two, Policy(spelling="by hand", decide=decide))
    assert [(record.time, record.kinds, record.switch) for record in found.records] == [
        (0.0, (Kind.ARRIVAL,), None),
        (1.0, (Kind.ARRIVAL,), None),
        (2.5, (Kind.SWITCH,), "j0"),
        (3.0, (Kind.COMPLETION,), None),
        (4.0, (Kind.COMPLETION,), None),
    ]


def test_the_period_counts_from_the_last_decision(two, both):
    found = simulate(two, both, Options(period=1.25))
    assert [(record.time, record.kinds) for record in found.records] == [
        (0.0, (Kind.ARRIVAL,)),
        (1.0, (Kind.ARRIVAL,)),
        (2.25, (Kind.PERIOD,)),
        (3.0, (Kind.COMPLETION,)),
        (4.0, (Kind.COMPLETION,)),
    ]


def test_nothing_runs_between_the_last_completion_and_the_next_arrival(make, scripted):
    workload = make(types={"A1": [2.0]}, release=[0, 10], due=[9, 11])
    found = simulate(workload, scripted({"j0": (0, 1), "j1": (0, 1)}), Options(period=3.0))
    assert [record.time for record in found.records] == [0.0, 1.0, 10.0, 11.0]
    assert (found.totals.energy, found.totals.idle_gpu_hours) == (4.0, 0)


def test_epochs_close_to_a_whole_number_are_that_number(two, both):
    seen: list[State] = []
    late = replace(two, jobs=replace(two.jobs, release=np.array([0, 1 - 1e-8])))
    simulate(late, _spy(both, seen))
    assert seen[1].epochs_done.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("zero", [0.0, 5e5, 1e12])
def test_hours_since_1970_have_fewer_decimals(make, scripted, zero):
    workload = make(
        types={"A2": [1.0, 2.0]},
        hours=[{"A": [0.003]}, {"A": [0.0007]}],
        release=[zero, zero + 0.001],
        due=[zero + 1, zero + 1],
        law=[[2, 1], [4, 1]],
        realised=[4, 2],
    )
    script = {"j0": (0, 1)}, {"j1": (0, 1)}, {"j0": (0, 1), "j1": (0, 1)}
    found = simulate(workload, scripted(*script), Options(period=0.0007))
    assert found.totals.preemptions == 1
    assert (found.status, found.message) == (Status.COMPLETE, "")
    assert found.totals.energy == pytest.approx(0.0134, abs=1e-9 + 4 * np.spacing(zero))


def test_seconds_of_decisions_are_counted(two, both):
    found = simulate(two, both)
    seconds = found.seconds_as_dict()
    assert len(found.seconds) == found.totals.decisions == 3
    assert seconds["total"] == sum(found.seconds)
    assert seconds["median"] == sorted(found.seconds)[1] <= (seconds["most"] or 0)
    none = replace(found, seconds=[]).seconds_as_dict()
    assert none == {"median": None, "most": None, "total": 0.0}

"""Order of events, what policies see, and policies that fail: reported with the log so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rsjs.instances.schema import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.simulation import event_log, guards
from rsjs.simulation.engine import simulate
from rsjs.simulation.event_kinds import Kind
from rsjs.simulation.guards import Status
from rsjs.simulation.job_progress import Progress
from rsjs.simulation.node_meters import Nodes
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State

Script = Callable[..., Policy]
Decide = Callable[[State, Any], Choice]


@pytest.fixture
def two(make: Callable[..., Workload]) -> Workload:
    """Two nodes of one GPU; two jobs of 4 and 2 epochs of an hour, of 6 at most."""
    return make(
        types={"A1": [1.0]},
        nodes=[["A1"], ["A1"]],
        hours=[{"A": [1.0]}] * 2,
        release=[0, 1],
        due=[4, 5],
        law=[[2, 1], [4, 1], [6, 1]],
        realised=[4, 2],
    )


BOTH = {"j0": (0, 1), "j1": (1, 1)}


def _spy(script: Policy, seen: list[State]) -> Policy:
    def decide(state: State, memory: Any) -> Choice:
        seen.append(state)
        choice = script.decide(state, memory)
        return replace(choice, memory=(memory or 0) + 1)

    return Policy(spelling="spy", decide=decide)


def _policy(decide: Decide) -> Policy:
    return Policy(spelling="by hand", decide=decide)


def test_completions_come_before_arrivals_and_one_decision_follows(
    make: Callable[..., Workload], scripted: Script
) -> None:
    workload = make(
        types={"A1": [1.0]},
        nodes=[["A1"]],
        hours=[{"A": [2.0]}] * 3,
        release=[0, 2, 2 + 0.9e-9],
        due=[9] * 3,
    )
    seen: list[State] = []
    found = simulate(workload, _spy(scripted({"j0": (0, 1)}, {"j1": (0, 1)}, {"j2": (0, 1)}), seen))
    assert [record.kinds for record in found.records] == [
        (Kind.ARRIVAL,),
        (Kind.COMPLETION, Kind.ARRIVAL),
        (Kind.COMPLETION,),
        (Kind.COMPLETION,),
    ]
    assert [state.rows.tolist() for state in seen] == [[0], [1, 2], [2]]
    assert (seen[1].current.job_node == -1).all()
    assert not seen[1].used.any()


def test_a_policy_sees_the_jobs_at_hand_and_not_their_epochs(
    two: Workload, scripted: Script
) -> None:
    seen: list[State] = []
    simulate(two, _spy(scripted(BOTH), seen))
    assert [(state.now, state.number, state.elapsed) for state in seen] == [
        (0.0, 0, 0.0),
        (1.0, 1, 1.0),
        (3.0, 2, 2.0),
    ]
    instance = seen[1].instance
    assert instance.jobs.id == ("j0", "j1")
    assert instance.jobs.epochs_done.tolist() == [1.0, 0.0]
    assert instance.now == 1.0
    assert instance.current is not None
    assert instance.current.job_node.tolist() == [0, -1]
    assert seen[2].instance.jobs.id == ("j0",)
    hidden = {**vars(instance), **vars(seen[1]), **vars(seen[1].workload)}
    assert not [name for name in hidden if "realised" in name]


def test_the_instance_of_a_moment_passes_the_door(two: Workload, scripted: Script) -> None:
    seen: list[State] = []
    simulate(two, _spy(scripted(BOTH), seen))
    for state in seen:
        assert isinstance(replace(state.instance), Instance)  # made anew, checked
        assert replace(state.of(np.array([0]))).jobs.id == ("j0",)


def test_memory_is_handed_from_call_to_call(two: Workload) -> None:
    memories: list[object] = []

    def decide(state: State, memory: Any) -> Choice:
        memories.append(memory)
        ids = state.instance.jobs.id
        nodes = [0 if name == "j0" else 1 for name in ids]
        kind = np.where(np.isin([0, 1], nodes), 0, -1)
        return Choice(solution=Solution.of(nodes, [1] * len(nodes), kind), memory=len(memories))

    simulate(two, _policy(decide))
    assert memories == [None, 1, 2]


def test_a_switch_is_an_event_unless_another_comes_before(two: Workload, scripted: Script) -> None:
    script = scripted({"j0": (0, 1)}, BOTH)

    def decide(state: State, memory: Any) -> Choice:
        change = np.full(len(state.rows), np.inf)
        change[0] = 1.5
        return replace(script.decide(state, memory), change=change)

    found = simulate(two, _policy(decide))
    assert [(record.time, record.kinds, record.switch) for record in found.records] == [
        (0.0, (Kind.ARRIVAL,), -1),
        (1.0, (Kind.ARRIVAL,), -1),
        (2.5, (Kind.SWITCH,), 0),
        (3.0, (Kind.COMPLETION,), -1),
        (4.0, (Kind.COMPLETION,), -1),
    ]


def test_the_period_counts_from_the_last_decision(two: Workload, scripted: Script) -> None:
    found = simulate(two, scripted(BOTH), Options(period=1.25))
    assert [(record.time, record.kinds) for record in found.records] == [
        (0.0, (Kind.ARRIVAL,)),
        (1.0, (Kind.ARRIVAL,)),
        (2.25, (Kind.PERIOD,)),
        (3.0, (Kind.COMPLETION,)),
        (4.0, (Kind.COMPLETION,)),
    ]


def test_nothing_runs_between_the_last_completion_and_the_next_arrival(
    make: Callable[..., Workload], scripted: Script
) -> None:
    workload = make(
        types={"A1": [2.0]},
        nodes=[["A1"]],
        hours=[{"A": [1.0]}] * 2,
        release=[0, 10],
        due=[9, 11],
    )
    found = simulate(workload, scripted({"j0": (0, 1), "j1": (0, 1)}), Options(period=3.0))
    assert [record.time for record in found.records] == [0.0, 1.0, 10.0, 11.0]
    assert found.totals.energy == 4.0
    assert found.totals.idle_gpu_hours == 0


def _ends(two: Workload, decide: Decide, **options: Any) -> tuple[Status, str]:
    found = simulate(two, _policy(decide), Options(**options))
    log = event_log.text(found).splitlines()
    assert len(log) == 2 + len(found.records)  # the log is kept
    return found.status, found.message


def test_waiting_for_ever_is_a_deadlock(two: Workload, scripted: Script) -> None:
    status, message = _ends(two, scripted({"j0": (0, 1)}).decide)
    assert status == Status.DEADLOCK
    assert message == "by hand at 4 h: no job runs, none will come, and j1 wait"


def test_waiting_for_ever_with_a_period_is_a_deadlock_too(
    two: Workload, scripted: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "MOST_IN_VAIN", 50)
    status, message = _ends(two, scripted({"j0": (0, 1)}).decide, period=1.0)
    assert status == Status.DEADLOCK
    assert message == "by hand at 54 h: 50 decisions in a row, no job runs and none will come"


def test_switches_without_end_are_reported(
    two: Workload, scripted: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def zeno(state: State, memory: Any) -> Choice:
        step = 0.25 ** (1 + state.number)  # adds up to less than the first hour
        choice = scripted(BOTH).decide(state, memory)
        return replace(choice, change=np.full(len(state.rows), step))

    status, message = _ends(two, zeno)
    assert status == Status.ENDLESS
    assert "by hand at 0.333333" in message
    monkeypatch.setattr(guards, "MOST_IN_VAIN", 20)

    def busy(state: State, memory: Any) -> Choice:
        return replace(scripted(BOTH).decide(state, memory), change=np.full(len(state.rows), 0.01))

    status, message = _ends(two, busy)
    assert status == Status.ENDLESS
    assert message == "by hand at 0.2 h: 20 decisions in a row and no job came or went"


@pytest.mark.parametrize(
    ("solution", "violation"),
    [
        # of the jobs at another time
        (Solution.of([0, 1], [1, 1], [0, 0]), "shape: /job_node: found 2 entries, expected 1"),
        # of another cluster
        (Solution.of([0], [1], [0]), "shape: /node_type: found 1 entries, expected 2"),
        (Solution.of([0], [2], [0, -1]), "range: /job_gpus/0: found 2, expected 0 to 1"),
        (Solution.of([1], [1], [0, -1]), "node_on: /job_node/0: found node 1"),
        (Solution.of([-1], [1], [0, -1]), "postponed: /job_gpus/0: found 1"),
        (Solution.of([0], [0], [0, -1]), "one_configuration: /job_gpus/0: found 0 GPUs"),
    ],
)
def test_an_infeasible_decision_stops_the_run(
    two: Workload, solution: Solution, violation: str
) -> None:
    status, message = _ends(two, lambda state, memory: Choice(solution=solution))
    assert status == Status.INFEASIBLE
    assert message.startswith(f"by hand at 0 h: {violation}")


def test_the_log_ends_with_the_event_whose_decision_failed(two: Workload, scripted: Script) -> None:
    def decide(state: State, memory: Any) -> Choice:
        if state.number == 1:
            raise ZeroDivisionError("no reason")
        return scripted(BOTH).decide(state, memory)

    found = simulate(two, _policy(decide))
    assert (found.status, len(found.records)) == (Status.ERROR, 2)
    assert found.message == "by hand at 1 h: ZeroDivisionError: no reason"
    assert (found.records[-1].arrived, found.records[-1].changes) == ([1], None)
    assert found.totals.energy == 1.0


def _too_soon(progress: Progress, rows: Any, now: float, begin: Any, pace: Any) -> None:
    progress.placed[rows], progress.since[rows], progress.pace[rows] = now, begin, pace
    progress.end[rows] = begin + 0.5 * progress.realised[rows] * pace


def _twice(nodes: Nodes, hours: float) -> None:
    nodes.dedicated_hours += 2 * hours


@pytest.mark.parametrize(
    ("part", "name", "replacement", "told"),
    [
        (Progress, "start", _too_soon, "epochs: 2.0 and 4.0"),
        (Nodes, "run", _twice, "GPU-hours of jobs and of nodes: 6.0 and 8.0"),
    ],
)
def test_sums_that_do_not_agree_are_an_error(
    two: Workload,
    scripted: Script,
    monkeypatch: pytest.MonkeyPatch,
    part: type,
    name: str,
    replacement: Any,
    told: str,
) -> None:
    monkeypatch.setattr(part, name, replacement)
    found = simulate(two, scripted(BOTH))
    assert (found.status, found.message) == (Status.ERROR, f"conservation: {told}")


def test_a_policy_that_loops_is_interrupted(two: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "COMPILING", 0.0)

    def loop(state: State, memory: Any) -> Choice:
        while True:
            time.sleep(0.001)

    status, message = _ends(two, loop, decision_limit=0.05)
    assert status == Status.TOO_SLOW
    assert message == "by hand at 0 h: no decision within 0.05 s"


def test_ctrl_c_keeps_what_was_simulated(two: Workload, scripted: Script) -> None:
    def decide(state: State, memory: Any) -> Choice:
        if state.number == 2:
            raise KeyboardInterrupt
        return scripted(BOTH).decide(state, memory)

    found = simulate(two, _policy(decide))
    assert (found.status, found.totals.completed) == (Status.INTERRUPTED, 1)
    assert [record.changes is None for record in found.records] == [False, False, True]
    assert found.records[-1].completed == [1]  # the event that Ctrl-C ended
    assert event_log.text(found).count('"completed":["j1"]') == 1


def test_ctrl_c_in_the_middle_of_an_event_is_no_error(
    two: Workload, scripted: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(nodes: Nodes, *_: object) -> None:
        nodes.dedicated_hours += 9
        raise KeyboardInterrupt

    monkeypatch.setattr(Nodes, "set", torn)
    found = simulate(two, scripted(BOTH))
    assert (found.status, found.message) == (
        Status.INTERRUPTED,
        "scripted at 0 h: ended by Ctrl-C",
    )


def test_epochs_close_to_a_whole_number_are_that_number(two: Workload, scripted: Script) -> None:
    seen: list[State] = []
    late = replace(two, jobs=replace(two.jobs, release=np.array([0, 1 - 1e-8])))
    simulate(late, _spy(scripted(BOTH), seen))
    assert seen[1].epochs_done.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("zero", [0.0, 5e5, 1e12])
def test_hours_since_1970_have_fewer_decimals(
    make: Callable[..., Workload], scripted: Script, zero: float
) -> None:
    workload = make(
        types={"A2": [1.0, 2.0]},
        nodes=[["A2"]],
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


def test_of_many_jobs_that_wait_some_are_named(
    make: Callable[..., Workload], scripted: Script
) -> None:
    workload = make(
        types={"A1": [1.0]},
        nodes=[["A1"]],
        hours=[{"A": [1.0]}] * 6,
        release=[0] * 6,
        due=[9] * 6,
    )
    found = simulate(workload, scripted({"j0": (0, 1)}))
    assert found.message.endswith("none will come, and j1, j2, j3 and 2 more wait")


def test_seconds_of_decisions_are_counted(two: Workload, scripted: Script) -> None:
    found = simulate(two, scripted(BOTH))
    seconds = found.seconds_as_dict()
    assert len(found.seconds) == found.totals.decisions == 3
    assert seconds["total"] == sum(found.seconds)
    assert seconds["median"] == sorted(found.seconds)[1] <= (seconds["most"] or 0)
    none = replace(found, seconds=[]).seconds_as_dict()
    assert none == {"median": None, "most": None, "total": 0.0}

"""Policies that return no decision, end the program, or change what they are shown."""

import signal
import time
from collections.abc import Callable
from math import inf, nan

import numpy as np
import pytest

from rsjs.instances.solution import Solution
from rsjs.simulation import event_log, policy
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Choice, Policy, Status
from rsjs.simulation.state import State


@pytest.fixture
def workload(make):
    """One node of one GPU; two jobs of one or two epochs of an hour."""
    return make(release=[0, 5], due=[4, 9], law=[[1, 1], [2, 1]], realised=[2, 1])


RIGHT = Solution.of([0], [1], [0])


def _right(state, memory):
    return Choice(solution=RIGHT)


def _run(workload, decide, **options):
    found = simulate(workload, Policy(spelling="bad", decide=decide), Options(**options))
    lines = event_log.text(found).splitlines()
    assert len(lines) == 2 + len(found.records)  # the log is kept
    return found


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (None, "/: found NoneType, expected a Choice"),
        (RIGHT, "/: found Solution, expected a Choice"),
        (Choice(solution=None), "/solution: found NoneType"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_decision_is_refused(workload, reply, told):
    found = _run(workload, lambda state, memory: reply)
    assert found.status == Status.ERROR
    assert found.message.startswith(f"bad at 0 h: no decision: {told}")
    assert (len(found.records), found.records[0].decided) == (1, False)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ([1.0], "/change: found list, expected hours"),
        (0.5, "/change: found float"),
        (np.array(["a"]), "/change: found <U1"),
        (np.array([None]), "/change: found object"),
        (np.array(0.5), "/change: found shape (), expected shape (1,)"),
        (np.array([inf, 1.0]), "/change: found shape (2,)"),
        (np.array([nan]), "/change/0: found nan, expected hours >= 0 from now"),
        (np.array([-1e-9]), "/change/0: found -1e-09, expected hours >= 0 from now, inf = none"),
        (np.array([-inf]), "/change/0: found -inf"),
    ],
)
def test_a_time_of_the_next_call_that_is_none_is_refused(workload, change, told):
    found = _run(workload, lambda state, _: Choice(solution=RIGHT, change=change))
    assert found.status == Status.ERROR
    assert found.message.startswith(f"bad at 0 h: no decision: {told}")


@pytest.mark.parametrize("change", [np.array([inf]), np.array([9]), np.array([0.5], np.float32)])
def test_times_that_make_sense_are_taken(workload, change):
    found = _run(workload, lambda state, _: Choice(solution=RIGHT, change=change))
    assert found.status == Status.COMPLETE


@pytest.mark.parametrize("change", [0.0, 1e-300])
def test_calls_that_do_not_let_the_clock_run_are_endless(workload, change):
    found = _run(workload, lambda state, _: Choice(solution=RIGHT, change=np.array([change])))
    assert found.status == Status.ENDLESS
    assert found.message.endswith("100 decisions in a row and no job came or went")
    assert len(found.records) == 101


@pytest.mark.parametrize(
    "error", [SystemExit(3), GeneratorExit(), RecursionError("deep"), MemoryError()]
)
def test_a_policy_ends_its_own_run_only(workload, error):
    def decide(state, memory):
        raise error

    found = _run(workload, decide)
    assert found.status == Status.ERROR
    assert found.message.startswith(f"bad at 0 h: {type(error).__name__}:")


def test_a_message_is_one_line(workload):
    def decide(state, memory):
        raise ValueError(f"first\nsecond {'x' * 5000}")

    message = _run(workload, decide).message
    assert message.startswith("bad at 0 h: ValueError: first second xxx")
    assert message.endswith("...")
    assert len(message) == len("bad at 0 h: ") + policy.MOST_LETTERS


def test_arrays_of_two_dimensions_are_told_by_their_shape(workload):
    square = np.zeros((1, 1), dtype=int)
    solution = Solution.of(square, square + 1, [0], square - 1)
    found = _run(workload, lambda state, memory: Choice(solution=solution))
    assert found.status == Status.INFEASIBLE
    assert "shape: /job_node: found shape (1, 1), expected 1 entries" in found.message


MUTATIONS: list[Callable[[State], object]] = [
    lambda state: state.rows.fill(1),
    lambda state: state.epochs_done.fill(9),
    lambda state: state.used.fill(0),
    lambda state: state.current.job_node.fill(0),
    lambda state: state.current.node_type.fill(-1),
    lambda state: state.workload.jobs.due.fill(99),
    lambda state: state.workload.hours_per_epoch.fill(0.1),
    lambda state: state.instance.hours_per_epoch.fill(0.1),
    lambda state: state.workload.laws["law"].weights.fill(1),
    lambda state: state.workload.cluster.allowed.fill(False),
    lambda state: state.workload.cluster.allowed_in_class.fill(False),
    lambda state: state.workload.cluster.cost_of_type.fill(0),
    lambda state: state.workload.cluster.gpus_of_type.fill(9),
]


@pytest.mark.parametrize("mutate", MUTATIONS)
def test_a_policy_cannot_change_what_it_is_shown(workload, mutate):
    def decide(state, memory):
        if state.number == 1:
            mutate(state)
        return _right(state, memory)

    found = _run(workload, decide)
    assert found.message == "bad at 5 h: ValueError: assignment destination is read-only"


def test_laws_that_a_policy_empties_are_its_own(workload):
    def decide(state, memory):
        state.workload.laws.clear()  # type: ignore[attr-defined]
        return _right(state, memory)

    assert _run(workload, decide).totals.cost == 3.0
    assert [*workload.laws] == ["law"]


def _loop_on(state, memory):
    while True:
        try:
            time.sleep(0.001)
        except Exception:
            continue


def test_a_policy_that_swallows_errors_is_interrupted_too(workload, monkeypatch):
    monkeypatch.setattr(policy, "GRACE", 0.0)
    found = _run(workload, _loop_on, decision_limit=0.02)
    assert found.status == Status.TOO_SLOW
    assert found.message == "bad at 0 h: no decision within 0.02 s"
    assert [record.decided for record in found.records] == [False]


def test_a_ring_that_is_lost_is_repeated(workload, monkeypatch):
    monkeypatch.setattr(policy, "GRACE", 0.0)
    monkeypatch.setattr(policy, "AGAIN", 0.02)
    rings, ring = [], policy.Alarm._ring

    def counted(alarm, *given):
        rings.append(given)
        if len(rings) > 1:
            ring(alarm, *given)

    monkeypatch.setattr(policy.Alarm, "_ring", counted)
    assert _run(workload, _loop_on, decision_limit=0.02).status == Status.TOO_SLOW
    assert len(rings) == 2


def test_no_timer_is_left_behind(workload):
    before = signal.getsignal(signal.SIGALRM)
    _run(workload, lambda state, memory: None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_a_limit_beyond_what_timers_know(workload):
    assert _run(workload, _right, decision_limit=1e300).status == Status.COMPLETE

"""Runs that stop before their end: what is said of them, and the log so far."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.solution import Solution
from rsjs.simulation import event_log, policy
from rsjs.simulation.engine import simulate
from rsjs.simulation.node_meters import Nodes
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Choice, Policy, Status


def _policy(decide):
    return Policy(spelling="by hand", decide=decide)


def _ends(two, decide, **options):
    found = simulate(two, _policy(decide), Options(**options))
    log = event_log.text(found).splitlines()
    assert len(log) == 2 + len(found.records)  # the log is kept
    return found.status, found.message


def test_waiting_for_ever_is_a_deadlock(two, scripted):
    status, message = _ends(two, scripted({"j0": (0, 1)}).decide)
    assert status == Status.DEADLOCK
    assert message == "by hand at 4 h: no job runs, none will come, and j1 wait"


def test_waiting_for_ever_with_a_period_is_a_deadlock_too(two, scripted, monkeypatch):
    monkeypatch.setattr(policy, "MOST_IN_VAIN", 50)
    status, message = _ends(two, scripted({"j0": (0, 1)}).decide, period=1.0)
    assert status == Status.DEADLOCK
    assert message == "by hand at 54 h: 50 decisions in a row, no job runs and none will come"


def test_switches_without_end_are_reported(two, both, monkeypatch):
    def zeno(state, memory):
        step = 0.25 ** (1 + state.number)  # adds up to less than the first hour
        return replace(both.decide(state, memory), change=np.full(len(state.rows), step))

    status, message = _ends(two, zeno)
    assert status == Status.ENDLESS
    assert "by hand at 0.333333" in message
    monkeypatch.setattr(policy, "MOST_IN_VAIN", 20)

    def busy(state, memory):
        return replace(both.decide(state, memory), change=np.full(len(state.rows), 0.01))

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
    ],
)
def test_an_infeasible_decision_stops_the_run(two, solution, violation):
    status, message = _ends(two, lambda state, memory: Choice(solution=solution))
    assert status == Status.INFEASIBLE
    assert message.startswith(f"by hand at 0 h: {violation}")


def test_the_log_ends_with_the_event_whose_decision_failed(two, both):
    def decide(state, memory):
        if state.number == 1:
            raise ZeroDivisionError("no reason")
        return both.decide(state, memory)

    found = simulate(two, _policy(decide))
    assert (found.status, len(found.records)) == (Status.ERROR, 2)
    assert found.message == "by hand at 1 h: ZeroDivisionError: no reason"
    assert (found.records[-1].arrived, found.records[-1].decided) == (["j1"], False)
    assert found.totals.energy == 1.0


def test_ctrl_c_keeps_what_was_simulated(two, both):
    def decide(state, memory):
        if state.number == 2:
            raise KeyboardInterrupt
        return both.decide(state, memory)

    found = simulate(two, _policy(decide))
    assert (found.status, found.totals.completed) == (Status.INTERRUPTED, 1)
    assert [record.decided for record in found.records] == [True, True, False]
    assert found.records[-1].completed == ["j1"]  # the event that Ctrl-C ended
    assert event_log.text(found).count('"completed":["j1"]') == 1


def test_ctrl_c_in_the_middle_of_an_event_is_no_error(two, both, monkeypatch):
    def torn(nodes, *_):
        nodes.used_hours += 9
        raise KeyboardInterrupt

    monkeypatch.setattr(Nodes, "set", torn)
    found = simulate(two, both)
    assert (found.status, found.message) == (Status.INTERRUPTED, "scripted at 0 h: ended by Ctrl-C")


def test_of_many_jobs_that_wait_some_are_named(make, scripted):
    found = simulate(make(release=[0] * 6, due=[9] * 6), scripted({"j0": (0, 1)}))
    assert found.message.endswith("none will come, and j1, j2, j3 and 2 more wait")

"""Controllers that fail, stop or are stopped."""

import pytest

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.decomposition.parallel import share
from rsjs.instances.generators import jahani, kiros
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from tests.heuristics.decomposition.hierarchy import assert_checked, solved


class Scripted:
    """A method that does something else at some calls, counted from 0."""

    def __init__(self, script):
        self.script, self.calls = script, []

    def __call__(self, instance, call, report):
        self.calls.append(call)
        act = self.script.get(len(self.calls) - 1)
        if act is not None:
            return act(instance)
        return parse("greedy:paper")(instance, call, report)


def fail(instance):
    raise ValueError("two\nlines")


def overfill(instance):
    jobs = len(instance.jobs)
    solution = Solution.of([0] * jobs, [1] * jobs, [0] * instance.cluster.nodes)
    return SolveResult(stop=Stop.OPTIMAL, solution=solution, objective=0.0, bound=0.0)


def nothing(instance):
    return SolveResult(stop=Stop.INFEASIBLE)


def late(instance):
    return SolveResult(stop=Stop.TIME_LIMIT)


@pytest.mark.parametrize(
    ("act", "stop", "told"),
    [
        (fail, Stop.ERROR, "controller 2 of 3: ValueError: two lines"),
        (overfill, Stop.ERROR, "controller 2 of 3: its decision fails the check: capacity: "),
        (nothing, Stop.ITERATIONS, "controller 2 of 3: infeasible without a decision"),
        (late, Stop.TIME_LIMIT, "controller 2 of 3: time limit without a decision"),
    ],
)
def test_a_controller_without_a_decision_is_named_and_its_jobs_are_postponed(act, stop, told):
    instance = jahani.generate(nodes=3, jobs=30, seed=1)
    result = solved(instance, Scripted({1: act}), 3)
    assert result.stop is stop
    assert result.message.startswith(told)
    assert "\n" not in result.message
    assert (result.solution.job_node[1::3] == -1).all()
    assert (result.solution.job_node[0::3] >= 0).any()
    assert_checked(instance, result)


def test_nothing_is_claimed_when_every_controller_fails():
    result = solved(jahani.generate(nodes=3, jobs=9, seed=1), Scripted(dict.fromkeys([0, 1], fail)))
    assert (result.stop, result.solution, result.objective) == (Stop.ERROR, None, None)
    assert result.message == "controller 1 of 2: ValueError: two lines (and 1 more)"


def test_an_interrupt_returns_the_union_so_far():
    instance = kiros.generate(nodes=4, jobs=12, seed=1)
    report = Report(300.0, stop=lambda: len(report.events) >= 2)
    result = solved(instance, "greedy:paper", 4, report=report)
    assert result.stop is Stop.INTERRUPTED
    assert_checked(instance, result)
    running = result.solution.job_node >= 0
    assert running[0::4].any()
    assert running[1::4].any()
    assert not running[2::4].any()
    assert not running[3::4].any()


def test_controllers_are_not_begun_when_the_time_is_up():
    method = Scripted({})
    result = solved(kiros.generate(nodes=4, jobs=8, seed=1), method, 4, report=Report(0.0))
    assert (result.stop, result.solution, method.calls) == (Stop.TIME_LIMIT, None, [])


def test_incumbents_are_unions_that_improve_and_the_last_is_the_decision():
    instance = jahani.generate(nodes=8, jobs=40, seed=1)
    report = Report(300.0)
    result = solved(instance, "greedy:paper", 8, report=report)
    incumbents = [event.incumbent for event in report.events]
    assert (len(incumbents), incumbents) == (8, sorted(incumbents, reverse=True))
    assert incumbents[-1] == result.objective


def test_each_controller_is_asked_with_its_share_of_the_limits():
    method, report = Scripted({}), Report(60.0)
    report.remaining = lambda: 60.0 - 6.0 * len(method.calls)
    solved(kiros.generate(nodes=4, jobs=8, seed=1), method, 4, seed=7, report=report)
    assert [call.limits.seed for call in method.calls] == [7] * 4
    assert [call.limits.time_limit for call in method.calls] == [15.0, 18.0, 24.0, 42.0]
    assert all(call.warm_start is None for call in method.calls)


@pytest.mark.parametrize(
    ("left", "processes", "seconds"),
    [(4, 1, 15.0), (4, 2, 30.0), (5, 2, 20.0), (1, 2, 60.0), (1000, 1, 1.0)],
)
def test_a_share_counts_the_rounds_that_are_left(left, processes, seconds):
    report = Report(60.0)
    report.remaining = lambda: 60.0
    assert share(Call(), report, left, processes).limits.time_limit == seconds


def test_one_controller_has_all_threads_several_have_one_each():
    instance = kiros.generate(nodes=2, jobs=4, seed=1)
    alone = Scripted({})
    solved(instance, alone, 1, threads=3)
    assert alone.calls[0].limits.threads == 3
    several = Scripted({})
    solved(instance, several, 2, threads=1)
    assert [call.limits.threads for call in several.calls] == [1, 1]

"""When iterative heuristics end."""

from math import inf

import pytest

from rsjs.core.report import Report
from rsjs.heuristics.common.stopping import (
    Evaluations,
    Iterations,
    Reported,
    Seconds,
    Stopping,
    Target,
)


def test_iterations_are_counted_one_by_one_and_in_chunks():
    stop = Iterations(3)
    assert [stop(inf) for _ in range(4)] == [False, False, True, True]
    stop = Iterations(10)
    assert not stop(5.0, iterations=7, evaluations=70)
    assert stop.iterations_left == 3
    assert stop(5.0, iterations=3)
    assert stop.iterations_left == 0


def test_evaluations_are_counted_apart_from_iterations():
    stop = Evaluations(100)
    assert not stop(1.0, iterations=1, evaluations=99)
    assert (stop.evaluations_left, stop.iterations_left) == (1, inf)
    assert stop(1.0)


def test_seconds_are_those_of_the_clock():
    now = [100.0]
    stop = Seconds(5, clock=lambda: now[0])
    assert not stop(1.0)
    now[0] = 104.9
    assert not stop(1.0)
    now[0] = 105.0
    assert stop(1.0)


@pytest.mark.parametrize(("best", "reached"), [(inf, False), (7.1, False), (7.0, True), (6, True)])
def test_a_target_is_reached_by_equal_or_lower_cost(best, reached):
    assert Target(7.0)(best) == reached


def test_combined_rules_stop_at_the_first_and_know_what_is_left():
    stop = Iterations(10) | Evaluations(30) | Target(1.0)
    assert not stop(2.0, iterations=4, evaluations=20)
    assert (stop.iterations_left, stop.evaluations_left) == (6, 10)
    assert stop(2.0, iterations=1, evaluations=10)
    assert (Iterations(5) | Target(3.0))(2.0)


def test_every_combined_rule_counts_even_after_one_has_stopped():
    iterations, target = Iterations(2), Target(0.0)
    stop = target | iterations
    assert stop(0.0)
    assert iterations.iterations_left == 1


def test_no_rule_never_stops():
    stop = Stopping()
    assert not stop(-inf, iterations=10**9, evaluations=10**9)
    assert stop.iterations_left == stop.evaluations_left == inf


def test_a_report_stops_when_time_is_up_or_somebody_asks():
    class Asked(Report):
        asked = False

        def stop_requested(self):
            return self.asked

    report = Asked()
    stop = Reported(report)
    assert not stop(1.0)
    report.asked = True
    assert stop(1.0)
    assert Reported(Report(time_limit=0.0))(1.0)

"""When iterative heuristics end."""

from math import inf

from rsjs.core.report import Report
from rsjs.heuristics.common.stopping import Iterations, Reported, Seconds, Stopping


def test_iterations_are_counted_one_by_one_and_in_chunks():
    stop = Iterations(3)
    assert [stop() for _ in range(4)] == [False, False, True, True]
    stop = Iterations(10)
    assert not stop(7)
    assert stop.iterations_left == 3
    assert stop(3)
    assert stop.iterations_left == 0


def test_seconds_are_those_of_the_clock():
    now = [100.0]
    stop = Seconds(5, clock=lambda: now[0])
    assert not stop()
    now[0] = 104.9
    assert not stop()
    now[0] = 105.0
    assert stop()


def test_combined_rules_stop_at_the_first_and_know_what_is_left():
    stop = Iterations(10) | Iterations(30) | Stopping()
    assert not stop(4)
    assert stop.iterations_left == 6
    assert stop(6)


def test_every_combined_rule_counts_even_after_one_has_stopped():
    iterations = Iterations(2)
    stop = Reported(Report(time_limit=0.0)) | iterations
    assert stop()
    assert iterations.iterations_left == 1


def test_no_rule_never_stops():
    stop = Stopping()
    assert not stop(10**9)
    assert stop.iterations_left == inf


def test_a_report_stops_when_time_is_up_or_somebody_asks():
    class Asked(Report):
        asked = False

        def stop_requested(self):
            return self.asked

    report = Asked()
    stop = Reported(report)
    assert not stop()
    report.asked = True
    assert stop()
    assert Reported(Report(time_limit=0.0))()

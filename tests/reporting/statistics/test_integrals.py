"""The trajectory of a run and the area under it."""

import numpy as np
import pytest

from rsjs.reporting.statistics.gaps import integral, mean_gaps, trajectory, with_trajectories
from rsjs.reporting.statistics.tidy import tidy


def event(seconds, incumbent, bound=None):
    return {"seconds": seconds, "incumbent": incumbent, "bound": bound}


def made(row, events, **other):
    """A run that costs 100, the best."""
    one = {"objective": 100.0, "bound": 100.0, "total_s": 8.0} | other
    return tidy([row("i", "a", events=events, **one)])


def test_the_primal_integral_by_hand(row):
    # Berthold's definition: 1 until 1 s, then 1 - 100/200 until 3 s, 1 - 100/125 until 8 s, then 0
    runs = made(row, [event(1.0, 200.0), event(3.0, 125.0), event(8.0, 100.0)])
    steps = trajectory(runs.loc[0], "primal", limit=10.0)
    assert steps == [(0.0, 1.0), (1.0, 0.5), (3.0, pytest.approx(0.2)), (8.0, 0.0)]
    assert integral(steps, 10.0) == pytest.approx(1 * 1 + 2 * 0.5 + 5 * 0.2 + 2 * 0)
    assert mean_gaps(runs, "primal").to_numpy() == pytest.approx(np.array([[0.3]]))


def test_the_primal_dual_integral_by_hand(row):
    events = [event(1.0, 200.0), event(2.0, 200.0, 50.0), event(4.0, 100.0, 50.0)]
    runs = made(row, events, total_s=6.0)
    steps = trajectory(runs.loc[0], "primal_dual", limit=10.0)
    assert steps == [(0.0, 1.0), (2.0, 0.75), (4.0, 0.5), (6.0, 0.0)]
    assert integral(steps, 10.0) == pytest.approx(2 * 1 + 2 * 0.75 + 2 * 0.5)


@pytest.mark.parametrize(
    ("kind", "events", "other", "steps"),
    [
        # signs that differ are a gap of one
        ("primal", [(1.0, 5.0), (2.0, -10.0)], {"objective": -10.0, "bound": -10.0}, [(2.0, 0.0)]),
        # events after the limit do not count, one at the limit does
        ("primal", [(4.0, 200.0), (10.5, 100.0)], {"total_s": 10.6}, [(4.0, 0.5)]),
        ("primal", [(10.0, 100.0), (4.0, 200.0)], {"total_s": 10.6}, [(4.0, 0.5), (10.0, 0.0)]),
        # they count in the order of time
        ("primal", [(20.0, 100.0), (4.0, 200.0)], {"total_s": 10.6}, [(4.0, 0.5)]),
        # no bound counts above the one at the end
        ("primal_dual", [(1.0, 200.0, 150.0)], {"bound": 50.0}, [(1.0, 0.75), (8.0, 0.5)]),
        # the checked cost is not there before the last event
        ("primal", [(9.0, 200.0)], {}, [(9.0, 0.5), (9.0, 0.0)]),
        # no incumbent counts below the checked cost
        ("primal", [(1.0, 1.0, 90.0)], {}, [(1.0, 0.0)]),
        ("primal_dual", [(1.0, 1.0, 90.0)], {}, [(1.0, pytest.approx(0.1)), (8.0, 0.0)]),
        # a run without events has its checked cost at the end
        ("primal", [], {}, [(8.0, 0.0)]),
    ],
)
def test_courses_by_hand(row, kind, events, other, steps):
    runs = made(row, [event(*one) for one in events], **other)
    assert trajectory(runs.loc[0], kind, limit=10.0) == [(0.0, 1.0), *steps]


def test_runs_of_a_problem_are_measured_over_its_longest_limit(row):
    one = row("i", "a", events=[event(15.0, 10.0)], total_s=15.0, time_limit=20.0)
    runs = tidy([one, row("i", "b", events=[event(5.0, 10.0)], total_s=5.0)])
    assert mean_gaps(runs, "primal").to_numpy() == pytest.approx(np.array([[0.75, 0.25]]))


@pytest.mark.parametrize("status", ["wrong", "no_solution"])
def test_a_failed_run_has_a_gap_of_one_all_along(row, status):
    runs = made(row, [event(1.0, 100.0)], status=status)
    assert mean_gaps(runs, "primal").to_numpy() == [[1.0]]


def test_each_problem_has_its_own_limit(rows):
    longer = [row | {"time_limit": 20.0 if row["seed"] else 10.0} for row in rows]
    found = mean_gaps(tidy(longer), "primal")
    # exact: 1 until 1 s, 0.5 until 2 s
    assert found["exact"].tolist() == pytest.approx([1.5 / 10, 1.5 / 20] * 2)
    # rule: 1 until 0.5 s, then 1 - 100/101 and 1 - 20/30
    assert found["rule:x"][("b", 0, 1)] == pytest.approx((0.5 + 9.5 / 3) / 10)
    assert found["slow"][("b", 1, 1)] == 1.0


def test_trajectories_are_there_if_all_runs_have_them(rows):
    assert with_trajectories(tidy(rows))
    assert not with_trajectories(tidy([*rows[1:], rows[0] | {"events": None}]))
    without = [{k: v for k, v in row.items() if k != "events"} for row in rows]
    assert not with_trajectories(tidy(without))

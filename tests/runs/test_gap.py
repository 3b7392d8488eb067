"""One gap, from checked costs and valid bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.runs.gap import contradicts, gap, gap_over


@pytest.mark.parametrize(
    ("cost", "bound", "expected"),
    [
        (None, 1.0, None),  # no solution
        (1.0, None, None),  # no bound
        (0.0, 0.0, 0.0),
        (2.0, 1.0, 0.5),
        (-1.0, -2.0, 0.5),  # costs may be negative: mu rewards nothing, but bounds of LPs are
        (1.0, -1.0, 1.0),  # signs differ
        (-1.0, 1.0, 1.0),
        (5.0, 0.0, 1.0),
        (1.0, 1.0 + 1e-9, 0.0),  # a bound above the cost by rounding
    ],
)
def test_the_gap_by_cases(cost, bound, expected):
    assert gap(cost, bound) == expected


def test_a_gap_relative_to_a_part_of_the_cost():
    assert gap_over(1000.0, 999.0, 10.0) == pytest.approx(0.1)
    assert (gap_over(5.0, 4.0, 0.0), gap_over(5.0, 5.0, 0.0)) == (1.0, 0.0)
    assert gap_over(5.0, None, 5.0) is None
    assert gap_over(5.0, 4.0, None) is None  # a record that lacks a term


finite = st.floats(-1e6, 1e6)


@given(finite, finite)
def test_gaps_lie_between_0_and_1(cost, bound):
    assert 0.0 <= gap(cost, bound) <= 1.0
    assert 0.0 <= gap_over(cost, bound, cost / 2) <= 1.0


def test_a_bound_contradicts_a_cost_only_beyond_rounding():
    assert contradicts(100.0, 100.1)
    assert not contradicts(100.0, 100.00001)
    assert not contradicts(100.0, 99.0)


def test_a_cost_that_is_zero_but_for_rounding_contradicts_no_bound():
    assert not contradicts(0.0, 7e-15)
    assert contradicts(0.0, 1e-6)

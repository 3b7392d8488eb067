from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.reporting import formats


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1.5985584513, "1.59856"),
        (46.2259851, "46.2260"),  # a trailing zero is a digit
        (30657.8739, "30657.9"),
        (105225.4278, "105225"),
        (12345678.9, "12345679"),  # whole numbers are not rounded to tens
        (0.99999999, "1.00000"),  # rounding that gains a digit
        (-22.6115006, "-22.6115"),
        (1.23456789e-7, "1.23457e-7"),
        (2.5e12, "2.50000e12"),
    ],
)
def test_costs_have_six_significant_digits(value: float, shown: str) -> None:
    assert formats.cost(value) == shown


@pytest.mark.parametrize(
    ("fraction", "shown"),
    [
        (0.0, "0"),
        (1e-12, "<0.001"),  # never 0.0 for a gap that is not 0
        (5.6e-6, "<0.001"),
        (1e-5, "0.0010"),
        (8.175e-5, "0.0082"),
        (0.0123, "1.2"),
        (0.456, "46"),
        (0.98, "98"),
        (0.9995441714772827, "99.954"),  # never 100 for a gap below 1
        (0.9999999999, ">99.999"),
        (1.0, "100"),
    ],
)
def test_percentages_tell_zero_and_one_from_what_is_close(fraction: float, shown: str) -> None:
    assert formats.percent(fraction) == shown


@given(st.floats(0, 1))
def test_only_zero_is_shown_as_zero_and_only_one_as_hundred(fraction: float) -> None:
    shown = formats.percent(fraction)
    assert (float(shown.strip("<>")) == 0) == (fraction == 0)
    assert (shown == "100") == (100 * fraction == 100)


@given(st.floats(-1e300, 1e300), st.integers(2, 9))
def test_shown_numbers_are_as_near_as_their_digits_allow(value: float, digits: int) -> None:
    shown = float(formats.significant(value, digits))
    assert shown == pytest.approx(value, rel=10.0 ** (1 - digits), abs=0)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        *[(8.3243e-5, "8.32e-5"), (0.2228, "0.223"), (7.8, "7.80"), (3600.4, "3600")],
        *((value, formats.MISSING) for value in (float("nan"), float("inf"), float("-inf"))),
    ],
)
def test_seconds_have_three_significant_digits(seconds: float, shown: str) -> None:
    assert formats.measured(seconds) == shown

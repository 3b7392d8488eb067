"""Numbers, words and names as tables and pictures show them."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.comparison import COLUMNS
from rsjs.reporting.tables.formats import folded
from rsjs.reporting.tables.labels import shortened
from rsjs.rows.select import distinct, how_it_ended


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
def test_costs_have_six_significant_digits(value, shown):
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
def test_percentages_tell_zero_and_one_from_what_is_close(fraction, shown):
    assert formats.percent(fraction) == shown


@given(st.floats(0, 1))
def test_only_zero_is_shown_as_zero_and_only_one_as_hundred(fraction):
    shown = formats.percent(fraction)
    assert (float(shown.strip("<>")) == 0) == (fraction == 0)
    assert (shown == "100") == (100 * fraction == 100)


@given(st.floats(-1e300, 1e300), st.integers(2, 9))
def test_shown_numbers_are_as_near_as_their_digits_allow(value, digits):
    shown = float(formats.significant(value, digits))
    assert shown == pytest.approx(value, rel=10.0 ** (1 - digits), abs=0)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        *[(8.3243e-5, "8.32e-5"), (0.2228, "0.223"), (7.8, "7.80"), (3600.4, "3600")],
        *((value, formats.MISSING) for value in (float("nan"), float("inf"), float("-inf"))),
    ],
)
def test_seconds_have_three_significant_digits(seconds, shown):
    assert formats.measured(seconds) == shown


MISSING = "\N{EN DASH}"
ODD = [None, float("nan"), float("inf"), float("-inf"), pd.NA, pd.NaT, "", np.float64("inf")]

values = st.one_of(
    st.sampled_from(ODD), st.floats(), st.integers(-(10**12), 10**12), st.floats().map(np.float64)
)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
def test_what_is_missing_is_an_en_dash_and_zero_is_a_number(column):
    assert {column.cell({}), *(column.cell({column.key: odd}) for odd in ODD)} == {MISSING}
    if column.number is not None:
        assert column.cell({column.key: 0.0}) == "0"


@given(st.fixed_dictionaries({column.key: values for column in COLUMNS}))
def test_no_cell_ever_shows_nan_none_or_infinity(row):
    for column in COLUMNS:
        shown = column.cell(row)
        assert shown
        assert not any(word in shown.lower() for word in ("nan", "none", "inf", "nat"))


@pytest.mark.parametrize(
    ("stop", "status", "words"),
    [
        ("optimal", "ok", "optimal"),
        ("time_limit", "ok", "time limit"),
        ("time_limit", "no_solution", "no solution (time limit)"),
        ("infeasible", "no_solution", "problem infeasible"),
        ("gap", "wrong", "WRONG (gap)"),
        ("iterations", "infeasible", "solution INFEASIBLE (iterations)"),
        (None, "wrong", "WRONG"),
        ("error", None, "error"),
    ],
)
def test_stop_and_status_are_told_in_words(stop, status, words):
    assert how_it_ended({"stop": stop, "status": status}) == words


def test_common_parts_of_names_are_told_once():
    common, short = shortened(["a-b-N2-s1", "a-b-N10-s1", "a-b-N2-s1"])
    assert common == "a-b-\N{HORIZONTAL ELLIPSIS}-s1"
    assert short == {"a-b-N2-s1": "N2", "a-b-N10-s1": "N10"}
    assert shortened(["one", "two"]) == ("", {"one": "one", "two": "two"})
    assert shortened(["a-b", "a-b"]) == ("", {"a-b": "a-b"})
    for names in (["a", "a-b"], ["a-b", "a-b-b"], ["x-a-y", "x-a-a-y", "x-y-y"]):
        assert len(set(shortened(names)[1].values())) == len(names)


def test_two_instances_of_one_name_are_told_apart():
    rows = [{"instance": "x", "instance_sha256": digest * 64} for digest in "ab"]
    assert [row["instance"] for row in distinct(rows)] == ["x (aaaaaaaa)", "x (bbbbbbbb)"]
    assert distinct(rows[:1])[0]["instance"] == "x"


def test_a_workload_under_several_options_is_told_apart_by_those_that_differ():
    simulated = [{"energy": "node", "boot": 0}, {"energy": "gpu", "boot": 0}]
    rows = [
        *(
            {"instance": "w", "instance_sha256": "a", "simulation": json.dumps(o)}
            for o in simulated
        ),
        {"instance": "x", "instance_sha256": "b", "simulation": float("nan")},
    ]
    named = distinct(rows)
    assert [row["instance"] for row in named] == ["w (energy=node)", "w (energy=gpu)", "x"]
    assert distinct(named) == named
    assert [row["instance"] for row in distinct(rows[1:])] == ["w", "x"]


def test_long_names_are_folded_and_lose_nothing():
    name = "method@solver:rule?first=1,second=2" + "x" * 30
    lines = folded(name, 20)
    assert max(map(len, lines)) <= 20
    assert "".join(lines) == name
    assert folded("", 5) == [""]

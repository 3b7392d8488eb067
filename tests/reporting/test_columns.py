from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.reporting.columns import COLUMNS
from rsjs.reporting.rows import how_it_ended

MISSING = "\N{EN DASH}"
ODD = [None, float("nan"), float("inf"), float("-inf"), pd.NA, pd.NaT, "", np.float64("inf")]

values = st.one_of(
    st.sampled_from(ODD), st.floats(), st.integers(-(10**12), 10**12), st.floats().map(np.float64)
)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
def test_what_is_missing_is_an_en_dash_and_zero_is_a_number(column: Any) -> None:
    assert {column.cell({}), *(column.cell({column.key: odd}) for odd in ODD)} == {MISSING}
    if column.number is not None:
        assert column.cell({column.key: 0.0}) == "0"


@given(st.fixed_dictionaries({column.key: values for column in COLUMNS}))
def test_no_cell_ever_shows_nan_none_or_infinity(row: dict[str, Any]) -> None:
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
        ("iterations", "infeasible", "decision INFEASIBLE (iterations)"),
        (None, "wrong", "WRONG"),
        ("error", None, "error"),
    ],
)
def test_stop_and_status_are_told_in_words(stop: Any, status: Any, words: str) -> None:
    assert how_it_ended({"stop": stop, "status": status}) == words

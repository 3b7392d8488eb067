"""Every method on its families, from 10 x 40 to 100 x 400, held to its values."""

from __future__ import annotations

import pytest

from benchmarks.cases import CASES, values_of
from benchmarks.expected import EXPECTED, differences
from rsjs.runs.gap import gap


@pytest.mark.parametrize("name", CASES)
def test_solve(benchmark, name):
    case = CASES[name]
    if reason := case.request.missing():
        pytest.skip(reason)
    case.load()
    values = values_of(case, benchmark.pedantic(case.solve, rounds=3))
    benchmark.extra_info.update(values["counts"], cost=values["cost"], bound=values["bound"])
    benchmark.extra_info["gap"] = gap(values["cost"], EXPECTED["bounds"][case.where])
    assert differences(EXPECTED["methods"][name], values, case.tolerance) == []

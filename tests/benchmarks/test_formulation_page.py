"""A cell of docs/formulations.md: seconds only of what the method proved itself."""

import pytest

from benchmarks.formulation_page import _cell

PROVED = {"status": "ok", "stop": "optimal", "own_gap": 1e-5, "gap_to_best": 1e-5, "total_s": 12.5}


@pytest.mark.parametrize(
    ("changes", "cell"),
    [
        ({}, "12.5"),
        # the best cost, as another method's bound tells, and no proof
        ({"stop": "time_limit", "own_gap": 0.029, "gap_to_best": 0.0}, "limit (2.9 %)"),
        ({"stop": "time_limit", "own_gap": 0.93, "gap_to_best": 0.003}, "limit (93 %)"),
        ({"stop": "time_limit", "own_gap": None}, "limit (no bound)"),
        ({"stop": "time_limit", "status": "no_solution", "own_gap": None}, "limit (no)"),
        ({"stop": "memory_limit", "status": "no_solution", "own_gap": None}, "memory limit (no)"),
        ({"status": "wrong"}, "optimal (wrong)"),
    ],
)
def test_a_limit_is_no_time(changes, cell):
    assert _cell(PROVED | changes) == cell

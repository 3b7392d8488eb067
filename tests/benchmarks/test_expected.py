"""The gate of CI: costs and counts, never seconds."""

from dataclasses import replace

import pytest

from benchmarks.canary import everything_twice
from benchmarks.cases import CASES, STEERED, values_of
from benchmarks.expected import EXPECTED, differences
from benchmarks.work.kernels import WORK
from rsjs.core.report import Stop

WANTED = {"cost": 10.0, "bound": None, "counts": {"moves": 3}}
NAME = "jahani 10 x 40 greedy:paper"


def found(kernel):
    return WORK[kernel]().measured()


def test_a_kernel_that_does_everything_twice_is_noticed_by_its_counts():
    wanted = EXPECTED["kernels"]["descent"]
    assert differences(wanted, found("descent"), None) == []
    with everything_twice():
        lines = differences(wanted, found("descent"), None)
    assert lines == [f"{k}: {2 * wanted[k]}, expected {wanted[k]}" for k in ("moves", "neighbours")]


@pytest.mark.parametrize(
    ("changed", "tolerance", "lines"),
    [
        ({}, None, []),
        ({"cost": 10.0 + 1e-9}, None, []),  # rounding
        ({"cost": 10.0 + 1e-7}, None, ["cost: 10.0000001, expected 10.0 within 1e-09"]),
        ({"cost": 9.0}, None, ["cost: 9.0, expected 10.0 within 1e-09"]),  # better is different
        ({"cost": 10.4}, STEERED, []),
        ({"cost": 10.6}, STEERED, ["cost: 10.6, expected 10.0 within 0.05"]),
        ({"cost": None}, STEERED, ["cost: None, expected 10.0"]),
        ({"bound": 9.0}, None, ["bound: 9.0, expected None"]),
        ({"counts": {"moves": 4}}, STEERED, ["moves: 4, expected 3"]),
        ({"counts": {}}, None, ["moves: not found"]),
        ({"counts": {"moves": 3, "steps": 1}}, None, ["steps: not expected"]),
    ],
)
def test_differences(changed, tolerance, lines):
    assert differences(WANTED, WANTED | changed, tolerance) == lines


def test_values_are_those_of_the_checker():
    case = CASES[NAME]
    values = values_of(case, case.solve())
    assert differences(EXPECTED["methods"][NAME], values, case.tolerance) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"stop": Stop.TIME_LIMIT}, "ended by time_limit"),
        ({"objective": 1.0}, "objective"),
        ({"bound": 1e9}, "bound"),
    ],
)
def test_a_run_beyond_its_budget_and_a_false_claim_have_no_values(changed, words):
    case = CASES[NAME]
    with pytest.raises(ValueError, match=words):
        values_of(case, replace(case.solve(), **changed))


def test_only_solvers_and_prices_have_a_tolerance():
    def tolerance(method):
        return next(case.tolerance for case in CASES.values() if case.method.startswith(method))

    assert tolerance("path_relinking") is None
    assert tolerance("enumeration") is None
    assert tolerance("ruin_recreate") == tolerance("fix_and_optimise") == STEERED
    assert tolerance("jahani_patterns@highs") == 1e-4

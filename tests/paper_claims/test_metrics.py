"""Metrics of rows, by hand."""

from dataclasses import replace
from math import isnan

import pandas as pd
import pytest

from rsjs.paper_claims import metrics
from rsjs.paper_claims.claim import claims, experiments
from rsjs.paper_claims.metrics import values

CLAIMS = claims()


def _row(instance, method, cost, **more):
    known = {"case": "a", "nodes": 2, "jobs": 10, "late": 0, "status": "complete"}
    return {**known, "instance": instance, "method": method, "objective": cost, **more}


ROWS = [
    _row("w1", "model", 5.0, late=1),
    _row("w1", "fifo", 20.0, late=4),
    _row("w1", "edf", 10.0),
    _row("w2", "model", 9.0, nodes=3),
    _row("w2", "fifo", 12.0, nodes=3),
    _row("w2", "edf", 30.0, nodes=3),
    _row("w3", "model", 1.0),
    _row("w3", "fifo", 1.0),
    _row("w3", "edf", None, status="deadlock"),
]


FRAME = pd.DataFrame(ROWS)


def test_saving_is_the_mean_against_the_best_of_each_workload_that_all_completed():
    assert metrics.saving(FRAME, "model", ["fifo", "edf"]) == pytest.approx((0.5 + 0.25) / 2)


def test_ratio_and_gain_are_of_sums_per_node_on_workloads_that_both_completed():
    expected = (5 / 2 + 9 / 3) / (10 / 2 + 30 / 3)
    assert metrics.ratio(FRAME, "model", "edf") == pytest.approx(expected)
    assert metrics.gain(FRAME, "model", ["edf"]) == pytest.approx(1 - expected)


def test_a_figure_without_rows_is_not_known_and_its_case_is_left_out():
    assert isnan(metrics.ratio(FRAME, "model", "sts"))
    claim = replace(CLAIMS["kiros-44-ls-seconds"], metric={"gain": ["model", ["sts"]]})
    assert values(claim, ROWS) == {}
    assert isnan(metrics.saving(FRAME[:0], "model", ["fifo"]))


def test_the_average_reduction_is_over_policies_and_arrivals_of_a_mix():
    costs = {"a": (2.0, 4.0, 4.0, 8.0), "b": (1.0, 1.0, 1.0, 1.0)}
    claim = CLAIMS["sts-fig4c-average"]
    target, others = claim.metric["gain_of_cases"]
    assert len(others) == 4
    rows = [
        _row("w", method, cost, case=f"K80 + M60, {law}")
        for law, four in costs.items()
        for method, cost in zip((target, *others), (1.0, *four), strict=True)
    ]
    assert values(claim, rows) == {
        "K80 + M60": pytest.approx(((0.5 + 0.75 + 0.75 + 0.875) / 4 + 0) / 2)
    }
    assert values(claim, rows[:4]) == {}  # not of three of four


def test_sharing_is_compared_with_whole_gpus_at_each_arrival_process():
    energy = {"A100, low": 10.0, "A100, low, shared": 8.0, "A100, high": 10.0, "A100, exp": 1.0}
    energy |= {"A100, high, shared": 6.0, "K80 + M60, low": 1.0}
    rows = [_row("w", "sts:literal", e, case=case, energy=e) for case, e in energy.items()]
    assert values(CLAIMS["sts-fig6-a100"], rows) == {"A100": pytest.approx((0.2 + 0.4) / 2)}
    assert values(CLAIMS["sts-fig6-km"], rows) == {}


def test_late_counts_jobs_and_most_the_largest_value_of_runs_that_ended():
    assert metrics.late(FRAME, "model") == pytest.approx(1 / 30)
    assert metrics.largest(FRAME, "objective", "method == 'edf'") == 30.0
    of_three = replace(
        CLAIMS["kiros-44-ls-seconds"], metric={"largest": ["objective", "method == 'fifo'"]}
    )
    assert values(replace(of_three, only="nodes == 3"), ROWS) == {"a": 12.0}


def test_growth_is_the_exponent_in_the_number_of_nodes():
    rows = pd.DataFrame(
        [_row(f"w{n}", "model", 1.0, nodes=n, seconds=0.5 * n**2) for n in (2, 4, 16)]
    )
    assert metrics.growth(rows, "model", "seconds") == pytest.approx(2.0)
    assert isnan(metrics.growth(rows[:1], "model", "seconds"))


def test_how_many_times_another_method_takes():
    rows = [_row("w", "slow", 1.0, seconds=3.0), _row("w", "quick", 1.0, seconds=0.5)]
    assert metrics.faster(pd.DataFrame(rows), "quick", "slow", "seconds") == pytest.approx(6.0)


def test_the_printed_tables_of_jahani_contradict_its_summary():
    rows = experiments()["jahani-printed"].of_size("quick")["rows"]
    found = values(CLAIMS["jahani-table3-summary"], rows)
    assert found["Table III, large"] == pytest.approx(1 - 18.37 / 20.73)
    assert found["Table III, small"] == pytest.approx(1 - 3.26 / 10.19)
    assert values(CLAIMS["jahani-table5-sum"], rows)["Table V"] == pytest.approx(0.83 / 12.47)

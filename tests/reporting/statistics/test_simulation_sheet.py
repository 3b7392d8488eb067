"""The table of simulations: means over workloads that all policies completed."""

from __future__ import annotations

from typing import Any

import pytest

from rsjs.reporting.statistics.simulation_sheet import simulation_sheet


def _row(method: str, workload: str, cost: float | None, **more: Any) -> dict[str, Any]:
    row = {
        "method": method,
        "instance_sha256": workload,
        "simulation": '{"energy":"curve"}',
        "seed": 0,
        "jobs": 10,
        "objective": cost,
        "best_bound": 10.0,
        "energy": cost,
        "tardiness": 0.0 if cost else None,
        "late": 1,
        "utilisation": 0.5,
        "decisions": 20,
        "decision_median_s": 0.001,
    }
    return {**row, **more}


def test_means_are_over_workloads_that_all_completed() -> None:
    sheet = simulation_sheet(
        [
            _row("edf", "a", 20.0),
            _row("edf", "b", None),
            _row("sts", "a", 12.0, late=0, decision_median_s=0.003),
            _row("sts", "b", 99.0),
            _row("references?bucket_hours=2", "a", None),
        ]
    )
    assert sheet is not None
    cells = sheet.cells()
    assert [line[0] for line in cells] == ["edf", "sts"]
    assert [line[1] for line in cells] == ["1", "2"]
    found = sheet.lines.set_index("method")
    assert found["cost"].tolist() == [20.0, 12.0]
    assert found["over_bound"].tolist() == [2.0, 1.2]
    assert found["late"].tolist() == [0.1, 0.0]
    assert found["milliseconds"].tolist() == pytest.approx([1.0, 3.0])
    assert sheet.notes[0].startswith("Means over 1 workload ")
    assert len(sheet.notes) == 1


def test_seeds_of_a_policy_are_averaged_first() -> None:
    rows = [_row("edf", "a", 20.0), _row("edf", "b", 40.0)]
    rows += [_row("rg", "a", cost, seed=s) for s, cost in enumerate((10.0, 20.0, 30.0))]
    sheet = simulation_sheet([*rows, _row("rg", "b", 60.0)])
    assert sheet is not None
    assert sheet.lines["cost"].tolist() == [30.0, 40.0]


def test_a_crowded_cluster_is_told_and_other_rows_have_no_such_table() -> None:
    sheet = simulation_sheet([_row("edf", "a", 20.0, utilisation=0.8)])
    assert sheet is not None
    assert "far below" in sheet.notes[1]
    assert simulation_sheet([_row("edf", "a", 20.0, simulation=None)]) is None

"""STS over EDF by either fit rule, once both ran."""

from benchmarks.online_rows import REFERENCES, Row, Runs, merged
from benchmarks.sts_campaign_fit import OF_ALL, fit_rules

COSTS = {"queue:edf": (100.0, 200.0), "sts:fallback": (80.0, 50.0), REFERENCES: (None, None)}
NAME = "sts-km-none-high-weak-130k-base-N10-J100-s"


def _rows(costs: dict[str, tuple[float | None, ...]]) -> list[Row]:
    return [
        {"instance": f"{NAME}{seed}", "nodes": 10, "jobs": 100, "method": method, "objective": cost}
        for method, both in costs.items()
        for seed, cost in enumerate(both, start=1)
    ]


def test_both_fit_rules_of_edf_stand_beside_each_other_once_both_ran() -> None:
    one = _rows(COSTS)
    assert "has not been run" in fit_rules(Runs.of(one), ["sts-km"])[-1]
    both = merged(one, _rows({OF_ALL: (80.0, 160.0)}))
    edf, of_all = fit_rules(Runs.of(both), ["sts-km"])[-2:]
    assert edf.endswith("| 0.433 (0.250 to 0.800) |")
    assert of_all.endswith("| 0.542 (0.312 to 1.000) |")

"""The metrics of the papers, on the papers' own numbers and on two runs."""

import pytest

from rsjs.simulation.engine import simulate
from rsjs.simulation.metrics import deviation, metrics, ratio


@pytest.mark.parametrize(
    ("predicted", "real", "denominator", "expected"),
    [
        (1.08438, 0.95111, "predicted", 0.1229),  # ANDREAS 2021, Table III: 12.29 %
        (1.08438, 0.95111, "real", 0.1401),
        (12.47, 13.30, "predicted", 0.0666),  # Jahani 2019, Table V: 6.61 %
        (12.47, 13.30, "real", 0.0624),
    ],
)
def test_deviation_names_its_denominator(predicted, real, denominator, expected):
    assert deviation(real, predicted, denominator) == pytest.approx(expected, abs=5e-5)


def test_a_ratio_to_nothing_is_none():
    assert ratio(30.0, 120.0) == 0.25
    assert ratio(1.0, 0.0) is None


@pytest.fixture
def runs(make, scripted):
    """4 h on one GPU for 4 $ and 20 $ late, 2 h on two GPUs for 6 $, and one that never runs."""
    workload = make(types={"A2": [1.0, 3.0]}, hours=[{"A": [4.0, 2.0]}], due=[2], weight=[10])
    scripts = {"slow": {"j0": (0, 1)}, "fast": {"j0": (0, 2)}, "never": {}}
    ended = {name: simulate(workload, scripted(s)) for name, s in scripts.items()}
    ended = {name: (one.status == "complete", one.totals) for name, one in ended.items()}
    return {
        name: {"objective": totals.cost, "energy": totals.energy, "utilisation": totals.utilisation}
        if complete
        else dict.fromkeys(("objective", "energy"))
        for name, (complete, totals) in ended.items()
    }


def test_a_run_against_a_baseline(runs):
    found = metrics(runs["fast"], runs["slow"])
    ratios = {"cost_ratio": 0.25, "energy_ratio": 1.5}
    assert found == ratios | {"cost_reduction": 0.75, "energy_reduction": -0.5}


def test_a_run_that_did_not_complete_has_no_ratio(runs):
    nothing = dict.fromkeys(metrics(runs["slow"], runs["slow"]))
    assert metrics(runs["never"], runs["slow"]) == nothing
    assert metrics(runs["slow"], runs["never"]) == nothing
    assert ratio(runs["never"]["objective"], 4.0) is None
    assert ratio(runs["slow"]["objective"], 4.0) == 6.0

"""The page of the STS paper's campaign: what repetitions are made of, and half a campaign."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import online_claims as claims
from benchmarks import sts_campaign_page, sts_campaign_picture
from benchmarks.online_rows import REFERENCES, Runs
from benchmarks.repetitions import averaged
from rsjs.reporting.formats import MISSING

BOUNDS = ("best_bound", "clairvoyant_greedy", "infinite_cluster")
KM = "sts-km-{}-low-weak-130k-base-N{}-J{}-s1"


def _row(nodes, method, cost, *, sharing="none", seed=0, **more):
    name = KM.format(sharing, nodes, 10 * nodes)
    given = {"instance": name, "nodes": nodes, "jobs": 10 * nodes, "method": method, "seed": seed}
    figures = {"energy": cost, "tardiness": 0.0, "late": 0, "utilisation": 0.3, "makespan_h": 9.0}
    figures |= {"longest_queue": 2, "decisions": 100, "decision_median_s": 0.001, "policy_s": 0.2}
    known = {"rsjs_version": "1", "commit": "abc", "dirty": False, "cpu_model": "some"}
    return {**given, "objective": cost, **figures, "whole_s": 3.6, **known, **more}


def test_repetitions_are_one_row_with_means_and_deviation():
    rows = [
        _row(10, claims.RG, cost, seed=i, late=i) for i, cost in enumerate((99.0, 100.0, 101.0))
    ]
    rows.append(_row(10, claims.EDF, 50.0, commit="abd"))
    edf, rg = averaged(rows)
    assert (rg["runs"], rg["objective"], rg["objective_sd"], rg["late"]) == (3, 100.0, 1.0, 1.0)
    assert (edf["runs"], edf["objective"], edf["objective_sd"]) == (1, 50.0, None)
    assert (rg["commit"], edf["commit"], rg["dirty"]) == ("abc", "abd", False)
    assert "seed" not in rg


def test_rows_of_several_commits_say_so_and_a_missing_cost_is_no_mean():
    rows = [_row(10, claims.RG, 99.0), _row(10, claims.RG, None, seed=1, commit="abd")]
    (found,) = averaged(rows)
    assert found["commit"] == "abc abd"
    assert found["objective"] is None
    assert found["objective_sd"] is None


@pytest.fixture
def half():
    """A campaign that has not ended."""
    rows = [
        *(_row(10, claims.RG, 100.0 + i, seed=i) for i in range(3)),
        _row(10, claims.EDF, 160.0),
        _row(10, claims.GREEDY, 100.0),
        _row(10, claims.LITERAL, 90.0),
        _row(10, REFERENCES, None, decisions=None, **dict.fromkeys(BOUNDS, 80.0)),
        _row(10, claims.LITERAL, 72.0, sharing="paper", late=4),
        _row(20, claims.STS, 88.0, sharing="paper"),
    ]
    return Runs.of(averaged(rows))


def test_the_page_of_half_a_campaign(half, tmp_path: Path):
    sts_campaign_page.write(half, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text().replace(MISSING, "none")
    assert "8 simulations, 0.0 million decisions, 0.0 hours" in page
    assert "| `sts:literal` | none / none | 0.800 / 4.0 % |" in page  # with shared GPUs
    assert "| `randomized_queue` | none | 0.99 %, 0.99 % |" in page  # repetitions
    assert "| `queue:edf` | 1 | none | none | none | 0.00 |" in page  # none on the largest cluster


def test_the_picture_of_half_a_campaign(half, tmp_path: Path):
    sts_campaign_picture.by_size(half, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000

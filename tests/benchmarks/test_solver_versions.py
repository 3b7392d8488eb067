"""The page of releases counts CPU time, the same for all, and no wrong answer as a proof."""

import pandas as pd
import pytest

from docs.make import solver_versions
from rsjs.formulations.milp.models import models

ONE, TWO, PART = models()[:3]
OLD, NEW = "highs-1.9", "highs-1.15"


def row(release, model, cpu, **changes):
    return {
        "method": "solve@highs",
        "environment": release,
        "instance": model.name,
        "cpu_s": cpu,
        "ended": "FINISHED",
        "status": "ok",
        "objective": model.objective,
        "bound": model.objective,
        "own_gap": 0.0,
        "gap_limit": 1e-4,
        **changes,
    }


@pytest.fixture
def page(monkeypatch):
    """Two releases: the new one is cut off on one model; of another there is one run only."""

    def of(*changed):
        rows = [
            row(OLD, ONE, 4.0),
            row(NEW, ONE, 12.0),
            row(OLD, TWO, 9.0),
            row(NEW, TWO, 20.0, ended="TIMEOUT", own_gap=0.5),
            row(NEW, PART, 1.0),
            *changed,
        ]
        monkeypatch.setattr(solver_versions, "stored", lambda _: pd.DataFrame(rows))
        monkeypatch.setattr(solver_versions, "SOLVERS", {"highs": "HiGHS"})
        return solver_versions

    caches = (solver_versions.runs, solver_versions.times)
    for one in caches:
        one.cache_clear()
    yield of
    for one in caches:
        one.cache_clear()


def test_what_took_longer_than_an_unfinished_run_was_given_is_not_proved(page):
    found, limits = page(row("highs-1.11", ONE, 3.0), row("highs-1.11", TWO, 21.0)).times("highs")
    assert found.loc[TWO.name].to_dict() == pytest.approx(
        {OLD: 9.0, "highs-1.11": float("nan"), NEW: float("nan")}, nan_ok=True
    )
    assert limits.to_dict() == {ONE.name: 12.0, TWO.name: 20.0}


def test_a_model_that_a_release_did_not_run_is_left_out(page):
    assert [*page().times("highs")[0].index] == [ONE.name, TWO.name]


def test_a_release_that_needs_more_or_proves_less_is_told(page):
    lines = page().slower().splitlines()[2:]
    assert [line.split("|")[3:5] for line in lines] == [
        [" 4.00 ", " 12.0 "],
        [" 9.00 ", " \\> 20.0 "],
    ]


def test_a_wrong_answer_is_shown_with_both_values_and_proves_nothing(page):
    made = page(row("highs-1.14", ONE, 1.0, bound=2 * ONE.objective), row("highs-1.14", TWO, 1.0))
    assert pd.isna(made.times("highs")[0].loc[ONE.name, "highs-1.14"])
    [line] = made.wrong().splitlines()[2:]
    assert line.split("|")[1].strip() == "highs-1.14"
    assert f"{2 * ONE.objective:.8g}" in line
    assert f"{ONE.objective:.8g}" in line


def test_without_a_wrong_answer_the_page_says_so(page):
    assert page().wrong() == "None of the 5 runs."

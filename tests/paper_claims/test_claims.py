"""Claims as data, their verdicts, and one claim of each paper at a tiny size."""

import re
from math import inf, isfinite
from pathlib import Path

import pytest

from rsjs.commit import source
from rsjs.comparison import compare_pairs
from rsjs.core.errors import InputError
from rsjs.paper_claims import metrics, runs
from rsjs.paper_claims.claim import SIZES, Claim, Verdict, chosen, claims, experiments, papers
from rsjs.reporting.tables.claims import agreement, shown
from rsjs.reporting.tables.formats import MISSING

DOCS = Path(__file__).parents[2] / "docs"
CLAIMS, EXPERIMENTS = claims(), experiments()


def _claim(**changed):
    named = {"id": "x", "source": "y", "where": "z", "statement": "s", "printed": "p"}
    return Claim(**{**named, "reason": "r", "low": 0.1, "high": 0.2, **changed})


def test_every_claim_that_is_tested_has_one_metric_and_no_other_claim_has_one():
    for name, claim in CLAIMS.items():
        assert len(claim.metric) == bool(claim.experiment), name
        assert all(callable(getattr(metrics, metric)) for metric in claim.metric), name


def test_every_experiment_is_run_by_something_and_tells_something():
    assert {claim.experiment for claim in CLAIMS.values()} - {""} == set(EXPERIMENTS)
    assert {one.run for one in EXPERIMENTS.values()} == set(runs.RUNS)


def test_every_claim_can_be_judged_and_told():
    assert sum(len(paper.claims) for paper in papers()) == len(CLAIMS)  # no id twice
    for name, claim in CLAIMS.items():
        texts = (claim.source, claim.where, claim.statement, claim.printed, claim.reason)
        assert all(texts), name
        assert claim.unit in ("share", "ratio", "s", "count"), name
        assert isfinite(claim.low), name
        assert claim.low <= claim.high, name
        assert 0 <= claim.tolerance < inf, name
        assert claim.no_verdict in ("", *Verdict), name


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({}, Verdict.UNTESTED),
        ({"a": 0.1, "b": 0.2}, Verdict.HOLDS),
        ({"a": 0.05, "b": 0.25}, Verdict.HOLDS),  # the tolerance is part of the range
        ({"a": 0.15, "b": 0.26}, Verdict.LIMITS),
        ({"a": 0.04, "b": 0.26}, Verdict.FAILS),
        ({"a": -0.15}, Verdict.FAILS),
    ],
)
def test_a_verdict_compares_each_case_with_what_is_printed(values, verdict):
    assert _claim(tolerance=0.05 + 1e-12).verdict(values) == verdict
    assert _claim(no_verdict="not comparable").verdict(values) == Verdict.INCOMPARABLE


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "10 % to 20 %"),
        ({"low": 0.1229, "high": 0.1229, "tolerance": 0.001}, "12.29 % ± 0.1 %"),
        ({"low": 0.05, "high": 1.0}, "at least 5 %"),
        ({"low": 0.0, "high": 5.0, "unit": "s"}, "at most 5 s"),
        ({"low": 6.0, "high": inf, "unit": "ratio"}, "at least 6"),
    ],
)
def test_what_agrees_is_told_with_its_tolerance(changed, text):
    assert agreement(_claim(experiment="e", **changed)) == text
    assert agreement(_claim(**changed)) == MISSING  # nothing tests it


def test_a_ratio_shows_on_which_side_of_one_it_is():
    claim = _claim(unit="ratio")
    assert shown(claim, {"": 1.00048}) == "1.0005"
    assert shown(claim, {"": 1.02}) == "1.02"


def test_both_sizes_of_an_experiment_give_the_same_arguments():
    for one in EXPERIMENTS.values():
        quick, paper = (one.of_size(size) for size in SIZES)
        assert set(quick) == set(paper), one.name


def test_claims_are_chosen_by_id_by_paper_or_all_and_each_once():
    jahani = [claim.id for claim in chosen(["jahani"])]
    selected = chosen([jahani[1], "jahani", jahani[0]])
    assert [claim.id for claim in selected] == [jahani[1], jahani[0], *jahani[2:]]
    assert len(chosen(["all"])) == len(CLAIMS)
    with pytest.raises(InputError, match=r"CLAIM.*fig9"):
        chosen(["fig9"])


def test_verdicts_on_pages_are_those_of_the_claims():
    """Outside of blocks that docs/make fills in, no page has the verdict of a claim."""
    told = re.compile(rf"^- Verdict: \*\*({'|'.join(Verdict)})\*\*$", re.M)
    for page in DOCS.rglob("*.md"):
        by_hand = re.sub(
            r"<!-- ([\w-]+) -->.*?<!-- /\1 -->", "", page.read_text("utf-8"), flags=re.S
        )
        assert not told.search(by_hand), page.name


TINY = {  # claim -> arguments of its experiment, such that it takes a second
    "jahani-fig2-two-nodes": {"sizes": ["2x6"], "seeds": [1]},
    "kiros-fig46-gain": {"sizes": ["5x20"], "seeds": [1]},
    "andreas-scenario1-cost": {"sizes": ["4x12"], "seeds": [1]},
    "sts-fig4c-edf": {"sizes": ["2x8"], "seeds": [1], "methods": ["queue:edf", "sts:fallback"]},
    "konopa-section4-best-fit": {"seeds": 1, "methods": ["fcfs"], "time_limit": 300.0},
}


@pytest.mark.solver
@pytest.mark.process
@pytest.mark.parametrize("name", TINY)
def test_a_claim_of_each_paper_is_run_and_has_a_verdict(name, tmp_path):
    claim = CLAIMS[name]
    experiment = EXPERIMENTS[claim.experiment]
    cases = {"cases": dict([next(iter(experiment.arguments.get("cases", {"": {}}).items()))])}
    arguments = {**experiment.of_size("quick"), **TINY[name]}
    arguments |= cases if "cases" in arguments else {}
    rows = runs.RUNS[experiment.run](runs.Runner(compare_pairs, tmp_path / "store"), **arguments)
    assert {(row["status"], row["commit"]) for row in rows} == {("ok", source()["commit"])}
    values = metrics.values(claim, rows)
    assert values
    assert all(isfinite(value) for value in values.values())
    assert claim.verdict(values) != Verdict.UNTESTED

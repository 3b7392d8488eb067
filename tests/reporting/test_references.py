"""What costs and bounds are compared with: values of the library, and the ranked summary of it."""

import pytest

from rsjs.bks import storage
from rsjs.core.errors import InputError
from rsjs.reporting.references import cost_ratio, primal_gap, references, referred, rule
from rsjs.reporting.statistics.analysis import Analysis, baseline_of
from rsjs.reporting.statistics.tables import summary_table, tables
from rsjs.reporting.tables.comparison import table


@pytest.fixture
def library(monkeypatch):
    """The library has a cost of 80 and a bound of 60 of instance i."""
    values = {"i" * 64: storage.KnownValue(80.0, 60.0, "open")}
    monkeypatch.setattr(storage, "values", lambda _: values)


def _row(instance, method, objective, **more):
    row = {
        "instance": instance,
        "instance_sha256": instance * 64,
        "method": method,
        "stop": "iterations",
        "status": "no_solution" if objective is None else "ok",
        "objective": objective,
        "bound": None,
        "time_limit": 10.0,
        "gap_limit": 1e-4,
        "total_s": 1.0,
        "seed": 0,
    }
    return {**row, **more}


ROWS = [
    _row("i", "a:x", 100.0, bound=50.0, postponement=60.0),
    _row("i", "b", 120.0, postponement=0.0),
    _row("j", "a:x", 10.0, bound=10.0),
    _row("j", "b", None),
]


def test_values_of_the_library_come_before_those_of_the_rows(library):
    found = references(ROWS)
    assert found[("i" * 64,)][:3] == (80.0, 60.0, 100.0)
    assert found[("j" * 64,)][:3] == (10.0, 10.0, 10.0)
    assert "best-known cost (1 of 2 instances)" in rule(ROWS, found)
    first, second, third, fourth = referred(ROWS, found)
    assert (first["over_best"], second["over_best"], third["over_best"]) == (1.25, 1.5, 1.0)
    assert (first["spent"], second["spent"], fourth["over_best"]) == (40.0, 120.0, None)
    assert first["best_bound"] == second["best_bound"] == 60.0
    assert first["gap_to_best"] == pytest.approx(0.4)


def test_a_cost_below_the_librarys_is_told_and_its_bound_above_a_cost_is_not_used(library):
    rows = [_row("i", "a", 40.0)]
    best = references(rows)
    assert best[("i" * 64,)][:3] == (80.0, None, 40.0)  # the bound of 60 is refuted
    assert referred(rows, best)[0]["over_best"] == 0.5
    assert rule(rows, best).endswith("1 run is better than best known.")
    assert Analysis(rows=rows).runs["primal_gap"].tolist() == [-0.5]
    assert Analysis(rows=rows).runs["is_least"].tolist() == [True]


def test_gaps_are_of_runs_that_prove_a_bound(library):
    made = table(ROWS)
    shown = {row["method"]: row["gap_to_best"] for row in made.rows if row["instance"] == "i"}
    assert shown == {"a:x": pytest.approx(0.4), "b": None}


@pytest.mark.parametrize(
    ("cost", "best", "ratio", "gap"),
    [
        (100.0, 100.0 * (1 + 1e-13), 1.0, 0.0),  # ties
        (150.0, 100.0, 1.5, 1 / 3),
        (100.0, 150.0, 2 / 3, -1 / 3),
        (None, 100.0, None, None),
        (100.0, None, None, None),
        (5.0, 0.0, None, 1.0),  # no ratio to nothing
    ],
)
def test_ratios_and_gaps_by_hand(cost, best, ratio, gap):
    assert cost_ratio(cost, best) == (ratio if ratio is None else pytest.approx(ratio))
    assert primal_gap(cost, best) == (gap if gap is None else pytest.approx(gap))


def test_the_summary_ranks_methods_and_comes_first(library):
    made = tables(Analysis(rows=ROWS))[0]
    assert made.name == "summary"
    cells = [dict(zip([c.key for c in made.columns], line, strict=True)) for line in made.cells]
    assert [(line["rank"], line["method"]) for line in cells] == [("1", "a:x"), ("2", "b")]
    first, second = cells
    assert (first["verified"], second["verified"]) == ("2 of 2", "1 of 2")
    assert (first["solved"], second["solved"]) == ("1 of 2", "0")
    assert (first["ratio"], second["ratio"]) == ("1.12", "1.50")  # the median of 1.25 and 1
    assert (first["wins"], second["wins"]) == ("2 of 2", "0")
    assert "running time, median 1.00 s" in made.notes[-1]  # the same for both


def test_families_stand_in_one_summary(library):
    both = {name: Analysis(rows=ROWS) for name in ("one", "other")}
    made = summary_table(both)
    assert [row["family"] for row in made.rows] == ["one", "one", "other", "other"]


def test_a_baseline_is_what_all_others_are_compared_with():
    costs = {"a:x": 1.0, "b": 2.0, "c@highs": 3.0}
    rows = [_row(i, name, cost) for i in "ijk" for name, cost in costs.items()]
    assert baseline_of(rows, None) is None
    assert baseline_of(rows, "c") == "c@highs"
    pairs = Analysis(rows=rows, baseline="b").pairs("cost")
    assert pairs[["one", "other"]].to_numpy().tolist() == [["a:x", "b"], ["c@highs", "b"]]
    assert pairs["holm"].tolist() == [2 * p for p in pairs["p"]]  # for two pairs, not three


@pytest.mark.parametrize(
    ("given", "expected"),
    [("d", "one of a:x, a:y, b"), ("a", "one of a:x, a:y")],  # unknown; of two methods
)
def test_a_baseline_that_is_no_method_is_refused_with_those_that_there_are(given, expected):
    rows = [_row("i", name, 1.0) for name in ("a:x", "a:y", "b")]
    with pytest.raises(InputError, match=f"/baseline: found '{given}', expected {expected}$"):
        baseline_of(rows, given)


def test_columns_whose_cells_are_equal_are_told_in_a_note(library):
    made = tables(Analysis(rows=ROWS))
    counts = next(one for one in made if one.name == "counts")
    assert "runs" not in [column.key for column in counts.columns]
    assert counts.notes[-1].startswith("In all rows: runs 2")
    assert "runs" in counts.frame  # and in its file

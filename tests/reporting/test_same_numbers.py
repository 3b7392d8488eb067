"""The same runs give the same numbers, whichever command makes the tables."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rsjs.campaigns.collection import Collected
from rsjs.reporting.archive.archive_data import Experiment, doubts, write_results
from rsjs.reporting.site import comparison_pages
from rsjs.reporting.site.instance_page import list_line
from rsjs.reporting.site.report_data import families, gathered, grouped
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.fairness import findings
from rsjs.reporting.statistics.gaps import cost_summary
from rsjs.reporting.statistics.tables import tables
from rsjs.reporting.statistics.tidy import read_stored
from rsjs.rows.csv import csv_text, read_rows
from rsjs.rows.select import best_row, by_family, failure

SMOKE = Path(__file__).parents[2] / "results" / "smoke"
Row = dict[str, Any]


def _rows():
    groups = by_family(read_rows(SMOKE / "rows.csv"))
    return [*groups["jahani"], *groups["sts"]]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The smoke campaign's runs of two families, shuffled within each method."""
    folder = tmp_path_factory.mktemp("stored")
    rows = _rows()
    Random(7).shuffle(rows)
    rows.sort(key=lambda row: row["method"])
    (folder / "rows.csv").write_text(csv_text(rows))
    (folder / "events.json").write_bytes((SMOKE / "events.json").read_bytes())
    return folder


@pytest.fixture(scope="module")
def archived():
    """The same runs as those of a store, each method's in the order in which it was run."""
    rows = sorted(_rows(), key=lambda row: (row["method"], row["begun"]))
    courses = {one["run_id"]: one for one in json.loads((SMOKE / "events.json").read_text())}
    found = Collected(rows=rows, trajectories=[courses[row["run_id"]] for row in rows])
    return Experiment(name="smoke", text="", stores=[], found=found)


def _tables(analyses):
    for family, analysis in analyses.items():
        for table in tables(analysis):
            yield f"{family}-{table.name}", table.csv()


@pytest.mark.slow
def test_statistics_report_and_archive_have_the_same_tables(stored, archived, tmp_path):
    groups = by_family(read_stored(stored))
    statistics = dict(_tables({name: Analysis(rows=rows) for name, rows in groups.items()}))
    site = {
        f"{family.name}-{name}": table.csv()
        for family in families(gathered([stored]).rows)
        for name, table in family.tables.items()
    }
    write_results(archived, tmp_path)
    archive = {f"{one.parent.name}-{one.stem}": one.read_text() for one in tmp_path.glob("*/*.csv")}
    assert len(statistics) > 12
    assert statistics == site == archive


def test_a_method_that_is_optimal_wherever_it_serves_says_so(stored):
    for name in ("jahani", "sts"):
        found = Analysis(rows=by_family(read_stored(stored))[name])
        gaps = cost_summary(found.runs).loc["enumeration"]
        assert gaps[["primal_mean", "best"]].tolist() == [0.0, 1]
        assert not any(one.unfair for one in findings(found.rows))


def test_of_equal_costs_one_run_is_the_best_everywhere(stored, archived):
    """The overview of instances names the run whose decision the archive publishes."""
    of_instance: dict[str, list[Row]] = {}
    for row in archived.rows:
        of_instance.setdefault(row["instance"], []).append(row)
    groups = grouped(gathered([stored]).rows, "instance").values()
    reported = {group[0]["instance"]: list_line(group)["method"] for group in groups}
    best = {name: best_row(rows) for name, rows in of_instance.items()}
    assert reported == {name: row and row["method"] for name, row in best.items()}
    for name, rows in of_instance.items():  # costs differ in their last digits
        near = [
            {**row, "objective": row["objective"] and row["objective"] * (1 + 1e-13 * i)}
            for i, row in enumerate(reversed(rows))
        ]
        assert best_row(near)["run_id"] == best[name]["run_id"]


@pytest.mark.parametrize(
    ("ended", "quality", "failed"),
    [
        ("FINISHED", "FEASIBLE_VERIFIED", False),
        ("TIMEOUT", "NO_SOLUTION", False),  # limits that were hit are results
        ("MEMOUT", "NO_SOLUTION", False),
        ("OUTPUT_LIMIT", "FEASIBLE_VERIFIED", False),
        ("FINISHED", "INFEASIBLE_CLAIMED", False),
        ("FINISHED", "WRONG", True),
        ("SOLVER_ERROR", "NO_SOLUTION", True),
        ("CRASH(SIGKILL)", "FEASIBLE_VERIFIED", True),
    ],
)
def test_failed_means_one_thing(stored, archived, ended, quality, failed):
    row = {**archived.rows[0], "ended": ended, "quality": quality}
    assert bool(failure(row)) is failed  # what `rsjs run` counts
    found = replace(archived, found=replace(archived.found, rows=[row]))
    assert any("failed" in doubt for doubt in doubts([found])) is failed
    material = replace(gathered([stored]), rows=[row])
    counts = comparison_pages.counts(material)
    assert counts["failed"] == failed
    nothing = quality == "NO_SOLUTION" and not failed
    assert counts["empty"] == nothing

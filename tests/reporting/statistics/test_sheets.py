"""The tables of an analysis, for people, for LaTeX and at full precision; that of simulations."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.gaps import cost_summary
from rsjs.reporting.statistics.tables import definition, probability, simulation_table, tables
from rsjs.reporting.tables.table import latex_all, markdown_all

NAMES = ["summary", "counts", "costs", "times", "gaps", "anytime", "pairs-by-time", "pairs-by-cost"]
NAMES += ["ranks-by-time", "ranks-by-cost", "virtual-best", "fairness"]


@pytest.fixture(scope="module")
def made(rows):
    return tables(Analysis(rows=rows))


def by_name(made, name):
    return next(sheet for sheet in made if sheet.name == name)


def test_the_summary_comes_first_and_without_events_there_is_no_table_over_time(made, rows):
    assert [sheet.name for sheet in made] == NAMES
    without = [row | {"events": None} for row in rows]
    assert [sheet.name for sheet in tables(Analysis(rows=without))] == [
        name for name in NAMES if name != "anytime"
    ]


def test_seconds_measured_beside_other_runs_are_not_ranked(rows):
    found = tables(Analysis(rows=[row | {"timing": "shared"} for row in rows]))
    assert [sheet.name for sheet in found] == [
        *("summary", "counts", "costs", "times", "gaps", "anytime"),
        *("pairs-by-cost", "ranks-by-cost", "fairness"),
    ]
    times = by_name(found, "times")
    assert not {"ratio", "ratio_low", "ratio_high"} & {*times.frame.columns}
    assert "not ranked" in times.notes[1]
    assert "counts the time limit; all ranked methods solved" in times.notes[0]


def test_where_a_method_was_not_run_it_did_not_fail(rows):
    """It solved all that it was run on: no mean says otherwise, and no rank says anything."""
    left = [row for row in rows if (row["method"], row["instance"]) != ("exact", "b")]
    found = Analysis(rows=left)
    # on a: 1 until 1 s, 1/2 until 2 s; its own bound is there from 2 s on
    assert found.anytime().loc["exact"].tolist() == pytest.approx([0.15, 0.2, 1.0])
    assert cost_summary(found.runs).loc["exact", ["primal_mean", "best"]].tolist() == [0.0, 2]
    line = found.means().loc["exact"]
    assert line[["solved", "problems"]].tolist() == [2, 2]
    assert line["penalised"] == line["ran"] == pytest.approx(12**0.5 - 1)
    assert line[["intersection", "ratio", "ratio_low"]].isna().all()
    pairs = found.pairs("cost")
    counts = pairs[["one", "wins", "ties", "losses"]].to_numpy().tolist()
    assert counts == [["exact", 0, 2, 0], ["exact", 0, 2, 0], ["rule:x", 2, 2, 0]]
    assert found.ranks_by_cost.index.tolist() == ["rule:x", "slow"]
    assert found.unranked == "Not ranked, as not run on all 4 problems: exact (2)."


def test_a_family_in_which_every_method_was_left_out_somewhere_ranks_none(rows):
    apart = {"exact": "a", "rule:x": "b"}
    left = [row for row in rows if apart.get(row["method"]) == row["instance"]]
    found = [sheet.name for sheet in tables(Analysis(rows=left))]
    assert found == [name for name in NAMES if not name.startswith(("ranks", "virtual"))]
    assert Analysis(rows=left).pairs("cost").empty


def test_costs_within_one_percent_tie_and_one_method_is_not_compared(rows):
    near = [row | {"objective": 100.5} if row["method"] == "rule:x" else row for row in rows]
    found = Analysis(rows=[row for row in near if row["instance"] == "a"]).pairs("cost")
    assert found[["wins", "ties", "losses"]].to_numpy().tolist() == [[0, 2, 0]] * 3
    alone = [row for row in rows if row["method"] == "exact"]
    found = [sheet.name for sheet in tables(Analysis(rows=alone))]
    assert found == ["summary", "counts", "costs", "times", "gaps", "anytime", "fairness"]


def test_the_counts_show_what_happened_only(made):
    counts = by_name(made, "counts")
    words = ("Optimal", "Within gap", "Feasible", "Without solution", "Completed", "Time limit")
    assert [column.heading for column in counts.columns] == ["method", *words]
    assert counts.notes[-1] == "In all rows: runs 4."
    assert counts.cells == [
        ["exact", "4", "0", "0", "0", "4", "0"],
        ["rule:x", "0", "0", "4", "0", "4", "0"],
        ["slow", "0", "2", "0", "2", "0", "4"],
    ]


def test_times_by_hand(made):
    cells = {line[0]: line[1:] for line in by_name(made, "times").cells}
    # solved of, running time, time to solve, ratio, interval, PAR10
    # exact 2, 3, 2, 3 s: (3 * 4)^(1/2) - 1; slow overruns its limit
    assert cells["exact"] == ["4", "2.46", "2.46", "1.00", "1.00", "1.00", "2.50"]
    assert cells["rule:x"] == ["0", "0.500", "limit", *["\N{EN DASH}"] * 3, "limit"]
    assert cells["slow"][:3] == ["2", "10.5", "10.0"]
    assert cells["slow"][-1] == "55.0"
    assert "With 2 instances no p can be below 0.5." in by_name(made, "pairs-by-time").notes


def test_the_target_decides_what_is_solved(rows):
    analysis = Analysis(rows=rows, target=0.02)
    cells = {line[0]: line[1:] for line in by_name(tables(analysis), "times").cells}
    assert cells["rule:x"][0] == "2"
    assert definition(analysis).endswith("best bound of all runs of at most 2 %.")
    proved = Analysis(rows=rows, success="proved")
    assert by_name(tables(proved), "times").cells[2][1] == "0"
    assert "bound of the run itself" in definition(proved)


def test_markdown_and_terminal_have_each_table(made):
    text = markdown_all(made, ["Limits: 10 s."])
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {one.title}" for one in made
    ]
    assert "| `rule:x` | 0 | 0 | 4 | 0 | 4 | 0 |" in text
    assert text.endswith("Limits: 10 s.  \n")
    for one in made:
        assert len(one.terminal(100).splitlines()) > len(one.rows)


def test_latex_has_a_table_for_each_sheet_with_lines(made):
    text = latex_all(made, ["50 % of a_b"])
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == len(made)
    assert r"slow & 0 & 2 & 0 & 2 & 0 & 4 \\" in text
    assert text.count(r"50 \% of a\_b") == 1
    counts = by_name(made, "counts")
    text = latex_all([replace(counts, rows=[*counts.rows] * 30)], [])
    assert text.count(r"\caption{Runs (continued)}") == 1
    assert [page.count("slow &") for page in text.split(r"\end{table}")] == [16, 14, 0]


def test_csv_keeps_all_digits(made):
    [exact, *_] = csv.DictReader(io.StringIO(by_name(made, "times").csv()))
    assert exact["method"] == "exact"
    assert float(exact["penalised"]) == pytest.approx(12**0.5 - 1, abs=1e-12)
    ranks = by_name(made, "ranks-by-time").csv().splitlines()[0]
    assert ranks == "method,mean,low,high,rank_1,rank_2,rank_3"


def test_seeds_that_are_repetitions_are_no_difference_of_limits(rows):
    limits, *others = Analysis(rows=rows).conditions()
    assert limits == "Limits: 10 s, gap 0.0001, 1 thread."
    assert others == ["Versions: rsjs-bench 0.1.0.", "Seeds: 0, 1."]
    alone = [row for row in rows if row["seed"] == 0]
    assert Analysis(rows=alone).conditions()[0] == "Limits: 10 s, gap 0.0001, 1 thread, seed 0."


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0314, "0.0314"), (1e-9, "<0.0001"), (1.0, "1.00"), (1e-4, "0.000100")]
)
def test_a_probability_is_never_a_bare_zero(value, shown):
    assert probability(value) == shown


def _row(method, workload, cost, **more):
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


def test_scores_rank_policies_and_means_are_over_workloads_that_all_completed():
    sheet = simulation_table(
        [
            _row("edf", "a", 20.0),
            _row("edf", "b", None),
            _row("sts", "a", 12.0, late=0, decision_median_s=0.003),
            _row("sts", "b", 99.0),
            _row("references?bucket_hours=2", "a", None),
        ]
    )
    assert sheet is not None
    cells = sheet.cells
    assert [line[0] for line in cells] == ["sts", "edf"]
    assert [line[1] for line in cells] == ["2", "1"]
    found = sheet.frame.set_index("method")
    assert found["score"].tolist() == pytest.approx([(1.2 * 9.9) ** 0.5, np.nan], nan_ok=True)
    assert found["cost"].tolist() == [12.0, 20.0]
    assert found["late"].tolist() == [0.0, 0.1]
    assert found["milliseconds"].tolist() == pytest.approx([3.0, 1.0])
    assert "over 2 workloads, none" in sheet.notes[0]
    assert "over 1 workload that all" in sheet.notes[0]
    assert len(sheet.notes) == 1


def test_seeds_of_a_policy_are_averaged_first():
    rows = [_row("edf", "a", 20.0), _row("edf", "b", 40.0)]
    rows += [_row("rg", "a", cost, seed=s) for s, cost in enumerate((10.0, 20.0, 30.0))]
    sheet = simulation_table([*rows, _row("rg", "b", 60.0)])
    assert sheet is not None
    assert sheet.frame["cost"].tolist() == [30.0, 40.0]
    assert sheet.frame["score"].tolist() == pytest.approx([8**0.5, 12**0.5])


def test_a_workload_on_which_a_seed_failed_is_none_that_all_completed():
    rows = [_row("edf", "a", 20.0), _row("edf", "b", 40.0), _row("rg", "b", 60.0)]
    sheet = simulation_table([*rows, _row("rg", "a", 10.0), _row("rg", "a", None, seed=1)])
    assert sheet is not None
    assert sheet.frame.set_index("method")["cost"].to_dict() == {"edf": 40.0, "rg": 60.0}
    assert "over 1 workload that all" in sheet.notes[0]


def test_scores_are_over_the_greatest_bound_of_all_rows():
    row = _row("edf", "a", 20.0, best_bound=5.0)
    bound = _row("references", "a", None, bound=10.0, best_bound=10.0)
    sheet = simulation_table([row, bound])
    assert sheet is not None
    assert sheet.frame["score"].tolist() == pytest.approx([2.0])


def test_other_rows_have_no_such_table():
    assert simulation_table([_row("edf", "a", 20.0, simulation=None)]) is None

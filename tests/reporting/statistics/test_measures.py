"""What is solved, in what time, at what gap, and how runs ended."""

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.reporting.statistics.analysis import CAUSES, QUALITIES, Analysis, counts
from rsjs.reporting.statistics.gaps import cost_summary, gap_summary
from rsjs.reporting.statistics.tables import count_table
from rsjs.reporting.statistics.tidy import matrix, solved, tidy
from rsjs.rows.build import ENDED_BY_STOP


def test_solved_by_the_own_bound_or_by_that_of_another(row):
    runs = tidy(
        [
            row("i", "proves", objective=100.0, bound=100.0),
            row("i", "finds", objective=100.005),
            row("i", "near", objective=100.5, bound=99.0),
            row("i", "wrong", objective=100.0, bound=100.0, status="wrong"),
        ]
    )

    def names(*how):
        return runs["method"][solved(runs, *how)].tolist()

    assert names("proved") == names("proved", 0.01) == names("reached", 0.0) == ["proves"]
    assert names("reached") == ["proves", "finds"]
    assert names("reached", 0.01) == ["proves", "finds", "near"]
    assert names("proved", 0.02) == ["proves", "near"]


def test_failed_and_missing_runs_are_nan_and_none_takes_longer_than_its_limit(row):
    rows = [
        row("i", "a", bound=10.0, total_s=10.3),
        row("i", "b", objective=20.0),
        row("j", "b", bound=10.0, total_s=3.0, time_limit=20.0, seed=4),
    ]
    analysis = Analysis(rows=rows)
    runs, found = analysis.runs, analysis.times
    assert analysis.ran.to_numpy().tolist() == [[True, True], [False, True]]
    assert found.columns.tolist() == ["a", "b"]
    assert found.index.tolist() == [("i", 0, 1), ("j", 4, 1)]
    np.testing.assert_array_equal(found.to_numpy(), [[10.0, np.nan], [np.nan, 3.0]])
    assert analysis.limits.tolist() == [10.0, 20.0]
    np.testing.assert_array_equal(
        matrix(runs, "primal_gap").to_numpy(), [[0.0, 0.5], [np.nan, 0.0]]
    )
    assert matrix(runs, "gap_to_best").iloc[0].tolist() == pytest.approx([0.0, 0.5])


@pytest.mark.parametrize(
    ("gap_limit", "bound", "expected"),
    [
        (None, 99.995, True),
        (None, 99.9, False),  # what is not told is no larger than the default
        (1e-4, 99.9901, True),
        (1e-4, 99.9895, False),
        (1e-2, 99.9, True),
    ],
)
def test_a_gap_counts_up_to_the_limit_and_not_above(row, gap_limit, bound, expected):
    runs = tidy([row("i", "a", objective=100.0, bound=bound, gap_limit=gap_limit)])
    assert solved(runs).tolist() == [expected]


def test_the_limit_of_a_problem_is_the_longest_of_its_runs(row):
    # a solved run whose seconds are not told counts its limit
    unknown = [row("i", "a", bound=10.0, total_s=None)]
    assert Analysis(rows=unknown).times.to_numpy() == [[10.0]]
    rows = [row("i", "a"), row("i", "b", time_limit=30.0), row("i", "c", time_limit=20.0)]
    assert Analysis(rows=rows).limits.tolist() == [30.0]


def test_gaps_by_hand(row):
    nothing = {"status": "no_solution", "objective": None}
    rows = [
        row("i", "exact", objective=80.0, bound=80.0),
        row("j", "exact", objective=50.0, bound=40.0),
        row("i", "rule", objective=100.0, peak_memory_mb=20.0),
        row("j", "rule", peak_memory_mb=40.0, **nothing),
    ]
    found = gap_summary(tidy(rows))
    assert found.index.tolist() == ["exact"]  # the other one proves nothing
    exact = found.loc["exact"]
    assert exact["gaps"] == 2
    assert exact["median"] == pytest.approx(0.1)  # of 0 and 10/50
    assert exact["upper_quartile"] == pytest.approx(0.15)
    assert exact["most"] == pytest.approx(0.2)
    found = cost_summary(tidy(rows))
    assert found.index.tolist() == ["exact", "rule"]
    exact, rule = found.loc["exact"], found.loc["rule"]
    assert rule[["cost_ratio", "ratio_median", "ratio_most"]].tolist() == [1.25] * 3
    assert (exact["primal_mean"], exact["best"]) == (0.0, 2)
    assert rule["primal_mean"] == pytest.approx((0.2 + 1) / 2)  # a failure is a gap of 1
    assert (rule["best"], rule["memory"]) == (0, 30.0)


def test_without_a_bound_there_is_a_primal_gap_only_and_nearly_the_best_is_not(row):
    runs = tidy([row("i", "a", objective=1.0), row("i", "b", objective=2.0)])
    assert gap_summary(runs).empty
    found = cost_summary(runs)
    assert found.loc["b", "primal_mean"] == 0.5
    costs = {"best": 100.0, "rounding": 100.0 * (1 + 1e-12), "near": 100.001}
    found = cost_summary(tidy([row("i", name, objective=cost) for name, cost in costs.items()]))
    assert found["best"].to_dict() == {"best": 1, "rounding": 1, "near": 0}


NOTHING = {"status": "no_solution", "objective": None}


def test_each_run_is_counted_once_by_quality_and_once_by_cause(row):
    found = counts(
        tidy(
            [
                row("i", "a", bound=10.0),
                row("j", "a", stop="time_limit", bound=8.0),
                row("k", "a", stop="time_limit", **NOTHING),
                row("l", "a", stop="memory_limit", **NOTHING),
                row("m", "a", stop="error", status="infeasible", objective=None),
                row("n", "a", stop="infeasible", **NOTHING),
                row("o", "a", stop="optimal", bound=8.0, **NOTHING),
                row("i", "b", stop="iterations"),
                row("j", "b", stop="gap", status="wrong"),
            ]
        )
    )
    a, b = found.loc["a"], found.loc["b"]
    assert (a["runs"], a[list(QUALITIES)].tolist()) == (7, [1, 0, 1, 1, 1, 2, 1])
    assert a[list(CAUSES)].tolist() == [3, 2, 1, 0, 1, 0]
    assert b[list(QUALITIES)].tolist() == [0, 1, 0, 0, 0, 0, 1]
    assert (a["not_run"], b["not_run"]) == (0, 5)
    for words in (QUALITIES, CAUSES):
        assert (found[list(words)].sum(axis=1) == found["runs"]).all()


@pytest.mark.parametrize("stop", list(Stop))
def test_every_reason_to_stop_has_a_cause(row, stop):
    found = counts(tidy([row("i", "a", stop=stop.value, **NOTHING)])).loc["a"]
    told = {**ENDED_BY_STOP, Stop.INTERRUPTED: "INTERRUPTED"}
    assert found[told.get(stop, "FINISHED")] == found[list(CAUSES)].sum() == 1


def test_a_win_is_of_the_runs_with_the_same_seed(row):
    rows = [
        row("i", "a", objective=10.0),
        row("i", "a", objective=12.0, seed=1),
        row("i", "b", objective=20.0),
        row("i", "b", objective=20.0, seed=1),
    ]
    runs = tidy(rows)
    assert matrix(runs, "is_least").sum().to_dict() == {"a": 2, "b": 0}
    assert Analysis(rows=rows).summary["wins"].to_dict() == {"a": 2, "b": 0}


def test_a_run_that_was_ended_took_as_long_as_its_process(row):
    ended = {"stop": "time_limit", "total_s": None, **NOTHING}
    rows = [
        row("i", "a"),
        *(row(name, "a", **ended, process_s=s) for name, s in (("j", 12), ("k", 11))),
    ]
    assert Analysis(rows=rows).summary["seconds"].tolist() == [11.0]


def test_of_a_schedule_all_stages_count(row):
    stages = {"objective": 0.0, "bound": 0.0, "goal": "late,makespan"}
    rows = [
        row("i", "a", **stages, stages="[0, 155]", own_gap=0.2),
        row("i", "b", **stages, stages="[0, 150]", own_gap=0.0),
    ]
    runs = tidy(rows).set_index("method")
    assert runs["own_gap"].to_dict() == {"a": 0.2, "b": 0.0}
    assert runs["is_least"].to_dict() == {"a": False, "b": True}


def test_optimal_is_what_a_run_proved_to_its_own_limit_whatever_the_target(row):
    analysis = Analysis(rows=[row("i", "a", objective=100.0, bound=96.0)], target=0.05)
    assert analysis.summary["solved"].tolist() == [1]
    (line,) = count_table(analysis).rows
    assert (line["OPTIMAL_VERIFIED"], line["FEASIBLE_VERIFIED"]) == (0, 1)


def test_what_was_not_run_has_not_failed_in_the_virtual_best(row):
    rows = [
        *(row(name, "a", bound=10.0, total_s=2.0) for name in "ij"),
        *(row(name, "c", stop="time_limit", **NOTHING) for name in "ij"),
        row("i", "b", bound=10.0, total_s=1.0),
    ]
    found = Analysis(rows=rows).virtual_best().methods
    assert found["alone"].to_dict() == {"a": 2, "c": 0}


def test_a_solution_without_a_cost_is_refused(row):
    with pytest.raises(InputError, match="row 1, objective: found nothing, expected the checked"):
        tidy([row("i", "a", objective=None)])

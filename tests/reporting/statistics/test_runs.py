"""The door: what is a valid run, and which bound and cost it is measured by."""

import json
from math import isnan

import pytest

from rsjs.core.errors import InputError
from rsjs.reporting.statistics.tidy import methods, tidy


def test_bounds_and_costs_are_shared_over_all_rows(row):
    made = tidy(
        [
            row("i", "a", objective=12.0, bound=8.0, best_bound=8.0),
            row("i", "b", objective=10.0, bound=9.0, best_bound=9.0),  # of another comparison
            row("j", "a", objective=5.0),
        ]
    )
    assert made["best_cost"].tolist() == [10.0, 10.0, 5.0]
    assert made["best_bound"].tolist()[:2] == [9.0, 9.0]
    assert made["gap_to_best"].tolist()[:2] == pytest.approx([3 / 12, 1 / 10])
    assert made["own_gap"].tolist()[:2] == pytest.approx([4 / 12, 1 / 10])
    assert made["primal_gap"].tolist() == pytest.approx([2 / 12, 0, 0])
    assert isnan(made["gap_to_best"][2])  # nobody proved a bound
    assert methods(made) == ["a", "b"]


def test_a_bound_above_a_cost_of_another_comparison_is_wrong(row):
    made = tidy([row("i", "a", objective=12.0, bound=11.0), row("i", "b", objective=10.0)])
    assert made["status"].tolist() == ["wrong", "ok"]
    assert made["valid"].tolist() == [False, True]
    assert made["best_bound"].isna().all()
    assert isnan(made["objective"][0])


def test_a_bound_is_shared_without_its_run_and_not_if_its_run_is_wrong(row):
    made = tidy([row("i", "a", status="wrong", bound=9.0, best_bound=9.0), row("i", "b")])
    assert made["best_bound"].isna().all()
    made = tidy([row("i", "a", best_bound=9.0), row("i", "b", best_bound=8.0)])
    assert made["best_bound"].tolist() == [9.0, 9.0]


def test_a_false_claim_of_infeasibility_is_wrong(row):
    claim = {"stop": "infeasible", "status": "no_solution", "objective": None}
    made = tidy([row("i", "a", **claim), row("i", "b"), row("j", "a", **claim)])
    assert made["status"].tolist() == ["wrong", "ok", "no_solution"]


@pytest.mark.parametrize("status", ["wrong", "infeasible", "no_solution"])
def test_only_verified_runs_are_valid(row, status):
    cost = 10.0 if status == "wrong" else None
    made = tidy([row("i", "a", status=status, objective=cost), row("i", "b", objective=11.0)])
    assert made["valid"].tolist() == [False, True]
    assert isnan(made["primal_gap"][0])


def _options(**changed):
    return json.dumps({"boot": 0, "deviation": 0, "energy": "curve", **changed})


def test_bounds_of_simulations_are_shared_by_options_and_where_times_differ_by_seed(row):
    errors = _options(deviation=0.2)
    rows = [
        row("w", "a", objective=10.0, bound=5.0, seed=1, simulation=errors),
        row("w", "a", objective=20.0, bound=12.0, seed=2, simulation=errors),
        row("w", "a", objective=30.0, bound=7.0, seed=1, simulation=_options()),
        row("w", "a", objective=31.0, bound=8.0, seed=2, simulation=_options()),
        row("w", "a", objective=40.0, bound=35.0, seed=1, simulation=_options(energy="node")),
    ]
    made = tidy(rows)
    assert made["status"].tolist() == ["ok"] * 5
    assert made["best_bound"].tolist() == [8.0, 8.0, 35.0, 5.0, 12.0]
    assert made["best_cost"].tolist() == [30.0, 30.0, 40.0, 10.0, 20.0]
    curve, other = "w (deviation=0, energy=curve)", "w (deviation=0.2, energy=curve)"
    node = "w (deviation=0, energy=node)"
    assert made["instance"].tolist() == [curve, curve, node, other, other]
    assert tidy(rows[:2])["instance"].tolist() == ["w", "w"]


def test_references_bound_policies_and_are_none(row):
    known = {"simulation": _options(), "objective": None, "status": "no_solution"}
    bounds = row("w", "references?bucket_hours=2", bound=9.0, **known)
    made = tidy([bounds, row("w", "queue:edf", objective=10.0, simulation=_options())])
    assert methods(made) == ["queue:edf"]
    assert made["best_bound"].tolist() == [9.0]
    assert methods(tidy([bounds])) == ["references?bucket_hours=2"]  # where nothing else is done


def test_repetitions_and_other_digests_are_problems_of_their_own(row):
    made = tidy([row("i", "a"), row("i", "a", instance_sha256="f" * 64)])
    assert made["instance"].nunique() == 2
    made = tidy([row("i", "a", repetition=1), row("i", "a", repetition=2), row("j", "a")])
    assert made[["seed", "repetition"]].to_numpy().tolist() == [[0, 1], [0, 2], [0, 1]]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": None}, "row 2, seed: found nothing"),
        ({"time_limit": float("nan")}, "row 2, time_limit: found nothing"),
        ({"stop": ""}, "row 2, stop: found nothing"),
        ({}, "row 2: found a on i with seed 0 as in row 1"),
    ],
)
def test_bad_rows_are_told_in_one_line(row, changes, told):
    with pytest.raises(InputError, match=told):
        tidy([row("i", "a"), row("i", "a", **changes)])
    with pytest.raises(InputError, match="at least one run"):
        tidy([])

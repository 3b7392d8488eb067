"""The model that chooses sets: shares of groups, coverage, and what rows say of a candidate."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.selection import HEURISTICS, choose, measured, space
from rsjs.instances.features import FEATURES

FAMILIES = "aaaaaabb"


def candidate(i):
    values = np.random.default_rng(i).normal(size=len(FEATURES))
    told = {f"feature_{name}": x for name, x in zip(FEATURES, values, strict=True)}
    return {"name": str(i), "family": FAMILIES[i], "all": i < 3, **told}


LISTED = [candidate(i) for i in range(len(FAMILIES))]


def uncovered(chosen):
    """Sum of the distances from each candidate to the nearest chosen one."""
    points = space(LISTED)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    return distance[:, list(chosen)].min(axis=1).sum()


def allowed(chosen):
    families = [FAMILIES[i] for i in chosen]
    return max(map(families.count, "ab")) <= 2 and sum(LISTED[i]["all"] for i in chosen) >= 1


def test_the_chosen_cover_the_space_best_among_all_that_keep_the_shares():
    chosen, missed = choose(LISTED, 4, {"family": (0.0, 0.5), "all": (0.25, 1.0)})
    assert (len(chosen), missed, allowed(chosen)) == (4, {}, True)
    best = min(uncovered(four) for four in combinations(range(8), 4) if allowed(four))
    assert uncovered(chosen) == pytest.approx(best, rel=0.002)


def test_a_share_that_the_candidates_do_not_allow_is_missed_by_the_least_and_told():
    chosen, missed = choose(LISTED, 4, {"all": (1.0, 1.0)})
    assert missed == {"all": 1.0}
    assert {0, 1, 2} < set(chosen)


def row(method, objective, bound, total_s, **more):
    told = {"method": method, "objective": objective, "bound": bound, "total_s": total_s}
    return {"status": "ok", "cpu_s": total_s, **told, **more}


A, B = "rsjs_nodes@highs", "rsjs_sifting@highs"
OPEN = row(B, 100.0, 90.0, 60.0)
TESTED = {
    "all close": ([row(A, 9.0, 9.0, 5.0), row(B, 9.0, 9.0, 7.0)], True, False, A),
    "some close": ([row(A, 100.0, 100.0, 5.0), OPEN], False, False, A),
    "none closes": ([row(A, 110.0, 95.0, 60.0), OPEN], False, True, B),
    "a killed run counts": ([row(A, None, None, None), OPEN], False, True, B),
    "a certificate is no method": (
        [row(A, 110.0, 95.0, 60.0), OPEN, {"method": "certificate", "bound": 100.0}],
        *(False, True, B),
    ),
    "too late": ([row(A, 100.0, 100.0, 70.0), OPEN], False, True, A),
    "no bound": ([row(A, None, None, 60.0), OPEN], False, True, B),
    "one method is no comparison": ([OPEN], None, None, B),
    "a second run of a higher cost": (
        [row(A, 95.0, 80.0, 60.0), row(A, 130.0, 80.0, 5.0), OPEN],
        *(False, True, A),
    ),
    "a wrong run": ([row(A, 9.0, 9.0, 5.0, status="wrong"), OPEN], None, None, B),
}


@pytest.mark.parametrize(("rows", "every", "none", "winner"), TESTED.values(), ids=TESTED)
def test_what_exact_methods_reach_is_told(rows, every, none, winner):
    found = measured(rows)
    assert (found["all"], found["none"], found["winner"]) == (every, none, winner)


@pytest.mark.parametrize(
    ("costs", "changed"),
    [((1, 2, 3), False), ((1, 1, 3), False), ((2, 1, 3), True), ((1, 2), None)],
)
def test_heuristics_change_places_where_a_later_one_costs_less(costs, changed):
    rows = [row(name, cost, None, 5.0) for name, cost in zip(HEURISTICS, costs, strict=False)]
    assert measured([*rows, OPEN])["changed"] is changed

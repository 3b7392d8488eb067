"""The pattern model of placement = brute force, by every solver and on both routes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.formulations import mig_placement_bounds, mig_placement_patterns
from rsjs.formulations.mig_placement import solve
from rsjs.formulations.mig_placement_data import PlacementModel
from rsjs.heuristics.mig_placement import RULES, place
from rsjs.instances.method import Limits
from rsjs.instances.mig.geometry import geometry, slices
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement import Workloads
from rsjs.instances.mig.placement_check import check
from rsjs.instances.mig.placement_mixes import MIXES, generate

A100 = gpu_named("A100-40")
P = len(A100.profiles)
EXACT = Limits(gap=0.0, time_limit=300.0)
Best = tuple[int, int]  # GPUs, then wasted slices


def brute_force(workloads: Workloads) -> Best:
    """Every choice of profiles, every way to split the multiset over GPUs."""
    found, best = geometry(A100), (len(workloads) + 1, 0)
    waste: dict[tuple[int, ...], int] = {}
    for counts, stranded in zip(found.counts.tolist(), found.stranded.sum(axis=1), strict=True):
        key = tuple(counts)
        waste[key] = min(waste.get(key, 99), int(stranded))
    del waste[(0,) * P]

    @cache
    def split(left: tuple[int, ...]) -> Best:
        if not any(left):
            return 0, 0
        first = next(p for p in range(P) if left[p])
        options = (
            (split(tuple(a - b for a, b in zip(left, own, strict=True))), wasted)
            for own, wasted in waste.items()
            if own[first] and all(b <= a for a, b in zip(left, own, strict=True))
        )
        return min((gpus + 1, wasted + own) for (gpus, wasted), own in options)

    def choose(w: int, counts: tuple[int, ...], over: int) -> Best:
        if w == len(workloads):
            gpus, wasted = split(counts)
            return gpus, wasted + over
        results = []
        for p in np.flatnonzero(workloads.admissible[w]).tolist():
            more = int((slices(A100)[p] - workloads.needs[w]).sum())
            one = tuple(c + (i == p) for i, c in enumerate(counts))
            results.append(choose(w + 1, one, over + more))
        return min(results)

    return min(best, choose(0, (0,) * P, 0))


@st.composite
def some_workloads(draw: st.DrawFn) -> Workloads:
    """Up to seven workloads with one or two profiles each, the media profile included."""
    sets = st.sets(st.integers(0, P - 1), min_size=1, max_size=2)
    rows = draw(st.lists(sets, min_size=1, max_size=7))
    admissible = np.array([[p in own for p in range(P)] for own in rows])
    names = tuple(f"w{w}" for w in range(len(rows)))
    return Workloads(name="some", gpu=A100, id=names, admissible=admissible)


@pytest.mark.solver
@given(some_workloads(), st.sampled_from(["highs", "scip", "cpsat"]))
def test_both_stages_are_optimal(workloads: Workloads, solver: str) -> None:
    found = solve(workloads, EXACT, solver=solver)
    assert found.placement is not None
    verdict = check(workloads, found.placement, gpus=found.gpus_bound, bound=found.gpus_bound)
    assert verdict.feasible
    assert (verdict.gpus, verdict.waste) == brute_force(workloads)
    assert (found.stop, found.waste_bound) == ("optimal", verdict.waste)


@pytest.mark.solver
@pytest.mark.parametrize("mix", MIXES)
def test_large_sets_are_proved_and_no_rule_is_better(mix: str) -> None:
    workloads = generate(A100, mix, 200, 1)
    found = solve(workloads, EXACT)
    assert found.stop == "optimal"
    verdict = check(workloads, found.placement)
    assert (verdict.gpus, verdict.waste) == (found.gpus_bound, found.waste_bound)
    for rule in RULES:
        own = check(workloads, place(workloads, rule), bound=found.gpus_bound)
        assert own.feasible
        assert (own.gpus, own.waste) >= (verdict.gpus, verdict.waste)


@given(some_workloads())
def test_bounds_are_below_every_placement(workloads: Workloads) -> None:
    bound = mig_placement_bounds.best(PlacementModel.of(workloads))
    for rule in RULES:
        assert check(workloads, place(workloads, rule), bound=bound).feasible


def test_bounds_see_what_volume_does_not() -> None:
    rows = np.zeros((6, P), dtype=bool)
    rows[:4, 1] = True  # four of 1g+me
    rows[4, 5] = rows[5, 6] = True  # 4g and 7g
    workloads = Workloads(name="w", gpu=A100, id=tuple("abcdef"), admissible=rows)
    data = PlacementModel.of(workloads)
    # only one of 1g+me, and nothing beside 7g, on a GPU
    assert mig_placement_bounds.all_bounds(data) == {"compute": 3, "memory": 2, "profiles": 5}
    assert solve(workloads, EXACT).gpus_bound == 5


@pytest.mark.parametrize("gpus", [None, 12])
def test_the_pyomo_model_and_the_arrays_are_the_same_matrix(assert_same_matrix, gpus) -> None:
    data = replace(PlacementModel.of(generate(A100, "elastic", 30, 2)), gpus=gpus)
    assert_same_matrix(mig_placement_patterns, data)


@pytest.mark.parametrize("rule", RULES)
def test_a_placement_is_a_feasible_vector_and_comes_back(rule: str) -> None:
    workloads = generate(A100, "elastic", 60, 4)
    data = PlacementModel.of(workloads)
    x = mig_placement_patterns.warm_start(data, place(workloads, rule))
    model = mig_placement_patterns.arrays(data)
    assert (model.A @ x <= model.row_upper).all()
    assert (model.A @ x >= model.row_lower).all()
    assert (x <= model.upper).all()
    again = check(workloads, mig_placement_patterns.extract(data, x))
    assert again.feasible
    assert again.gpus == model.objective(x)
    waste = replace(data, gpus=again.gpus)
    assert again.waste == mig_placement_patterns.arrays(waste).objective(x)


def test_there_are_77_patterns_without_the_media_profile() -> None:
    data = PlacementModel.of(generate(A100, "mixed", 500, 1))
    assert mig_placement_patterns.arrays(data).counts["integers"] == 77 + 6

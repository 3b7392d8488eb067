"""Placement = brute force, on an A100 and on small GPUs of any geometry; the rules as described."""

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Limits
from rsjs.formulations.mig import placement
from rsjs.formulations.mig.placement import PlacementModel, solve
from rsjs.formulations.milp.from_pyomo import declared_matrix
from rsjs.heuristics.mig.placement import PREFERRED, RULES, place
from rsjs.instances.mig.gpus import MigGpu, Profile, gpu_named
from rsjs.instances.mig.placement.check import check
from rsjs.instances.mig.placement.problem import MIXES, PlacementProblem, generate
from tests.mig_problems import vector_of

A100 = gpu_named("A100-40")
P = len(A100.profiles)
EXACT = Limits(gap=0.0, time_limit=300.0)
On = frozenset[tuple[int, int]]  # (profile, start) of what is on a GPU
NAMES = ["1g", "2g", "3g"]  # with preferred starts


@st.composite
def some_workloads(draw):
    """Up to seven workloads with one or two profiles each, the media profile included."""
    sets = st.sets(st.integers(0, P - 1), min_size=1, max_size=2)
    rows = draw(st.lists(sets, min_size=1, max_size=7))
    admissible = np.array([[p in own for p in range(P)] for own in rows])
    names = tuple(f"w{w}" for w in range(len(rows)))
    return PlacementProblem(name="some", gpu=A100, id=names, admissible=admissible)


@pytest.mark.solver
@given(some_workloads(), st.sampled_from(["highs", "scip", "cpsat"]))
@settings(max_examples=settings().max_examples // 2)
def test_both_stages_are_optimal(workloads, solver):
    found = solve(workloads, EXACT, solver=solver)
    assert found.placement is not None
    verdict = check(workloads, found.placement, gpus=found.gpus_bound, bound=found.gpus_bound)
    assert verdict.feasible
    assert (verdict.gpus, verdict.waste) == best(workloads)
    assert (found.stop, found.waste_bound) == ("optimal", verdict.waste)


@pytest.mark.solver
@pytest.mark.parametrize("mix", MIXES)
def test_large_sets_are_proved_and_no_rule_is_better(mix):
    workloads = generate(A100, mix, 200, 1)
    found = solve(workloads, EXACT)
    assert found.stop == "optimal"
    verdict = check(workloads, found.placement)
    assert (verdict.gpus, verdict.waste) == (found.gpus_bound, found.waste_bound)
    for rule in RULES:
        own = check(workloads, place(workloads, rule), bound=found.gpus_bound)
        assert own.feasible
        assert (own.gpus, own.waste) >= (verdict.gpus, verdict.waste)


@pytest.mark.slow
@given(some_workloads())
@settings(max_examples=settings().max_examples // 2)
def test_bounds_are_below_every_placement(workloads):
    bound = placement.best(PlacementModel.of(workloads))
    for rule in RULES:
        assert check(workloads, place(workloads, rule), bound=bound).feasible


def test_bounds_see_what_volume_does_not():
    rows = np.zeros((6, P), dtype=bool)
    rows[:4, 1] = True  # four of 1g+me
    rows[4, 5] = rows[5, 6] = True  # 4g and 7g
    workloads = PlacementProblem(name="w", gpu=A100, id=tuple("abcdef"), admissible=rows)
    data = PlacementModel.of(workloads)
    # only one of 1g+me, and nothing beside 7g, on a GPU
    assert placement.all_bounds(data) == {"compute": 3, "memory": 2, "profiles": 5}
    assert solve(workloads, EXACT).gpus_bound == 5


@pytest.mark.parametrize("rule", RULES)
def test_a_placement_is_a_feasible_vector_and_comes_back(rule):
    workloads = generate(A100, "elastic", 60, 4)
    data = PlacementModel.of(workloads)
    x = vector_of(data, place(workloads, rule))
    model = declared_matrix(placement.build(data))
    assert (model.A @ x <= model.row_upper).all()
    assert (model.A @ x >= model.row_lower).all()
    assert (x <= model.upper).all()
    again = check(workloads, placement.extract(data, x))
    assert again.feasible
    assert again.gpus == model.objective(x)
    waste = replace(data, gpus=again.gpus)
    assert again.waste == declared_matrix(placement.build(waste)).objective(x)


def test_there_are_77_patterns_without_the_media_profile():
    data = PlacementModel.of(generate(A100, "mixed", 500, 1))
    assert declared_matrix(placement.build(data)).counts["integers"] == 77 + 6


def some_gpu(rng):
    slices, compute = rng.choice([4, 7, 8]), rng.choice([3, 5, 7])
    profiles = []
    for name in NAMES:
        size = rng.randint(1, min(slices, 4))
        starts = range(slices - size + 1)
        profiles.append(
            Profile(
                name=name,
                label=name,
                compute_slices=rng.randint(1, 3),
                memory_slices=size,
                memory_mib=1000.0 * size,
                starts=tuple(sorted(rng.sample(starts, min(4, len(starts))))),
                most=rng.randint(1, 4),
            )
        )
    return MigGpu(
        name="some", memory_slices=slices, compute_slices=compute, profiles=tuple(profiles)
    )


def used(gpu, on):
    own = [gpu.profiles[p] for p, _ in on]
    return sum(p.compute_slices for p in own), sum(p.memory_slices for p in own)


@cache
def states(gpu):
    """All that can be on a GPU together."""

    def possible(on):
        taken = [s for p, q in on for s in range(q, q + gpu.profiles[p].memory_slices)]
        number = [sum(p == q for q, _ in on) for p in range(len(gpu.profiles))]
        few = all(n <= own.most for n, own in zip(number, gpu.profiles, strict=True))
        return few and len(taken) == len(set(taken)) and used(gpu, on)[0] <= gpu.compute_slices

    every = [(p, q) for p, own in enumerate(gpu.profiles) for q in own.starts]
    found, last = {On()}, {On()}
    while last:
        last = {on | {more} for on in last for more in every if more not in on}
        last = {on for on in last if possible(on)}
        found |= last
    return frozenset(found)


@cache
def stranded(gpu, on):
    larger = [used(gpu, other) for other in states(gpu) if on <= other]
    most = (max(compute for compute, _ in larger), max(memory for _, memory in larger))
    return gpu.compute_slices + gpu.memory_slices - sum(most)


def best(workloads):
    """GPUs and waste of the best placement, workload after workload on any GPU."""
    gpu = workloads.gpu
    least: dict[tuple[int, ...], int] = {}
    for on in states(gpu):
        counts = tuple(sum(p == q for q, _ in on) for p in range(len(gpu.profiles)))
        least[counts] = min(least.get(counts, 99), stranded(gpu, on))

    @cache
    def covered(left):
        if not any(left):
            return 0, 0
        ways = []
        for counts, waste in least.items():
            rest = tuple(a - b for a, b in zip(left, counts, strict=True))
            if any(counts) and min(rest) >= 0:
                gpus, more = covered(rest)
                ways.append((gpus + 1, more + waste))
        return min(ways)

    found = []
    for chosen in product(*map(np.flatnonzero, workloads.admissible)):
        sizes = sum(sum(used(gpu, On({(p, 0)}))) for p in chosen)
        gpus, waste = covered(tuple(chosen.count(p) for p in range(len(gpu.profiles))))
        found.append((gpus, waste + sizes - int(workloads.needs.sum())))
    return min(found)


def by_rule(workloads, rule):
    """GPU, profile and start of each workload, as the rule is described."""
    gpu, may = workloads.gpu, states(workloads.gpu)

    def size(p):
        return gpu.profiles[p].memory_slices, gpu.profiles[p].compute_slices

    smallest = [min(np.flatnonzero(own).tolist(), key=size) for own in workloads.admissible]
    order = list(range(len(workloads)))
    if rule == "ffd":
        order.sort(key=lambda w: size(smallest[w]), reverse=True)
    on: list[On] = []
    rows = [(0, 0, 0)] * len(workloads)
    for w in order:
        p = smallest[w]
        starts = sorted(gpu.profiles[p].starts)
        if rule in ("ff_pref", "ffd"):
            preferred = PREFERRED[gpu.profiles[p].name]
            starts.sort(key=lambda q: preferred.index(q) if q in preferred else len(preferred))

        def ways(g, p=p, starts=starts):
            return [(p, q) for q in starts if (p, q) not in on[g] and on[g] | {(p, q)} in may]

        able = [g for g in range(len(on)) if ways(g)]
        if not able:
            on.append(On())
            able = [len(on) - 1]
        if rule == "flex":
            room = {own: sum(own < o and len(o) == len(own) + 1 for o in may) for own in may}
            _, g, (_, start) = min(
                (room[on[g]] - room[on[g] | {way}], g, way) for g in able for way in ways(g)
            )
        else:
            sign = {"bf": -1, "wf": 1}.get(rule, 0)
            g = min(able, key=lambda g: (sign * used(gpu, on[g])[1], g))
            start = ways(g)[0][1]
        on[g] |= {(p, start)}
        rows[w] = g, p, start
    return rows


def on_some_gpu(seed, most=7):
    rng = Random(seed)
    gpu, n = some_gpu(rng), rng.randint(2, most)
    admissible = np.zeros((n, len(NAMES)), dtype=bool)
    for own in admissible:
        own[rng.sample(range(len(NAMES)), rng.choice([1, 1, 2]))] = True
    return PlacementProblem(
        name="some", gpu=gpu, id=tuple(f"w{w}" for w in range(n)), admissible=admissible
    )


@pytest.mark.solver
@pytest.mark.parametrize("seed", range(15))
def test_the_model_finds_the_best(seed):
    workloads = on_some_gpu(seed)
    gpus, waste = best(workloads)
    bounds = placement.all_bounds(PlacementModel.of(workloads)).values()
    assert placement.best(PlacementModel.of(workloads)) == max(bounds) <= gpus
    found = solve(workloads, EXACT)
    assert (found.stop, found.gpus_bound, found.waste_bound) == ("optimal", gpus, waste)
    assert found.placement is not None
    verdict = check(workloads, found.placement)
    assert (verdict.violations, verdict.gpus, verdict.waste) == ((), gpus, waste)


@pytest.mark.parametrize("seed", range(15))
def test_the_rules_do_what_they_say(seed):
    workloads = on_some_gpu(seed, most=25)
    for rule in RULES:
        made = place(workloads, rule)
        rows = zip(made.gpu.tolist(), made.profile.tolist(), made.start.tolist(), strict=True)
        assert [*rows] == by_rule(workloads, rule)

"""Repartitioning of GPUs other than NVIDIA's, where compute slices and numbers may bind as well."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from rsjs.formulations import mig_repartition_bounds
from rsjs.formulations.mig_repartition import solve
from rsjs.formulations.mig_repartition_places import places
from rsjs.heuristics.mig_repartition import RULES, best_greedy, greedy
from rsjs.instances.method import Limits
from rsjs.instances.mig.gpus import MigGpu, Profile
from rsjs.instances.mig.repartition import Repartition
from rsjs.instances.mig.repartition_check import check

EXACT = Limits(gap=0.0, time_limit=300.0)
Stay = tuple[int, int, int, int]  # profile, start, made, gone


def some_gpu(rng: Random) -> MigGpu:
    slices, compute = rng.choice([2, 3, 4]), rng.choice([1, 2, 3, 4])
    profiles = []
    for i in range(rng.randint(1, 3)):
        size = rng.randint(1, slices)
        starts = range(slices - size + 1)
        profiles.append(
            Profile(
                name=f"p{i}",
                label=f"p{i}",
                compute_slices=rng.randint(1, compute),
                memory_slices=size,
                memory_mib=1000.0 * size,
                starts=tuple(sorted(rng.sample(starts, rng.randint(1, len(starts))))),
                most=rng.randint(1, 3),
            )
        )
    return MigGpu(
        name="some", memory_slices=slices, compute_slices=compute, profiles=tuple(profiles)
    )


def some_jobs(rng: Random) -> Repartition:
    gpu, common = some_gpu(rng), rng.choice([None, 0, 3])
    rows = [
        (j, p, rng.randint(1, 6))
        for j in range(rng.randint(1, 4))
        for p in rng.sample(range(len(gpu.profiles)), rng.randint(1, min(2, len(gpu.profiles))))
    ]
    job, profile, duration = np.array(rows, dtype=np.int64).T.copy()
    n = int(job.max()) + 1
    return Repartition(
        name="some",
        time_unit="minute",
        gpu=gpu,
        delta=rng.choice([0, 0, 1, 3]),
        id=tuple(f"j{j}" for j in range(n)),
        release=np.array([rng.randint(0, 4) if common is None else common for _ in range(n)]),
        job=job,
        profile=profile,
        duration=duration,
    )


def fits(gpu: MigGpu, there: list[Stay], new: Stay) -> bool:
    p, start, made, gone = new
    profile = gpu.profiles[p]
    beside = [own for own in there if made < own[3] and own[2] < gone]
    for q, other, _, _ in beside:
        apart = other + gpu.profiles[q].memory_slices <= start
        if not apart and other < start + profile.memory_slices:
            return False
    for time in [made, *(own[2] for own in beside if own[2] > made)]:
        now = [own[0] for own in beside if own[2] <= time < own[3]]
        compute = sum(gpu.profiles[q].compute_slices for q in now) + profile.compute_slices
        if compute > gpu.compute_slices or now.count(p) + 1 > profile.most:
            return False
    return True


def brute_force(jobs: Repartition) -> int:
    """Every sequence of jobs and placements, each as early as it fits beside those before it."""
    delta, best = jobs.delta, 10**9

    def after(waiting: frozenset[int], there: list[Stay], end: int) -> None:
        nonlocal best
        if end >= best:
            return
        if not waiting:
            best = end
        for j in waiting:
            first = max(int(jobs.release[j]), delta)
            begins = sorted({first, *(max(gone + delta, first) for *_, gone in there)})
            for p, lasts in jobs.options(j):
                for start in jobs.gpu.profiles[p].starts:
                    ways = ((p, start, begin - delta, begin + lasts) for begin in begins)
                    stay = next(way for way in ways if fits(jobs.gpu, there, way))
                    after(waiting - {j}, [*there, stay], max(end, stay[3]))

    after(frozenset(range(len(jobs))), [], 0)
    return best


@pytest.mark.solver
@pytest.mark.parametrize("seed", range(15))
def test_every_solver_finds_the_optimum_and_every_bound_is_below(seed: int) -> None:
    jobs = some_jobs(Random(seed))
    best, among = brute_force(jobs), places(jobs)
    bounds = [*mig_repartition_bounds.combinatorial(jobs).values()]
    assert max(*bounds, mig_repartition_bounds.fractional(among)) <= best
    for rule in RULES:
        made = check(jobs, greedy(jobs, rule))
        assert made.feasible
        assert made.makespan is not None
        assert made.makespan >= best
    for start in (None, best_greedy(jobs)[1]):
        found = solve(jobs, EXACT, start=start)
        assert found.schedule is not None
        verdict = check(jobs, found.schedule, bound=found.bound)
        assert (verdict.violations, verdict.makespan, found.bound) == ((), best, best)


def test_some_gpus_are_decided_by_memory_slices_and_some_are_not() -> None:
    assert {places(some_jobs(Random(seed))).nested for seed in range(15)} == {True, False}

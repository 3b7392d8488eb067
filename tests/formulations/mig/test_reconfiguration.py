"""Repartitioning of one GPU: assignment = model R = brute force; static = fixed machines."""

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Limits
from rsjs.formulations.mig import (
    reconfiguration_assignment,
    reconfiguration_bounds,
    reconfiguration_cpsat,
)
from rsjs.formulations.mig.reconfiguration import solve
from rsjs.formulations.mig.reconfiguration_assignment import AssignmentModel, fits
from rsjs.formulations.mig.reconfiguration_bounds import chosen, find_candidates
from rsjs.formulations.milp.from_pyomo import declared_matrix
from rsjs.heuristics.mig.reconfiguration import RULES, best_greedy, greedy
from rsjs.instances.mig.geometry import geometry, partition_of
from rsjs.instances.mig.gpus import MigGpu, Profile, gpu_named
from rsjs.instances.mig.reconfiguration.check import check
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    generate,
    makespan,
)

A100 = gpu_named("A100-40")
NAMES = [profile.name for profile in A100.profiles]
EXACT = Limits(gap=0.0, time_limit=300.0)

pytestmark = pytest.mark.solver


def of_options(*options, release=None, delta=0):
    rows = [(j, NAMES.index(p), d) for j, own in enumerate(options) for p, d in own.items()]
    job, profile, duration = np.array(rows, dtype=np.int64).T.copy()
    return ReconfigurationProblem(
        name="some",
        time_unit="minute",
        gpu=A100,
        delta=delta,
        id=tuple(f"j{j}" for j in range(len(options))),
        release=np.array(release or [0] * len(options), dtype=np.int64),
        job=job,
        profile=profile,
        duration=duration,
    )


@st.composite
def some_jobs(draw, most=4, alike=False):
    """Up to `most` jobs with one or two options each."""
    usual = st.sampled_from(["1g", "1g2m", "2g", "3g", "4g", "7g"])
    one = st.dictionaries(usual, st.integers(1, 12), min_size=1, max_size=2 if most < 4 else 1)
    options = draw(st.lists(one, min_size=1, max_size=most))
    n = len(options)
    release = draw(st.lists(st.integers(0, 15), min_size=n, max_size=n))
    if alike:
        release = release[:1] * n
    return of_options(*options, release=tuple(release), delta=draw(st.integers(0, 4)))


def by_time(jobs, allowed=None):
    among = find_candidates(jobs, allowed)
    horizon = AssignmentModel.of(among).horizon
    stop, schedule, bound = reconfiguration_cpsat.solve(among, EXACT, 300.0, horizon, 0, None)
    assert stop == "optimal"
    assert schedule is not None
    return schedule, bound


@given(some_jobs(most=3))
def test_model_r_is_brute_force_on_three_jobs_with_choices(jobs):
    schedule, bound = by_time(jobs)
    verdict = check(jobs, schedule, bound=bound)
    assert verdict.feasible
    assert verdict.makespan == bound == brute_force(jobs)


@given(some_jobs(most=3, alike=True), st.sampled_from(["cpsat", "highs", "scip"]))
def test_the_assignment_is_brute_force_for_one_release(jobs, solver):
    found = solve(jobs, EXACT, solver=solver)
    assert found.stop == "optimal"
    assert found.schedule is not None
    assert check(jobs, found.schedule, makespan=found.bound).feasible
    assert found.bound == brute_force(jobs)


@pytest.mark.parametrize(("seed", "delta"), [(1, 0), (2, 3), (3, 1)])
def test_assignment_and_model_r_agree_on_eight_jobs(seed, delta):
    jobs = generate(A100, 8, seed, delta=delta)
    assert solve(jobs, EXACT).bound == makespan(jobs, by_time(jobs)[0])


@pytest.mark.parametrize("names", ["3g,2g,1g", "4g,2g,1g", "3g,3g", "7g"])
def test_a_static_partition_is_scheduling_on_fixed_machines(names):
    partition = partition_of(A100, names)
    found = geometry(A100)
    jobs = generate(A100, 5, 11, whole=names == "7g", delta=1)
    machines = [int(found.profile[q]) for q in partition]
    best = 10**9
    for assignment in product(range(len(machines)), repeat=len(jobs)):
        load = [0] * len(machines)
        for j, i in enumerate(assignment):
            load[i] += dict(jobs.options(j)).get(machines[i], 10**9) + jobs.delta
        best = min(best, max(load))
    if best >= 10**9:
        with pytest.raises(ValueError, match="one of them in the partition"):
            solve(jobs, EXACT, partition=partition)
        return
    solved = solve(jobs, EXACT, partition=partition)
    assert solved.bound == best
    assert check(jobs, solved.schedule, makespan=best).feasible
    assert makespan(jobs, by_time(jobs, partition)[0]) == best
    assert set(zip(solved.schedule.profile, solved.schedule.start, strict=True)) <= {
        (found.profile[q], found.start[q]) for q in partition
    }


@given(some_jobs(most=8))
def test_bounds_are_below_every_schedule(jobs):
    _, schedule = best_greedy(jobs)
    bounds = reconfiguration_bounds.combinatorial(jobs)
    bounds["slices"] = reconfiguration_bounds.fractional(find_candidates(jobs))
    assert bounds["slices"] >= bounds["memory"]
    for bound in bounds.values():
        assert check(jobs, schedule, bound=bound).feasible


def test_bounds_count_the_time_to_make_instances():
    jobs = of_options({"3g": 10}, {"3g": 10}, {"3g": 10}, {"3g": 10}, delta=3)
    found = reconfiguration_bounds.combinatorial(jobs)
    assert found == {"longest": 13, "compute": 23, "memory": 26}
    assert solve(jobs, EXACT).bound == 26
    late = of_options({"7g": 4}, {"7g": 4}, {"7g": 4}, release=(0, 12, 12), delta=3)
    # the instances of the last two are made from 9 on
    assert reconfiguration_bounds.fractional(find_candidates(late)) == 23 == brute_force(late)
    found = reconfiguration_bounds.combinatorial(late)
    assert found == {"longest": 16, "compute": 23, "memory": 23}


@pytest.mark.parametrize("releases", [0, 20])
def test_jobs_on_the_media_profile_wait_for_each_other(releases):
    jobs = of_options(*[{"1g+me": 4}] * 3, release=(0, 0, releases // 10))
    assert not find_candidates(jobs).laminar
    found = solve(jobs, EXACT)
    assert (found.stop, found.bound) == ("optimal", 12)
    assert check(jobs, found.schedule, makespan=12).feasible


def test_the_end_of_a_schedule_with_releases_is_assigned_anew():
    jobs = generate(A100, 12, 3, releases=20, delta=1)
    start = greedy(jobs, "area", partition_of(A100, "7g"))  # one job at a time
    found = solve(jobs, Limits(gap=0.15, time_limit=300.0), start=start)
    assert found.stop == "gap"
    assert found.schedule is not None
    assert check(jobs, found.schedule, bound=found.bound).feasible
    assert 0.85 * makespan(jobs, found.schedule) <= found.bound < 0.85 * makespan(jobs, start)


@given(st.data())
def test_any_assignment_is_a_schedule_as_long_as_the_model_says(data):
    jobs = generate(A100, 8, data.draw(st.integers(0, 50)), delta=data.draw(st.integers(0, 3)))
    among = find_candidates(jobs)
    model = AssignmentModel.of(among)
    rows = [data.draw(st.sampled_from(np.flatnonzero(among.job == j).tolist())) for j in range(8)]
    x = reconfiguration_assignment.warm_start(model, np.array(rows))
    matrix = declared_matrix(reconfiguration_assignment.build(model))
    assert (matrix.A @ x <= matrix.row_upper).all()
    assert (matrix.A @ x >= matrix.row_lower).all()
    schedule = ReconfigurationSchedule.of(jobs, reconfiguration_assignment.extract(model, x))
    assert check(jobs, schedule, makespan=matrix.objective(x)).feasible
    assert sorted(chosen(among, schedule)) == sorted(rows)


@pytest.mark.parametrize(("seed", "delta"), [(1, 0), (2, 3)])
def test_the_optimum_fits_and_one_less_does_not(seed, delta):
    jobs = generate(A100, 8, seed, delta=delta)
    best = solve(jobs, EXACT, solver="scip").bound
    model = AssignmentModel.of(find_candidates(jobs))
    stop, x = fits(model, best, EXACT, 300.0)
    assert (stop, x is None) == ("optimal", False)
    schedule = ReconfigurationSchedule.of(jobs, reconfiguration_assignment.extract(model, x))
    assert check(jobs, schedule, makespan=best).feasible
    assert fits(model, best - 1, EXACT, 300.0) == ("infeasible", None)


def test_a_question_whether_it_fits_stays_open_without_time():
    model = AssignmentModel.of(find_candidates(generate(A100, 60, 1)))
    assert fits(model, 700, EXACT, 0.0) == ("time_limit", None)


def test_a_start_that_meets_the_bound_is_not_searched_again():
    jobs = of_options({"7g": 5}, {"7g": 6})
    _, start = best_greedy(jobs)
    found = solve(jobs, EXACT, start=start)
    assert (found.stop, found.bound) == ("optimal", 11)
    assert found.schedule is start


def some_gpu(rng):
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


def jobs_on_some_gpu(rng):
    gpu, common = some_gpu(rng), rng.choice([None, 0, 3])
    most = len(gpu.profiles)
    jobs = range(rng.randint(1, 4))
    asked = (rng.sample(range(most), rng.randint(1, min(2, most))) for _ in jobs)
    rows = [(j, p, rng.randint(1, 6)) for j, profiles in enumerate(asked) for p in profiles]
    job, profile, duration = np.array(rows, dtype=np.int64).T.copy()
    n = int(job.max()) + 1
    return ReconfigurationProblem(
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


def beside(gpu, there, new):
    p, start, made, gone = new
    profile = gpu.profiles[p]
    others = [own for own in there if made < own[3] and own[2] < gone]
    for q, other, _, _ in others:
        apart = other + gpu.profiles[q].memory_slices <= start
        if not apart and other < start + profile.memory_slices:
            return False
    for time in [made, *(own[2] for own in others if own[2] > made)]:
        now = [own[0] for own in others if own[2] <= time < own[3]]
        compute = sum(gpu.profiles[q].compute_slices for q in now) + profile.compute_slices
        if compute > gpu.compute_slices or now.count(p) + 1 > profile.most:
            return False
    return True


def brute_force(jobs):
    """Every sequence of jobs and placements, each as early as it fits beside those before it."""
    delta, best = jobs.delta, 10**9

    def after(waiting, there, end):
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
                    stay = next(way for way in ways if beside(jobs.gpu, there, way))
                    after(waiting - {j}, [*there, stay], max(end, stay[3]))

    after(frozenset(range(len(jobs))), [], 0)
    return best


@pytest.mark.parametrize("seed", range(15))
def test_every_solver_finds_the_optimum_and_every_bound_is_below(seed):
    jobs = jobs_on_some_gpu(Random(seed))
    best, among = brute_force(jobs), find_candidates(jobs)
    bounds = [*reconfiguration_bounds.combinatorial(jobs).values()]
    assert max(*bounds, reconfiguration_bounds.fractional(among)) <= best
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


def test_some_gpus_are_decided_by_memory_slices_and_some_are_not():
    assert {find_candidates(jobs_on_some_gpu(Random(seed))).laminar for seed in range(15)} == {
        True,
        False,
    }

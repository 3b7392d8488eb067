"""Greedy repartitioning of one GPU."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics.mig.reconfiguration import RULES, best_greedy, greedy
from rsjs.instances.mig.geometry import partition_of
from rsjs.instances.mig.gpus import document_of, gpu_named
from rsjs.instances.mig.reconfiguration.check import check
from rsjs.instances.mig.reconfiguration.problem import generate, makespan, to_problem

A100 = gpu_named("A100-40")


@given(st.integers(1, 25), st.integers(0, 99), st.booleans(), st.integers(0, 80), st.integers(0, 5))
def test_every_rule_is_feasible(n, seed, rigid, releases, delta):
    jobs = generate(A100, n, seed, rigid=rigid, releases=releases, delta=delta)
    found = {rule: greedy(jobs, rule) for rule in RULES}
    for schedule in found.values():
        assert check(jobs, schedule).feasible
    name, best = best_greedy(jobs)
    assert makespan(jobs, best) == min(makespan(jobs, own) for own in found.values())
    assert makespan(jobs, found[name]) == makespan(jobs, best)


@pytest.mark.parametrize("delta", [0, 2])
def test_on_a_partition_only_its_placements_are_used(delta):
    jobs = generate(A100, 15, 2, whole=False, delta=delta)
    schedule = greedy(jobs, "area", partition_of(A100, "4g,2g,1g"))
    assert check(jobs, schedule).feasible
    assert {A100.profiles[p].name for p in schedule.profile.tolist()} <= {"4g", "2g", "1g"}


def test_the_rules_differ_in_the_order_of_jobs():
    jobs = generate(A100, 12, 4, rigid=True)
    first = {rule: greedy(jobs, rule) for rule in RULES}
    now = {rule: {j for j in range(12) if own.begin[j] == 0} for rule, own in first.items()}
    shortest = min(range(12), key=lambda j: (jobs.least_times[j], j))
    longest = min(range(12), key=lambda j: (-jobs.least_times[j], j))
    assert shortest in now["shortest"]
    assert longest in now["longest"]


@pytest.mark.parametrize(
    ("options", "profile", "start"),
    [
        ({"1g": 8, "2g": 3}, "2g", 4),  # the least duration times slices
        ({"1g": 8, "2g": 4}, "2g", 4),  # then the least duration
        ({"2g": 4, "1g2m": 4}, "1g2m", 6),  # then the highest start
    ],
)
def test_a_job_takes_the_placement_with_the_least_area(options, profile, start):
    rows = [{"profile": name, "duration": lasts} for name, lasts in options.items()]
    job = {"id": "j", "release": 3, "options": rows}
    jobs = to_problem(
        {"name": "j", "time_unit": "minute", "delta": 1, "gpu": document_of(A100), "jobs": [job]}
    )
    for rule in RULES:
        made = greedy(jobs, rule)
        assert A100.profiles[made.profile[0]].name == profile
        assert (made.start.tolist(), made.begin.tolist()) == ([start], [3])

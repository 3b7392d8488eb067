"""DP in both readings: the pooled program against all choices, the fastest GPUs by hand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from allpairspy import AllPairs

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.dispatching.pooled_dp import RULES, decide, gpus_of_jobs, pooled_costs
from rsjs.heuristics.dispatching.queues import JobModes
from rsjs.instances.check import check
from rsjs.instances.generators.sts import generate


@pytest.mark.parametrize(
    ("mix", "sharing", "epochs", "rule"),
    [*AllPairs([["km", "kma", "a100"], ["none", "paper"], ["worst_case", "mean"], [*RULES]])],
)
def test_decisions_are_feasible(mix, sharing, epochs, rule):
    instance = generate(nodes=6, jobs=30, seed=1, mix=mix, sharing=sharing)
    verdict = check(instance, decide(instance, rule, epochs))
    assert verdict.feasible, verdict.violations
    assert verdict.counts["executed"] > 0


def test_the_pooled_program_is_exact(make):
    rng = np.random.default_rng(1)
    for _ in range(20):
        jobs = 4
        hours = rng.uniform(1, 9, (jobs, 1)) * np.arange(1, 4) ** -rng.uniform(0.3, 1, (jobs, 1))
        instance = make(
            {"A3": rng.uniform(1, 5, 3).cumsum().tolist(), "A2": [1.0, 4.0]},
            [{"A": row} for row in hours.tolist()],
            due=rng.uniform(0, 6, jobs).tolist(),
            weight=rng.uniform(0, 2, jobs).tolist(),
        )
        of = JobModes.of(instance, "worst_case")
        cost = pooled_costs(of)
        gpus = gpus_of_jobs(of, candidates.by_release(of.instance))
        value = cost[np.arange(jobs), gpus].sum()
        every = product(range(4), repeat=jobs)
        least = min(cost[range(jobs), choice].sum() for choice in every if sum(choice) <= 5)
        assert gpus.sum() <= 5
        assert value == pytest.approx(least)


def test_costs_of_the_pooled_program_are_those_of_the_period(make):
    types = {"A2": [3, 5], "B1": [2]}
    hours = [{"A": [4, 3], "B": [6]}]
    instance = make(types, hours, groups=[(1, ["A2"]), (1, ["B1"])], due=[3.5], weight=[2])
    # postponed: 100 x 2 x (1 + 6 - 3.5); A is fastest on 1 GPU: 2 x 0.5 + 3; on 2: 5
    assert pooled_costs(JobModes.of(instance, "worst_case"))[0].tolist() == [700, 4, 5]
    longer = JobModes.of(replace(instance, H=2.0), "worst_case")
    assert pooled_costs(longer)[0].tolist() == [900, 7, 10]


def test_pooled_gpus_are_those_of_the_fastest_type_with_room(make):
    hours = [{"A": [4, 2], "B": [5, 3]}, {"A": [4, 2], "B": [5, 2.5]}]
    instance = make({"A2": [1, 2], "B2": [1, 2]}, hours, due=[2, 3], weight=[9, 9])
    solution = decide(instance, "pooled")
    assert (solution.job_node.tolist(), solution.job_gpus.tolist()) == ([0, 1], [2, 2])


def test_every_job_gets_the_fastest_that_is_free_first_in_first_out(make):
    hours = [{"A": [4, 3], "B": [3, None]}, {"A": [4, 2], "B": [5, 4]}, {"A": [9], "B": [9]}]
    instance = make({"A2": [1, 2], "B2": [9, 18]}, hours, release=[-1, -2, 0], due=[99] * 3)
    solution = decide(instance, "fastest")
    assert solution.job_node.tolist() == [1, 0, 1]
    assert solution.job_gpus.tolist() == [1, 2, 1]

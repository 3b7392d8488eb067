"""The expected objective of RS-JS decisions against draws of all numbers of epochs."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from rsjs.instances import costs, streams
from rsjs.instances.check import check
from rsjs.instances.generators import sts

DRAWS = 20_000
NOW = 30.0


@pytest.fixture(scope="module", params=[("km", "paper"), ("kma", "contention"), ("a100", "none")])
def instance(request):
    """An instance in the middle of a run: some epochs done, some jobs late."""
    mix, sharing = request.param
    made = sts.generate(nodes=3, jobs=12, seed=5, mix=mix, sharing=sharing, laws="mild")
    done = streams.uniform(streams.uniforms("test", 5, "done", 12), 0, 60)
    jobs = replace(made.jobs, epochs_done=streams.rounded(done))
    return replace(made, jobs=jobs, now=NOW)


@pytest.fixture(scope="module")
def left(instance):
    """(DRAWS, J) remaining epochs, drawn from the law given that the job still runs."""
    columns = []
    for j, (name, done) in enumerate(
        zip(instance.jobs.law, instance.jobs.epochs_done, strict=True)
    ):
        law = instance.laws[name].given(float(done))
        columns.append(law.quantile(streams.uniforms("test", j, "left", DRAWS)) - done)
    return np.column_stack(columns)


def near(sample):
    """The mean of a sample, to within four standard errors."""
    return pytest.approx(sample.mean(), abs=4 * sample.std() / DRAWS**0.5 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_terms_are_the_means_over_draws(instance, left, random_decision, seed):
    solution = random_decision(instance, Random(seed))
    verdict, jobs = check(instance, solution), instance.jobs
    assert verdict.feasible
    placement = costs.place(instance, solution)
    late, first = np.zeros(DRAWS), {}
    for j in range(len(jobs)):
        node = solution.job_node[j]
        if node < 0:
            continue
        gpu = instance.cluster.gpu_of_type[solution.node_type[node]]
        level = solution.job_level[j]
        rate = (
            instance.hours_per_epoch[j, gpu, solution.job_gpus[j]]
            if level < 0
            else instance.shared_hours_per_epoch[j, gpu, level]
        )
        hours = rate * left[:, j]
        late += jobs.weight[j] * np.maximum(0, NOW + hours - jobs.due[j])
        first[node] = np.minimum(first.get(node, np.inf), hours)
        at = placement.running.tolist().index(j)
        assert placement.hours[at] == near(hours)
    price = costs.node_prices(instance, solution, placement)
    energy = sum(price[node] * hours for node, hours in first.items())
    assert verdict.terms["tardiness"] == near(late)
    assert verdict.wait_and_see_energy == near(energy)
    assert verdict.terms["energy"] >= verdict.wait_and_see_energy * (1 - 1e-9)
    assert verdict.terms["energy"] == pytest.approx(
        sum(price[n] * placement.hours[placement.node == n].min() for n in first)
    )


def test_postponement_is_the_mean_over_draws_on_the_slowest_configuration(instance, left):
    jobs = instance.jobs
    table = costs.tables(instance)
    rates = np.concatenate([instance.hours_per_epoch, instance.shared_hours_per_epoch], axis=2)
    slowest = np.where(np.isfinite(rates), rates, 0).max(axis=(1, 2))
    for j in range(len(jobs)):
        end = NOW + instance.H + slowest[j] * left[:, j]
        assert table.postponement[j] == near(
            100 * jobs.weight[j] * np.maximum(0, end - jobs.due[j])
        )

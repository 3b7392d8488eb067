"""Features of instances: each tells what it says, and none depends on what it should not."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.features import FEATURES, features
from rsjs.instances.generators import andreas, jahani, kiros, planted, sts
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

INSTANCES = {
    "jahani": jahani.generate(nodes=4, jobs=16, seed=1),
    "kiros": kiros.generate(nodes=4, jobs=16, seed=1),
    "andreas": andreas.generate(nodes=4, jobs=16, seed=1),
    "sts": sts.generate(nodes=4, jobs=16, seed=1, sharing="paper"),
    "planted": planted.generate(nodes=4, jobs=16, seed=1),
}
SHARES = [name for name, text in FEATURES.items() if text.startswith("share of")]


def with_jobs(instance, **values) -> Instance:
    return replace(instance, jobs=replace(instance.jobs, **values))


@pytest.mark.parametrize("instance", INSTANCES.values(), ids=INSTANCES)
def test_every_feature_is_a_finite_number(instance):
    found = features(instance)
    assert [*found] == [*FEATURES]
    assert np.isfinite([*found.values()]).all()
    assert all(0 <= found[name] <= 1 for name in SHARES)


def test_modes_of_a_node_that_costs_nothing_are_told_too():
    made = INSTANCES["andreas"]
    kinds = [replace(one, cost=(0.0,) * len(one.cost)) for one in made.cluster.node_types]
    times = made.jobs.hours_per_epoch.copy()
    times[0, 0, 1] = np.inf  # one GPU of the first type
    free = replace(
        made,
        cluster=replace(made.cluster, node_types=tuple(kinds)),
        jobs=replace(made.jobs, hours_per_epoch=times),
    )
    assert np.isfinite([*features(free).values()]).all()


def test_the_order_of_jobs_is_of_no_account():
    instance = INSTANCES["sts"]
    turned = replace(instance, jobs=instance.jobs.taken(np.arange(len(instance.jobs))[::-1]))
    assert features(turned) == pytest.approx(features(instance))


def changed(before, after):
    pairs = features(before), features(after)
    return {name for name in FEATURES if pairs[0][name] != pytest.approx(pairs[1][name])}


def test_only_features_of_due_dates_follow_due_dates():
    instance = INSTANCES["kiros"]
    past = with_jobs(instance, due=instance.jobs.due * 0 - 1.0)
    assert changed(instance, past) <= {
        *("tightness", "late_cheapest", "late_fastest", "log_postponement")
    }
    found = features(past)
    assert (found["late_fastest"], found["tightness"]) == (1, 10)


def test_only_the_price_of_postponement_follows_rho():
    instance = with_jobs(INSTANCES["kiros"], due=INSTANCES["kiros"].jobs.due * 0 - 1.0)
    assert changed(instance, replace(instance, rho=1.0)) == {"log_postponement"}


def test_linear_speed_has_no_loss_and_rigid_jobs_are_not_elastic():
    instance = INSTANCES["kiros"]
    hours = instance.jobs.hours_per_epoch
    linear = hours[:, :, 1:2] / np.maximum(np.arange(hours.shape[2]), 1)
    linear[:, :, 0] = np.inf
    assert features(with_jobs(instance, hours_per_epoch=linear))["scaling_loss"] == pytest.approx(0)
    rigid = hours.copy()
    rigid[:, :, 2:] = np.inf
    found = features(with_jobs(instance, hours_per_epoch=rigid))
    assert (found["elastic"], found["scaling_loss"]) == (0, 0)
    assert features(instance)["elastic"] == 1


def test_jobs_that_run_are_counted():
    instance, jobs = INSTANCES["kiros"], 16
    node = np.full(jobs, -1)
    node[:2] = [0, 1]
    current = Solution(
        job_node=node,
        job_gpus=(node >= 0).astype(int),
        job_level=np.full(jobs, -1),
        node_type=np.array([0, 0, -1, -1]),
    )
    assert features(replace(instance, current=current))["running"] == 2 / jobs


def test_flat_prices_are_concave_and_prices_per_gpu_are_not():
    found = {name: features(instance)["price_concavity"] for name, instance in INSTANCES.items()}
    assert found["sts"] == pytest.approx(0)
    assert found["jahani"] > 0.4

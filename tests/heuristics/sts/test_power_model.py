"""Speed, power and energy of configurations, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics.sts.power_model import PowerModel, units_of_share
from rsjs.instances.cluster import GpuType, ShareLevel
from rsjs.instances.generators import sts


def test_prices_are_those_of_the_gpus_in_use_on_the_cheapest_node(make):
    instance = make({"A2": [3, 5], "A4": [2, 6, 7, 8]}, [{"A": [4, 2.5, 2, None]}], due=[9])
    model = PowerModel.of(instance)
    assert model.power[0, 0].tolist() == [0, 2, 5, 7, 8]
    assert model.rate[0, 0].tolist() == [np.inf, 4, 2.5, 2, np.inf]
    assert model.level[0, 0] == -1


def test_a_price_for_any_number_of_gpus_counts_in_proportion(make):
    instance = make({"A4": 8}, [{"A": [4, 3, 2, 1]}], due=[9])
    assert PowerModel.of(instance).power[0, 0].tolist() == [0, 2, 4, 6, 8]


def test_gpus_that_no_node_has_are_no_configuration(make):
    instance = make(
        {"A4": [1, 2, 3, 4], "A2": [1, 2]}, [{"A": [4, 3, 2, 1]}], groups=[(1, ["A2"])], due=[9]
    )
    assert PowerModel.of(instance).rate[0, 0].tolist() == [np.inf, 4, 3, np.inf, np.inf]


@pytest.mark.parametrize(
    ("memory", "level", "rate", "power"),
    [(3.0, 1, 6.0, 0.25), (7.0, 0, 5.0, 0.5), (9.0, -1, np.inf, 0.0)],
)
def test_the_share_is_the_smallest_that_memory_allows(make, memory, level, rate, power):
    instance = make({"A2": [1, 2]}, [{"A": [4, 2]}], due=[9])
    levels = ShareLevel(units=2, max_memory_gb=8), ShareLevel(units=1, max_memory_gb=4)
    gpu = GpuType(name="A", memory_gb=16, units=4, levels=levels)
    cluster = replace(instance.cluster, gpu_types=(gpu,))
    jobs = replace(instance.jobs, memory_gb=np.array([memory]), inflation=np.array([[[1.25, 1.5]]]))
    shared = replace(instance, cluster=cluster, jobs=jobs)
    model = PowerModel.of(shared)
    assert (model.level[0, 0], model.rate[0, 0].tolist()) == (level, [rate, 4, 2])
    assert model.power[0, 0].tolist() == [power, 1, 2]
    assert units_of_share(shared, model.level)[0, 0] == 4 * power


def test_levels_of_generated_instances_follow_table_iv():
    instance = sts.generate(nodes=6, jobs=60, seed=1, mix="kma", sharing="paper")
    model = PowerModel.of(instance)
    for i, gpu in enumerate(instance.cluster.gpu_types):
        limits = [level.max_memory_gb for level in gpu.levels]
        expected = [
            next((k for k, limit in enumerate(limits) if memory <= limit), -1)
            for memory in instance.jobs.memory_gb
        ]
        assert model.level[:, i].tolist() == expected


def test_the_model_of_a_part_is_that_of_its_jobs():
    instance = sts.generate(nodes=6, jobs=9, seed=1, sharing="paper")
    rows = np.array([1, 4, 8])
    taken = PowerModel.of(instance).taken(rows)
    part = replace(instance, jobs=instance.jobs.taken(rows))
    for name, values in vars(PowerModel.of(part)).items():
        assert np.array_equal(getattr(taken, name), values)

"""Random instances of ANDREAS against the numbers that paper and program print."""

import numpy as np
import pytest
from scipy import stats

from rsjs.instances.catalogue import gpus
from rsjs.instances.catalogue.gpus import table
from rsjs.instances.generators import andreas


def made(nodes=10, jobs=100, seed=1, **kind):
    return andreas.generate(nodes=nodes, jobs=jobs, seed=seed, **kind)


@pytest.mark.parametrize(("scenario", "sizes"), [(1, (2, 1)), (2, (4, 2))])
def test_half_of_the_nodes_have_v100_and_half_t4(scenario, sizes):
    for nodes, counts in ((10, (5, 5)), (11, (6, 5)), (2, (1, 1))):
        cluster = made(nodes, scenario=scenario).cluster
        assert tuple(group.count for group in cluster.groups) == counts
        types = {v.name: v for v in cluster.node_types}
        placed = [types[name] for group in cluster.groups for name in group.types]
        assert [(v.gpu_type, v.gpus) for v in placed] == [("V100", sizes[0]), ("T4", sizes[1])]
    assert [group.count for group in made(1).cluster.groups] == [1]


def test_energy_is_base_and_training_power_at_the_price_with_pue():
    v100, t4 = made(scenario=2).cluster.node_types
    euro = 0.172 * 1.33 / 1000  # per Wh
    trained = (186 + 208 + 176) / 3, (52 + 58 + 49) / 3  # W: AlexNet, EfficientNet-B0, LSTM
    assert v100.cost[1:] == pytest.approx(
        [(350 + k * trained[0]) * euro for k in (1, 2, 3, 4)], rel=1e-5
    )
    assert t4.cost[1:] == pytest.approx([(200 + k * trained[1]) * euro for k in (1, 2)], rel=1e-5)
    base = {row["gpu"]: row["node_base_w"] for row in table("gpu_types")}
    assert (base["V100"], base["T4"]) == ("350", "200")


def test_jobs_are_tensorflow_networks_that_fit_both_gpus():
    instance = made(jobs=2000)
    jobs = instance.jobs
    networks = {name.split(" (")[0] for name in jobs.application}
    assert networks == {"LSTM", "EfficientNet-B0", "AlexNet"}
    assert {name.split(" (")[1] for name in jobs.application} == {"TensorFlow)"}
    for name, meta in zip(jobs.application, jobs.meta, strict=True):
        assert meta["batch"] in gpus.batches(name.split(" (")[0])
    assert np.isfinite(instance.hours_per_epoch[:, :, 1]).all()
    assert (jobs.epochs_max.min(), jobs.epochs_max.max()) == (10, 100)


@pytest.mark.parametrize("scenario", [1, 2])
def test_due_dates_are_uniform_from_the_least_time_to_thrice_it(scenario):
    instance = made(jobs=2000, scenario=scenario)
    least = (instance.hours_per_epoch * instance.jobs.epochs_max[:, None, None]).min(axis=(1, 2))
    share = (instance.jobs.due / least - 1) / 2
    assert stats.kstest(share, "uniform").pvalue > 0.001
    assert ((share >= -1e-5) & (share <= 1 + 1e-5)).all()


def test_weights_are_twice_the_programs_per_second():
    weight = made(jobs=4000).jobs.weight / 3600
    assert 0.003 <= weight.min() < 0.00301
    assert 0.01499 < weight.max() <= 0.015


def test_scenarios_are_paired():
    one, two = made(scenario=1), made(scenario=2)
    assert one.jobs.application == two.jobs.application
    for field in ("weight", "epochs_max", "memory_gb"):
        assert np.array_equal(getattr(one.jobs, field), getattr(two.jobs, field))
    assert np.array_equal(one.jobs.hours_per_epoch[:, :, 1], two.jobs.hours_per_epoch[:, :, 1])
    assert (two.jobs.due <= one.jobs.due).all()


def test_a_stream_is_a_mixed_load_by_default():
    stream = andreas.workload(nodes=10, jobs=40, seed=1)
    assert stream.name == "andreas-scenario1-mixed-N10-J40-s1"
    assert np.array_equal(stream.realised_epochs, stream.jobs.epochs_max)
    gaps = np.diff(stream.jobs.release)
    high = np.arange(1, 40) // 10 % 2 == 0
    assert gaps[high].mean() < gaps[~high].mean()

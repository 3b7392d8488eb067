"""Features by hand on small instances."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.generators import andreas, jahani, sts
from rsjs.instances.library.features import features


def test_features_follow_from_times_and_due_dates():
    instance = andreas.generate(nodes=3, jobs=7, seed=1)
    hours = instance.hours_per_epoch * instance.jobs.epochs_max[:, None, None]
    least = [min(k * t for row in job[:, 1:] for k, t in enumerate(row, 1)) for job in hours]
    ratios = [max(job[0, 1], job[1, 1]) / min(job[0, 1], job[1, 1]) for job in hours]
    late = hours.min(axis=(1, 2)) / instance.jobs.due
    found = features(instance)
    assert found.load == pytest.approx(sum(least) / 5)  # two nodes of 2 V100, one of 1 T4
    assert found.heterogeneity == pytest.approx(np.median(ratios))
    assert found.tightness == pytest.approx(np.median(late))
    assert found.sharing == 1


def test_nodes_that_may_be_several_types_count_with_their_most_gpus():
    instance = jahani.generate(nodes=2, jobs=4, seed=1)
    hours = instance.hours_per_epoch[:, :, 1:] * np.arange(1, instance.cluster.largest + 1)
    assert features(instance).load == pytest.approx(hours.min(axis=(1, 2)).sum() / 16)


def test_sharing_counts_the_jobs_on_a_gpu():
    shared = sts.generate(nodes=4, jobs=30, seed=1, mix="a100", sharing="paper")
    gpu = shared.cluster.gpu_types[0]
    most = [
        max(
            [1.0]
            + [
                gpu.units / level.units
                for level in gpu.levels
                if shared.jobs.memory_gb[j] <= level.max_memory_gb
            ]
        )
        for j in range(30)
    ]
    assert features(shared).sharing == pytest.approx(np.mean(most))
    assert 1 < features(shared).sharing <= 10


def test_now_and_the_work_done_count():
    instance = andreas.generate(nodes=2, jobs=5, seed=1)
    half = replace(instance, jobs=replace(instance.jobs, epochs_done=instance.jobs.epochs_max / 2))
    assert features(half).load == pytest.approx(features(instance).load / 2)
    assert features(replace(instance, now=0.5)).tightness > features(instance).tightness


def test_the_load_of_a_workload_is_that_of_a_day():
    stream = andreas.workload(nodes=2, jobs=9, seed=1, law="constant", gap_seconds=2 * 3600)
    static = andreas.generate(nodes=2, jobs=9, seed=1)
    assert stream.jobs.release[-1] == pytest.approx(8)
    assert features(stream).load == pytest.approx(features(static).load * 24 / 8)
    assert features(stream).tightness == pytest.approx(features(static).tightness, rel=1e-3)


def test_jobs_that_need_several_gpus_have_no_say_in_heterogeneity():
    instance = andreas.generate(nodes=2, jobs=4, seed=1, scenario=2)
    hours = instance.jobs.hours_per_epoch.copy()
    hours[1:, :, 1] = np.inf
    large = replace(instance, jobs=replace(instance.jobs, hours_per_epoch=hours))
    t = hours[0, :, 1]
    assert features(large).heterogeneity == pytest.approx(t.max() / t.min())
    hours = hours.copy()
    hours[0, :, 1] = np.inf
    none = replace(instance, jobs=replace(instance.jobs, hours_per_epoch=hours))
    assert features(none).heterogeneity == 1

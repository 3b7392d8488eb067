"""Random instances of Kiros 2020: Jahani's jobs and node types with the first-ending cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rsjs.instances import node_catalogues
from rsjs.instances.generators import jahani, kiros


def made(nodes=10, jobs=100, seed=1, **kind):
    return kiros.generate(nodes=nodes, jobs=jobs, seed=seed, **kind)


def test_every_node_may_become_any_type_of_table_4_1():
    cluster = made().cluster
    (group,) = cluster.groups
    assert group.count == 10
    assert group.types == node_catalogues.MEMBERS["kiros"]
    assert {v.name for v in cluster.node_types if v.gpus == 8} == {
        "In-house server 2",
        "In-house server 3",
        "Standard NC24X",
        "Standard NV24X",
    }


@pytest.mark.parametrize("times", ["synthetic", "networks"])
@pytest.mark.parametrize("due", ["base", "tight"])
def test_jobs_have_the_laws_of_jahanis(times, due):
    ours = made(jobs=2000, times=times, due=due, catalogue="table2")
    theirs = jahani.generate(nodes=10, jobs=2000, seed=2, times=times, due=due, catalogue="table2")
    for value in (
        lambda jobs: jobs.due,
        lambda jobs: jobs.weight,
        lambda jobs: jobs.hours_per_epoch[:, 0, 1],
        lambda jobs: jobs.memory_gb,
        lambda jobs: jobs.epochs_max,
    ):
        assert stats.ks_2samp(value(ours.jobs), value(theirs.jobs)).pvalue > 0.001
    assert {*ours.jobs.application} == {*theirs.jobs.application}


def test_catalogues_are_paired():
    one, other = made(catalogue="azure"), made(catalogue="kiros")
    assert np.array_equal(one.jobs.weight, other.jobs.weight)
    k80 = [
        instance.jobs.hours_per_epoch[:, [g.name for g in instance.cluster.gpu_types].index("K80")]
        for instance in (one, other)
    ]
    assert np.array_equal(k80[0][:, 1:5], k80[1][:, 1:5])


def test_every_job_of_a_stream_runs_all_its_epochs():
    stream = kiros.workload(nodes=2, jobs=40, seed=1, times="networks")
    assert np.array_equal(stream.realised_epochs, stream.jobs.epochs_max)
    assert not stream.laws

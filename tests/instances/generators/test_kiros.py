"""Random instances of Kiros 2020: Jahani's jobs and node types with the first-ending cost."""

import numpy as np

from rsjs.instances.catalogue import node_types
from rsjs.instances.generators import kiros


def made(nodes=10, jobs=100, seed=1, **kind):
    return kiros.generate(nodes=nodes, jobs=jobs, seed=seed, **kind)


def test_every_node_may_become_any_type_of_table_4_1():
    cluster = made().cluster
    (group,) = cluster.groups
    assert (group.count, group.types) == (10, node_types.MEMBERS["kiros"])
    assert {v.name for v in cluster.node_types if v.gpus == 8} == {
        "In-house server 2",
        "In-house server 3",
        "Standard NC24X",
        "Standard NV24X",
    }


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

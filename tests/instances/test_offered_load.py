"""The offered load: by hand, against one GPU type, and what a gap is set to."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.library.sets import WORKLOADS, draw_workload
from rsjs.instances.offered_load import least_gpu_hours, offered_load


def drawn(generator, **options):
    return WORKLOADS[generator](nodes=4, jobs=12, seed=1, law="exp", **options)


@pytest.mark.parametrize("options", [{"mix": "a100"}, {"mix": "a100", "sharing": "paper"}])
def test_with_one_gpu_type_it_is_least_gpu_hours_over_those_of_the_cluster(options):
    workload = drawn("sts", **options)
    release, cluster = workload.jobs.release, workload.cluster
    gpus = int(cluster.gpus_of_type[cluster.allowed.argmax(axis=1)].sum())
    hours = least_gpu_hours(workload).min(axis=1).sum()
    assert offered_load(workload) == pytest.approx(hours / gpus / (release[-1] - release[0]))


def test_a_share_counts_as_its_part_and_lowers_the_load():
    alone, shared = drawn("sts"), drawn("sts", sharing="paper")
    assert (least_gpu_hours(shared) <= least_gpu_hours(alone)).all()
    assert offered_load(shared) < offered_load(alone)


def test_two_gpu_types_are_filled_alike_where_jobs_run_on_both():
    """Two jobs on two types: the best of all ways to split both, on a grid."""
    workload = WORKLOADS["sts"](nodes=2, jobs=2, seed=3, law="exp")
    need, span = least_gpu_hours(workload), float(np.ptp(workload.jobs.release))
    gpus = workload.cluster.gpus_of_type[workload.cluster.allowed.argmax(axis=1)]
    a, b = np.meshgrid(*[np.linspace(0, 1, 401)] * 2)
    first = (a * need[0, 0] + b * need[1, 0]) / gpus[0]
    second = ((1 - a) * need[0, 1] + (1 - b) * need[1, 1]) / gpus[1]
    assert offered_load(workload) == pytest.approx(np.maximum(first, second).min() / span, rel=0.01)


def test_nodes_whose_type_is_chosen_have_the_gpus_of_the_largest_where_types_are_equal():
    workload = drawn("jahani")
    span = float(np.ptp(workload.jobs.release))
    most = 4 * workload.cluster.largest * span
    assert offered_load(workload) >= least_gpu_hours(workload).min(axis=1).sum() / most - 1e-9


def test_twice_the_gap_is_half_the_load_and_jobs_at_one_time_have_none():
    workload = drawn("kiros")
    jobs = replace(workload.jobs, release=2 * workload.jobs.release)
    slower = replace(workload, jobs=jobs)
    assert offered_load(slower) == pytest.approx(offered_load(workload) / 2)
    at_once = replace(workload, jobs=replace(jobs, release=np.zeros(12)))
    assert offered_load(at_once) is None


@pytest.mark.parametrize("generator", WORKLOADS)
def test_the_gap_is_set_by_the_load(generator):
    arguments = {"nodes": 3, "jobs": 15, "seed": 2, "law": "exp"}
    made = draw_workload(generator, offered_load=0.7, **arguments)
    assert offered_load(made) == pytest.approx(0.7, rel=1e-3)

"""
Buckets of time, and the columns of `bucket_bound`: which job may run how, and when.

Buckets are equally long, from the first submission until no job comes, no due date lies ahead, and
all GPUs have had the time for all jobs, each at its fastest; where they end changes how good the
bound is, not whether it holds. A configuration is left out for a job that fewer GPUs of the same
type serve at least as fast.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from rsjs.core.errors import InputError
from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.instance import Workload
from rsjs.simulation.configurations import Configurations

MOST = 1_000_000  # columns: about 3 GB


class Columns(NamedTuple):
    """n columns (job, configuration, bucket), sorted by job."""

    job: Ints
    config: Ints
    bucket: Ints  # B = after the last one


def edges(workload: Workload, of: Configurations, hours: float) -> Floats:
    """(B + 1,) begin of each bucket and the end of the last one [h]."""
    jobs, cluster = workload.jobs, workload.cluster
    size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, 0).max(axis=1)
    fastest = of.pace.argmin(axis=1)
    work = workload.realised_epochs * of.pace[np.arange(len(jobs)), fastest] * of.amount[fastest]
    busy = float(work.sum()) / float(size @ cluster.class_sizes)
    begin, last = float(jobs.release[0]), max(float(jobs.release[-1]), float(jobs.due.max()))
    buckets = (last + busy - begin) / hours
    if buckets * np.count_nonzero(np.isfinite(of.pace)) > MOST:
        raise InputError("/hours", hours, f"longer buckets: up to {MOST} columns of the program")
    return np.asarray(begin + hours * np.arange(ceil(buckets) + 1), dtype=np.float64)


def columns(workload: Workload, of: Configurations, edge: Floats) -> Columns:
    """Every job in every useful configuration, from its submission on and after the buckets."""
    first = np.searchsorted(edge[1:], workload.jobs.release, side="right")
    job, config = np.nonzero(_useful(of))
    each = len(edge) - first[job]
    start = np.cumsum(each) - each
    return Columns(
        job=np.repeat(job, each),
        config=np.repeat(config, each),
        bucket=np.arange(int(each.sum())) - np.repeat(start - first[job], each),
    )


def _useful(of: Configurations) -> Bools:
    """(J, Q) admissible, and faster than anything less of the same GPU type."""
    useful = np.isfinite(of.pace)
    for q in range(len(of.gpu)):
        less = (of.gpu == of.gpu[q]) & (of.amount < of.amount[q])
        if less.any():
            useful[:, q] &= of.pace[:, q] < of.pace[:, less].min(axis=1)
    return useful

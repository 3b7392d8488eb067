"""
Features of an instance or a workload: four numbers.

    load            GPU hours of the jobs, each in its mode of fewest, per GPU; of a
                    workload those submitted in 24 h on average
    heterogeneity   median over jobs of the longest over the shortest time on one GPU, by GPU type;
                    jobs that need several GPUs are left out, 1 if all do
    tightness       median over jobs of the shortest time over the time left until the due date;
                    above 1 a job is late in any case
    sharing         mean over jobs of how many such jobs a GPU may hold at most; 1 = not shared

Times are of all remaining epochs. Nodes of several types count with their most GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.instance import Instance, Workload

DAY, SOON = 24.0, 1e-9  # h


@dataclass(frozen=True, kw_only=True)
class Features:
    """Load, heterogeneity, tightness and sharing of an instance or a workload."""

    load: float  # [h]
    heterogeneity: float
    tightness: float
    sharing: float


def features(subject: Instance | Workload) -> Features:
    """Return the features of an instance, or of all jobs of a workload from their submission."""
    if isinstance(subject, Instance):
        return _features(subject, np.full(len(subject.jobs), subject.now))
    release = subject.jobs.release
    span = max(float(release[-1] - release[0]), 1 / 60)
    found = _features(subject.submitted(), release)
    return replace(found, load=found.load * DAY / span)


def _features(instance: Instance, start: Floats) -> Features:
    """Return the features if job j has the time from start[j] until its due date."""
    cluster, jobs = instance.cluster, instance.jobs
    left = jobs.remaining[:, None, None]
    hours, shared = instance.hours_per_epoch * left, instance.shared_hours_per_epoch * left
    gpus = np.where(cluster.allowed, cluster.gpus_of_type, 0).max(axis=1).sum()
    # (T, L) share of a GPU on each level
    share = np.ones(shared.shape[1:])
    for i, gpu in enumerate(cluster.gpu_types):
        share[i, : len(gpu.levels)] = [level.units / gpu.units for level in gpu.levels]
    part = np.where(np.isfinite(shared), share, 1.0)
    # (J,) GPU hours in the mode of fewest
    dedicated = (hours[:, :, 1:] * np.arange(1, hours.shape[2])).min(axis=(1, 2))
    work = np.minimum(dedicated, (shared * share).min(axis=(1, 2), initial=np.inf))
    alone = hours[:, :, 1]
    longest = np.where(np.isfinite(alone), alone, 0.0).max(axis=1)
    shortest = np.minimum(hours.min(axis=(1, 2)), shared.min(axis=(1, 2), initial=np.inf))
    on_one = longest > 0
    return Features(
        load=float(work.sum() / gpus),
        heterogeneity=_median(longest[on_one] / alone[on_one].min(axis=1)),
        tightness=_median(shortest / np.maximum(jobs.due - start, SOON)),
        sharing=float((1 / part.min(axis=(1, 2), initial=1.0)).mean()),
    )


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else 1.0

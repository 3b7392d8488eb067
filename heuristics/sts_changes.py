"""
T_j, when a job's configuration must change (Filippini et al. 2024, VI-B), without Zeno's events.

A job has what the model chose, until the first switch of its profile. If it got other GPUs, T_j of
the model means nothing: kept, it sits on the switching surface, and events accumulate (online 6).
So the model is solved again with at least the GPUs that the job has, and its first switch counts.
If these are no vertex of that hull, T_j is the last moment from which the fastest configuration
a_min is still in time,

    t = (d - a_min (w_max - w)) / (1 - a_min / a_k)

A job that is late in any case, or in time as it is, has no T_j: it waits for others to end. T_j is
never sooner than the least time between decisions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.first_fit import Placed
from rsjs.heuristics.sts_choices import Choices, resolved

Floats = NDArray[np.float64]


def hours_until_change(of: Choices, placed: Placed, spacing: float) -> Floats:
    """
    (J,) T_j - now [h]; inf = never, or the job waits.

    Parameters
    ----------
    spacing : float [h]
        The least time between decisions.
    """
    gpu, count = np.array(placed.gpu), np.array(placed.count)
    runs = np.flatnonzero(gpu >= 0)
    gpu, count = gpu[runs], count[runs]
    hours = of.change[runs, gpu]
    other = np.flatnonzero(of.initial[runs, gpu] != count)
    if other.size:
        jobs, gpu, count = runs[other], gpu[other], count[other]
        found = resolved(of, jobs, gpu, count)
        last = _last_moment(of, jobs, gpu, count)
        hours[other] = np.where(found.initial == count, found.change, last)
    change = np.full(len(of.time), np.inf)
    change[runs] = np.maximum(hours, spacing)
    return change


def _last_moment(
    of: Choices, jobs: NDArray[np.int64], gpu: NDArray[np.int64], count: NDArray[np.int64]
) -> Floats:
    """(n,) hours for which jobs may go on with `count` GPUs before they need the fastest."""
    rate, time, work = of.model.rate[jobs, gpu], of.time[jobs], of.work[jobs]
    own = rate[np.arange(len(jobs)), count]
    fastest = np.where(np.arange(rate.shape[1]) >= count[:, None], rate, np.inf).min(axis=1)
    kept = (own * work <= time) | (fastest * work > time)
    gain = np.where(kept, 1.0, 1 - fastest / own)
    return np.where(kept, np.inf, (time - fastest * work) / gain)

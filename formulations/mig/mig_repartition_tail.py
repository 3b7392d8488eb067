"""
The end of a schedule with releases: jobs whose instance is made when all jobs are released.

What is made before stays, and a slice is free when the last of it is over: the jobs at the end are
an assignment of `mig_repartition_nested`, whatever their order was.
"""

from __future__ import annotations

import numpy as np

from rsjs.formulations.mig.mig_repartition_places import Places
from rsjs.formulations.mig.reconfiguration_assignment import Nested
from rsjs.instances.mig.reconfiguration.problem import Schedule, durations

Placed = dict[int, tuple[int, int, int]]  # profile, start and begin of a job


def tail(among: Places, schedule: Schedule) -> tuple[Nested, Placed]:
    """The model of the jobs at the end, and where the others are."""
    jobs = among.jobs
    first = max(int(jobs.release.max()) - jobs.delta, 0)
    early = schedule.begin - jobs.delta < first
    size = np.array([own.memory_slices for own in jobs.gpu.profiles])[schedule.profile]
    end = schedule.begin + durations(jobs, schedule.profile)
    free = np.full(jobs.gpu.memory_slices, first)
    before: Placed = {}
    for j in np.flatnonzero(early).tolist():
        over = slice(schedule.start[j], schedule.start[j] + size[j])
        free[over] = np.maximum(free[over], end[j])
        before[j] = int(schedule.profile[j]), int(schedule.start[j]), int(schedule.begin[j])
    return Nested(among, np.flatnonzero(~early[among.job]), free), before

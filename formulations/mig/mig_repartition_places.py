"""
Where each job of a repartition may run: its placements, and whether memory slices alone decide.

A placement of a job is left out if another one takes no slice beyond its slices and no more time.
This is right where instances that share no memory slice always fit together, as on all GPUs known
if the media profile is not used: no compute slice and no `most` is missed by then.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.mig.geometry import Geometry, geometry
from rsjs.instances.mig.reconfiguration.partitions import candidates
from rsjs.instances.mig.reconfiguration.problem import Repartition, Schedule

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Places:
    """
    Candidates (job, placement), job after job.

    Attributes
    ----------
    jobs : Repartition
    geometry : Geometry
    job, placement, duration : (n,) int
        Duration without the time to make the instance.
    nested : bool
        Whether memory slices alone decide what fits, and placements form a laminar family.
    """

    jobs: Repartition
    geometry: Geometry
    job: Integers
    placement: Integers
    duration: Integers
    nested: bool

    @property
    def covers(self) -> NDArray[np.bool_]:
        """(n, slices) whether a candidate takes a memory slice."""
        bits = np.arange(self.jobs.gpu.memory_slices)
        return np.asarray((self.geometry.mask[self.placement][:, None] >> bits & 1) > 0)

    @property
    def common_release(self) -> bool:
        """Whether all jobs are released together."""
        return bool((self.jobs.release == self.jobs.release[0]).all())


def places(jobs: Repartition, allowed: Collection[int] | None = None) -> Places:
    """
    The candidates of jobs.

    Parameters
    ----------
    allowed : collection of int or None
        The only placements there are, those of a static partition; None = all of the GPU.
    """
    found = geometry(jobs.gpu)
    nested = found.laminar and _slices_decide(found, np.unique(jobs.profile))
    rows: list[tuple[int, int, int]] = []
    for j in range(len(jobs)):
        own = candidates(jobs, j, allowed)
        rows += [(j, q, lasts) for q, lasts in (_undominated(found, own) if nested else own)]
    job, placement, duration = np.array(rows, dtype=np.int64).T.copy()
    return Places(
        jobs=jobs,
        geometry=found,
        job=job,
        placement=placement,
        duration=duration,
        nested=nested,
    )


def chosen(places: Places, schedule: Schedule) -> Integers:
    """(J,) the candidates a schedule takes; of one left out, the best one on its slices."""
    mask = places.geometry.mask
    size = np.array([own.memory_slices for own in places.jobs.gpu.profiles])
    taken = (((1 << size[schedule.profile]) - 1) << schedule.start)[places.job]
    inside = np.flatnonzero(mask[places.placement] & taken == mask[places.placement])
    order = inside[np.lexsort((places.duration[inside], places.job[inside]))]
    return np.asarray(order[np.unique(places.job[order], return_index=True)[1]])


def _undominated(found: Geometry, own: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The candidates of a job that are worth having; the first of equal ones."""
    mask = found.mask.tolist()
    kept: list[tuple[int, int]] = []
    for q, lasts in sorted(own, key=lambda at: (at[1], mask[at[0]].bit_count())):
        if not any(mask[other] & mask[q] == mask[other] for other, _ in kept):
            kept.append((q, lasts))
    return sorted(kept)


def _slices_decide(found: Geometry, profiles: Integers) -> bool:
    """Whether disjoint placements of these profiles never use too much compute or too many."""
    gpu = found.gpu
    weights = [
        ([own.compute_slices for own in gpu.profiles], gpu.compute_slices),
        *(
            ([int(i == p) for i in range(len(gpu.profiles))], gpu.profiles[p].most)
            for p in profiles
        ),
    ]
    return all(_largest(found, profiles, weight) <= most for weight, most in weights)


def _largest(found: Geometry, profiles: Integers, weight: list[int]) -> int:
    """Largest total weight of disjoint placements, by slices from the left."""
    gpu, best = found.gpu, [0] * (found.gpu.memory_slices + 1)
    for end in range(1, len(best)):
        starts = (
            (end - gpu.profiles[p].memory_slices, weight[p])
            for p in profiles
            if end - gpu.profiles[p].memory_slices in gpu.profiles[p].starts
        )
        best[end] = max([best[end - 1], *(best[start] + own for start, own in starts)])
    return best[-1]

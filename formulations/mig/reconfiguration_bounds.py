"""
Reconfiguration of one GPU: candidate placements, and lower bounds on the makespan.

For every release r, with J_r the jobs released at r or later, instances for J_r are made from
R = max(r - delta, 0) on, and each takes its slices for d + delta:

    longest   max_j max(r_j, delta) + min_o d_jo
    memory    R + ceil(sum_{j in J_r} min_o (d_jo + delta) m_o / M)
    compute   R + ceil(sum_{j in J_r} min_o (d_jo + delta) c_o / G)
    slices    R + ceil(C), C the optimum of min C s.t. sum_{j, q over s} (d_jq + delta) x_jq <= C
              for all slices s, sum_q x_jq = 1, x >= 0

m_o, c_o are the memory and compute slices of option o, M and G those of the GPU. Adding delta is
right since an instance is made for each job: where jobs may take over instances, it is not.
`slices` is never below `memory`, which adds its rows up, at the same r; of many releases, some
are taken.

Candidates are the placements of each job. One is left out if another one takes no slice beyond its
slices and no more time. This is right where instances that share no memory slice always fit
together, as on all GPUs known if the media profile is not used: no compute slice and no `most` is
missed by then.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Ints
from rsjs.instances.mig.geometry import Geometry, geometry, slices
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
    job_placements,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Candidates (job, placement), job after job."""

    jobs: ReconfigurationProblem
    geometry: Geometry
    job: Ints  # (n,)
    placement: Ints  # (n,)
    duration: Ints  # (n,) duration without the time to make the instance
    # whether memory slices alone decide what fits, and placements form a laminar family
    laminar: bool

    @property
    def covers(self) -> Bools:
        """(n, slices) whether a candidate takes a memory slice."""
        bits = np.arange(self.jobs.gpu.memory_slices)
        return np.asarray((self.geometry.mask[self.placement][:, None] >> bits & 1) > 0)


def find_candidates(
    jobs: ReconfigurationProblem, allowed: Collection[int] | None = None
) -> Candidates:
    """
    Return the candidates of jobs.

    Parameters
    ----------
    allowed : collection of int or None
        The only placements there are, those of a static partition; None = all of the GPU.
    """
    found = geometry(jobs.gpu)
    laminar = found.laminar and _slices_decide(found, np.unique(jobs.profile))
    rows: list[tuple[int, int, int]] = []
    for j in range(len(jobs)):
        own = job_placements(jobs, j, allowed)
        rows += [(j, q, lasts) for q, lasts in (_undominated(found, own) if laminar else own)]
    job, placement, duration = np.array(rows, dtype=np.int64).T.copy()
    return Candidates(
        jobs=jobs,
        geometry=found,
        job=job,
        placement=placement,
        duration=duration,
        laminar=laminar,
    )


def chosen(candidates: Candidates, schedule: ReconfigurationSchedule) -> Ints:
    """Return (J,) the candidates a schedule takes; of one left out, the best one on its slices."""
    mask = candidates.geometry.mask
    size = np.array([own.memory_slices for own in candidates.jobs.gpu.profiles])
    taken = (((1 << size[schedule.profile]) - 1) << schedule.start)[candidates.job]
    inside = np.flatnonzero(mask[candidates.placement] & taken == mask[candidates.placement])
    order = inside[np.lexsort((candidates.duration[inside], candidates.job[inside]))]
    return np.asarray(order[np.unique(candidates.job[order], return_index=True)[1]])


def _undominated(found: Geometry, own: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the candidates of a job that are worth having; the first of equal ones."""
    mask = found.mask.tolist()
    kept: list[tuple[int, int]] = []
    # Shorter ones first, smaller ones first: only those kept before can dominate.
    for q, lasts in sorted(own, key=lambda at: (at[1], mask[at[0]].bit_count())):
        if not any(mask[other] & mask[q] == mask[other] for other, _ in kept):
            kept.append((q, lasts))
    return sorted(kept)


def _slices_decide(found: Geometry, profiles: Ints) -> bool:
    """Return whether disjoint placements never use too much compute or too many of a profile."""
    gpu = found.gpu
    # (P, 1 + P): compute slices, and one of each profile; the most of each on the first slices
    weight = np.column_stack([slices(gpu)[:, 0], np.eye(len(gpu.profiles), dtype=np.int64)])
    largest = np.zeros((gpu.memory_slices + 1, weight.shape[1]), dtype=np.int64)
    for end in range(1, len(largest)):
        largest[end] = largest[end - 1]
        for p in profiles:
            start = end - gpu.profiles[p].memory_slices
            if start in gpu.profiles[p].starts:
                largest[end] = np.maximum(largest[end], largest[start] + weight[p])
    most = [gpu.compute_slices, *(profile.most for profile in gpu.profiles)]
    return bool((largest[-1] <= most).all())


ROUNDING = 1e-6
MOST_RELEASES = 32


def some_releases(jobs: ReconfigurationProblem) -> list[int]:
    """Return the first release and others, evenly; all if they are few."""
    every = np.unique(jobs.release)
    taken = np.linspace(0, len(every) - 1, min(len(every), MOST_RELEASES)).round().astype(int)
    found: list[int] = every[taken].tolist()
    return found


def combinatorial(jobs: ReconfigurationProblem) -> dict[str, int]:
    """Return the bounds `longest`, `memory` and `compute`."""
    time, delta = jobs.duration + jobs.delta, jobs.delta
    capacity = np.array([jobs.gpu.compute_slices, jobs.gpu.memory_slices])
    # (options, 2): time times compute and memory slices; then the least of each job.
    volume = time[:, None] * slices(jobs.gpu)[jobs.profile]
    least = jobs.least(volume)
    found = {"longest": int((np.maximum(jobs.release, delta) + jobs.least_times).max())}
    sums = [(r, least[jobs.release >= r].sum(axis=0)) for r in some_releases(jobs)]
    for i, name in enumerate(("compute", "memory")):
        found[name] = max(max(r - delta, 0) - int(-total[i] // capacity[i]) for r, total in sums)
    return found


def fractional(candidates: Candidates) -> int:
    """Return the bound `slices`, by one linear program per release."""
    release = candidates.jobs.release
    return max(
        max(r - candidates.jobs.delta, 0) + _least_load(candidates, release[candidates.job] >= r)
        for r in some_releases(candidates.jobs)
    )


def best(candidates: Candidates) -> int:
    """Return the largest of all bounds."""
    return max(*combinatorial(candidates.jobs).values(), fractional(candidates))


def _least_load(candidates: Candidates, kept: Bools) -> int:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    jobs, job = np.unique(candidates.job[kept], return_inverse=True)
    n, count = len(job), candidates.jobs.gpu.memory_slices
    time = (candidates.duration[kept] + candidates.jobs.delta).astype(np.float64)
    # (slice): the load of each slice is at most C, the last column.
    load = csr_array((candidates.covers[kept] * time[:, None]).T)
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=hstack([load, csr_array(-np.ones((count, 1)))]),
        b_ub=np.zeros(count),
        A_eq=csr_array((np.ones(n), (job, np.arange(n))), shape=(len(jobs), n + 1)),
        b_eq=np.ones(len(jobs)),
    )
    if found.fun is None:
        raise ArithmeticError(f"the linear program of the bound failed: {found.message}")
    return int(np.ceil(found.fun - ROUNDING * max(1.0, found.fun)))

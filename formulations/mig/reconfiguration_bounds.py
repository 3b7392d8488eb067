"""
Lower bounds on the makespan of one GPU divided anew.

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
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsjs.formulations.mig.mig_repartition_places import Places
from rsjs.instances.mig.geometry import slices
from rsjs.instances.mig.reconfiguration.problem import Repartition

if TYPE_CHECKING:
    from numpy.typing import NDArray


ROUNDING = 1e-6
MOST_RELEASES = 32


def some_releases(jobs: Repartition) -> list[int]:
    """The first release and others, evenly; all if they are few."""
    every = np.unique(jobs.release)
    taken = np.linspace(0, len(every) - 1, min(len(every), MOST_RELEASES)).round().astype(int)
    found: list[int] = every[taken].tolist()
    return found


def combinatorial(jobs: Repartition) -> dict[str, int]:
    """The bounds `longest`, `memory` and `compute`."""
    time, delta = jobs.duration + jobs.delta, jobs.delta
    capacity = np.array([jobs.gpu.compute_slices, jobs.gpu.memory_slices])
    volume = time[:, None] * slices(jobs.gpu)[jobs.profile]
    first = np.searchsorted(jobs.job, np.arange(len(jobs)))
    least = np.minimum.reduceat(volume, first)
    found = {"longest": int((np.maximum(jobs.release, delta) + jobs.least_times).max())}
    sums = [(r, least[jobs.release >= r].sum(axis=0)) for r in some_releases(jobs)]
    for i, name in enumerate(("compute", "memory")):
        found[name] = max(max(r - delta, 0) - int(-total[i] // capacity[i]) for r, total in sums)
    return found


def fractional(places: Places) -> int:
    """The bound `slices`, by one linear program per release."""
    release = places.jobs.release
    return max(
        max(r - places.jobs.delta, 0) + _least_load(places, release[places.job] >= r)
        for r in some_releases(places.jobs)
    )


def best(places: Places) -> int:
    """The largest of all bounds."""
    return max(*combinatorial(places.jobs).values(), fractional(places))


def _least_load(places: Places, kept: NDArray[np.bool_]) -> int:
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    jobs, job = np.unique(places.job[kept], return_inverse=True)
    n, count = len(job), places.jobs.gpu.memory_slices
    time = (places.duration[kept] + places.jobs.delta).astype(np.float64)
    load = csr_array((places.covers[kept] * time[:, None]).T)
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

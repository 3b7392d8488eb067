"""
Lower bounds on the number of GPUs for static workloads.

    memory, compute  ceil(sum of the needs of the workloads / slices of a GPU)
    profiles         max over sets S of profiles: ceil(workloads whose profiles are all in S /
                     the most instances of S that fit a GPU)

`profiles` sees, for example, that a GPU holds no two of 4g and 7g, and one media profile at most.
"""

from __future__ import annotations

import numpy as np

from rsjs.formulations.mig.mig_placement_data import PlacementModel


def all_bounds(data: PlacementModel) -> dict[str, int]:
    """Each bound by its name."""
    gpu, total = data.workloads.gpu, data.workloads.needs.sum(axis=0)
    found = {
        "compute": int(-(-total[0] // gpu.compute_slices)),
        "memory": int(-(-total[1] // gpu.memory_slices)),
    }
    inside = np.arange(1, 1 << len(gpu.profiles))[:, None] >> np.arange(len(gpu.profiles)) & 1
    admitted = np.zeros((len(data.members), len(gpu.profiles)), dtype=np.int64)
    admitted[tuple(data.choices.T)] = 1
    number = (admitted @ (1 - inside.T) == 0).T @ data.members
    most = (data.counts @ inside.T).max(axis=0)
    found["profiles"] = int((-(-number[number > 0] // most[number > 0])).max())
    return found


def best(data: PlacementModel) -> int:
    """The largest of all bounds."""
    return max(all_bounds(data).values())

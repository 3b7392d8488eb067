"""Idle GPUs given away, and the last moment for a job that has others than it wants."""

from __future__ import annotations

from math import inf

from rsjs.heuristics.compiled import compiled
from rsjs.heuristics.decision_tables import Floats, Ints
from rsjs.heuristics.kernels.rooms import Rooms


@compiled
def give_idle_gpus(
    rate: Floats, work: Floats, rooms: Rooms, node: Ints, gpu: Ints, count: Ints, shared: Ints
) -> None:
    """Change `count`, `shared` and `rooms`, see `sts_postprocessing.give_idle_gpus`."""
    for j in range(len(work)):
        if shared[j] >= 0 and rooms.gpu_jobs[shared[j]] == 1:
            count[j], shared[j] = 1, -1
    for n in range(len(rooms.idle)):
        while rooms.idle[n] > 0:
            best, most = -1, 0.0
            for j in range(len(work)):
                if node[j] != n or count[j] + 1 == rate.shape[2]:
                    continue
                more = rate[j, gpu[j], count[j] + 1]
                saving = (rate[j, gpu[j], count[j]] - more) * work[j]
                if more < inf and saving > most:
                    best, most = j, saving
            if best < 0:
                break
            rooms.idle[n] -= 1
            count[best] += 1
            own, shared[best] = shared[best], -1
            if own >= 0:
                rooms.gpu_jobs[own] -= 1
                if rooms.gpu_jobs[own] == 1:
                    for j in range(len(work)):
                        if shared[j] == own:
                            count[j], shared[j] = 1, -1


@compiled
def last_moment(rate: Floats, count: int, time: float, work: float) -> float:
    """`sts_changes._last_moment` of a job: `rate` (G + 1,) is inf below `count` GPUs."""
    fastest, own = rate.min(), rate[count]
    if own * work <= time or fastest * work > time:
        return inf
    return float((time - fastest * work) / (1.0 - fastest / own))

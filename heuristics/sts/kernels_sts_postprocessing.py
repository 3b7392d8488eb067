"""
Idle GPUs given away (Filippini et al. 2024, VI-C), and the last moment for a job that has others.

The idle GPUs of a node go one by one to that job on it which saves most time at w_max,
(a_k - a_(k+1)) (w_max - w), as long as one saves any: two more GPUs are not tried where one saves
nothing. A share becomes a GPU of its own; a job alone on a shared GPU gets all of it at once.
"""

from __future__ import annotations

from math import inf

from rsjs.heuristics.common.jit import compiled
from rsjs.heuristics.greedy.arrays import Floats, Ints
from rsjs.heuristics.sts.kernels_rooms import Rooms


@compiled
def give_idle_gpus(
    rate: Floats, work: Floats, rooms: Rooms, node: Ints, gpu: Ints, count: Ints, shared: Ints
) -> None:
    """
    Give idle GPUs away: change `count`, `shared` and `rooms`.

    Parameters
    ----------
    rate : (J, T, G + 1) float [h]
    work : (J,) float
        Epochs left at w_max.
    node, gpu, count, shared : (J,) int
        As in `sts.Decided`.
    """
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
    """
    Return the hours for which a job may go on with `count` GPUs before it needs the fastest.

    inf if it is late in any case, or in time as it is; `rate` (G + 1,) is inf below `count` GPUs.
    """
    fastest, own = rate.min(), rate[count]
    if own * work <= time or fastest * work > time:
        return inf
    return float((time - fastest * work) / (1.0 - fastest / own))

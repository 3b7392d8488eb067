"""
Jobs dealt to controllers when they are submitted, once and for all (Kiros 2020, 3.1.2).

The rules are those of `formulations.splitting`, over time: the circular order goes on from one
submission to the next, and the load of a controller is the demand of its jobs at hand. A job goes
to a controller one of whose nodes can run it: the next such one in circular order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.decomposition.partition import demand, runs_on
from rsjs.instances import costs
from rsjs.instances.instance import Instance


class Dealer:
    """
    Who decides on which job.

    Attributes
    ----------
    runs : (J, K) bool
        Whether some node of a controller can run a job of the workload.
    split : one of ORDERS
    """

    def __init__(self, whole: Instance, node: Ints, controllers: int, split: str) -> None:
        self.runs = runs_on(whole, node, controllers)
        cluster = whole.cluster
        size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, 0).max(axis=1)
        self._gpus = np.bincount(node, size[cluster.class_of_node], controllers)
        self.split = split

    def deal(self, new: Ints, part: Instance, dealt: int, load: Floats) -> Ints:
        """
        Controllers of jobs that have just been submitted.

        Parameters
        ----------
        new : (n,) int
            Positions in the workload.
        part : Instance
            Of these jobs.
        dealt : int
            Jobs dealt before.
        load : (K,) float
            Demand of each controller's jobs at hand; only of the split "demand".
        """
        owner = np.empty(len(new), dtype=np.int64)
        controllers, load = self.runs.shape[1], load.copy()
        order, wanted = ORDERS[self.split](part)
        for i, row in enumerate(order.tolist()):
            able = np.flatnonzero(self.runs[new[row]])
            if wanted is None:
                best = ((able - dealt - i) % controllers).argmin()
            else:
                best = ((load[able] + wanted[row]) / self._gpus[able]).argmin()
                load[able[best]] += wanted[row]
            owner[row] = able[best]
        return owner


def _as_submitted(part: Instance) -> tuple[Ints, None]:
    return np.arange(len(part.jobs)), None


def _by_pressure(part: Instance) -> tuple[Ints, None]:
    table = costs.cost_tables(part)
    shared = table.shared_hours.min(axis=(1, 2), initial=np.inf)
    fastest = np.minimum(table.hours.min(axis=(1, 2)), shared)
    return np.argsort(part.jobs.due - part.now - fastest, kind="stable"), None


def _by_demand(part: Instance) -> tuple[Ints, Floats]:
    wanted = demand(part)
    return np.argsort(-wanted, kind="stable"), wanted


ORDERS: dict[str, Callable[[Instance], tuple[Ints, Floats | None]]] = {
    "round_robin": _as_submitted,
    "pressure": _by_pressure,
    "demand": _by_demand,
}

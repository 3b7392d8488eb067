"""
Local search for RS-JS: take a job out and put it where it costs least, node costs exact.

A node costs price[GPUs in use] * (shortest time of its jobs), each job its tardiness, a postponed
job its P_j (`costs.terms` under "first_ending"). Rows are the nodes, then the node groups: to
insert a job at a node group opens an empty node of its class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from rsjs.core.types import Floats
from rsjs.formulations.rsjs.aggregated.columns import ColumnTypes, ModeCosts
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


class NodeLoads:
    """
    A solution that is changed job by job.

    Attributes
    ----------
    jobs : list of lists, by row
    node, mode : (J,) int
        Of each job; -1 = postponed.
    charge : (rows,) float [$]
        Price of the GPUs in use until the first job ends.
    """

    def __init__(self, instance: Instance, types: ColumnTypes, mode_costs: ModeCosts) -> None:
        cluster = instance.cluster
        self.instance, self.types, self.mode_costs = instance, types, mode_costs
        self.node = np.full(len(instance.jobs), -1)
        self.mode = np.full(len(instance.jobs), -1)
        rows = cluster.nodes + len(types.node_type)
        self.jobs: list[list[int]] = [[] for _ in range(rows)]
        self.charge = np.zeros(rows)
        self._least = np.full(rows, np.inf)
        self._type = np.concatenate([np.full(cluster.nodes, -1), types.node_type])
        self._empty = [
            np.flatnonzero(cluster.class_of_node == c).tolist()[::-1]
            for c in range(len(cluster.class_sizes))
        ]
        self._price = np.pad(cluster.cost_of_type, [(0, 0), (0, 1)], constant_values=np.inf)
        self._own = [np.flatnonzero(types.mode_gpu == i) for i in range(len(cluster.gpu_types))]
        width = max(map(len, self._own))
        late, hours = (np.full((len(self._own), width, len(self.node)), f) for f in (np.inf, 1.0))
        for i, own in enumerate(self._own):
            late[i, : len(own)] = mode_costs.tardiness[own]
            hours[i, : len(own)] = mode_costs.hours[own]
        hours[np.isinf(late)] = 1.0  # any number > 0: prices are inf where there is no room
        self._late, self._hours = late, hours
        self._after = np.full((rows, width), cluster.largest + 1)
        self._refresh_groups()

    def load(self, solution: Solution) -> NodeLoads:
        """Run the jobs of a feasible solution, each in the equivalent mode of the model."""
        types, cluster = self.types, self.instance.cluster
        for n in np.flatnonzero(solution.node_type >= 0).tolist():
            jobs = np.flatnonzero(solution.job_node == n)
            if not jobs.size:
                continue
            self._empty[cluster.class_of_node[n]].remove(n)
            self._type[n] = solution.node_type[n]
            own = self._own[self._gpu(n)]
            for j in jobs.tolist():
                same = (types.gpus[own] == solution.job_gpus[j]) & (
                    types.level[own] == solution.job_level[j]
                )
                self.node[j], self.mode[j] = n, self.mode_costs.stands[own[same][0], j]
            self.jobs[n] = jobs.tolist()
            self._refresh(n)
        self._refresh_groups()
        return self

    def insertions(self, j: int) -> Floats:
        """Return (rows, W) the cost of inserting a postponed job, by row and mode [$]."""
        gpu = self.instance.cluster.gpu_of_type[self._type]
        late, hours = self._late[:, :, j][gpu], self._hours[:, :, j][gpu]
        price = self._price[self._type[:, None], self._after]
        cost: Floats = late + price * np.minimum(self._least[:, None], hours)
        return cost - self.charge[:, None]

    def insert(self, j: int, row: int, which: int) -> None:
        """Run a postponed job in a mode of a row's GPUs."""
        if row >= self.instance.cluster.nodes:
            group = row - self.instance.cluster.nodes
            row = self._empty[self.types.node_class[group]].pop()
            self._type[row] = self.types.node_type[group]
            self._refresh_groups()
        self.jobs[row].append(j)
        self.node[j], self.mode[j] = row, self._own[self._gpu(row)][which]
        self._refresh(row)

    def remove(self, j: int) -> tuple[float, int, int]:
        """Postpone a running job: what that saves [$], and row and mode to insert it again."""
        n, mode = int(self.node[j]), int(self.mode[j])
        saved = float(self.charge[n] + self.mode_costs.tardiness[mode, j])
        which = int(np.searchsorted(self._own[self._gpu(n)], mode))
        row = n
        self.jobs[n].remove(j)
        self.node[j] = self.mode[j] = -1
        if not self.jobs[n]:
            types, k = self.types, self.instance.cluster.class_of_node[n]
            here = (types.node_class == k) & (types.node_type == self._type[n])
            row = self.instance.cluster.nodes + int(np.argmax(here))
            self._type[n] = -1
            self._empty[k].append(n)
            self._refresh_groups()
        self._refresh(n)
        return saved - float(self.charge[n]), row, which

    def solution(self) -> Solution:
        """Return the solution, completed as `open_nodes` asks."""
        runs = self.node >= 0
        gpus, level = np.zeros_like(self.node), np.full_like(self.node, -1)
        gpus[runs] = self.types.gpus[self.mode[runs]]
        level[runs] = self.types.level[self.mode[runs]]
        node_type = self._type[: self.instance.cluster.nodes]
        return select_required_nodes(self.instance, Solution.of(self.node, gpus, node_type, level))

    def _gpu(self, row: int) -> int:
        return int(self.instance.cluster.gpu_of_type[self._type[row]])

    def _refresh_groups(self) -> None:
        """Update the rows where the last empty node of a class was taken or given back."""
        for group, k in enumerate(self.types.node_class.tolist()):
            row = self.instance.cluster.nodes + group
            if bool(self._empty[k]) != (self._after[row, 0] <= self.instance.cluster.largest):
                self._refresh(row)

    def _refresh(self, row: int) -> None:
        """Recompute what a row costs and how many GPUs each further job would make it use."""
        types, cluster = self.types, self.instance.cluster
        none = cluster.largest + 1
        group = row - cluster.nodes
        if not self.jobs[row] and (group < 0 or not self._empty[types.node_class[group]]):
            self._least[row], self.charge[row], self._after[row] = np.inf, 0.0, none
            return
        jobs = self.jobs[row]
        modes = self.mode[jobs]
        units = tuple(sorted(types.units[modes][types.units[modes] > 0].tolist()))
        gpu, dedicated = self._gpu(row), int(types.gpus[modes].sum())
        whole = cluster.gpu_types[gpu].units
        if jobs:
            least = float(self.mode_costs.hours[modes, jobs].min())
            self._least[row] = least
            self.charge[row] = self._price[self._type[row], dedicated + _gpus(units, whole)] * least
        own = self._own[gpu]
        self._after[row, : len(own)] = [
            min(none, dedicated + k + _gpus((*units, u) if u else units, whole))
            for k, u in zip(types.gpus[own].tolist(), types.units[own].tolist(), strict=True)
        ]


@lru_cache(maxsize=100_000)
def _gpus(shares: tuple[int, ...], units: int) -> int:
    return gpus_for_shares(shares, units)


LEAST = 1e-9  # relative improvement that counts


def insert_postponed(loads: NodeLoads, *, open_nodes: bool, stop: Callable[[], bool]) -> bool:
    """
    Run postponed jobs, the most expensive first, where that costs less; whether some did.

    Without `open_nodes` no job is put on an empty node.
    """
    postponement = loads.mode_costs.postponement
    postponed = np.flatnonzero(loads.node < 0)
    improved = False
    for j in postponed[np.argsort(-postponement[postponed], kind="stable")].tolist():
        if stop():
            break
        improved |= _put(loads, j, float(postponement[j]), open_nodes)
    return improved


def improve(loads: NodeLoads, *, open_nodes: bool, stop: Callable[[], bool]) -> None:
    """
    Move single jobs until no move saves anything.

    Without `open_nodes` the nodes that run a job stay the same.
    """
    improved = True
    while improved and not stop():
        improved = insert_postponed(loads, open_nodes=open_nodes, stop=stop)
        for j in np.flatnonzero(loads.node >= 0).tolist():
            if stop():
                return
            if not open_nodes and len(loads.jobs[loads.node[j]]) == 1:
                continue
            saved, row, which = loads.remove(j)
            if _put(loads, j, saved, open_nodes):
                improved = True
            else:
                loads.insert(j, row, which)


def _put(loads: NodeLoads, j: int, below: float, open_nodes: bool) -> bool:
    """Insert a job where it costs least if that is less than `below`, or postpone it."""
    nodes = loads.instance.cluster.nodes
    cost = loads.insertions(j)
    if not open_nodes:
        cost = cost[:nodes]
    at = int(np.argmin(cost))
    row, which = divmod(at, cost.shape[1])
    least, postponed = float(cost.flat[at]), float(loads.mode_costs.postponement[j])
    limit = below - LEAST * max(1.0, abs(below))
    if min(least, postponed) >= limit:
        return False
    if least < postponed:
        loads.insert(j, row, which)
    return True

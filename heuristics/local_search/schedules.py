"""A schedule as arrays that kernels change in place; to and from a `Solution`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rsjs.heuristics.local_search.arrays import Floats, Ints, Tables
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import complete
from rsjs.instances.solution import Solution

RUNNING, WAITING, LATE, DEAR = range(4)  # in `Schedule.length`
COST, EVENT, PRICES, OVERDUE = range(4)  # in `Schedule.total`


class Schedule(NamedTuple):
    """
    The decision: node, column, kind and bins. Everything else follows from it by `refresh`.

    J jobs, N nodes, k the length of the lists of N1, N2 and N4 to N7.
    """

    node: Ints  # (J,) -1 = postponed
    column: Ints  # (J,) see descent_tables
    kind: Ints  # (N,) node type; -1 = off
    bins: Ints  # (N,) GPUs that shares take
    code: Ints  # (J,) of jobs that run
    begin: Ints  # (N + 1,) where the jobs of a node begin in `member`
    member: Ints  # (J,) jobs that run, node by node
    used: Ints  # (N,) GPUs in use
    rate: Floats  # (N,) $/h
    value: Floats  # (N,) $ that depend on the node alone
    first: Floats  # (N,) least hours of its jobs; inf = none
    second: Floats  # (N,) hours of the next one
    leader: Ints  # (N,) which job is the first
    earliest: Ints  # (3,) nodes with the least `first`; -1 = none
    running: Ints  # (J,) by pressure, the most pressing one first
    waiting: Ints  # (J,) likewise
    late: Ints  # (k,) jobs that run late, by cost of tardiness at completion, decreasing
    dear: Ints  # (k,) jobs that run in time, by their part of the node's cost, decreasing
    late_key: Floats  # (k,) what sorts them [$]
    dear_key: Floats  # (k,)
    length: Ints  # (4,) of these lists: RUNNING, WAITING, LATE, DEAR
    due: Floats  # (J,) slacks of running jobs, increasing
    weights: Floats  # (J + 1,) sum of their weights before each
    weighted: Floats  # (J + 1,) sum of weight times slack
    off: Ints  # (D,) nodes of each class that are off
    closed: Ints  # (D,) the first one of them; -1 = none
    total: Floats  # (4,) cost [$]; hours to the next event; $/h of all nodes; $ overdue then
    trial: Ints  # (J,) columns that a neighbour would have


def schedule(instance: Instance, tables: Tables, start: Solution, k: int) -> Schedule:
    """A feasible decision; its derived arrays are filled by `refresh`."""
    jobs, nodes = len(tables.weight), len(tables.node_class)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    shared = start.job_level >= 0
    bins = costs.shared_gpus(instance, start) if shared.any() else ints(nodes)
    column = np.where(shared, tables.largest + 1 + start.job_level, start.job_gpus)
    return Schedule(
        node=np.array(start.job_node),
        column=column,
        kind=np.array(start.node_type),
        bins=bins,
        code=ints(jobs),
        begin=ints(nodes + 1),
        member=ints(jobs),
        used=ints(nodes),
        rate=np.zeros(nodes),
        value=np.zeros(nodes),
        first=np.zeros(nodes),
        second=np.zeros(nodes),
        leader=ints(nodes),
        earliest=ints(3),
        running=ints(jobs),
        waiting=ints(jobs),
        late=ints(k),
        dear=ints(k),
        late_key=np.zeros(k),
        dear_key=np.zeros(k),
        length=ints(4),
        due=np.zeros(jobs),
        weights=np.zeros(jobs + 1),
        weighted=np.zeros(jobs + 1),
        off=ints(len(tables.fewest)),
        closed=ints(len(tables.fewest)),
        total=np.zeros(4),
        trial=ints(jobs),
    )


def solution(instance: Instance, tables: Tables, found: Schedule) -> Solution:
    """The decision, completed as `open_nodes` asks."""
    runs = found.node >= 0
    shared = runs & (found.column > tables.largest)
    gpus = np.where(runs & ~shared, found.column, 0)
    level = np.where(shared, found.column - tables.largest - 1, -1)
    return complete(instance, Solution.of(found.node, gpus, found.kind, level))


def without_empty_nodes(instance: Instance, start: Solution) -> Solution:
    """The same jobs on the same nodes, all others off but for those that `open_nodes` asks for."""
    busy = np.zeros(instance.cluster.nodes, dtype=bool)
    busy[start.job_node[start.job_node >= 0]] = True
    kind = np.where(busy, start.node_type, -1)
    return complete(instance, Solution.of(start.job_node, start.job_gpus, kind, start.job_level))

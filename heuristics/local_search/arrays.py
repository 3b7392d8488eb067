"""
Arrays of local search and path relinking: cost tables, and one solution that kernels change.

A column is what a job gets on a node: 1, ..., G dedicated GPUs, or G + 1 + l for share level l.
With the GPU type it is a mode, mode = type * (G + 1 + L) + column. What is minimised is the
objective of the instance: energy, tardiness, postponement, idle, changes (see
rsjs.instances.costs).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.dispatching import candidates
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes, select_required_nodes
from rsjs.instances.solution import Solution

PROPORTIONAL, FIRST_ENDING, NEXT_EVENT = range(3)
ENERGIES = {"proportional": PROPORTIONAL, "first_ending": FIRST_ENDING, "next_event": NEXT_EVENT}
AT_COMPLETION, AT_NEXT_EVENT = range(2)


class Tables(NamedTuple):
    """Cost tables: J jobs, A modes, V node types, N nodes, D node classes, G GPUs at most."""

    hours: Floats  # (J, A) to completion; inf = not admissible
    late: Floats  # (J, A) $ of tardiness at completion
    postponement: Floats  # (J,) P_j
    weight: Floats  # (J,)
    slack: Floats  # (J,) hours from now to the due date
    pressure: Floats  # (J,) hours
    by_pressure: Ints  # (J,) the most pressing job first
    by_due: Ints  # (J,)
    amount: Floats  # (A,) GPUs that a mode takes, a share as its part
    columns: int  # G + 1 + L
    largest: int  # G
    gpu: Ints  # (V,) GPU type
    size: Ints  # (V,) s_v
    price: Floats  # (V, G + 1) $/h by GPUs in use
    node_class: Ints  # (N,)
    allowed: Bools  # (D, V)
    fewest: Ints  # (D,) GPUs of the smallest type allowed
    spares: Ints  # (D,) classes in the order in which spare nodes are selected
    selected: int  # nodes that must be selected; 0 = any number
    mu: float
    energy: int
    tardiness: int
    only_late: bool  # the lists of the neighbourhoods as published
    charge: Floats  # (J,) $ of a job that does not stay where and how it ran; see `ChangeCosts`
    # home, home_kind, home_column: (J,) where and how it ran; -1 = it did not
    home: Ints
    home_kind: Ints
    home_column: Ints


def tables(instance: Instance, *, only_late: bool = True) -> Tables:
    """
    Return the tables of an instance.

    Parameters
    ----------
    only_late : bool
        Whether neighbourhoods look at tardy jobs only, as published; see local_search.py.
    """
    found, cluster, asked = costs.cost_tables(instance), instance.cluster, instance.objective
    changes, jobs = costs.change_costs(instance), len(instance.jobs)
    shared = changes.level >= 0
    hours = np.concatenate([found.hours, found.shared_hours], axis=2)
    late = np.concatenate([found.tardiness, found.shared_tardiness], axis=2)
    at_completion = asked.tardiness_at == "completion"
    fewest = np.where(cluster.allowed_in_class, cluster.gpus_of_type, cluster.largest + 1)
    return Tables(
        hours=_floats(hours.reshape(jobs, -1)),
        late=_floats(late.reshape(jobs, -1)),
        postponement=_floats(found.postponement),
        weight=_floats(instance.jobs.weight),
        slack=_floats(instance.jobs.due - instance.now),
        pressure=_floats(candidates.pressure(instance)),
        by_pressure=candidates.by_pressure(instance),
        by_due=np.argsort(instance.jobs.due, kind="stable"),
        amount=_amounts(instance),
        columns=hours.shape[2],
        largest=cluster.largest,
        gpu=np.array(cluster.gpu_of_type),
        size=np.array(cluster.gpus_of_type),
        price=_floats(cluster.cost_of_type),
        node_class=np.array(cluster.class_of_node),
        allowed=np.array(cluster.allowed_in_class),
        fewest=fewest.min(axis=1),
        spares=np.argsort(fewest.min(axis=1), kind="stable"),
        selected=required_nodes(instance) if asked.open_nodes == "jahani_eq" else 0,
        mu=float(asked.mu),
        energy=ENERGIES[asked.energy],
        tardiness=AT_COMPLETION if at_completion else AT_NEXT_EVENT,
        only_late=only_late,
        charge=_floats(changes.charge),
        home=np.array(changes.node),
        home_kind=np.array(changes.node_type),
        home_column=np.where(shared, cluster.largest + 1 + changes.level, changes.gpus),
    )


def _floats(values: ArrayLike) -> Floats:
    """Return a copy in C order, whatever was given: kernels are compiled once."""
    return np.array(values, dtype=np.float64, order="C")


def _amounts(instance: Instance) -> Floats:
    """Return (A,) the GPUs of each mode."""
    cluster, levels = instance.cluster, instance.jobs.inflation.shape[2]
    amount = np.zeros((len(cluster.gpu_types), cluster.largest + 1 + levels))
    amount[:, : cluster.largest + 1] = np.arange(cluster.largest + 1)
    for row, gpu in zip(amount, cluster.gpu_types, strict=True):
        for level, share in enumerate(gpu.levels):
            row[cluster.largest + 1 + level] = share.units / gpu.units
    return amount.reshape(-1)


RUNNING, WAITING, LATE, EXPENSIVE = range(4)  # in `SolutionArrays.length`
COST, EVENT, PRICES, OVERDUE = range(4)  # in `SolutionArrays.total`


class SolutionArrays(NamedTuple):
    """
    A solution: node, column, kind and bins. Everything else follows from it by `refresh`.

    J jobs, N nodes, k the length of the lists of N1, N2 and N4 to N7.
    """

    node: Ints  # (J,) -1 = postponed
    column: Ints  # (J,) dedicated GPUs, or largest + 1 + share level
    kind: Ints  # (N,) node type; -1 = off
    bins: Ints  # (N,) GPUs that shares take
    mode: Ints  # (J,) of jobs that run
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
    waiting: Ints  # (J,) by pressure, the most pressing one first
    late: Ints  # (k,) the most tardy jobs, by cost of tardiness at completion, decreasing
    expensive: (
        Ints  # (k,) the most expensive on-time jobs, by their part of the node's cost, decreasing
    )
    late_key: Floats  # (k,) what sorts them [$]
    expensive_key: Floats  # (k,)
    length: Ints  # (4,) of these lists: RUNNING, WAITING, LATE, EXPENSIVE
    due: Floats  # (J,) slacks of running jobs, increasing
    weights: Floats  # (J + 1,) sum of their weights before each
    weighted: Floats  # (J + 1,) sum of weight times slack
    off: Ints  # (D,) nodes of each class that are off
    closed: Ints  # (D,) the first one of them; -1 = none
    total: Floats  # (4,) cost [$]; hours to the next event; $/h of all nodes; $ overdue then
    trial: Ints  # (J,) columns that a neighbour would have


def solution_arrays(instance: Instance, tables: Tables, start: Solution, k: int) -> SolutionArrays:
    """Return the arrays of a feasible solution; derived ones are filled by `refresh`."""
    jobs, nodes = len(tables.weight), len(tables.node_class)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    shared = start.job_level >= 0
    bins = costs.shared_gpus(instance, start) if shared.any() else ints(nodes)
    column = np.where(shared, tables.largest + 1 + start.job_level, start.job_gpus)
    return SolutionArrays(
        node=np.array(start.job_node),
        column=column,
        kind=np.array(start.node_type),
        bins=bins,
        mode=ints(jobs),
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
        expensive=ints(k),
        late_key=np.zeros(k),
        expensive_key=np.zeros(k),
        length=ints(4),
        due=np.zeros(jobs),
        weights=np.zeros(jobs + 1),
        weighted=np.zeros(jobs + 1),
        off=ints(len(tables.fewest)),
        closed=ints(len(tables.fewest)),
        total=np.zeros(4),
        trial=ints(jobs),
    )


def to_solution(instance: Instance, tables: Tables, found: SolutionArrays) -> Solution:
    """Return the solution, completed as `open_nodes` asks."""
    runs = found.node >= 0
    shared = runs & (found.column > tables.largest)
    gpus = np.where(runs & ~shared, found.column, 0)
    level = np.where(shared, found.column - tables.largest - 1, -1)
    return select_required_nodes(instance, Solution.of(found.node, gpus, found.kind, level))


def without_empty_nodes(instance: Instance, start: Solution) -> Solution:
    """Return the solution without its empty nodes but for those that `open_nodes` asks for."""
    busy = np.zeros(instance.cluster.nodes, dtype=bool)
    busy[start.job_node[start.job_node >= 0]] = True
    kind = np.where(busy, start.node_type, -1)
    return select_required_nodes(
        instance, Solution.of(start.job_node, start.job_gpus, kind, start.job_level)
    )

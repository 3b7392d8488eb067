"""
Priced greedy: one pass of insertion at the prices of a Lagrangian dual, which prove a lower bound.

All nodes are empty; nodes that may take several types take them as often as the dual does. Each
node is opened by a leader, the other jobs are inserted by decreasing gain where their cost with
dual prices is min, then every node gives its jobs their best modes (`kernels_recreate` with
beta = 1). Where exactly R nodes must have a job, they are opened by a min-cost matching of jobs to
nodes. Ruin and recreate begins from this solution.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult
from rsjs.core.types import Ints
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.common.result import finished, no_decision
from rsjs.heuristics.ruin_recreate import dual_prices, kernels_node, kernels_recreate
from rsjs.heuristics.ruin_recreate.arrays import (
    EXACTLY,
    ModeTables,
    RuinState,
    empty_state,
    mode_tables,
    to_solution,
)
from rsjs.heuristics.ruin_recreate.dual_prices import DualPrices
from rsjs.heuristics.ruin_recreate.kernels_node import total_cost
from rsjs.heuristics.ruin_recreate.kernels_recreate import Guide
from rsjs.instances.instance import Instance

ANY_TYPE = 0.7  # of the draws of a type by the mix give every type an equal chance
NEVER = 1e30  # [$] of a job on a node on which it does not run


def guide_of(instance: Instance, problem: ModeTables, dual: DualPrices) -> Guide:
    """Return dual prices as kernels read them."""
    mix = np.take_along_axis(dual.mix, np.maximum(problem.types, 0), axis=1)
    mix = (1.0 - ANY_TYPE) * mix + ANY_TYPE / problem.type_count[:, None]
    leads = instance.objective.energy == "first_ending" or problem.rule[0] == EXACTLY
    return Guide(
        gpu=dual.gpu,
        gain=dual.gain,
        mix=np.cumsum(np.where(problem.types >= 0, mix, 0.0), axis=1),
        leads=np.array([leads]),
    )


def construct(instance: Instance, problem: ModeTables, dual: DualPrices) -> RuinState | None:
    """Return the state after one pass; None if `open_nodes` cannot be satisfied."""
    guide = guide_of(instance, problem, dual)
    kind, ran = _types(problem, dual), (problem.charge > 0) & (problem.home_kind >= 0)
    home, home_kind = problem.home[ran], problem.home_kind[ran]
    may = instance.cluster.allowed[home, home_kind]  # `current` may have any type
    kind[home[may]] = home_kind[may]
    state = empty_state(problem, kind)
    removed = kernels_recreate.removed_jobs(problem, state)
    space = kernels_node.layers(problem, state.jobs.shape[1] - 1)
    jobs, nodes = np.arange(len(problem.postponement)), np.arange(len(state.kind))
    if problem.rule[0] == EXACTLY:
        jobs, nodes = _match(problem, state)
        if len(nodes) < problem.rule[1]:
            return None
    removed.job[: len(jobs)], removed.node[: len(nodes)] = jobs, nodes
    removed.size[:] = len(jobs), len(nodes)
    random = first_states("xorshift", 0, 1, 1, 0)
    kernels_recreate.insert_all(problem, state, guide, space, removed, random)
    left = int(removed.size[0])
    state.waiting[:left] = removed.job[:left]
    state.size[0] = left
    state.empty[:] = np.bincount(problem.node_class[state.load == 0], minlength=len(state.empty))
    return state


def _types(problem: ModeTables, dual: DualPrices) -> Ints:
    """Return (N,) node types: those of a class in the mix of the dual, by largest remainders."""
    kind = np.empty(len(problem.node_class), dtype=np.int64)
    for c, share in enumerate(dual.mix):
        nodes = np.flatnonzero(problem.node_class == c)
        exact = share * len(nodes)
        number = np.floor(exact).astype(np.int64)
        rest = np.argsort(number - exact, kind="stable")[: len(nodes) - int(number.sum())]
        number[rest] += 1
        kind[nodes] = np.repeat(np.arange(len(share)), number)
    return kind


def _match(problem: ModeTables, state: RuinState) -> tuple[Ints, Ints]:
    """Open as many nodes as a matching allows; return the other jobs and these nodes."""
    from scipy.optimize import linear_sum_assignment

    kinds = np.arange(len(problem.size))
    price = problem.energy[kinds, problem.size]
    cost = problem.late + price[:, None, None] * problem.hours
    mode = cost.argmin(axis=2)  # (V, J)
    least = np.minimum(cost.min(axis=2), NEVER)
    by_type = np.where(problem.types[:, :, None] >= 0, least[problem.types], NEVER)  # (C, V, J)
    kind = np.take_along_axis(problem.types, by_type.argmin(axis=1), axis=1)  # (C, J)
    by_class = by_type.min(axis=1)[problem.node_class]  # (N, J)
    node, job = linear_sum_assignment(by_class - problem.postponement)
    runs = by_class[node, job] < NEVER
    node, job = node[runs], job[runs]
    state.kind[node] = kind[problem.node_class[node], job]
    state.jobs[node, 0], state.mode[node, 0] = job, mode[state.kind[node], job]
    state.load[node] = 1
    total_cost(problem, state)
    return np.setdiff1d(np.arange(len(problem.postponement)), job), node


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by priced greedy."""
    with report.phase("prices"):
        dual = dual_prices.find(instance)
        report.bound(dual.bound)
    with report.phase("solve"):
        problem = mode_tables(instance)
        state = construct(instance, problem, dual)
        if state is None:
            return no_decision(report)
        solution = to_solution(instance, problem, state)
    return finished(instance, solution, report, bound=dual.bound)


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load the kernels."""
    run(smallest(), Call(), Report())

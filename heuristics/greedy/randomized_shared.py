"""
RG on nodes of fixed types, with shares (Filippini et al. 2024, VII-A1, after Kiros 2020, 3.1.4).

Iteration 1 is `queue:greedy`. In all others a job of the queue is passed by the next one with
chance 0.45 if it is the heavier one of both, else 0.55, in one pass from the front; and its first
configuration is drawn from the first three in time (if there is none, of the late ones), with
chances inverse to what sorts them. One that is drawn and finds no room gives way to the first one
that does. The cheapest schedule counts, by the objective of the instance with the numbers of epochs
that the method assumes, shares on the GPUs where they were placed. `randomized_greedy` gives idle
GPUs away and knows no shares.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import at, compiled, inlined, smallest
from rsjs.heuristics.common.random_streams import States, draw_one
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.dispatching.queues import EPOCHS, JobModes
from rsjs.heuristics.greedy.arrays import NodeLevels, NodeTables, ObjectiveTables
from rsjs.heuristics.greedy.kernels_placement import (
    FreeCapacityArrays,
    all_free,
    close_all,
    first_level,
    has_share,
    most,
    place_share,
    place_tightly,
)
from rsjs.heuristics.greedy.randomized import Constructions, search, total_cost
from rsjs.heuristics.greedy.randomized_arrays import RandomChoices, prepared_modes
from rsjs.heuristics.greedy.rules import LISTED, SHARED_RULE, cluster_tables
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

CHUNK, JOBS_IN_CHUNK = 1000, 10**6  # iterations between two questions whether to stop
LANES = 8  # iterations whose queues are drawn side by side
DRAWS = 2.0**53  # random numbers are multiples of 1 / DRAWS


class SharedConstructions(Constructions):
    """The solutions of an instance with shared GPUs, by iteration."""

    def __init__(self, of: JobModes, seed: int) -> None:
        super().__init__(prepared_modes(of, seed), level=of.level)
        cluster = of.instance.cluster
        tables = cluster_tables(cluster, SHARED_RULE.greedy)
        self._closed = tables.all_closed
        self._free = all_free(cluster, tables, self._states[0])
        self._drawn = DrawnOrders(*np.zeros((2, len(of.instance.jobs), LANES), dtype=np.int64))

    def _iterate(self, thread: int, first: int, found: Floats) -> int:
        p = self._prepared
        tables = p.nodes, p.choices, p.objective, self._closed
        return iterate(*tables, self._free, self._drawn, first, p.streams(first, len(found)), found)


@compiled
def iterate(
    nodes: NodeTables,
    choices: RandomChoices,
    objective: ObjectiveTables,
    closed: NodeLevels,
    free: FreeCapacityArrays,
    drawn: DrawnOrders,
    first: int,
    streams: States,
    costs: Floats,
) -> int:
    """Fill `costs` from iteration `first` on; return how many jobs run in the last, in `free`."""
    running = 0
    for i in range(streams.shape[0]):
        lane = i % LANES
        if lane == 0:
            draw_orders(choices, objective, drawn, streams[i : i + LANES])
        if first + i == 1:
            keep_order(choices, drawn)
        close_all(closed, free)
        running, waiting = construct(nodes, choices, objective, free, drawn, lane)
        costs[i] = total_cost(nodes, objective, free.state, running, waiting)
    return running


class DrawnOrders(NamedTuple):
    """The randomized queues of some iterations, by position."""

    job: Ints  # (J, LANES)
    code: Ints  # (J, LANES) the configuration that is tried first


@inlined
def construct(
    nodes: NodeTables,
    choices: RandomChoices,
    objective: ObjectiveTables,
    free: FreeCapacityArrays,
    drawn: DrawnOrders,
    lane: int,
) -> tuple[int, float]:
    """Place jobs; return how many run, and the penalty [$] of those that wait."""
    penalty, state, levels = objective.postponement, free.state, free.levels
    last, ranks = choices.queue.shape[0] - 1, choices.candidate.shape[1]
    running, waiting = 0, 0.0
    for position in range(last + 1):
        job, code = drawn.job[at(position), at(lane)], drawn.code[at(position), at(lane)]
        kind, g = choices.kind[at(code)], choices.gpus[at(code)]
        level = first_level(levels, kind, g)
        # no room for the first mode: the first one that finds a node or a shared GPU
        if level < 0 and (g > 0 or not has_share(free, kind, choices.units[job, kind])):
            rank = ranks
            for other in range(levels.room.shape[0]):
                rank = min(rank, choices.rank[job, other, most(levels, other)])
                if has_share(free, other, choices.units[job, other]):
                    rank = min(rank, choices.share_rank[job, other])
            if rank == ranks:
                waiting += penalty[job]
                if is_full(choices, free):
                    for later in range(position + 1, last + 1):
                        waiting += penalty[drawn.job[later, lane]]
                    break
                continue
            code = choices.candidate[at(job), at(rank)]
            kind, g = choices.kind[at(code)], choices.gpus[at(code)]
            level = first_level(levels, kind, g)
        if g > 0:
            node = place_tightly(nodes, free, kind, g, level)
        else:
            units = choices.units[job, kind]
            node = free.divided.node[place_share(nodes, free, kind, units)]
        state.job[at(running)], state.node[at(running)], state.gpus[at(running)] = job, node, g
        running += 1
    return running, waiting


@compiled
def draw_orders(
    choices: RandomChoices, objective: ObjectiveTables, drawn: DrawnOrders, streams: States
) -> None:
    """
    Swap neighbours in the queue at random, and draw the first mode of each job.

    Each step depends on the one before; those of several iterations need not wait for one another.
    Chance decides, so branches would be guessed wrong half of the time: what is compared are
    integers, by the sign of a difference, as compilers make branches of comparisons.
    """
    queue, last = choices.queue, choices.queue.shape[0] - 1
    weight = (objective.weight + 0.0).view(np.int64)  # floats >= 0 sort as their bits do, but -0.0
    state, carried = np.ones(LANES, dtype=np.uint64), np.full(LANES, queue[0])
    state[: len(streams)] = streams
    swap, mode = np.empty(LANES), np.empty(LANES)
    if_heavier = np.int64(np.ceil(choices.swap_heavier * DRAWS))
    if_other = np.int64(np.ceil(choices.swap_other * DRAWS))
    for position in range(last + 1):
        if position < last:
            for lane in range(LANES):
                state[lane], swap[lane] = draw_one(False, state[lane])
        for lane in range(LANES):
            state[lane], mode[lane] = draw_one(False, state[lane])
        following = queue[at(min(position + 1, last))]
        for lane in range(LANES):
            job = carried[lane]
            if position < last:
                number = np.int64(swap[lane] * DRAWS)
                heavier = (weight[at(following)] - weight[at(job)]) >> 63
                passes, other = (number - if_heavier) >> 63, (number - if_other) >> 63
                difference = (job ^ following) & (other ^ ((other ^ passes) & heavier))
                job, carried[lane] = job ^ difference, following ^ difference
            # the mode that is tried first, from the cumulated chances of a list
            rank = 0
            for more in range(LISTED - 1):
                rank += int(mode[lane] >= choices.chance[at(job), at(more)])
            drawn.job[at(position), at(lane)] = job
            drawn.code[at(position), at(lane)] = choices.candidate[at(job), at(rank)]


@inlined
def keep_order(choices: RandomChoices, drawn: DrawnOrders) -> None:
    """Take the queue as it is, and the best mode of each job, in the first lane."""
    for position in range(choices.queue.shape[0]):
        job = choices.queue[position]
        drawn.job[position, 0], drawn.code[position, 0] = job, choices.candidate[job, 0]


@inlined
def is_full(choices: RandomChoices, free: FreeCapacityArrays) -> bool:
    """Return whether no mode of any job fits."""
    full = True
    for kind in range(free.levels.room.shape[0]):
        whole = free.levels.room[kind] >= choices.least[kind]
        full = full and not whole and free.divided.room[kind] == 0
    return full


def decide(
    instance: Instance, stop: Stopping, *, seed: int = 0, epochs: str = "worst_case"
) -> tuple[Solution, int]:
    """
    Return the solution of an instance, and the number of iterations.

    Parameters
    ----------
    stop : Stopping
        Asked after some schedules.
    seed : int
    epochs : one of queues.EPOCHS
        What a job is taken to have left.
    """
    solution, made = search_schedules(JobModes.of(instance, epochs), stop, seed)
    return select_required_nodes(instance, solution), made


def search_schedules(of: JobModes, stop: Stopping, seed: int) -> tuple[Solution, int]:
    """Return the cheapest schedule of these modes, and the number of iterations."""
    best: list[Solution] = []
    jobs = len(of.instance.jobs)
    chunk = min(CHUNK, max(1, JOBS_IN_CHUNK // jobs))
    charged = of.instance.objective.charges_changes
    # where they take long, one is soon made; `queue:greedy` counts where changes cost something
    first = 1 if charged or chunk < CHUNK else chunk
    made = search(SharedConstructions(of, seed), stop, chunk, best.append, first)
    return (min(best, key=partial(_cost, of.instance)) if charged else best[-1]), made


def _cost(instance: Instance, solution: Solution) -> float:
    """Return what a solution costs with the changes that it makes, which the search leaves out."""
    return costs.terms(instance, select_required_nodes(instance, solution)).total


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by RG on shared nodes."""
    most = call.options["iterations"]
    stop = Iterations(most or inf) | Reported(report)
    with report.phase("solve"):
        solution, made = decide(
            instance, stop, seed=call.limits.seed, epochs=call.options["epochs"]
        )
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    ended = Stop.ITERATIONS if made == most else early
    return finished(instance, solution, report, stop=ended, iterations=made)


def compile_kernels(*_: object) -> None:
    """Compile or load the kernels; the arguments are not used."""
    SharedConstructions(JobModes.of(smallest(), EPOCHS[0]), 0).costs(1, 1)

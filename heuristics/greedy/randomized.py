"""
Randomized greedy: greedy again and again, with chance in its choices; the best schedule counts.

Kiros 2020, 3.1.4 and Figure 3.3; ANDREAS 2021, Algorithm 1, MaxIt = 1000. Iteration 1 is greedy
itself. In all others, in one pass from the front of the queue, a job is passed by the next one
with a chance that depends on which of both has the larger tardiness weight; it may be passed by
several. There the rules differ, and in what follows:

code   the authors' program: 0.55 if the job is the heavier one, else 0.45. So heavier jobs wait a
       little more often, against the words of the papers. Nothing else is left to chance: its
       lists of candidates have one entry with fewer than 30 configurations.
paper  0.45 and 0.55: a heavier job rather keeps its place. The configuration is drawn from the
       first 3 candidates in time (if there is none, of the late ones), with chances inverse to
       what sorts them, t x price (late: t); the node from the 3 fullest open ones with idle GPUs
       enough, with chances inverse to their idle GPUs. A candidate that was drawn and finds no
       node gives way to the first one that does.

Each schedule is postprocessed and priced as greedy's is. Each iteration has a random stream of its
own, so that threads and order change nothing. It is priced as in `costs.terms`, on arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import inf

import numpy as np

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import at, compiled, inlined, inner, smallest
from rsjs.heuristics.common.random_streams import States, draw_one
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.greedy.arrays import (
    FIRST_ENDING,
    NEXT_EVENT,
    PROPORTIONAL,
    NodeTables,
    ObjectiveTables,
)
from rsjs.heuristics.greedy.greedy import postprocess
from rsjs.heuristics.greedy.kernels_placement import (
    GreedyState,
    clear,
    new_state,
    place,
    solution_of,
)
from rsjs.heuristics.greedy.randomized_arrays import RandomChoices, RandomizedTables, prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

CHUNK, CELLS = 1000, 10**8  # iterations between two questions whether to stop; x jobs x nodes


class Constructions:
    """
    The iterations on an instance, divided in equal parts to `threads` threads.

    Parameters
    ----------
    level : (J, T) int, optional
        Share level of each job by GPU type; needed if jobs have shares.
    """

    def __init__(
        self, prepared: RandomizedTables, threads: int = 1, level: Ints | None = None
    ) -> None:
        self._prepared, self._level = prepared, level
        size = len(prepared.choices.queue), prepared.choices.listed
        self._states = [new_state(prepared.nodes, *size) for _ in range(threads)]

    def costs(self, first: int, count: int) -> Floats:
        """Return the (count,) costs [$] of iterations first, first + 1, ..."""
        found, bounds = np.empty(count), np.linspace(0, count, len(self._states) + 1).astype(int)

        def part(i: int) -> None:
            begin, end = bounds[i], bounds[i + 1]
            self._iterate(i, first + int(begin), found[begin:end])

        if len(self._states) == 1:
            part(0)
        else:
            with ThreadPoolExecutor(len(self._states)) as pool:
                list(pool.map(part, range(len(self._states))))
        return found

    def schedule(self, iteration: int) -> Solution:
        """Return the solution of an iteration."""
        state, running = self._states[0], self._iterate(0, iteration, np.empty(1))
        return solution_of(self._prepared.nodes, state, running, self._level)

    def _iterate(self, thread: int, first: int, found: Floats) -> int:
        p, state = self._prepared, self._states[thread]
        streams = p.streams(first, len(found))
        return iterate(p.nodes, p.choices, p.objective, state, first, streams, found)


@inlined
def total_cost(
    nodes: NodeTables,
    objective: ObjectiveTables,
    state: GreedyState,
    running: int,
    postponement: float,
) -> float:
    """Return tardiness + postponement + energy + idle cost [$], summed in order of placement."""
    # jobs: tardiness at completion; energy in proportion, or the first end on each node
    energy, tardiness, first = 0.0, 0.0, inf
    best = state.best
    if objective.energy == FIRST_ENDING:
        best[:] = inf
    for r in range(running):
        j, n, g = state.job[at(r)], state.node[at(r)], state.gpus[at(r)]
        v = state.node_type[at(n)]
        gpu = nodes.gpu_of_type[at(v)]
        hours = objective.hours[at(j), at(gpu), at(g)]
        first = min(first, hours)
        if objective.energy == FIRST_ENDING:
            best[at(n)] = min(best[at(n)], hours)
        elif objective.energy == PROPORTIONAL:
            size = nodes.gpus_of_type[at(v)]
            price = nodes.cost_of_type[at(v), at(size - state.idle[at(n)])]
            energy += g / size * price * hours
        if objective.at_completion:
            tardiness += objective.tardiness[at(j), at(gpu), at(g)]
    if not objective.at_completion:
        end = objective.now + first
        for r in range(running):
            j = state.job[at(r)]
            late = end - objective.due[at(j)]
            if late > 0.0:
                tardiness += objective.weight[at(j)] * late
    # nodes: idle GPUs, and what a node costs until its first job or the next event ends
    idle_gpus = 0
    for n in range(state.idle.shape[0]):
        v = state.node_type[at(n)]
        if v >= 0:
            idle = state.idle[at(n)]
            idle_gpus += idle
            price = nodes.cost_of_type[at(v), at(nodes.gpus_of_type[at(v)] - idle)]
            if objective.energy == FIRST_ENDING:
                energy += price * best[at(n)]
            elif objective.energy == NEXT_EVENT:
                energy += price
    if objective.energy == NEXT_EVENT and running > 0:
        energy *= first
    if objective.selected > 0 and objective.mu > 0.0:
        idle_gpus += completed(nodes, state.node_type, objective.selected)
    return tardiness + postponement + energy + objective.mu * idle_gpus


@inlined
def completed(nodes: NodeTables, node_type: Ints, selected: int) -> int:
    """Return the GPUs of nodes without a job that are selected, as `select_required_nodes` does."""
    missing = selected
    for n in range(node_type.shape[0]):
        if node_type[n] >= 0:
            missing -= 1
    gpus = 0
    for i in range(nodes.spare.shape[0]):
        n = nodes.spare[i]
        if missing > 0 and node_type[n] < 0:
            gpus += nodes.fewest[nodes.class_of_node[n]]
            missing -= 1
    return gpus


@compiled
def iterate(
    nodes: NodeTables,
    choices: RandomChoices,
    objective: ObjectiveTables,
    state: GreedyState,
    first: int,
    streams: States,
    costs: Floats,
) -> int:
    """Fill `costs` from iteration `first` on; return how many jobs run in the last, in `state`."""
    running = 0
    for i in range(streams.shape[0]):
        running, waiting = construct(nodes, choices, objective, state, first + i > 1, streams[i])
        postprocess(nodes, objective.hours, state, running, choices.each_node)
        costs[i] = total_cost(nodes, objective, state, running, waiting)
    return running


@inner
def construct(
    nodes: NodeTables,
    choices: RandomChoices,
    objective: ObjectiveTables,
    state: GreedyState,
    randomised: bool,
    stream: int,
) -> tuple[int, float]:
    """Place jobs; return how many run, and the penalty [$] of those that wait."""
    clear(nodes, state)
    queue, weight, penalty = choices.queue, objective.weight, objective.postponement
    last, ranks = queue.shape[0] - 1, choices.candidate.shape[1]
    running, waiting, u = 0, 0.0, 0.0
    carried = queue[0]
    for position in range(last + 1):
        job = carried
        if position < last:
            carried = queue[position + 1]
            if randomised:
                # 3.1.4: a job may be passed by the next one
                stream, u = draw_one(choices.minstd, stream)
                heavier = weight[job] > weight[carried]
                if u < (choices.swap_heavier if heavier else choices.swap_other):
                    job, carried = carried, job
        # the candidate that is tried first, drawn from a list
        rank, u_node = 0, 0.0
        if choices.listed > 1 and randomised:
            stream, u = draw_one(choices.minstd, stream)
            stream, u_node = draw_one(choices.minstd, stream)
            while u >= choices.chance[job, rank]:
                rank += 1
        code = choices.candidate[job, rank]
        if choices.gpus[code] > state.room[choices.kind[code]]:
            # no room for it: the first candidate that finds a node
            rank = ranks
            for kind in range(state.room.shape[0]):
                rank = min(rank, choices.rank[job, kind, state.room[kind]])
            if rank == ranks:
                waiting += penalty[job]
                continue
            code = choices.candidate[job, rank]
        kind, g = choices.kind[code], choices.gpus[code]
        node = place(nodes, state, kind, g, u_node)
        state.job[running], state.node[running], state.gpus[running] = job, node, g
        running += 1
        if state.room[kind] < choices.least[kind] and is_full(choices, state):
            if position < last:
                waiting += penalty[carried]
                waiting += choices.later[position + 2]
            break
    return running, waiting


@inlined
def is_full(choices: RandomChoices, state: GreedyState) -> bool:
    """Return whether no mode of any job fits on a node."""
    full = True
    for kind in range(state.room.shape[0]):
        full = full and state.room[kind] < choices.least[kind]
    return full


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by the randomized greedy."""
    rule, most = RANDOMIZED_RULES[str(call.rule)], call.options["iterations"]
    if most < 0:
        raise ValueError(f"iterations={most}, must be >= 0")
    with report.phase("prepare"):
        tables = prepared(instance, rule, seed=call.limits.seed, stream=call.options["stream"])
        constructions = Constructions(tables, min(call.limits.threads, CHUNK))

    def better(decision: Solution) -> None:
        solution = select_required_nodes(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)

    with report.phase("solve"):
        chunk = max(1, min(CHUNK, CELLS // (len(instance.jobs) * instance.cluster.nodes)))
        limit = Iterations(most) if most else Stopping()
        # the first, greedy, alone: where they take long, and where changes cost, which only it pays
        first = 1 if chunk < CHUNK or instance.objective.charges_changes else chunk
        made = search(constructions, limit | Reported(report), chunk, better, first)
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(Stop.ITERATIONS if made == most else early, counts={"iterations": made})


def search(
    iterated: Constructions,
    stop: Stopping,
    chunk: int,
    better: Callable[[Solution], None],
    first: int,
) -> int:
    """
    Carry out iterations 1, 2, ... until `stop` says so; return how many were made.

    Parameters
    ----------
    chunk : int
        Iterations between two questions to `stop`, at most.
    first : int
        Those before the first question, at most.
    better : called with each schedule that costs less than those before
    """
    made, least = 0, float("inf")
    while True:
        count = int(min(chunk if made else first, stop.iterations_left))
        found = iterated.costs(made + 1, count)
        at = int(found.argmin())
        if made == 0 or found[at] < least:
            least = float(found[at])
            better(iterated.schedule(made + 1 + at))
        made += count
        if stop(count):
            return made


def compile_kernels(*_: object) -> None:
    """Compile or load the kernels of an iteration; the arguments are not used."""
    Constructions(prepared(smallest(), RANDOMIZED_RULES["paper"])).costs(1, 1)

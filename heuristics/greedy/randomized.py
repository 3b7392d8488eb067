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
own, so that threads and order change nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.greedy.kernels_placement import new_state, solution_of
from rsjs.heuristics.greedy.kernels_randomized import iterate
from rsjs.heuristics.greedy.randomized_arrays import RandomizedTables, prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

CHUNK, CELLS = 1000, 10**8  # iterations between two questions whether to stop; x jobs x nodes


class Iterated(Protocol):
    """What makes one schedule in each iteration and prices it."""

    def costs(self, first: int, count: int) -> Floats:
        """Return the (count,) costs [$] of iterations first, first + 1, ..."""

    def schedule(self, iteration: int) -> Solution:
        """Return the solution of an iteration."""


class Constructions:
    """The iterations of a decision, dealt out in equal parts to `threads` threads."""

    def __init__(self, prepared: RandomizedTables, threads: int = 1) -> None:
        self._prepared = prepared
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
        return solution_of(self._prepared.nodes, state, running)

    def _iterate(self, thread: int, first: int, found: Floats) -> int:
        p, state = self._prepared, self._states[thread]
        streams = p.streams(first, len(found))
        return iterate(p.nodes, p.choices, p.objective, state, first, streams, found)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by the randomized greedy."""
    assert call.rule is not None
    rule, most = RANDOMIZED_RULES[call.rule], call.options["iterations"]
    if most < 0:
        raise ValueError(f"iterations={most}, must be >= 0")
    with report.phase("prepare"):
        tables = prepared(instance, rule, seed=call.limits.seed, stream=call.options["stream"])
        constructions = Constructions(tables, call.limits.threads)

    def better(decision: Solution) -> None:
        solution = select_required_nodes(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)

    with report.phase("solve"):
        chunk = max(1, min(CHUNK, CELLS // (len(instance.jobs) * instance.cluster.nodes)))
        limit = Iterations(most) if most else Stopping()
        first = chunk if chunk == CHUNK else 1  # where they take long, one is soon reported
        made = search(constructions, limit | Reported(report), chunk, better, first)
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(Stop.ITERATIONS if made == most else early, counts={"iterations": made})


def search(
    iterated: Iterated, stop: Stopping, chunk: int, better: Callable[[Solution], None], first: int
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


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load the kernels."""
    compile_kernels()


def compile_kernels() -> None:
    """Compile or load the kernels of an iteration."""
    Constructions(prepared(smallest(), RANDOMIZED_RULES["paper"])).costs(1, 1)

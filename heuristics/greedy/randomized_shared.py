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

from math import inf

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.common.result import finished
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.dispatching.queues import EPOCHS, JobModes
from rsjs.heuristics.greedy.arrays import copied, undivided
from rsjs.heuristics.greedy.kernels_placement import new_state, solution_of
from rsjs.heuristics.greedy.kernels_shared import iterate
from rsjs.heuristics.greedy.randomized import search
from rsjs.heuristics.greedy.randomized_arrays import LISTED, DrawnOrder, listed, nodes_of, priced
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

CHUNK, JOBS_IN_CHUNK = 1000, 10**6  # iterations between two questions whether to stop


class SharedConstructions:
    """The schedules of a decision, by iteration."""

    def __init__(self, of: JobModes, seed: int) -> None:
        self._of, self._seed = of, seed
        cluster = of.instance.cluster
        tables = nodes_of(cluster)
        self._nodes, self._listed, self._objective = tables.nodes, listed(of), priced(of)
        self._state = new_state(self._nodes, len(of.instance.jobs), LISTED)
        self._closed = tables.all_closed
        self._levels, self._divided = copied(self._closed), undivided(cluster)
        self._drawn = DrawnOrder(*np.zeros((2, len(of.instance.jobs)), dtype=np.int64))

    def costs(self, first: int, count: int) -> Floats:
        """Return the (count,) costs [$] of iterations first, first + 1, ..."""
        found = np.empty(count)
        self._iterate(first, found)
        return found

    def schedule(self, iteration: int) -> Solution:
        """Return the solution of an iteration."""
        state, running = self._state, self._iterate(iteration, np.empty(1))
        return solution_of(self._nodes, state, running, self._of.level)

    def _iterate(self, first: int, found: Floats) -> int:
        streams = first_states("xorshift", self._seed, first, len(found), 0)
        tables = self._nodes, self._listed, self._objective, self._closed
        memory = self._levels, self._state, self._divided, self._drawn
        return iterate(*tables, *memory, first, streams, found)


def decide(
    instance: Instance, stop: Stopping, *, seed: int = 0, epochs: str = "worst_case"
) -> tuple[Solution, int]:
    """
    Return the solution of one decision, and the number of iterations.

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
    first = chunk if chunk == CHUNK else 1  # where they take long, one is soon reported
    made = search(SharedConstructions(of, seed), stop, chunk, best.append, first)
    return best[-1], made


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve an instance by RG on shared nodes."""
    most = call.options["iterations"]
    stop = Iterations(most or inf) | Reported(report)
    with report.phase("solve"):
        solution, made = decide(
            instance, stop, seed=call.limits.seed, epochs=call.options["epochs"]
        )
    ended = Stop.ITERATIONS if made == most else Stop.TIME_LIMIT
    return finished(instance, solution, report, stop=ended, iterations=made)


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load the kernels."""
    compile_kernels()


def compile_kernels() -> None:
    """Compile or load the kernels of a decision."""
    SharedConstructions(JobModes.of(smallest(), EPOCHS[0]), 0).costs(1, 1)

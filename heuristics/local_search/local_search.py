"""
Local search: best improvement over seven neighbourhoods, from several solutions.

Kiros 2020, 3.1.5. J_T are the k most tardy jobs: running jobs with the largest cost of tardiness at
their completion, decreasing; pressure is that of greedy (3.1).

    N1  swap node and mode of a job of J_T and one of the k most expensive on-time jobs
    N2  swap node and mode of a job of J_T and any running job
    N3  replace a running job by a postponed one with more pressure
    N4  change the GPU type of a node of J_T, with as many GPUs, if its jobs' times fall in sum
    N5  double the GPUs of a node of J_T and of each of its jobs
    N6  halve the GPUs of a node of J_T and of each of its jobs
    N7  redistribute the GPUs of a node of J_T among its jobs

Best improvement, as published: of all neighbours of all neighbourhoods the cheapest one is next; of
equals the first one counts. So each of `elite` solutions is improved, and the cheapest solution
found is the result: the warm start, or what the method `start` reports, filled up with the best
ones of the randomized greedy.

Beyond the thesis: jobs=all fills J_T up with the most expensive on-time jobs and lets N3 take any
pair; where no job is tardy all other lists are empty.

No solution is ever above capacity. The authors' program ends N1 and N2 at the first improvement,
improves one solution only, and in N7 gives each job any other number of GPUs whatever the node
has, so that its costs are not comparable.

Each move leaves the number of jobs on each node as it is, so any rule for `open_nodes` that holds
at the beginning holds at the end. Jobs on shares of GPUs exchange places like all others; N4 to N6
pass over nodes that have some, N7 leaves them their shares.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method, prepare_inner
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.common.initial_solutions import gathered
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.greedy import randomized
from rsjs.heuristics.local_search import kernels_costs, kernels_neighbourhoods, kernels_search
from rsjs.heuristics.local_search.arrays import SolutionArrays, solution_arrays, tables, to_solution
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

NEIGHBOURS = 100_000  # between two questions whether to stop, and what is finished


class Descent:
    """
    Descent in one instance, to solutions that no neighbour improves.

    Parameters
    ----------
    k : int
        Length of the lists of tardy and of expensive jobs.
    neighbourhoods : str
        Digits 1 to 7.
    only_late : bool
        Whether the neighbourhoods look at tardy jobs only, as published.
    better : called with each better solution found on the way and its cost [$]

    Attributes
    ----------
    moves, neighbours : int
        Made and looked at so far.
    """

    def __init__(
        self,
        instance: Instance,
        *,
        k: int = 10,
        neighbourhoods: str = "1234567",
        only_late: bool = True,
        better: Callable[[Solution, float], None] = lambda solution, cost: None,
    ) -> None:
        if unknown := set(neighbourhoods) - set("1234567"):
            raise ValueError(f"neighbourhoods={neighbourhoods}: {min(unknown)}, must be 1 to 7")
        self._instance, self._k, self._better = instance, k, better
        self._tables = tables(instance, only_late=only_late)
        self._chosen = np.array([digit in neighbourhoods for digit in "1234567"])
        self._move = kernels_neighbourhoods.no_move(len(instance.jobs))
        self._done = np.zeros(2, dtype=np.int64)

    @property
    def moves(self) -> int:
        """Return the number of moves made so far."""
        return int(self._done[kernels_search.MOVES])

    @property
    def neighbours(self) -> int:
        """Return the number of neighbours looked at so far."""
        return int(self._done[kernels_search.NEIGHBOURS])

    def improve(self, start: Solution, stop: Stopping) -> tuple[float, Solution]:
        """
        Descend from a solution until no neighbour improves it or `stop` says so.

        Returns
        -------
        The min cost [$] of the solutions seen, `start` among them, and that solution.
        """
        best = costs.terms(self._instance, start).total, start
        state = solution_arrays(self._instance, self._tables, start, self._k)
        kernels_costs.refresh(self._tables, state)
        while True:
            moves = self.moves
            converged = self._descend(state, min(stop.iterations_left, NEIGHBOURS))
            found = to_solution(self._instance, self._tables, state)
            cost = costs.terms(self._instance, found).total
            if cost < best[0]:
                best = cost, found
                self._better(found, cost)
            if stop(self.moves - moves) or converged:
                return best

    def _descend(self, state: SolutionArrays, most: float) -> bool:
        args = self._tables, state, self._move, self._chosen
        return kernels_search.descend(*args, int(most), NEIGHBOURS, self._done)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Improve the best solutions of another method by local search."""
    options = call.options
    with report.phase("build"):
        descent = Descent(
            instance,
            only_late=options["jobs"] == "late",
            better=report.incumbent,
        )
    starts, made_by = gathered(
        instance, call, report, options["elite"], fill=call.warm_start is None
    )
    if not starts:
        assert made_by is not None
        return made_by
    time_is_up = Reported(report)
    with report.phase("search"):
        for _, start in starts:
            if time_is_up():
                break
            rule = Iterations(options["iterations"] or inf) | time_is_up
            descent.improve(start, rule)
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(
        early if time_is_up() else Stop.ITERATIONS,
        counts={
            "iterations": descent.moves,
            "neighbours": descent.neighbours,
            "starts": len(starts),
        },
    )


def prepare(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels; prepare the method that the search begins from."""
    Descent(smallest()).improve(Solution.empty(1, 1), Iterations(1))
    randomized.compile_kernels()  # of the solutions that fill up those to begin from
    if call.warm_start is None:
        prepare_inner(method, call, jobs)

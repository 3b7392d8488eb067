"""
Local search: the best neighbour of seven neighbourhoods, until none improves the schedule.

Kiros 2020, 3.1.5. J_T are the k running jobs with the largest cost of tardiness at their
completion, decreasing; pressure is that of greedy (3.1).

    N1  J_T x the k dearest jobs in time: a pair on different nodes exchanges node and
        configuration                                                  kernels/job_neighbourhoods
    N2  J_T x all running jobs: likewise
    N3  postponed jobs x running ones with less pressure: one takes the place of the other
    N4  nodes of J_T: as many GPUs of another type, if the jobs' times fall in sum
    N5  nodes of J_T: twice the GPUs, twice as many for each job       kernels/node_neighbourhoods
    N6  nodes of J_T: half the GPUs, half as many for each job
    N7  nodes of J_T: other numbers of GPUs for their jobs             kernels/gpu_neighbourhood

Best-improving, as printed: of all neighbours of all neighbourhoods the one that costs least is
next; of equals the first one counts. So each of `elite` schedules is improved, and the cheapest
schedule found is the result: the warm start, or what the method `start` reports, filled up with
the best ones of the randomized greedy.

Beyond the thesis: jobs=all fills J_T up with the dearest jobs in time and lets N3 take any pair;
where no job is late all other lists are empty.

No schedule is ever above capacity. The authors' program ends N1 and N2 at the first improvement,
improves one schedule only, and in N7 gives each job any other number of GPUs whatever the node
has, so that its costs are not comparable.

Each move leaves the number of jobs on each node as it is, so any rule for `open_nodes` that holds
at the beginning holds at the end. Jobs on shares of GPUs exchange places like all others; N4 to N6
pass over nodes that have some, N7 leaves them their shares.

Descent from a schedule to one that no neighbour improves; see local_search.py.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from rsjs.core.method import Call, Method, Report, SolveResult, Stop, prepare_inner
from rsjs.heuristics.common.initial_solutions import gathered
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.greedy import randomized
from rsjs.heuristics.local_search import kernels_costs, kernels_neighbourhoods, kernels_search
from rsjs.heuristics.local_search.arrays import Schedule, schedule, solution, tables
from rsjs.heuristics.local_search.methods import LOCAL_SEARCH, options_of
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution

NEIGHBOURS = 100_000  # between two questions whether to stop, and what is finished


class Descent:
    """
    The descent for one instance.

    Parameters
    ----------
    k : int
        Length of the lists of late and of dear jobs.
    neighbourhoods : str
        Digits 1 to 7.
    only_late : bool
        Whether the neighbourhoods look at late jobs only, as printed.
    better : called with each schedule found on the way and its cost [$]

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
        return int(self._done[kernels_search.MOVES])

    @property
    def neighbours(self) -> int:
        return int(self._done[kernels_search.NEIGHBOURS])

    def improve(self, start: Solution, stop: Stopping) -> tuple[float, Solution]:
        """
        Descend from a schedule until no neighbour improves it or `stop` says so.

        Returns
        -------
        The least cost [$] of the schedules seen, `start` among them, and that schedule.
        """
        best = costs.terms(self._instance, start).total, start
        state = schedule(self._instance, self._tables, start, self._k)
        kernels_costs.refresh(self._tables, state)
        while True:
            moves, neighbours = self.moves, self.neighbours
            converged = self._descend(state, min(stop.iterations_left, NEIGHBOURS))
            found = solution(self._instance, self._tables, state)
            cost = costs.terms(self._instance, found).total
            if cost < best[0]:
                best = cost, found
                self._better(found, cost)
            made, seen = self.moves - moves, self.neighbours - neighbours
            if stop(best[0], iterations=made, evaluations=seen) or converged:
                return best

    def _descend(self, state: Schedule, most: float) -> bool:
        args = self._tables, state, self._move, self._chosen
        return kernels_search.descend(*args, int(most), NEIGHBOURS, self._done)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Local search as a method."""
    options = options_of(LOCAL_SEARCH, call)
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
    best, time_is_up = starts[0][0], Reported(report)
    with report.phase("search"):
        for _, start in starts:
            if time_is_up(best):
                break
            rule = Iterations(options["iterations"] or inf) | time_is_up
            best = min(best, descent.improve(start, rule)[0])
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(
        early if time_is_up(best) else Stop.ITERATIONS,
        counts={
            "iterations": descent.moves,
            "neighbours": descent.neighbours,
            "starts": len(starts),
        },
    )


def prepare(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels; prepare the method that the search begins from."""
    Descent(smallest()).improve(Solution.empty(1, 1), Iterations(1))
    randomized.compile_kernels()  # of the schedules that fill up those to begin from
    if call.warm_start is None:
        prepare_inner(method, call, jobs)

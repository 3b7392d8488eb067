"""
Path relinking: paths between the solutions of an elite pool.

    1. The best solutions of another method, each improved by local search, make an elite pool.
    2. The distance of two solutions is the number of jobs with different modes (GPU type and
       GPUs), postponement counting as a mode. Of solutions that differ in less than 1 job in 50
       the pool keeps the best.
    3. From each solution of the pool towards each other one (the guide), that is in both
       directions: step by step one job gets the mode that it has in the guide, or is postponed as
       there; of all jobs and nodes with room the cheapest step (`kernels_search.make_step`). The
       path ends after half of the distance (truncated), or where no step is possible.
    4. The cheapest solution of the path is improved by local search and offered to the pool.
    5. Until all pairs are linked, new ones too.

Every solution on a path is feasible, and the cheapest one of all is the result.

Glover, Laguna and Marti 2000; truncated: Resende and Ribeiro 2005. Kiros 2020 has no path
relinking. The authors' program is meant to link its best solution to the others, one way, as far
as the number of nodes, by the gain; but it keeps one solution only, which it links with itself.

The number of open nodes changes on a path; idle ones are selected afterwards where that is asked
for ("jahani_eq"). Jobs on shares of GPUs are not moved by steps, but by local search.
"""

from __future__ import annotations

from itertools import permutations
from math import ceil, inf

import numpy as np

from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Ints
from rsjs.heuristics.common.initial_solutions import Found, gathered
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.local_search import kernels_costs, kernels_search, local_search
from rsjs.heuristics.local_search.arrays import solution_arrays, tables, to_solution
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def modes(instance: Instance, solution: Solution) -> Ints:
    """
    Return (J,) the mode of each job, see `local_search.arrays`; -1 = postponed.

    The node does not count, nor its size: nodes of a class are interchangeable.
    """
    cluster = instance.cluster
    columns = cluster.largest + 1 + instance.jobs.inflation.shape[2]
    runs, shared = solution.job_node >= 0, solution.job_level >= 0
    column = np.where(shared, cluster.largest + 1 + solution.job_level, solution.job_gpus)
    gpu = cluster.gpu_of_type[solution.node_type[solution.job_node]]
    mode: Ints = np.where(runs, gpu * columns + column, -1)
    return mode


class EliteSolution:
    """A solution of the pool: its cost [$], its modes, and its number."""

    def __init__(self, found: Found, mode: Ints, number: int) -> None:
        self.cost, self.solution = found
        self.mode, self.number = mode, number

    def distance(self, mode: Ints) -> int:
        """Return the number of jobs with another mode."""
        return int(np.count_nonzero(self.mode != mode))


class ElitePool:
    """
    The elite pool: at most `size` solutions, the best one first.

    A solution gets in if it is better than all that differ from it in fewer than `least` jobs,
    which it replaces; of too many the worst one goes.
    """

    def __init__(self, instance: Instance, size: int, least: int) -> None:
        self._instance, self._size, self._least = instance, size, least
        self._numbers = 0
        self.members: list[EliteSolution] = []

    def add(self, found: Found) -> bool:
        """Offer a solution; return whether it was added."""
        mode = modes(self._instance, found[1])
        near = [member for member in self.members if member.distance(mode) < self._least]
        if any(member.cost <= found[0] for member in near):
            return False
        self._numbers += 1
        new = EliteSolution(found, mode, self._numbers)
        kept = [member for member in self.members if member not in near] + [new]
        self.members = sorted(kept, key=lambda member: (member.cost, member.number))[: self._size]
        return new in self.members


class Relinking:
    """
    Paths in one instance.

    Attributes
    ----------
    steps : int
        Made so far.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance, self._tables = instance, tables(instance)
        self._step = kernels_search.no_step()
        self.steps = 0

    def path(self, start: Solution, guide: Ints, most: int, stop: Stopping) -> Found | None:
        """
        Return the cheapest solution on the way, the start left out.

        Parameters
        ----------
        guide : (J,) modes as in `modes`
        most : int
            Max number of steps.
        stop : asked after each step

        Returns
        -------
        Cost [$] and solution; None if no step is possible.
        """
        state = solution_arrays(self._instance, self._tables, start, 1)
        kernels_costs.refresh(self._tables, state)
        least, best = inf, None
        for _ in range(most):
            if not kernels_search.make_step(self._tables, state, guide, self._step):
                break
            cost = kernels_costs.refresh(self._tables, state)
            self.steps += 1
            if cost < least:
                least = cost
                best = state.node.copy(), state.column.copy(), state.kind.copy()
            if stop(0):
                break
        if best is None:
            return None
        node, column, kind = best
        cheapest = state._replace(node=node, column=column, kind=kind)
        found = to_solution(self._instance, self._tables, cheapest)
        return costs.terms(self._instance, found).total, found


PATH = 0.5  # part of the distance that a path follows
ALIKE = 50  # solutions that differ in fewer than 1 job of so many are alike


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Link the best solutions of another method by path relinking."""
    options = call.options
    with report.phase("build"):
        descent = Descent(instance, only_late=False, better=report.incumbent)
        relinking = Relinking(instance)
    starts, made_by = gathered(instance, call, report, options["elite"], fill=True)
    if not starts:
        assert made_by is not None
        return made_by
    time_is_up = Reported(report)
    rule = Iterations(options["iterations"] or inf) | time_is_up
    with report.phase("search"):
        pool = ElitePool(instance, options["elite"], 1 + len(instance.jobs) // ALIKE)
        for start in starts:
            pool.add(descent.improve(start[1], time_is_up))
        made = link_pairs(descent, relinking, pool, report, rule, time_is_up)
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(
        early if time_is_up() else Stop.ITERATIONS,
        counts={"iterations": made, "steps": relinking.steps, "starts": len(starts)},
    )


def prepare(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels; prepare the method that the search begins from."""
    local_search.prepare(method, call, jobs)
    nothing = Solution.empty(1, 1)
    Relinking(smallest()).path(nothing, modes(smallest(), nothing), 1, Stopping())


def link_pairs(
    descent: Descent,
    relinking: Relinking,
    pool: ElitePool,
    report: Report,
    rule: Stopping,
    time_is_up: Stopping,
) -> int:
    """Link pairs of the pool until none is left or `rule` says so; return how many were linked."""
    linked: set[tuple[int, int]] = set()
    while True:
        # the best pair that is not linked yet
        pairs = permutations(pool.members, 2)
        pair = next((p for p in pairs if (p[0].number, p[1].number) not in linked), None)
        if pair is None or rule(int(bool(linked))):
            return len(linked)
        start, guide = pair
        linked.add((start.number, guide.number))
        steps = ceil(PATH * start.distance(guide.mode))
        found = relinking.path(start.solution, guide.mode, steps, time_is_up)
        # the cheapest solution of the path, improved by local search
        if found is not None:
            report.incumbent(found[1], found[0])
            pool.add(descent.improve(found[1], time_is_up))

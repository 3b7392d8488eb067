"""
Path relinking: what lies between good schedules.

    1. The best schedules of another method, each improved by local search, make an elite pool.
    2. The distance of two schedules is the number of jobs with different configurations (GPU type
       and GPUs), one that is postponed counting as another one. Of schedules that differ in less
       than 1 job in 50 the pool keeps the best.
    3. From each schedule of the pool towards each other one, that is in both directions: step by
       step one job gets the configuration that it has in the guide, or is postponed as there; of
       all jobs and nodes with room the step that costs least (kernels/relinking). The path ends
       after half of the distance (truncated), or where no step is possible.
    4. The cheapest schedule of the path is improved by local search and offered to the pool.
    5. Until all pairs are linked, new ones too.

Every schedule on a path is feasible, and the cheapest one of all is the result.

Glover, Laguna and Marti 2000; truncated: Resende and Ribeiro 2005. Kiros 2020 has no path
relinking. The authors' program is meant to link its best schedule to the others, one way, as far
as the number of nodes, by the gain; but it keeps one schedule only, which it links with itself.

The number of open nodes changes on a path; idle ones are selected afterwards where that is asked
for ("jahani_eq"). Jobs on shares of GPUs are not moved by steps, but by local search.
"""

from __future__ import annotations

from math import ceil, inf

from rsjs.heuristics.common.initial_solutions import Found, gathered
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.stopping import Iterations, Reported, Stopping
from rsjs.heuristics.local_search import local_search
from rsjs.heuristics.local_search.descent import Descent
from rsjs.heuristics.local_search.elite_pool import Elite, Pool, configurations
from rsjs.heuristics.local_search.methods import PATH_RELINKING, options_of
from rsjs.heuristics.local_search.relinking import Relinking
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.solution import Solution, SolveResult, Stop

PATH = 0.5  # part of the distance that a path follows
ALIKE = 50  # schedules that differ in fewer than 1 job of so many are alike


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Path relinking as a method."""
    options = options_of(PATH_RELINKING, call)
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
        pool = Pool(instance, options["elite"], 1 + len(instance.jobs) // ALIKE)
        for start in starts:
            pool.add(descent.improve(start[1], time_is_up))
        search = Search(descent, relinking, pool, report)
        made = search.link_all(rule, time_is_up)
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(
        early if time_is_up(pool.members[0].cost) else Stop.ITERATIONS,
        counts={"iterations": made, "steps": relinking.steps, "starts": len(starts)},
    )


def prepare(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels; prepare the method that the search begins from."""
    local_search.prepare(method, call, jobs)
    nothing = Solution.empty(1, 1)
    Relinking(smallest()).path(nothing, configurations(smallest(), nothing), 1, Stopping())


class Search:
    """
    The links between the schedules of a pool.

    Parameters
    ----------
    descent : what improves the cheapest schedule of a path
    """

    def __init__(self, descent: Descent, relinking: Relinking, pool: Pool, report: Report) -> None:
        self._descent, self._relinking = descent, relinking
        self._pool, self._report = pool, report
        self._linked: set[tuple[int, int]] = set()

    def link_all(self, rule: Stopping, time_is_up: Stopping) -> int:
        """Link pairs until none is left or `rule` says so; how many were linked."""
        made = 0
        while pair := self._next():
            if rule(self._pool.members[0].cost, iterations=int(made > 0)):
                break
            found = self._link(*pair, time_is_up)
            made += 1
            if found is not None:
                self._pool.add(found)
        return made

    def _next(self) -> tuple[Elite, Elite] | None:
        """The best schedule with the best one that it is not linked to yet."""
        members = self._pool.members
        pairs = ((a, b) for a in members for b in members if a is not b)
        pair = next((p for p in pairs if (p[0].number, p[1].number) not in self._linked), None)
        if pair is not None:
            self._linked.add((pair[0].number, pair[1].number))
        return pair

    def _link(self, start: Elite, guide: Elite, stop: Stopping) -> Found | None:
        """The cheapest schedule of a path, improved."""
        steps = ceil(PATH * start.distance(guide.code))
        found = self._relinking.path(start.solution, guide.code, steps, stop)
        if found is None:
            return None
        self._report.incumbent(found[1], found[0])
        return self._descent.improve(found[1], stop)

"""
Ruin and recreate, guided by dual prices: near-optimal solutions and a bound, without any solver.

1. Prices of GPUs and nodes from a Lagrangian dual (`dual_prices`), which also give the lower bound.
2. A first solution by priced greedy (`construction`), or the warm start, which goes on with 4.
3. Descent with large moves, 6 N each with up to 12 and 8 postponed jobs.
4. Simulated annealing: empty a few nodes (1 to 4; 1 or 2 where energy is proportional), take one
   job off up to 3 others, add up to 3 postponed ones; open nodes by a leader each, insert the
   others where their cost with dual prices is min, give each touched node the best modes of its
   jobs by dynamic programming (`kernels_annealing`). The temperature falls geometrically from 0.15
   to 0.0005 typical prices of a GPU.

Large neighbourhood search by ruin and recreate: Schrimpf et al. 2000; blinks: Christiaens and
Vanden Berghe 2020.

`iterations` is the length of the annealing; 0 = go on until the time is up. It cools by its moves
or by the clock, whichever is further: where the moves stay ahead of the clock, the result depends
on the seed alone. It also ends at the gap asked for, against its own bound.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.call import Call, Limits
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.common.random_streams import first_states
from rsjs.heuristics.common.result import finished, no_decision
from rsjs.heuristics.ruin_recreate import (
    dual_prices,
    kernels_annealing,
    kernels_node,
    kernels_recreate,
)
from rsjs.heuristics.ruin_recreate.arrays import (
    ModeTables,
    RuinState,
    from_solution,
    mode_tables,
    to_solution,
)
from rsjs.heuristics.ruin_recreate.construction import construct, guide_of
from rsjs.heuristics.ruin_recreate.dual_prices import DualPrices
from rsjs.heuristics.ruin_recreate.kernels_node import total_cost
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

CHUNK = 50  # moves at one temperature, between two looks at the clock
BETWEEN_REPORTS = 0.05  # seconds; to write a solution out takes as long as a few hundred moves
HOT, COLD = 0.15, 0.0005  # temperature in typical prices of a GPU
DESCENT, WAITING = 6, (12, 8)  # moves per node, most postponed jobs of a move
NODES, NODES_LED, FEW = 2, 4, 3  # most nodes of a move, where leaders open them; postponed jobs


class Annealer:
    """The annealing of one run: current state and incumbent."""

    def __init__(
        self, instance: Instance, problem: ModeTables, dual: DualPrices, start: RuinState, seed: int
    ):
        self.instance, self.problem, self.state = instance, problem, start
        self.guide = guide_of(instance, problem, dual)
        most = start.jobs.shape[1] - 1
        self.space = kernels_node.layers(problem, most)
        self.removed = kernels_recreate.removed_jobs(problem, start)
        self.memory = kernels_annealing.undo(start, max(NODES_LED + 4, max(WAITING) + 1))
        self.random = first_states("xorshift", seed, 1, 1, 0)
        cost = total_cost(problem, start)
        self.best = kernels_annealing.best_of(start, cost)

    def moves(self, count: int, temperature: float, nodes: int, waiting: int) -> None:
        """Make some moves at one temperature."""
        kernels_annealing.anneal(
            self.problem,
            self.state,
            self.guide,
            self.space,
            self.removed,
            self.memory,
            self.best,
            temperature,
            nodes,
            waiting,
            count,
            self.random,
        )

    @property
    def cost(self) -> float:
        """Return the cost of the incumbent [$]."""
        return float(self.best.cost[0])

    def solution(self) -> Solution:
        """Return the incumbent."""
        best = self.best
        state = self.state._replace(kind=best.kind, load=best.load, jobs=best.jobs, mode=best.mode)
        return to_solution(self.instance, self.problem, state)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Search from the solution of priced greedy or from a warm start."""
    limits, iterations = call.limits, int(call.options["iterations"])
    with report.phase("prices"):
        dual = dual_prices.find(instance)
        report.bound(dual.bound)
    with report.phase("construct"):
        problem = mode_tables(instance)
        if call.warm_start is not None:
            offered = select_required_nodes(instance, call.warm_start)
            report.incumbent(offered, costs.terms(instance, offered).total)
            start: RuinState | None = from_solution(instance, problem, offered)
        else:
            start = construct(instance, problem, dual)
        if start is None:
            return no_decision(report)
        search = Annealer(instance, problem, dual, start, limits.seed)
    with report.phase("search"):
        stop, made = _search(search, iterations, dual, call, report)
        solution = search.solution()
    return finished(instance, solution, report, stop=stop, iterations=made, bound=dual.bound)


def _search(
    search: Annealer, iterations: int, dual: DualPrices, call: Call, report: Report
) -> tuple[Stop, int]:
    """Descend, then cool down until the moves are made, the time is up or the gap is reached."""
    begin, reported, next_report, made = report.elapsed(), np.inf, 0.0, 0
    total = report.time_limit - begin
    nodes = NODES_LED if search.guide.leads[0] else NODES
    descent = DESCENT * search.instance.cluster.nodes if call.warm_start is None else 0
    while True:
        if search.cost < reported and report.elapsed() >= next_report:
            reported, solution = search.cost, search.solution()
            report.incumbent(solution, costs.terms(search.instance, solution).total)
            next_report = report.elapsed() + BETWEEN_REPORTS
        if search.cost - dual.bound <= call.limits.gap * abs(search.cost):
            return Stop.GAP, made
        if report.stop_requested():
            return Stop.INTERRUPTED, made
        share = (report.elapsed() - begin) / total if total > 0 else 1.0
        if share >= 1.0:
            return Stop.TIME_LIMIT, made
        if iterations:
            share = max(share, made / iterations)
            if made >= iterations:
                return Stop.ITERATIONS, made
        count = min(CHUNK, iterations - made) if iterations else CHUNK
        if made < 2 * descent:
            count = min(count, descent - made % descent)
            search.moves(count, 0.0, NODES, WAITING[made // descent])
        else:
            cooled = dual.scale * HOT * (COLD / HOT) ** share
            search.moves(count, cooled, nodes, FEW)
        made += count


def prepare(_method: Method, _call: Call, _jobs: int) -> None:
    """Compile or load every kernel."""
    run(smallest(), Call(options={"iterations": 1}, limits=Limits(gap=-1.0)), Report())

"""
Schedules in hindsight: near-optimal ones of a workload whose epochs are known, and replayed.

`offline_schedule` knows W_j of all jobs, also of those to come. It is no policy that could be run
on a cluster: it tells how much of the distance between a policy and the bound a schedule can close.
The search is that of `heuristics.hindsight.schedule`, at the prices of the workload bound. It takes
GPUs by the intervals between two changes; each interval is then packed onto nodes, where jobs stay
if they can.

A schedule costs what the simulator says: it is replayed by a policy that follows it, under the same
checks as any other. It must cost what the search says it does, and not less than the bound; an
error tells both numbers otherwise. Its document is the log of the replay, which `rsjs simulate
--replay` and the verifier simulate again.

Start-up delays and repeated epochs are refused: a schedule that does not know of them is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rsjs.core.errors import InputError, described, integer
from rsjs.core.types import Floats, Ints
from rsjs.instances.generators import sts
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation import accounting, event_log
from rsjs.simulation.bounds import WorkloadBound, hindsight, modes, workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import TIE, Choice, Policy, Status, Stopped
from rsjs.simulation.state import State

if TYPE_CHECKING:
    from rsjs.heuristics.hindsight.packing import NodeMoves
    from rsjs.heuristics.hindsight.schedule import Timetable

ITERATIONS = 10_000
SAME = 1e-8  # relative: a bound and what its prices give
EQUAL = 1e-9  # relative: own account and replay, and what a bound may be above a cost
#: relative, added to the epochs that are planned: by rounding a job could end after its interval,
#: for which all others would stay as they are, and their ends would move in turn
EARLY = 1e-11
NAME = "offline"


@dataclass(frozen=True, kw_only=True, eq=False)
class OfflineSchedule:
    """A schedule in hindsight, and the bound that it was made with."""

    cost: float  # $, of the replay
    bound: float  # $
    iterations: int  # of ruin and recreate
    outcome: Outcome  # of the replay

    @property
    def gap(self) -> float:
        """Cost over bound - 1."""
        return self.cost / self.bound - 1 if self.bound > 0 else 0.0 if self.cost <= 0 else inf

    def write(self, path: str | Path) -> None:
        """Write the log of the replay; a `.gz` name compresses."""
        event_log.write(self.outcome, path)


class Plan(NamedTuple):
    """What runs where: M intervals, the last one open and empty."""

    cost: float  # $
    time: Floats  # (M,) h, begin of each
    node: Ints  # (M, J) node of each job; -1 = it does not run
    gpus: Ints  # (M, J) dedicated GPUs
    level: Ints  # (M, J) share level; -1 = none
    kind: Ints  # (M, N) node types; -1 = off
    end: Floats  # (J,) h


def offline_schedule(
    workload: Workload,
    options: Options | None = None,
    *,
    bound: WorkloadBound | None = None,
    iterations: int = ITERATIONS,
    seconds: float = inf,
    seed: int | None = None,
) -> OfflineSchedule:
    """
    Return a near-optimal schedule in hindsight, replayed.

    Parameters
    ----------
    workload : Workload
    options : Options, optional
        Of the simulation, without start-up delays and repeated epochs.
    bound : WorkloadBound, optional
        Of this workload under these options; computed if it is not given.
    iterations : int
        Of ruin and recreate, see `heuristics.hindsight.schedule`.
    seconds : float
        Wall clock after which the search ends early; without it the result is the same every time.
    seed : int, optional
        By default that of the options.

    Raises
    ------
    InputError
        If the options or the numbers are none that it serves.
    """
    options = options or Options()
    _refuse(workload, options, iterations, seconds, seed)
    bound = bound or workload_bound(workload, options)
    plan, done = planned(workload, options, bound, iterations, seconds, seed)
    outcome = simulate(workload, _following(workload, plan, NAME), options)
    if outcome.status != Status.COMPLETE:
        raise ArithmeticError(outcome.message)
    cost = outcome.totals.cost
    later = EARLY * float(workload.jobs.weight @ plan.end)  # $, of what is planned too long
    if abs(cost - plan.cost) > EQUAL * abs(cost) + later:
        told = f"the schedule costs {cost!r} $ when replayed, {plan.cost!r} $ by its own account"
        raise ArithmeticError(f"{workload.name}: {told}")
    _refuse_below(workload, cost, bound)
    return OfflineSchedule(cost=cost, bound=bound.value, iterations=done, outcome=outcome)


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `offline`: it plans when it is told the workload and its W_j."""
    iterations, seconds = request.options["iterations"], request.options["seconds"] or inf

    def told(workload: Workload, options: Options) -> Policy:
        _refuse(workload, options, iterations, seconds, None)
        bound = workload_bound(workload, options)
        plan, _ = planned(workload, options, bound, iterations, seconds, None)
        return _following(workload, plan, request.spelling)

    def decide(state: State, memory: Any) -> Choice:
        raise Stopped(Status.ERROR, "offline knows W_j: it decides for a whole workload only")

    def prepare() -> None:
        offline_schedule(sts.workload(nodes=2, jobs=4, seed=0), iterations=2)  # compiles

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare, told=told)


def planned(
    workload: Workload,
    options: Options,
    bound: WorkloadBound,
    iterations: int,
    seconds: float,
    seed: int | None,
) -> tuple[Plan, int]:
    """Return the plan of the best schedule found, not below the bound, and the iterations made."""
    from rsjs.heuristics.hindsight.lagrangian import priced
    from rsjs.heuristics.hindsight.packing import node_moves
    from rsjs.heuristics.hindsight.schedule import Search, of_prices

    jobs, nodes = hindsight(workload, options)
    of, billed = modes(workload, options), accounting.prices(workload.cluster, options.energy)
    moves = node_moves(workload.cluster, billed, of.gpu, of.amount, np.unique(jobs.mode))
    if bound.variant != "free":
        raise InputError("/bound/variant", bound.variant, "free: jobs are interrupted")
    expected = (len(workload.cluster.gpu_types), len(nodes.sizes), len(bound.edges) - 1)
    if bound.prices.shape != expected or (bound.sizes != nodes.sizes).any():
        raise InputError("/bound/prices", described(f"shape {bound.prices.shape}"), f"{expected}")
    value = priced(jobs, nodes, bound.edges, bound.prices).value
    if abs(bound.value - value) > SAME * abs(value):
        raise InputError("/bound", bound.value, f"{value!r}, by its prices on this workload")
    jobs = jobs._replace(work=jobs.work * (1 + EARLY))
    tables, plans = of_prices(jobs, nodes, moves.moves, bound.edges, bound.prices)
    seed = options.seed if seed is None else seed
    found = Search(tables, plans, seed).run(iterations, seconds)
    plan = _on_nodes(workload, found, moves, jobs.mode, billed)
    _refuse_below(workload, plan.cost, bound)
    return plan, found.iterations


def _refuse(
    workload: Workload, options: Options, iterations: int, seconds: float, seed: int | None
) -> None:
    """Raise InputError for what schedules in hindsight do not serve."""
    integer("iterations", iterations, 0)
    integer("seed", seed or 0, 0)
    if not seconds > 0:
        raise InputError("/seconds", seconds, "seconds > 0")
    if options.boot > 0:
        raise InputError("/boot", options.boot, "0: schedules in hindsight start nodes at once")
    if options.checkpoint != "continuous":
        expected = "continuous: schedules in hindsight interrupt jobs for nothing"
        raise InputError("/checkpoint", options.checkpoint, expected)
    rule = workload.objective.open_nodes
    if rule not in ("free", "jahani_eq"):
        raise InputError("/open_nodes", rule, "free or jahani_eq: nodes without a job are off")


def _refuse_below(workload: Workload, cost: float, bound: WorkloadBound) -> None:
    """Raise ArithmeticError for a schedule that costs less than the bound."""
    if cost < bound.value * (1 - EQUAL):
        told = f"a schedule costs {cost!r} $, less than the bound of {bound.value!r} $"
        raise ArithmeticError(f"{workload.name}: {told}")


def _on_nodes(
    workload: Workload, found: Timetable, nodes: NodeMoves, mode: Ints, billed: Floats
) -> Plan:
    """Return the plan of a timetable; jobs stay on their nodes where they can."""
    from rsjs.heuristics.hindsight.packing import packing_space, placed_nodes

    cluster, jobs, count = workload.cluster, workload.jobs, len(found.time)
    columns = len(nodes.moves.gpu) // len(cluster.gpu_types)  # modes of a GPU type
    node, level = np.full((2, count, len(jobs)), -1)
    gpus, kind = np.zeros_like(node), np.full((count, cluster.nodes), -1)
    space, energy = packing_space(nodes.moves), 0.0
    for m in range(count - 1):
        runs = np.flatnonzero(found.entry[m] >= 0)
        own = mode[found.entry[m, runs]]
        rate = 0.0
        for at, v, used, there in placed_nodes(
            nodes, runs, own, node[m - 1], cluster.class_of_node, space
        ):
            node[m, there], kind[m, at] = at, v
            rate += float(billed[v, used])
        gpus[m, runs] = nodes.moves.size[own]
        level[m, runs] = np.where(gpus[m, runs] > 0, -1, own % columns - cluster.largest - 1)
        energy += rate * float(found.time[m + 1] - found.time[m])
    late = float(jobs.weight @ np.maximum(0.0, found.end - jobs.due))
    return Plan(energy + late, found.time, node, gpus, level, kind, found.end)


def _following(workload: Workload, plan: Plan, spelling: str) -> Policy:
    """
    Return the policy that follows a plan.

    By rounding a job may end a little later than planned: till then all stay as they are.
    """

    def decide(state: State, memory: Any) -> Choice:
        rows = state.rows
        at = int(np.searchsorted(plan.time, state.now + TIE, side="right")) - 1
        over = plan.end[rows] <= plan.time[at]
        if over.any():
            at = int(np.searchsorted(plan.time, plan.end[rows[over]].min(), side="left")) - 1
        node = plan.node[at, rows]
        kind = np.full(workload.cluster.nodes, -1)
        kind[node[node >= 0]] = plan.kind[at, node[node >= 0]]
        solution = Solution(
            job_node=node,
            job_gpus=plan.gpus[at, rows],
            job_level=plan.level[at, rows],
            node_type=kind,
        )
        until = inf if over.any() or at + 1 == len(plan.time) else plan.time[at + 1] - state.now
        change = np.full(len(rows), max(0.0, until))
        if workload.objective.open_nodes == "jahani_eq":
            solution = select_required_nodes(state.instance, solution)
        return Choice(solution=solution, change=change)

    return Policy(spelling=spelling, decide=decide)

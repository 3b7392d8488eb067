"""
PRICED_ROLL, a one-step roll-out on dual prices of GPUs over time.

    1. prices of GPUs from now on, by the Lagrangian of the jobs at hand and those expected
    2. V of each job in each mode, and of waiting, for the next h hours, at these prices after them
    3. modes and nodes as `roll`
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.registry import backend
from rsjs.heuristics.hindsight.lagrangian import (
    NodePrices,
    Priced,
    ascend,
    mode_prices,
    relaxed,
)
from rsjs.heuristics.sts.migration import on_their_nodes
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.priced_profile import CELLS, PricedJobs, run_priced
from rsjs.heuristics.sts.single_job import SurvivalSteps, taken
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.simulation.bounds import node_prices
from rsjs.simulation.policies.pooled_relaxation import SOLVER, Pools
from rsjs.simulation.policies.roll import Survival, placed_on_nodes, step, values
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, WorkloadData

BUCKETS = 32
EVALUATIONS, DELTA = 3, 0.003
MOST_EXPECTED = 32
FUTURE = 0.0
KAPPA = 1.0
GAMMA = 1.0
GAP = 1e-3
MARGIN = 4.0
MPART = 0.25
BACK = 0.0
LOG = []
LOW, HIGH = 1.0, 1.5
WEIGHT = 1.0
SCALE = 1.0
HOURS = 1.0


class Memory(NamedTuple):
    arrived: int
    edges: Floats
    prices: Floats


class Modes(NamedTuple):
    count: Ints
    mode: Ints
    speed: Floats


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `priced_roll`."""
    pools, known = Pools(whole.cluster), WorkloadData(whole)
    nodes0 = node_prices(whole.cluster, "curve")
    everything = np.arange(len(whole.jobs))
    table = mode_table(known.model(everything), nodes0, whole)
    gpus = Pools(whole.cluster).fixed[:, 0].astype(float)
    per_epoch = hours_of_all(known.model(everything), gpus)
    zero = Survival(taken(known._steps, everything, np.zeros(len(everything))), everything)
    work = per_epoch * zero.epochs(zero.last)

    def decide(state: State, memory: Memory | None) -> Choice:
        arrived = max(int(state.rows[-1]) + 1, memory.arrived if memory else 0)
        jobs = state.workload.jobs
        hours = HOURS * step(jobs.release[:arrived])
        data = known.jobs(state)
        # jobs at hand and jobs to come
        rows, done = state.rows, state.epochs_done
        due = jobs.due[rows] - state.now
        count = np.ones(len(rows))
        at = np.zeros(len(rows))
        own = Survival(data.steps, np.arange(len(state.rows)))
        load = float(per_epoch[state.rows] @ own.epochs(own.last))
        end = float(due.max()) + load
        end = max(end, hours * BUCKETS)
        if arrived > 1 and FUTURE > 0:
            gap = max((jobs.release[arrived - 1] - jobs.release[0]) / (arrived - 1), 1e-3)
            horizon = end / 2
            total = min(FUTURE * arrived, horizon / gap)
            number = int(min(MOST_EXPECTED, total))
            if number:
                like = (arrived - 1 - np.arange(number)) % arrived
                when = (np.arange(number) + 0.5) * (total * gap / number)
                slack = np.maximum(jobs.due[like] - jobs.release[like], 0)
                rows = np.concatenate([rows, like])
                done = np.concatenate([done, np.zeros(number)])
                due = np.concatenate([due, when + slack])
                count = np.concatenate([count, np.full(number, total / number)])
                at = np.concatenate([at, when])
                end = max(end, float(due.max()))
        edges = time_edges(hours, end)
        span = jobs.release[arrived - 1] - jobs.release[0]
        rho = float(work[: arrived].sum()) * (arrived - 1) / arrived / span if span > 0 else 0
        LOG.append((load, rho))
        crowd = min(1.0, max(0.0, (rho - LOW) / (HIGH - LOW)))
        due = due - crowd * np.maximum(0, np.minimum(MARGIN + BACK * load, MPART * due))
        nodes = nodes0._replace(nodes=nodes0.nodes * KAPPA)
        start = np.minimum(np.searchsorted(edges, at), BUCKETS - 1)
        steps = taken(known._steps, rows, done)
        cells, width, alive, left = grid(steps)
        of = PricedJobs(
            row=rows, modes=table.count, mode=table.mode, speed=table.speed, due=due,
            weight=jobs.weight[rows] * WEIGHT, start=start, count=count, cells=cells, step=width,
            alive=alive, left=left,
        )
        prices = np.zeros((*nodes_shape(nodes, whole), BUCKETS))
        if memory is not None:
            prices = moved_prices(memory.edges - state.now, memory.prices, edges)
        _, prices, _ = ascend(of, nodes, edges, prices, EVALUATIONS, DELTA, evaluate)
        of_mode = mode_prices(nodes, prices)
        after = evaluate(of, nodes, edges, prices * SCALE).end
        mine = state.epochs_done

        def to_go(job: Ints, epochs: Floats) -> Floats:
            at = (epochs - mine[job]) / width[job]
            low = np.minimum(at.astype(np.int64), CELLS - 1)
            part = np.minimum(at - low, 1.0)
            return after[job, low] * (1 - part) + part * after[job, low + 1]

        result = values(state.instance, hours, data, to_go)
        limits = Limits(time_limit=state.time_limit, seed=state.seed, gap=GAP)
        solution = placed_on_nodes(result, whole.cluster, pools, limits)
        solution = on_their_nodes(state.instance, solution)
        return Choice(
            solution=solution,
            change=np.full(len(state.rows), hours),
            memory=Memory(arrived, edges + state.now, prices),
        )

    def prepare() -> None:
        backend(SOLVER).load()

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def nodes_shape(nodes: NodePrices, whole: Instance) -> tuple[int, int]:
    return len(whole.cluster.gpu_types), len(nodes.sizes)


def mode_table(model: PowerModel, nodes: NodePrices, whole: Instance) -> Modes:
    jobs, types, stride = model.rate.shape
    levels = len(nodes.gpu) // types - stride
    before = np.minimum.accumulate(model.rate, axis=2)[:, :, :-1]
    before = np.concatenate([np.full((jobs, types, 1), np.inf), before], axis=2)
    rate = np.where(model.rate < before, model.rate, np.inf).reshape(jobs, -1)
    mode = np.tile(np.arange(stride), (jobs, types, 1))
    mode[:, :, 0] = stride + model.level
    mode += (np.arange(types) * (stride + levels))[:, None]
    mode = mode.reshape(jobs, -1)
    order = np.argsort(-rate, axis=1, kind="stable")
    rate, mode = np.take_along_axis(rate, order, 1), np.take_along_axis(mode, order, 1)
    count = np.isfinite(rate).sum(axis=1)
    width = int(count.max())
    shift = np.minimum((rate.shape[1] - count)[:, None] + np.arange(width), rate.shape[1] - 1)
    return Modes(
        count, np.ascontiguousarray(np.take_along_axis(mode, shift, 1)),
        1 / np.take_along_axis(rate, shift, 1),
    )


def hours_of_all(model: PowerModel, gpus: Floats) -> Floats:
    """Return (J,) hours per epoch of a job on all GPUs (T,), each mode of fewest GPU-hours."""
    counts = np.arange(model.rate.shape[2]).astype(float)
    counts[0] = 1  # TODO units
    each = (model.rate * counts).min(axis=2)
    return 1 / (gpus / each).sum(axis=1)


def time_edges(hours: float, end: float) -> Floats:
    b = np.arange(BUCKETS + 1)
    return hours * b + (end - hours * BUCKETS) * b * (b - 1) / (BUCKETS * (BUCKETS - 1))


def grid(steps: SurvivalSteps) -> tuple[Ints, Floats, Floats, Floats]:
    n = len(steps.done)
    last = steps.end[steps.law, -1]
    width = np.ceil((last - steps.done) / CELLS)
    cells = np.ceil((last - steps.done) / width - 1e-9).astype(np.int64)
    own = np.repeat(np.arange(n), CELLS + 1)
    points = (steps.done[:, None] + width[:, None] * np.arange(CELLS + 1)).ravel()
    of = Survival(steps, own)
    points = np.minimum(points, of.last)
    alive = of.alive(points).reshape(n, -1)
    left = (of.epochs(of.last) - of.epochs(points)).reshape(n, -1)
    if GAMMA != 1.0:
        alive = alive**GAMMA
        left = np.zeros_like(alive)
        left[:, :-1] = np.cumsum((alive[:, :-1] * width[:, None])[:, ::-1], axis=1)[:, ::-1]
    return cells, width, alive, left


def moved_prices(old: Floats, prices: Floats, edges: Floats) -> Floats:
    total = np.concatenate(
        [np.zeros((*prices.shape[:2], 1)), np.cumsum(prices * np.diff(old), axis=2)], axis=2
    )
    new = np.array([[np.interp(edges, old, row) for row in rows] for rows in total])
    return np.diff(new, axis=2) / np.diff(edges)


def evaluate(jobs: PricedJobs, nodes: NodePrices, edges: Floats, prices: Floats) -> Priced:
    of_mode = mode_prices(nodes, prices)
    n = len(jobs.due)
    cost, after, hours = np.empty(n), np.empty((n, CELLS + 1)), np.empty_like(of_mode)
    run_priced(jobs, edges, of_mode, cost, after, hours)
    value, slope = relaxed(nodes, edges, prices, float(cost @ jobs.count), hours)
    return Priced(value=value, slope=slope, job_cost=cost, end=after, hours=hours)

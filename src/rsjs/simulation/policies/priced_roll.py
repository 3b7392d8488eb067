"""
PRICED_ROLL, a one-step roll-out on dual prices of GPUs over time.

    1. lambda, multipliers of GPUs in buckets of time from now on, that the jobs at hand share
    2. V of each job in each mode, and of waiting, for the next h hours; what it costs after them is
       that of the job alone at these prices
    3. the modes that save most over waiting, and nodes for them, as `roll`

ROLL (`policies.roll`) thinks that each job is alone on an infinite cluster after h; with prices
jobs yield that can do with fewer GPUs, or later.

**Prices.** Jobs are Markov decision processes that only the GPUs couple. With prices they are
apart, and for every lambda >= 0

    L(lambda) = sum_j U_j(lambda) - sum_b L_b sum_c n_c R_cb(lambda)

bounds from below what the jobs at hand cost on average under policies without foresight that keep
modes for a bucket (Hawkins 2003; Adelman and Mersereau 2008), but for interpolation. U_j is the
dynamic program of `heuristics.sts.priced_profile`, R_cb of `heuristics.hindsight.lagrangian`, by
whose ascent prices go a few steps at each decision, from those of the one before. More steps cost
more in simulations: where demand and GPUs agree on average, jobs share the GPUs out, a few for
each, so that none is early and all are at risk.

The first bucket is h hours, and each is longer than the one before; by the end of the last one all
jobs are due and could be done.

U_j is interpolated between the points of its grid, and too high where a law has a step: waiting can
then seem to cost less than to run on. So where no job would run, decisions are those of ROLL.

**Jobs to come** are not known, and L has none. What is known is how much work came per hour so far,
over what the GPUs do in an hour: the offered load rho, with the mean epochs of each job on all
GPUs. Where it is above 1, GPUs will not be free later, when jobs at hand would go on: from AHEAD
hours on, less before, a GPU costs PREMIUM times what its energy costs at least above its price,
with rho between LIGHT and HEAVY a part of that. So the GPUs there are now are used, where jobs
would else go slow as if the cluster were theirs later. L is a bound at any prices, at these, too.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.registry import backend
from rsjs.heuristics.common.jit import smallest
from rsjs.heuristics.dispatching.candidates import share_price_by_gpu_type
from rsjs.heuristics.hindsight.lagrangian import (
    NodePrices,
    climb,
    mode_prices,
    relaxed,
    single_gpu_prices,
)
from rsjs.heuristics.sts import migration
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.priced_profile import CELLS, PricedJobs, run_priced
from rsjs.heuristics.sts.single_job import SurvivalSteps
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.simulation.bounds import node_prices
from rsjs.simulation.policies.pooled_relaxation import SOLVER, Pools
from rsjs.simulation.policies.roll import LONGEST, Survival, placed_on_nodes, step, values
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State, WorkloadData

BUCKETS = 32
EVALUATIONS = 3  # of L at each decision
DELTA = 0.003  # relative gain that a step aims at
GAP = 1e-3  # of the modes chosen
PREMIUM, AHEAD = 0.25, 1.0  # of GPUs from so many hours on
LIGHT, HEAVY = 0.95, 1.05  # rho from which some of it is charged, and all


class Memory(NamedTuple):
    """What the next decision begins from."""

    arrived: int  # jobs of the workload
    edges: Floats  # (B + 1,) h, times
    prices: Floats  # (T, S, B) lambda [$/h]


class ModeRows(NamedTuple):
    """Modes of J jobs that are faster than those with fewer GPUs of the same type."""

    modes: Ints  # (J,) how many
    mode: Ints  # (J, M) as in `NodePrices`
    speed: Floats  # (J, M) epochs/h, ascending

    @staticmethod
    def of(model: PowerModel, nodes: NodePrices) -> ModeRows:
        """Return the modes of all jobs of a model."""
        jobs, types, stride = model.rate.shape
        fewer = np.minimum.accumulate(model.rate, axis=2)[:, :, :-1]
        slower = np.pad(fewer, ((0, 0), (0, 0), (1, 0)), constant_values=np.inf)
        rate = np.where(model.rate < slower, model.rate, np.inf).reshape(jobs, -1)
        # modes of a type in `NodePrices`: k = 0, ..., G, share levels; here k = 0 is the share
        mode = np.tile(np.arange(stride), (jobs, types, 1))
        mode[:, :, 0] = stride + model.level
        mode += (np.arange(types) * (len(nodes.gpu) // types))[:, None]
        order = np.argsort(-rate, axis=1, kind="stable")  # inf first
        count = np.isfinite(rate).sum(axis=1)
        most = rate.shape[1]
        at = np.minimum((most - count)[:, None] + np.arange(count.max()), most - 1)
        chosen = np.take_along_axis(order, at, axis=1)
        return ModeRows(
            modes=count,
            mode=np.take_along_axis(mode.reshape(jobs, -1), chosen, axis=1),
            speed=1 / np.take_along_axis(rate, chosen, axis=1),
        )


class PricedProfiles(NamedTuple):
    """L at some prices, and what jobs cost there."""

    value: float  # L [$]
    slope: Floats  # (T, S, B) a supergradient [h]
    job_cost: Floats  # (J,) U_0 [$]
    after: Floats  # (J, CELLS + 1) U_1 [$] at the points of the grid


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `priced_roll`."""
    cluster, pools, known = whole.cluster, Pools(whole.cluster), WorkloadData(whole)
    nodes, everything = nodes_at_power(cluster), np.arange(len(whole.jobs))
    model = known.model(everything)
    rows, busy = ModeRows.of(model, nodes), hours_on_all(model, cluster)
    work = busy * mean_epochs(JobData.of(whole).steps)  # of each job, read once it has arrived

    def decide(state: State, memory: Memory | None) -> Choice:
        arrived = max(int(state.rows[-1]) + 1, memory.arrived if memory else 0)
        release, data = state.workload.jobs.release[:arrived], known.jobs(state)
        hours, slack = step(release), state.instance.jobs.due - state.now
        queue = float(busy[state.rows] @ mean_epochs(data.steps))
        edges = bucket_edges(hours, float(slack.max()) + queue)
        jobs = priced_jobs(rows, state.rows, data.steps, slack, state.instance.jobs.weight)
        before = np.zeros((len(cluster.gpu_types), len(nodes.sizes), BUCKETS))
        if memory is not None:
            before = moved_prices(memory.edges - state.now, memory.prices, edges)
        extra = premium(edges, nodes, offered_load(release, work[:arrived]))
        at_prices = partial(evaluated, jobs, nodes, edges, extra)
        best, prices, _ = climb(at_prices, nodes, edges, before, EVALUATIONS, DELTA)

        def to_go(job: Ints, epochs: Floats) -> Floats:
            at = (epochs - state.epochs_done[job]) / jobs.step[job]
            low = np.minimum(at.astype(np.int64), CELLS - 1)
            lower, upper = best.after[job, low], best.after[job, low + 1]
            return np.asarray(lower + (at - low) * (upper - lower))

        costs = values(state.instance, hours, data, to_go)
        limits = Limits(time_limit=state.time_limit, seed=state.seed, gap=GAP)
        solution = placed_on_nodes(costs, cluster, pools, limits)
        if (solution.job_node < 0).all():
            alone = values(state.instance, hours, data)
            solution = placed_on_nodes(alone, cluster, pools, limits)
        return Choice(
            solution=migration.on_their_nodes(state.instance, solution),
            change=np.full(len(state.rows), hours),
            memory=Memory(arrived, edges + state.now, prices),
        )

    def prepare() -> None:
        backend(SOLVER).load()
        migration.prepare()
        instance = smallest()
        data, small = JobData.of(instance), nodes_at_power(instance.cluster)
        own, edges = ModeRows.of(data.model, small), bucket_edges(LONGEST, 1.0)
        jobs = priced_jobs(own, np.array([0]), data.steps, np.ones(1), instance.jobs.weight)
        zero = np.zeros((len(instance.cluster.gpu_types), len(small.sizes), BUCKETS))
        evaluated(jobs, small, edges, np.zeros(BUCKETS), zero)

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def nodes_at_power(cluster: Cluster) -> NodePrices:
    """
    Return nodes whose modes cost what `PowerModel` says, as in the next h hours, and no less.

    If modes were cheaper after h, with other jobs on their node, jobs would wait for that.
    """
    nodes = node_prices(cluster, "curve")
    power = share_price_by_gpu_type(cluster)
    power = np.where(np.isfinite(power), power, 0.0)
    price = nodes.places[:, 0].reshape(len(power), -1) * power[:, 1:2]
    price[:, : power.shape[1]] = power
    surplus = np.where(np.isfinite(nodes.surplus), 0.0, np.inf)
    return nodes._replace(price=price.ravel(), surplus=surplus)


def mean_epochs(steps: SurvivalSteps) -> Floats:
    """Return (n,) expected epochs left."""
    of = Survival(steps, np.arange(len(steps.done)))
    return of.epochs(of.last)


def hours_on_all(model: PowerModel, cluster: Cluster) -> Floats:
    """Return (J,) hours per epoch of a job that could use all GPUs, in modes of few GPU-hours."""
    units = np.array([gpu.units for gpu in cluster.gpu_types])
    amount = np.tile(np.arange(model.rate.shape[2], dtype=float), (*model.rate.shape[:2], 1))
    amount[:, :, 0] = model.units / units
    amount[amount == 0.0] = np.inf  # no share
    gpu_hours = (model.rate * amount).min(axis=2)
    # (C, T) GPUs of a class by type, in equal parts where a node may take several
    most = np.zeros((len(cluster.class_sizes), len(units)))
    c, v = np.nonzero(cluster.allowed_in_class)
    np.maximum.at(most, (c, cluster.gpu_of_type[v]), cluster.gpus_of_type[v])
    gpus = (most / (most > 0).sum(axis=1, keepdims=True) * cluster.class_sizes[:, None]).sum(axis=0)
    return np.asarray(1 / (gpus / gpu_hours).sum(axis=1))


def offered_load(release: Floats, work: Floats) -> float:
    """Return rho of the submissions so far; 0 if they came at one time."""
    span = float(release[-1] - release[0])
    return float(work.mean()) * (len(release) - 1) / span if span > 0 else 0.0


def premium(edges: Floats, nodes: NodePrices, load: float) -> Floats:
    """Return (B,) what a GPU costs in each bucket above its price [$/h], for jobs to come."""
    paid = single_gpu_prices(nodes)
    part = min(1.0, max(0.0, (load - LIGHT) / (HEAVY - LIGHT)))
    most = PREMIUM * part * float(paid.min()) if len(paid) else 0.0
    return np.asarray(most * np.minimum(1.0, edges[:-1] / AHEAD))


def bucket_edges(hours: float, end: float) -> Floats:
    """Return (B + 1,) edges from 0 to `end` or later; the first bucket has so many hours."""
    b = np.arange(BUCKETS + 1)
    longer = max(0.0, end - hours * BUCKETS)
    return np.asarray(hours * b + longer * b * (b - 1) / (BUCKETS * (BUCKETS - 1)))


def moved_prices(old: Floats, prices: Floats, edges: Floats) -> Floats:
    """Return the mean in new buckets of prices (T, S, B) in old ones, 0 after these."""
    paid = np.cumsum(prices * np.diff(old), axis=2)
    paid = np.concatenate([np.zeros((*prices.shape[:2], 1)), paid], axis=2)
    until = np.array([[np.interp(edges, old, row) for row in own] for own in paid])
    return np.diff(until, axis=2) / np.diff(edges)


def priced_jobs(
    rows: ModeRows, row: Ints, steps: SurvivalSteps, slack: Floats, weight: Floats
) -> PricedJobs:
    """Return jobs on their grids: `slack` [h] until they are due, `weight` [$/h]."""
    jobs, done = len(row), steps.done
    last = steps.end[steps.law, -1]
    width = (last - done) / CELLS
    of = Survival(steps, np.repeat(np.arange(jobs), CELLS + 1))
    points = (done[:, None] + width[:, None] * np.arange(CELLS + 1)).ravel()
    points = np.minimum(points, of.last)
    return PricedJobs(
        row=row.astype(np.int64),
        modes=rows.modes,
        mode=rows.mode,
        speed=rows.speed,
        due=slack,
        weight=weight.astype(np.float64),
        step=width,
        alive=of.alive(points).reshape(jobs, -1),
        left=(of.epochs(of.last) - of.epochs(points)).reshape(jobs, -1),
    )


def evaluated(
    jobs: PricedJobs, nodes: NodePrices, edges: Floats, extra: Floats, prices: Floats
) -> PricedProfiles:
    """Evaluate L at prices (T, S, B), and (B,) extra ones of single GPUs."""
    prices = prices.copy()
    prices[:, 0] += extra
    of_mode, count = mode_prices(nodes, prices), len(jobs.due)
    cost, after, hours = np.empty(count), np.empty((count, CELLS + 1)), np.empty_like(of_mode)
    run_priced(jobs, edges, of_mode, cost, after, hours)
    value, slope = relaxed(nodes, edges, prices, float(cost.sum()), hours)
    return PricedProfiles(value=value, slope=slope, job_cost=cost, after=after)

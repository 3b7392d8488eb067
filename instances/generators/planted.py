"""
Instances with a known optimum of any size: a full cluster is drawn first, then times around it.

Let e_j be a lower bound of what job j adds to the energy of any decision that runs it (below), and
P_j the cost of postponing it. Tardiness and idle GPUs cost at least 0, so every decision costs

    z >= sum_j min(P_j, e_j).                                                                 (1)

The planted decision attains (1): it fills every GPU of every node with jobs that add e_j each, are
in time and have e_j < P_j, and postpones jobs with P_j < e_j. So it is optimal. To find it a method
has to pack jobs of 1 to 8 GPUs without a gap, to choose the types of the nodes to that end, and to
see which jobs to leave.

* `proportional` (the objective of Jahani 2019, whose node types it has, one per GPU type): on k
  GPUs of a node of type v job j adds (k / s_v) c_v t_jvk, and e_j is the least of these over its
  configurations. The planted one is 5 % cheaper than every other; no GPU is idle.
* `first_ending` (the objective of ANDREAS 2021, (1); fixed nodes): no job takes less than tau_v
  hours on a node of type v, so a node with u GPUs in use adds at least c_v(u) tau_v >= u r_v with
  r_v = min_u c_v(u) tau_v / u, and e_j = min k r_v over the configurations of the job. The planted
  decision puts one job of exactly tau_v hours on every node; as it is full and c_v(u) / u falls
  with u, it adds s_v r_v. Jobs need a least number of GPUs, below which they have no time.

All numbers are invented but the node types of `proportional`. `bound` computes (1) from an instance
alone. Sizes do not nest: each has another planted solution. Steps: `planted_cluster`, `plant` (jobs
on nodes), `planted_hours` (times around them), `_jobs` (due dates and weights).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import InputError, integer, one_of
from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances import costs
from rsjs.instances.catalogue.gpus import gpu_type
from rsjs.instances.catalogue.node_types import node_types
from rsjs.instances.cluster import Cluster, NodeGroup, NodeType
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.assemble import RHO, H, made_by
from rsjs.instances.instance import FAMILIES, Instance
from rsjs.instances.jobs import Jobs
from rsjs.instances.solution import Solution
from rsjs.instances.validation import MOST_NODES


@dataclass(frozen=True, kw_only=True, eq=False)
class Planted:
    """Node and mode of each job of the planted solution."""

    type_of_node: Ints  #: (N,)
    node: Ints  #: (J,) -1 = postponed
    #: (J,) node type and GPUs of each job's mode; of a postponed one, the mode that suits it best
    node_type: Ints
    gpus: Ints
    first: Bools  #: (J,) one job on each node


def plant(stream: str, seed: int, cluster: Cluster, jobs: int, running: int) -> Planted | None:
    """
    Draw types of the nodes, and cut their GPUs into `running` parts, one per job.

    A node that may have several types takes each with the same probability; all ways to cut are
    equally likely; which jobs run is drawn. None if there are more parts than GPUs, or fewer than
    nodes.
    """
    u = partial(random_streams.uniforms, stream, seed)
    # type of each node: the drawn-th of its allowed ones
    nodes, last = cluster.nodes, len(cluster.node_types)
    ranks = np.cumsum(cluster.allowed, axis=1)
    drawn = random_streams.index(u("node", nodes), ranks[:, -1]) + 1
    of_node = np.argmax(ranks == drawn[:, None], axis=1)
    sizes = cluster.gpus_of_type[of_node]
    if not nodes <= running <= sizes.sum():
        return None
    # first GPU of each node, then of each part: the cuts of least random number
    begins = np.append(0, np.cumsum(sizes)[:-1])
    cut = u("cut", int(sizes.sum()))
    cut[begins] = -1.0  # a node is a cut in any case
    starts = np.sort(np.argsort(cut, kind="stable")[:running])
    parts = np.diff(starts, append=sizes.sum())
    node = np.searchsorted(begins, starts, side="right") - 1
    # jobs in random order: the first ones get the parts, the others a mode of their own
    order = np.argsort(u("order", jobs), kind="stable")
    node_type = random_streams.index(u("type", jobs), last)
    gpus = 1 + random_streams.index(u("gpus", jobs), cluster.gpus_of_type[node_type])
    where, first = np.full(jobs, -1), np.zeros(jobs, dtype=bool)
    runs = order[:running]
    where[runs], gpus[runs], node_type[runs] = node, parts, of_node[node]
    first[runs] = np.isin(starts, begins)
    return Planted(type_of_node=of_node, node=where, node_type=node_type, gpus=gpus, first=first)


KINDS = ("proportional", "first_ending")
# One type per GPU type, the largest, so that the price of a GPU depends on its type alone.
SIZED = ("Standard NC24", "Standard NV24", "In-house server 2", "In-house server 3")
FIXED_NODES = (
    NodeType(
        name="8 x V100", gpu_type="V100", cost=(0, 0.11, 0.17, 0.23, 0.29, 0.35, 0.41, 0.47, 0.53)
    ),
    NodeType(name="4 x T4", gpu_type="T4", cost=(0, 0.07, 0.09, 0.11, 0.13)),
)  # $/h
LEAST_HOURS: Mapping[str, float] = MappingProxyType({"V100": 2.0, "T4": 3.0})  # tau
MARGIN = 1.05  # of any other mode over the planted one
SPEED_UP = 0.8  # exponent of the number of GPUs


def planted_cluster(kind: str, nodes: int) -> Cluster:
    """Return N nodes: of any type for `proportional`; half V100, half T4 for `first_ending`."""
    if kind == "proportional":
        types = tuple(v for v in node_types("server2-11usd") if v.name in SIZED)
        group = NodeGroup(count=nodes, types=tuple(v.name for v in types))
        gpus = tuple(gpu_type(v.gpu_type) for v in types)
        return Cluster(gpu_types=gpus, node_types=types, groups=(group,))
    types = FIXED_NODES if nodes > 1 else FIXED_NODES[:1]
    counts = (nodes - nodes // 2, nodes // 2)[: len(types)]
    return Cluster.of_fixed([gpu_type(v.gpu_type) for v in types], types, counts)


def planted_hours(
    stream: str, seed: int, cluster: Cluster, plan: Planted, kind: str
) -> tuple[Floats, Floats]:
    """Return (J, T, G + 1) hours of each job, one GPU type per node type; (J,) e_j [$]."""
    draw = _proportional if kind == "proportional" else _first_ending
    table, share = draw(stream, seed, cluster, plan)
    counts = np.arange(cluster.largest + 1)
    table[:, counts > cluster.gpus_of_type[:, None]] = np.inf
    table[:, :, 0] = np.inf
    return table, share


def _proportional(stream: str, seed: int, cluster: Cluster, plan: Planted) -> tuple[Floats, Floats]:
    """Draw times at which other modes cost 1.05 to 2 times as much as the planted one."""
    n, types, gpus = len(plan.gpus), len(cluster.node_types), cluster.largest
    base = random_streams.log_uniform(random_streams.uniforms(stream, seed, "base", n), 0.3, 20.0)
    # e_j: share of the node's price over the time in the planted mode
    planted = random_streams.rounded(base / plan.gpus**SPEED_UP)
    price = cluster.cost_of_type[np.arange(types), cluster.gpus_of_type] / cluster.gpus_of_type
    share = plan.gpus * price[plan.node_type] * planted
    factor = random_streams.uniform(
        random_streams.uniforms(stream, seed, "dearer", n * types * gpus), MARGIN, 2.0
    ).reshape(n, types, gpus)
    # (J, T, G + 1) times at which every other mode costs `factor` times e_j
    table = np.full((n, types, gpus + 1), np.inf)
    each = price[:, None] * np.arange(1, gpus + 1)  # $/h
    table[:, :, 1:] = random_streams.rounded(share[:, None, None] * factor / each)
    table[np.arange(n), plan.node_type, plan.gpus] = planted
    return table, share


def _first_ending(stream: str, seed: int, cluster: Cluster, plan: Planted) -> tuple[Floats, Floats]:
    """Draw times of tau or more, in modes that add no less than e_j."""
    n = len(plan.gpus)
    tau = np.array([LEAST_HOURS[v.gpu_type] for v in cluster.node_types])
    full = cluster.cost_of_type[np.arange(len(tau)), cluster.gpus_of_type]
    r = full / cluster.gpus_of_type * tau
    share = plan.gpus * r[plan.node_type]
    # one job on each node takes exactly tau, the others up to three times as long
    longer = random_streams.uniform(random_streams.uniforms(stream, seed, "longer", n), 1.0, 3.0)
    longer[plan.first] = 1.0
    counts = np.arange(1, cluster.largest + 1)
    speed_up = (counts / plan.gpus[:, None]) ** SPEED_UP
    # no time where k r_v is hardly more than e_j
    scaled = longer[:, None, None] * tau[:, None] / speed_up[:, None, :]
    table = np.full((n, len(tau), cluster.largest + 1), np.inf)
    table[:, :, 1:] = np.maximum(random_streams.rounded(scaled), tau[:, None])
    table[:, :, 1:][r[:, None] * counts < MARGIN * share[:, None, None]] = np.inf
    planted = np.maximum(random_streams.rounded(longer * tau[plan.node_type]), tau[plan.node_type])
    table[np.arange(n), plan.node_type, plan.gpus] = planted
    return table, share


FAMILY = "planted"
WEIGHT = (0.36, 1.08)  # $/h
_OBJECTIVE = {"proportional": "jahani", "first_ending": "andreas"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Optimum:
    """The planted instance and its optimum."""

    instance: Instance
    decision: Solution
    cost: float  #: [$], of the decision, by the formulas of `costs`


def generate(*, nodes: int, jobs: int, seed: int, kind: str = "proportional") -> Instance:
    """
    Return an instance at time 0 with all jobs submitted.

    Parameters
    ----------
    nodes, jobs : int
        N >= 1 and J: three jobs in four run, at least one on each node, at most one on each GPU.
    seed : int
        >= 0.
    kind : "proportional" | "first_ending"
        The energy term.

    Returns
    -------
    Instance
        Named planted-<kind>-at0-N<nodes>-J<jobs>-s<seed>.

    Raises
    ------
    InputError
        Naming the argument.
    """
    return optimum(nodes=nodes, jobs=jobs, seed=seed, kind=kind).instance


def optimum(*, nodes: int, jobs: int, seed: int, kind: str = "proportional") -> Optimum:
    """Return the instance that `generate` makes of these arguments, with its planted solution."""
    nodes, jobs = integer("nodes", nodes, 1, MOST_NODES), integer("jobs", jobs, 1)
    seed, kind = integer("seed", seed, 0), one_of("kind", kind, KINDS)
    cluster = planted_cluster(kind, nodes)
    stream = f"{FAMILY}-{kind}"
    running = jobs - jobs // 4
    plan = plant(stream, seed, cluster, jobs, running)
    if running < nodes or plan is None:
        raise InputError("/jobs", jobs, "three in four to run, 1 on each node to 1 on each GPU")
    hours, share = planted_hours(stream, seed, cluster, plan, kind)
    instance = Instance(
        name=f"{FAMILY}-{kind.replace('_', '-')}-at0-N{nodes}-J{jobs}-s{seed}",
        cluster=cluster,
        jobs=_jobs(stream, seed, plan, hours, share),
        H=H,
        rho=RHO,
        objective=FAMILIES[_OBJECTIVE[kind]],
        generator=made_by(FAMILY, nodes=nodes, jobs=jobs, seed=seed, kind=kind),
    )
    decision = Solution.of(plan.node, np.where(plan.node >= 0, plan.gpus, 0), plan.type_of_node)
    cost = costs.terms(instance, decision).total
    return Optimum(instance=instance, decision=decision, cost=cost)


def bound(instance: Instance) -> float:
    """Return the bound (1) [$], for the objectives of `generate` with deterministic times."""
    cluster = instance.cluster
    hours = instance.hours_per_epoch[:, :, 1:] * instance.jobs.remaining[:, None, None]
    gpus = np.arange(1, cluster.largest + 1)
    least = np.full(len(instance.jobs), np.inf)
    for v in np.flatnonzero(cluster.allowed_in_class.any(axis=0)).tolist():
        of_type = hours[:, cluster.gpu_of_type[v], : cluster.gpus_of_type[v]]
        counts = gpus[: of_type.shape[1]]
        price = np.array(cluster.node_types[v].cost[1:]) / counts
        if instance.objective.energy == "proportional":
            added = counts * price[-1] * of_type
        else:
            added = np.where(np.isfinite(of_type), counts * price.min() * of_type.min(), np.inf)
        least = np.minimum(least, added.min(axis=1))
    return float(np.minimum(costs.cost_tables(instance).postponement, least).sum())


def _jobs(stream: str, seed: int, plan: Planted, hours: Floats, share: Floats) -> Jobs:
    """Draw due dates and weights at which it pays to run some jobs and postpone the others."""
    n = len(plan.node)
    u = partial(random_streams.uniforms, stream, seed, n=n)
    longest = np.where(np.isfinite(hours), hours, 0).max(axis=(1, 2))
    planted = hours[np.arange(n), plan.node_type, plan.gpus]
    in_time = planted + 0.5 * u("due") * (longest - planted)
    late = H + longest - random_streams.uniform(u("due"), 0.5, 1.0)
    runs = plan.node >= 0
    due = np.where(
        runs, np.maximum(random_streams.rounded(in_time), planted), random_streams.rounded(late)
    )
    balance = share / (RHO * (H + longest - due))  # the weight at which P_j = e_j
    weight = np.where(
        runs,
        np.maximum(random_streams.uniform(u("weight"), *WEIGHT), 1.1 * balance),
        random_streams.uniform(u("weight"), 0.1, 0.9) * balance,
    )
    return Jobs(
        id=tuple(f"j{j + 1}" for j in range(n)),
        application=("planted",) * n,
        release=np.zeros(n),
        due=due,
        weight=random_streams.rounded(weight),
        memory_gb=np.zeros(n),
        epochs_max=np.ones(n, dtype=np.int64),
        epochs_done=np.zeros(n),
        law=(FIXED,) * n,
        hours_per_epoch=hours,
        inflation=np.empty((n, hours.shape[1], 0)),
        meta=({},) * n,
    )

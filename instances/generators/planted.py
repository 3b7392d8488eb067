"""
Instances with a known optimum at any size: a full cluster is drawn first, then times around it.

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
alone. Sizes do not nest: the planted decision is another one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances import costs
from rsjs.instances.arguments import integer, one_of
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.errors import InputError
from rsjs.instances.generators import planted_times, random_streams
from rsjs.instances.generators.planted_decision import Planted, plant
from rsjs.instances.generators.planted_times import KINDS
from rsjs.instances.generators.provenance import made_by
from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.instance import FAMILIES, Instance
from rsjs.instances.jobs import Jobs
from rsjs.instances.solution import Solution

FAMILY = "planted"
H, RHO = 1.0, 100.0
WEIGHT = (0.36, 1.08)  # $/h
_OBJECTIVE = {"proportional": "jahani", "first_ending": "andreas"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Optimum:
    """
    The planted instance and its optimum.

    Attributes
    ----------
    instance : Instance
    decision : Solution
    cost : float [$]
        Of the decision, by the formulas of `costs`.
    """

    instance: Instance
    decision: Solution
    cost: float


def generate(*, nodes: int, jobs: int, seed: int, kind: str = "proportional") -> Instance:
    """
    One decision at time 0 with all jobs submitted.

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
    """The instance that `generate` makes of the same arguments, with its planted decision."""
    nodes, jobs = integer("nodes", nodes, 1), integer("jobs", jobs, 1)
    seed, kind = integer("seed", seed, 0), one_of("kind", kind, KINDS)
    cluster = planted_times.cluster(kind, nodes)
    stream = f"{FAMILY}-{kind}"
    running = jobs - jobs // 4
    plan = plant(stream, seed, cluster, jobs, running)
    if running < nodes or plan is None:
        raise InputError("/jobs", jobs, "three in four to run, 1 on each node to 1 on each GPU")
    hours, share = planted_times.hours(stream, seed, cluster, plan, kind)
    instance = Instance(
        name=f"{FAMILY}-{kind.replace('_', '-')}-at0-N{nodes}-J{jobs}-s{seed}",
        cluster=cluster,
        jobs=_jobs(stream, seed, plan, hours, share),
        H=H,
        rho=RHO,
        objective=FAMILIES[_OBJECTIVE[kind]],
        generator=made_by(FAMILY, nodes=nodes, jobs=jobs, seed=seed, kind=kind),
    )
    decision = plan.decision()
    cost = costs.terms(instance, decision).total
    return Optimum(instance=instance, decision=decision, cost=cost)


def bound(instance: Instance) -> float:
    """The right-hand side of (1) [$], for the objectives of `generate` with deterministic times."""
    cluster = instance.cluster
    hours = instance.hours_per_epoch[:, :, 1:] * instance.jobs.remaining[:, None, None]
    gpus = np.arange(1, cluster.largest + 1)
    least = np.full(len(instance.jobs), np.inf)
    for v in np.flatnonzero(cluster.allowed_in_class.any(axis=0)).tolist():
        of_type = hours[:, cluster.gpu_of_type[v], : cluster.gpus_of_type[v]]
        own = gpus[: of_type.shape[1]]
        price = np.array(cluster.node_types[v].cost[1:]) / own
        if instance.objective.energy == "proportional":
            added = own * price[-1] * of_type
        else:
            added = np.where(np.isfinite(of_type), own * price.min() * of_type.min(), np.inf)
        least = np.minimum(least, added.min(axis=1))
    return float(np.minimum(costs.tables(instance).postponement, least).sum())


def _jobs(stream: str, seed: int, plan: Planted, hours: Floats, share: Floats) -> Jobs:
    """Due dates and weights for which it pays to run some jobs and to postpone the others."""
    n = len(plan.node)

    def u(field: str) -> Floats:
        return random_streams.uniforms(stream, seed, field, n)

    longest = np.where(np.isfinite(hours), hours, 0).max(axis=(1, 2))
    own = hours[np.arange(n), plan.node_type, plan.gpus]
    in_time = own + 0.5 * u("due") * (longest - own)
    late = H + longest - random_streams.uniform(u("due"), 0.5, 1.0)
    runs = plan.node >= 0
    due = np.where(
        runs, np.maximum(random_streams.rounded(in_time), own), random_streams.rounded(late)
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
        epochs_max=_ones(n),
        epochs_done=np.zeros(n),
        law=(FIXED,) * n,
        hours_per_epoch=hours,
        inflation=np.empty((n, hours.shape[1], 0)),
        meta=({},) * n,
    )


def _ones(n: int) -> NDArray[np.int64]:
    return np.ones(n, dtype=np.int64)

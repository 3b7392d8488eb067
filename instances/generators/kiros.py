"""
Random instances of Kiros 2020, chapter 4: right-sizing of nodes, charged until the first job ends.

From the paper: the node types of Table 4.1 with Standard NC24X and NV24X (catalogue `kiros`), the
networks of Jahani 2019, a mean gap of 30 000 / N s (4.2; sensitivity runs: 1 000 to 40 000).

Left open by the paper, taken from Jahani 2019, whose jobs and node types it has: due dates,
weights U(0.36, 1.08) $/h, H = 1 h, rho = 100, the pool of jobs and J = 10 N. It names no law of the
gaps: exponential here, integer Poisson gaps as a variant. With the pools of jobs here a gap of
30 000 / N s loads the GPUs by 3 to 10 % only; 1 000 / N s about fills them with synthetic jobs.

The objective is the first-ending cost of ANDREAS 2021, (1), with tardiness at completion. Sizes
nest; catalogues, due dates and arrivals are paired; the jobs are not those of `jahani` with the
same seed.
"""

from __future__ import annotations

from rsjs.core.errors import integer, one_of
from rsjs.instances.catalogue.node_types import MEMBERS, gpu_types, node_types
from rsjs.instances.cluster import Cluster, NodeGroup
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators.assemble import Draw, due_window
from rsjs.instances.generators.job_times import POOLS
from rsjs.instances.instance import Instance, Workload

FAMILY = "kiros"
DUE = ("base", "tight")
WEIGHT = (0.36, 1.08)  # $/h
GAP = 30_000.0  # s


def generate(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    catalogue: str = "kiros",
    due: str = "base",
    times: str = "synthetic",
) -> Instance:
    """
    One decision at time 0 with all jobs submitted.

    Parameters
    ----------
    nodes, jobs : int
        N and J, >= 1.
    seed : int
        >= 0.
    catalogue : str
        A name in `node_catalogues.MEMBERS`; every node may become any of its types.
    due : "base" | "tight"
        See `due_windows`.
    times : "synthetic" | "networks"
        See `job_pool`.

    Returns
    -------
    Instance
        Named kiros-<catalogue>-<due>-at0-<times>-N<nodes>-J<jobs>-s<seed>.

    Raises
    ------
    InputError
        Naming the argument.
    """
    return _draw(nodes, jobs, seed, catalogue, due, times).instance()


def workload(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    catalogue: str = "kiros",
    due: str = "base",
    times: str = "synthetic",
    law: str = "exp",
    gap_seconds: float | None = None,
) -> Workload:
    """
    The same jobs submitted over time; due dates count from submission.

    Parameters
    ----------
    nodes, jobs, seed, catalogue, due, times
        As in `generate`.
    law : "exp" | "integer_poisson" | "constant" | "high" | "low" | "mixed"
        See `arrivals`; the loads are not the paper's.
    gap_seconds : float, optional
        The mean gap times the number of nodes [s], 30 000 by default; none for the loads.

    Returns
    -------
    Workload
        Every job runs all its epochs.
    """
    return _draw(nodes, jobs, seed, catalogue, due, times).workload(law, gap_seconds, GAP)


def _draw(nodes: int, jobs: int, seed: int, catalogue: str, due: str, times: str) -> Draw:
    nodes, jobs = integer("nodes", nodes, 1), integer("jobs", jobs, 1)
    seed = integer("seed", seed, 0)
    parameters = {
        "nodes": nodes,
        "jobs": jobs,
        "seed": seed,
        "catalogue": one_of("catalogue", catalogue, MEMBERS),
        "due": one_of("due", due, DUE),
        "times": one_of("times", times, POOLS),
    }
    types = node_types(catalogue)
    group = NodeGroup(count=nodes, types=tuple(v.name for v in types))
    cluster = Cluster(gpu_types=gpu_types(catalogue), node_types=types, groups=(group,))
    pool = POOLS[times](FAMILY, seed, jobs, cluster)
    return Draw(
        family=FAMILY,
        variant=(f"{catalogue}-{due}", times),
        parameters=parameters,
        cluster=cluster,
        pool=pool,
        due=due_window(due, pool.admissible_hours(cluster)),
        weight=WEIGHT,
        law=(FIXED,) * jobs,
    )

"""
Random instances of Jahani et al. 2019, section V-A: right-sizing of nodes and job scheduling.

Due dates, weights, H = 1 h, rho = 100, mu = 1, arrivals and node types are the paper's; the
execution times it does not print are `synthetic`, or those of `networks` in the catalogue. Sizes
nest (the first jobs of a larger instance are those of a smaller one), and catalogues, due dates
and arrivals are paired (the same seed draws the same jobs).
"""

from __future__ import annotations

from rsjs.core.errors import integer, one_of
from rsjs.instances.catalogue.node_types import MEMBERS, gpu_types, node_types
from rsjs.instances.cluster import Cluster, NodeGroup
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import arrivals
from rsjs.instances.generators.assemble import InstanceParts, due_window
from rsjs.instances.generators.job_times import TIMES
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.validation import MOST_NODES

FAMILY = "jahani"
DUE = ("base", "tight")
WEIGHT = (0.36, 1.08)  # $/h


def generate(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    catalogue: str = "table2",
    due: str = "base",
    times: str = "synthetic",
) -> Instance:
    """
    Return an instance at time 0 with all jobs submitted (the paper's section V-D).

    Parameters
    ----------
    nodes, jobs : int
        N and J, >= 1; the paper has J = 10 N.
    seed : int
        >= 0.
    catalogue : str
        A name in `node_types.MEMBERS`; every node may become any of its types.
    due : "base" | "tight"
        With t over the job's admissible modes: uniform on [min t, 2 max t] as in V-A,
        or on [min t, max(1.5 min t, max t / 2)].
    times : "synthetic" | "networks"
        See `job_times`.

    Returns
    -------
    Instance
        Named jahani-<catalogue>-<due>-at0-<times>-N<nodes>-J<jobs>-s<seed>.

    Raises
    ------
    InputError
        Naming the argument.
    """
    return draw(FAMILY, nodes, jobs, seed, catalogue, due, times).instance()


def workload(
    *,
    nodes: int,
    jobs: int,
    seed: int,
    catalogue: str = "table2",
    due: str = "base",
    times: str = "synthetic",
    gap_seconds: float = 30.0,
    law: str = "exp",
) -> Workload:
    """
    Return the jobs of `generate` submitted over time; due dates count from submission.

    Parameters
    ----------
    nodes, jobs, seed, catalogue, due, times
        As in `generate`.
    gap_seconds : float
        Mean time between submissions [s]: 30 or 45 in V-B, 300 (`constant`) in V-C.
    law : "exp" | "integer_poisson" | "constant"
        See `arrivals`.

    Returns
    -------
    Workload
        Every job runs all its epochs.
    """
    drawn = draw(FAMILY, nodes, jobs, seed, catalogue, due, times)
    one_of("law", law, arrivals.PROCESSES)  # no loads: jobs come whatever the cluster
    return drawn.workload(law, gap_seconds, per_node=False)


def draw(
    family: str, nodes: int, jobs: int, seed: int, catalogue: str, due: str, times: str
) -> InstanceParts:
    """Check the arguments of a family with these jobs and node types, and draw the jobs."""
    nodes, jobs = integer("nodes", nodes, 1, MOST_NODES), integer("jobs", jobs, 1)
    seed = integer("seed", seed, 0)
    parameters = {
        "nodes": nodes,
        "jobs": jobs,
        "seed": seed,
        "catalogue": one_of("catalogue", catalogue, MEMBERS),
        "due": one_of("due", due, DUE),
        "times": one_of("times", times, TIMES),
    }
    types = node_types(catalogue)
    group = NodeGroup(count=nodes, types=tuple(v.name for v in types))
    cluster = Cluster(gpu_types=gpu_types(catalogue), node_types=types, groups=(group,))
    drawn = TIMES[times](family, seed, jobs, cluster)
    return InstanceParts(
        family=family,
        variant=(f"{catalogue}-{due}", times),
        parameters=parameters,
        cluster=cluster,
        times=drawn,
        due=due_window(due, drawn.admissible_hours(cluster)),
        weight=WEIGHT,
        law=(FIXED,) * jobs,
    )

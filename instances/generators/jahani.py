"""
Random instances of Jahani et al. 2019, section V-A: right-sizing of nodes and job scheduling.

Due dates, weights, H = 1 h, rho = 100, mu = 1, arrivals and node types are the paper's; the
execution times it does not print are `synthetic`, or those of `networks` in the catalogue. Sizes
nest (the first jobs of a larger instance are those of a smaller one), and catalogues, due dates
and arrivals are paired (the same seed draws the same jobs).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsjs.core.errors import integer, one_of
from rsjs.core.types import Floats
from rsjs.instances.catalogue.node_types import MEMBERS, gpu_types, node_types
from rsjs.instances.cluster import Cluster, NodeGroup
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import arrivals, random_streams
from rsjs.instances.generators.assemble import due_window, made_by
from rsjs.instances.generators.job_times import POOLS
from rsjs.instances.instance import FAMILIES, Instance, Workload
from rsjs.instances.jobs import Jobs

FAMILY = "jahani"
DUE = ("base", "tight")
H, RHO = 1.0, 100.0
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
    One decision at time 0 with all jobs submitted (the paper's section V-D).

    Parameters
    ----------
    nodes, jobs : int
        N and J, >= 1; the paper has J = 10 N.
    seed : int
        >= 0.
    catalogue : str
        A name in `node_catalogues.MEMBERS`; every node may become any of its types.
    due : "base" | "tight"
        With t over the job's admissible configurations: uniform on [min t, 2 max t] as in V-A,
        or on [min t, max(1.5 min t, max t / 2)].
    times : "synthetic" | "networks"
        See `job_pool`.

    Returns
    -------
    Instance
        Named jahani-<catalogue>-<due>-at0-<times>-N<nodes>-J<jobs>-s<seed>.

    Raises
    ------
    InputError
        Naming the argument.
    """
    drawn = _Drawn(nodes, jobs, seed, catalogue, due, times)
    return Instance(
        name=drawn.name("at0"),
        cluster=drawn.cluster,
        jobs=drawn.jobs(np.zeros(drawn.size)),
        H=H,
        rho=RHO,
        objective=FAMILIES[FAMILY],
        generator=made_by(FAMILY, **drawn.parameters),
    )


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
    The same jobs submitted over time; due dates count from submission.

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
    drawn = _Drawn(nodes, jobs, seed, catalogue, due, times)
    label = arrivals.label(law, gap_seconds)
    release = arrivals.release_times(
        FAMILY, drawn.seed, drawn.size, law=law, gap_seconds=gap_seconds
    )
    made = drawn.jobs(release)
    return Workload(
        name=drawn.name(label),
        cluster=drawn.cluster,
        jobs=made,
        H=H,
        rho=RHO,
        objective=FAMILIES[FAMILY],
        realised_epochs=made.epochs_max.copy(),
        generator=made_by(FAMILY, **drawn.parameters, law=law, gap_seconds=gap_seconds),
    )


class _Drawn:
    """The arguments, checked, and what they determine."""

    def __init__(
        self, nodes: int, jobs: int, seed: int, catalogue: str, due: str, times: str
    ) -> None:
        self.size = integer("jobs", jobs, 1)
        self.seed = integer("seed", seed, 0)
        self.parameters: dict[str, Any] = {
            "nodes": integer("nodes", nodes, 1),
            "jobs": self.size,
            "seed": self.seed,
            "catalogue": one_of("catalogue", catalogue, MEMBERS),
            "due": one_of("due", due, DUE),
            "times": one_of("times", times, POOLS),
        }
        types = node_types(catalogue)
        group = NodeGroup(count=self.parameters["nodes"], types=tuple(v.name for v in types))
        self.cluster = Cluster(gpu_types=gpu_types(catalogue), node_types=types, groups=(group,))

    def name(self, label: str) -> str:
        p = self.parameters
        variant = f"{p['catalogue']}-{p['due']}-{label}-{p['times']}"
        return f"{FAMILY}-{variant}-N{p['nodes']}-J{p['jobs']}-s{p['seed']}"

    def jobs(self, release: Floats) -> Jobs:
        """The jobs, submitted at the given times [h]."""
        n, seed = self.size, self.seed
        pool = POOLS[self.parameters["times"]](FAMILY, seed, n, self.cluster)
        window = due_window(self.parameters["due"], pool.admissible_hours(self.cluster))
        relative = random_streams.uniform(random_streams.uniforms(FAMILY, seed, "due", n), *window)
        weight = random_streams.uniform(random_streams.uniforms(FAMILY, seed, "weight", n), *WEIGHT)
        return Jobs(
            id=tuple(f"j{j + 1}" for j in range(n)),
            application=pool.application,
            release=release,
            due=random_streams.rounded(release + relative),
            weight=random_streams.rounded(weight),
            memory_gb=pool.memory_gb,
            epochs_max=pool.epochs_max,
            epochs_done=np.zeros(n),
            law=(FIXED,) * n,
            hours_per_epoch=pool.hours_per_epoch,
            inflation=np.empty((n, len(self.cluster.gpu_types), 0)),
            meta=pool.meta,
        )

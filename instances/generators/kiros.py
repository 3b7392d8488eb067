"""
Random instances of Kiros 2020, chapter 4: right-sizing of nodes, charged until the first job ends.

From the paper: the node types of Table 4.1 with Standard NC24X and NV24X (catalogue `kiros`), the
networks of Jahani 2019, a mean gap of 30 000 / N s (4.2; sensitivity runs: 1 000 to 40 000).

Left open by the paper, taken from Jahani 2019, whose jobs and node types it has: due dates,
weights U(0.36, 1.08) $/h, H = 1 h, rho = 100, the jobs and J = 10 N. It names no distribution of
the gaps: exponential here, integer Poisson gaps as a variant. With the jobs here a gap of
30 000 / N s loads the GPUs by 3 to 10 % only; 1 000 / N s about fills them with synthetic jobs.

The objective is the first-ending cost of ANDREAS 2021, (1), with tardiness at completion. Sizes
nest; catalogues, due dates and arrivals are paired; the jobs are not those of `jahani` with the
same seed.
"""

from __future__ import annotations

from rsjs.instances.generators.jahani import draw
from rsjs.instances.instance import Instance, Workload

FAMILY = "kiros"
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
    Return an instance at time 0 with all jobs submitted; arguments as in `jahani.generate`.

    Returns
    -------
    Instance
        Named kiros-<catalogue>-<due>-at0-<times>-N<nodes>-J<jobs>-s<seed>.
    """
    return draw(FAMILY, nodes, jobs, seed, catalogue, due, times).instance()


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
    Return the jobs of `generate` submitted over time; due dates count from submission.

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
    drawn = draw(FAMILY, nodes, jobs, seed, catalogue, due, times)
    return drawn.workload(law, gap_seconds, GAP)

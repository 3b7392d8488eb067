"""The arrivals of Filippini et al. 2024, Fig. 3: when the last job of a workload is submitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rsjs.experiments.claims.claim import Row
from rsjs.instances.generators import sts


def arrivals(*, sizes: Sequence[str], seeds: Sequence[int], laws: Sequence[str]) -> Iterator[Row]:
    """A row for each law, size and seed, nothing is scheduled."""
    for law in laws:
        for size in sizes:
            nodes, jobs = map(int, size.split("x"))
            for seed in seeds:
                made = sts.workload(nodes=nodes, jobs=jobs, seed=seed, law=law)
                yield {
                    "case": "K80 + M60",
                    "instance": made.name,
                    "nodes": nodes,
                    "jobs": jobs,
                    "law": law,
                    "last_release_h": float(made.jobs.release[-1]),
                }

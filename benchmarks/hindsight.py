"""
Small workloads in whole hours, solved to optimality: `python -m benchmarks.hindsight -o FILE`.

A row is a workload and a variant of its schedules, with the workload bound. With `free`, also what
the schedule costs that `offline_schedule` finds. With `no_preemption`, the linear relaxation and
the best cost and bound of the time-indexed program (`formulations.hindsight.time_indexed`) with
HiGHS, and what EDF and FIFO pay, which neither interrupt nor move a job. Workloads that the file
already has are not done again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rsjs.core.call import Limits
from rsjs.formulations.hindsight.time_indexed import data_of, relaxed, solve
from rsjs.instances.generators import sts
from rsjs.instances.instance import Workload
from rsjs.instances.io.files import write_bytes
from rsjs.instances.transform import in_steps
from rsjs.rows.csv import csv_text, read_rows
from rsjs.runs.provenance import stamp
from rsjs.simulation.bounds import workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.offline import offline_schedule
from rsjs.simulation.policies.registry import policy

STEP = 1.0  # h
LIMITS = Limits(time_limit=90.0, gap=1e-6)
POLICIES = ("queue:edf", "queue:fifo")
GAP = 1000.0  # s, times the number of nodes
SIZES = [(2, 12, 1), (2, 14, 1), *((2, jobs, 2) for jobs in range(12, 19)), (2, 12, 3), (2, 14, 3)]
VARIANTS = ("free", "one_mode", "no_preemption")


def row(of: Workload, variant: str) -> dict[str, Any]:
    """Return what is found of a variant."""
    known = {
        "instance": of.name,
        "instance_sha256": of.digest,
        "nodes": of.cluster.nodes,
        "jobs": len(of.jobs),
        "variant": variant,
        "bound": workload_bound(of, variant=variant).value,
    }
    if variant == "free":
        known["schedule"] = offline_schedule(of).cost
    if variant == "no_preemption":
        data = data_of(of, variant, STEP)
        found = solve(data, LIMITS)
        known |= {
            "relaxation": relaxed(data, LIMITS),
            "program": found.cost,
            "program_bound": found.bound,
            "stop": str(found.stop),
            "rows": found.counts["rows"],
            "columns": found.counts["columns"],
        }
        known |= {name: simulate(of, policy(name, of)).totals.cost for name in POLICIES}
    return known | stamp()


def rows(done: set[str]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each workload that is not done."""
    for nodes, jobs, seed in SIZES:
        of = in_steps(sts.workload(nodes=nodes, jobs=jobs, seed=seed, gap_seconds=GAP), STEP)
        if of.digest not in done:
            yield [row(of, variant) for variant in VARIANTS]


def main() -> None:
    """Write the rows after each workload."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    file = parser.parse_args().output
    made: list[Any] = read_rows(file) if file.exists() else []
    for more in rows({row["instance_sha256"] for row in made}):
        made += more
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(csv_text(made).encode(), file)


if __name__ == "__main__":
    main()

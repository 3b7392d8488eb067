"""
What single decisions of policies cost where all decide on the same: `python -m benchmarks.decisions
-o FILE` writes it.

Each workload of the load sweep of the bundled campaign `online-claims` is simulated under
`queue:greedy`. At five moments, evenly spread, every method is asked what it would do, and the
checker prices the answer by the objective of that moment. A row is a workload and a method: the
sum over the moments. A method without an answer has no row. Workloads that the file already has
are not done again.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from rsjs.instances.check import check
from rsjs.instances.generators.sts import workload
from rsjs.instances.instance import Workload
from rsjs.instances.io.files import write_bytes
from rsjs.rows.csv import csv_text, read_rows
from rsjs.runs.provenance import stamp
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Stopped
from rsjs.simulation.snapshots import states

GAPS, NODES, SEEDS = (65000, 30000, 17500, 14000, 8000), (10, 20, 50), (1, 2, 3)
HOUR = 3600.0  # s, of a decision: none is stopped by the clock
ALONG, MOMENTS = "queue:greedy", 5
METHODS = (
    *("queue:edf", "queue:fifo", "queue:pedf", ALONG, "randomized_queue", "sts:fallback", "roll"),
    *("randomized_greedy:paper", "local_search", "ruin_recreate?iterations=1000"),
    *("first_ending_patterns@highs", "rsjs_sifting@highs"),
)


def costs(of: Workload) -> dict[str, list[float]]:
    """Return what each method's decisions at the moments cost; fewer if it has no answer [$]."""
    asked = {method: policy(method, of) for method in METHODS}
    every = max(1, 2 * len(of.jobs) // MOMENTS)  # an arrival and a completion of each job
    log = event_log.of(simulate(of, policy(ALONG, of)))
    found: dict[str, list[float]] = defaultdict(list)
    for state in states(of, log, [k * every + every // 2 for k in range(MOMENTS)]):
        for method, policy_of in asked.items():
            try:
                solution = policy_of.decide(replace(state, time_limit=HOUR), None).solution
            except Stopped:
                continue
            verdict = check(state.instance, solution)
            if verdict.feasible and verdict.objective is not None:
                found[method].append(verdict.objective)
    return found


def rows(done: set[str]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each workload that is not done."""
    for nodes, gap, seed in product(NODES, GAPS, SEEDS):
        of = workload(nodes=nodes, jobs=10 * nodes, seed=seed, law="exp", gap_seconds=gap)
        if of.name not in done:
            found = costs(of)
            known = {"instance": of.name, "nodes": nodes, "jobs": len(of.jobs)}
            yield [
                {**known, "method": method, "objective": sum(each), "decisions": len(each)}
                | stamp()
                for method, each in found.items()
                if len(each) == len(found[ALONG])
            ]


def main() -> None:
    """Write the rows after each workload."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    file = parser.parse_args().output
    made = read_rows(file) if file.exists() else []
    for more in rows({row["instance"] for row in made}):
        made += more
        write_bytes(csv_text(made).encode(), file)


if __name__ == "__main__":
    main()

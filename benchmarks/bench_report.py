"""A report of 10 000 runs: seconds to make it, bytes of what the opening page may load."""

from __future__ import annotations

import json
import random
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from rsjs.reporting.site.build import build
from rsjs.reporting.site.report_data import gathered
from rsjs.rows.csv import csv_text

INSTANCES, METHODS, SEEDS, EVENTS = 100, 20, 5, 8
LIMIT = 60.0  # s


class Report:
    """100 instances, 20 methods, 5 seeds, from the tables of `rsjs collect`; a run in 20 failed."""

    params = (1_000, 10_000)
    param_names = ("runs",)
    timeout = 300.0
    number = repeat = 1

    def setup(self, runs: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.tables, self.site = (Path(self.folder.name) / name for name in ("tables", "site"))
        self.tables.mkdir()
        rng = random.Random(runs)
        made = [
            _run(rng, i, k, seed)
            for i in range(INSTANCES * runs // 10_000)
            for k in range(METHODS)
            for seed in range(SEEDS)
        ]
        assert len(made) == runs
        (self.tables / "rows.csv").write_text(csv_text([row for row, _ in made]))
        courses = [{"run_id": row["run_id"], "events": events} for row, events in made]
        (self.tables / "events.json").write_text(json.dumps(courses))

    def teardown(self, runs: int) -> None:
        self.folder.cleanup()

    def time_report(self, runs: int) -> None:
        build(gathered([self.tables]), self.site, title="made up", all_pdf=False)

    def track_opening_page_bytes(self, runs: int) -> int:
        self.time_report(runs)
        return build(
            gathered([self.tables]), self.site, title="made up", all_pdf=False
        ).opening_bytes

    track_opening_page_bytes.unit = "bytes"


def _run(
    rng: random.Random, i: int, k: int, seed: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Row and events; method k is k per mille above the best cost, give or take one per cent."""
    name, best = f"jahani-made-up-N{2 + i}-J{8 + 4 * i}-s1", 10.0 * (2 + i)
    bound, seconds, failed = (
        0.9999 * best,
        min(LIMIT, rng.lognormvariate(0, 1.5)),
        rng.random() < 0.05,
    )
    cost = best * (1 + max(0.0, rng.gauss(0.001 * k, 0.01)))
    row = {
        "instance": name,
        "instance_sha256": sha256(name.encode()).hexdigest(),
        "nodes": 2 + i,
        "jobs": 8 + 4 * i,
        "method": f"method{k:02}@highs",
        "stop": "time_limit" if failed else "optimal",
        "status": "no_solution" if failed else "ok",
        "objective": None if failed else cost,
        "tardiness": 0.0,
        "postponement": 0.0,
        "energy": None if failed else cost,
        "idle": 0.0,
        "bound": bound,
        "best_bound": bound,
        "own_gap": None if failed else 1 - bound / cost,
        "gap_to_best": None if failed else 1 - bound / cost,
        "executed": 8 + 4 * i,
        "build_s": 0.1 * seconds,
        "solve_s": 0.8 * seconds,
        "total_s": seconds,
        "peak_memory_mb": 100.0 + k,
        "rsjs_version": "0.1.0",
        "solver_version": "1.13.1",
        "time_limit": LIMIT,
        "gap_limit": 1e-4,
        "threads": 1,
        "seed": seed,
        "message": "Time limit reached" if failed else "Optimal",
        "run_id": sha256(f"{name} {k} {seed}".encode()).hexdigest()[:16],
        "ended": "TIMEOUT" if failed else "FINISHED",
        "quality": "NO_SOLUTION" if failed else "FEASIBLE_VERIFIED",
        "repetition": 1,
        "timing": "exclusive",
        "options": json.dumps({"mip_rel_gap": 1e-4, "threads": 1, "time_limit": LIMIT - 0.1}),
        "overshoot_s": 0.0,
        "cpu_s": seconds,
        "process_s": seconds,
        "commit": "c" * 40,
        "dirty": False,
        "begun": "2026-01-02T03:04:05.678Z",
        "cpu_model": "a processor",
        "host": "a machine",
    }
    steps = [(j + 1) / EVENTS for j in range(0 if failed else EVENTS)]
    events = [
        {"seconds": part * seconds, "incumbent": cost * (2 - part), "bound": part * bound}
        for part in steps
    ]
    return row, events

"""Runs in processes of their own, statistics of 10 000 made-up runs, and the report of them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import TINY, instance_of
from rsjs.core.call import Limits
from rsjs.methods import parse
from rsjs.reporting.site.build import build
from rsjs.reporting.site.report_data import gathered
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import tables
from rsjs.rows.csv import csv_text, read_rows
from rsjs.runs import verified_run

METHODS, SEEDS, EVENTS = 20, 5, 8
LIMIT = 60.0  # s


class TrivialRun:
    """What a run costs besides its method: on two nodes, milliseconds."""

    params = ("greedy:paper", "randomized_greedy:paper")
    param_names = ("method",)
    number, repeat, warmup_time = 1, 5, 0.0

    def setup(self, method):
        self.instance, self.request = instance_of("jahani", TINY), parse(method)

    def run(self):
        return verified_run.run(self.instance, self.request, Limits())

    def time_run(self, method):
        self.run()

    def track_cpu_seconds(self, method):
        """Of the worker, its start included."""
        before = os.times()
        self.run()
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    def track_peak_memory(self, method):
        return self.run().peak_memory_mb

    track_cpu_seconds.unit = "s"
    track_peak_memory.unit = "MB"


def made_row(
    instance: dict[str, Any],
    values: tuple[float, float],
    k: int,
    seed: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Return a row of method k on an instance with a best cost and a bound."""
    best, bound = values
    seconds = float(min(LIMIT, rng.lognormal(0, 1.5)))
    failed = bool(rng.random() < 0.05)
    cost = best * (1 + max(0.0, float(rng.normal(0.001 * k, 0.01))))
    gap = None if failed else 1 - bound / cost
    return {
        **instance,
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
        "own_gap": gap,
        "gap_to_best": gap,
        "executed": instance["jobs"],
        "build_s": 0.1 * seconds,
        "solve_s": 0.8 * seconds,
        "total_s": LIMIT if failed else seconds,
        "peak_memory_mb": 100.0 + k,
        "rsjs_version": "0.1.0",
        "solver_version": "1.13.1",
        "time_limit": LIMIT,
        "gap_limit": 1e-4,
        "threads": 1,
        "seed": seed,
        "message": "Time limit reached" if failed else "Optimal",
        "run_id": sha256(f"{instance['instance']} {k} {seed}".encode()).hexdigest()[:16],
        "ended": "TIMEOUT" if failed else "FINISHED",
        "quality": "NO_SOLUTION" if failed else "FEASIBLE_VERIFIED",
        "repetition": 1,
        "timing": "exclusive",
        "options": json.dumps({"mip_rel_gap": 1e-4, "threads": 1, "time_limit": LIMIT}),
        "overshoot_s": 0.0,
        "cpu_s": seconds,
        "process_s": seconds,
        "commit": "c" * 40,
        "dirty": False,
        "begun": "2026-01-02T03:04:05.678Z",
        "cpu_model": "a processor",
        "host": "a machine",
    }


def made_up(runs: int) -> Iterator[tuple[dict[str, Any], list[dict[str, float]]]]:
    """Yield rows and events; method k is k per mille above the best cost, a run in 20 failed."""
    rng = np.random.default_rng(runs)
    for number in range(runs):
        rest, seed = divmod(number, SEEDS)
        i, k = divmod(rest, METHODS)
        name, best = f"jahani-made-up-N{2 + i}-J{8 + 4 * i}-s1", 10.0 * (2 + i)
        instance = {"instance": name, "instance_sha256": sha256(name.encode()).hexdigest()}
        instance |= {"nodes": 2 + i, "jobs": 8 + 4 * i}
        row = made_row(instance, (best, 0.9999 * best), k, seed, rng)
        cost, bound, seconds = row["objective"], row["bound"], row["cpu_s"]
        failed = cost is None
        parts = [(j + 1) / EVENTS for j in range(0 if failed else EVENTS)]
        yield (
            row,
            [
                {"seconds": part * seconds, "incumbent": cost * (2 - part), "bound": part * bound}
                for part in parts
            ],
        )


class _OfRows:
    """The tables of `rsjs collect`: 100 instances at most, 20 methods, 5 seeds."""

    params = (1_000, 10_000)
    param_names = ("runs",)
    timeout = 300.0

    def setup(self, runs):
        self.folder = tempfile.TemporaryDirectory()
        self.tables, self.site = (Path(self.folder.name) / name for name in ("tables", "site"))
        self.tables.mkdir()
        made = list(made_up(runs))
        self.rows = [row for row, _ in made]
        (self.tables / "rows.csv").write_text(csv_text(self.rows))
        keys = ("run_id", "instance_sha256", "method")
        trajectories = [{**{key: row[key] for key in keys}, "events": e} for row, e in made]
        (self.tables / "events.json").write_text(json.dumps(trajectories))

    def teardown(self, runs):
        self.folder.cleanup()


class Statistics(_OfRows):
    number, repeat = 1, (1, 5, 10.0)

    def time_read(self, runs):
        read_rows(self.tables / "rows.csv")

    def time_ranks(self, runs):
        Analysis(rows=self.rows).ranks_by_time  # noqa: B018

    def time_all_tables(self, runs):
        tables(Analysis(rows=self.rows))

    def peakmem_all_tables(self, runs):
        tables(Analysis(rows=self.rows))

    def track_solved(self, runs):
        return int(Analysis(rows=self.rows).times.notna().sum().sum())


class Report(_OfRows):
    number = repeat = 1

    def report(self):
        return build(gathered([self.tables]), self.site, title="made up", all_pdf=False)

    def time_report(self, runs):
        self.report()

    def track_opening_page_bytes(self, runs):
        """What the opening page may load."""
        return self.report()["opening_bytes"]

    track_opening_page_bytes.unit = "bytes"

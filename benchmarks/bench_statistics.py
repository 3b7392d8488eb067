"""Statistics of 10 000 made-up rows: 100 instances, 10 seeds, 10 methods, one run in ten fails."""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path

import numpy as np

from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import tables
from rsjs.rows.csv import csv_text, read_rows

INSTANCES, SEEDS, METHODS = 100, 10, 10
LIMIT = 10.0  # s


def rows():
    """The rows, drawn from one stream."""
    rng = np.random.default_rng(1)
    return [
        _row(i, seed, m, *rng.exponential(size=2))
        for i, seed, m in product(range(INSTANCES), range(SEEDS), range(METHODS))
    ]


def _row(i, seed, m, excess, seconds):
    fails = excess > np.log(10)
    cost = None if fails else 100.0 * (1 + 0.01 * (m + 1) * excess)
    return {
        "instance": f"i{i}",
        "instance_sha256": f"{i:064}",
        "method": f"m{m}",
        "stop": "time_limit" if fails else "gap",
        "status": "none" if fails else "ok",
        "objective": cost,
        "bound": 99.0,
        "best_bound": 99.0,
        "total_s": LIMIT if fails else min(LIMIT, seconds * (m + 1) / 4),
        "peak_memory_mb": 100.0,
        "rsjs_version": "0.1.0",
        "time_limit": LIMIT,
        "gap_limit": 0.02,
        "threads": 1,
        "seed": seed,
        "message": "",
    }


class Statistics:
    number, repeat = 1, (1, 5, 10.0)

    def setup_cache(self):
        return rows()

    def setup(self, stored):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "rows.csv"
        self.path.write_text(csv_text(stored))

    def teardown(self, stored):
        self.folder.cleanup()

    def time_read(self, stored):
        read_rows(self.path)

    def time_runs(self, stored):
        Analysis(rows=stored).runs  # noqa: B018

    def time_ranks(self, stored):
        Analysis(rows=stored).ranks_by_time  # noqa: B018

    def time_all_sheets(self, stored):
        tables(Analysis(rows=stored))

    def peakmem_all_sheets(self, stored):
        tables(Analysis(rows=stored))

    def track_solved(self, stored):
        return int(Analysis(rows=stored).times.notna().sum().sum())

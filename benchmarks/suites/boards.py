"""The board of many made-up runs on instances that have best-known values."""

from __future__ import annotations

import tempfile
from itertools import islice, product
from pathlib import Path

import numpy as np

from benchmarks.suites.campaigns import made_row
from rsjs.bks import storage
from rsjs.reporting.site.board import write_board
from rsjs.rows.columns import COLUMNS
from rsjs.rows.csv import csv_text

INSTANCES, METHODS, RUNS = 800, 20, 50_000
VERSIONS = ("1.11.0", "1.13.1", "1.15.1")  # of the solver; each counts as a method of its own
LIMITS = (60.0, 600.0)  # s; the runs beyond one for each version are of the second


def made_results(
    folder: Path, *, instances: int = INSTANCES, methods: int = METHODS, runs: int = RUNS
) -> None:
    """Write a folder of results: rows of all columns, and best-known values of the instances."""
    known = storage.read(storage.TREE).values()
    entries = [one for one in known if one.cost and one.bound and one.cost.value > 0]
    storage.write(folder / "best_known", entries[:instances])
    rng, rows = np.random.default_rng(runs), []
    places = product(LIMITS, range(methods), VERSIONS, entries[:instances])
    for number, (limit, k, version, entry) in enumerate(islice(places, runs)):
        own = {"instance": entry.instance, "instance_sha256": entry.sha256}
        own |= {"nodes": entry.nodes, "jobs": entry.jobs}
        row = made_row(own, (entry.cost.value, entry.bound.value), k, 0, rng)
        row |= {"solver_version": version, "run_id": f"{number:016x}", "time_limit": limit}
        rows.append({**dict.fromkeys(COLUMNS), **row, "spelling": row["method"]})
    (folder / "made-up").mkdir(parents=True)
    (folder / "made-up" / "rows.csv").write_text(csv_text(rows))


class Board:
    """Board of `rsjs board`: 800 instances, 60 methods and versions, 50 000 rows at most."""

    params = (5_000, RUNS)
    param_names = ("runs",)
    number = repeat = 1
    timeout = 600.0

    def setup(self, runs):
        self.folder = tempfile.TemporaryDirectory()
        self.results, self.site = (Path(self.folder.name) / name for name in ("results", "site"))
        made_results(self.results, runs=runs)

    def teardown(self, runs):
        self.folder.cleanup()

    def time_board(self, runs):
        write_board(self.results, self.site)

    def peakmem_board(self, runs):
        write_board(self.results, self.site)

    def track_largest_page_bytes(self, runs):
        return write_board(self.results, self.site)["largest_bytes"]

    track_largest_page_bytes.unit = "bytes"

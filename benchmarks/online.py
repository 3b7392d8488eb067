"""
Policies over whole workloads: `python -m benchmarks.online` makes docs/online.md.

It is made from results/online/rows.csv. `python -m benchmarks.online STORE...` first takes these
rows from stores of `rsjs run online-claims`; rows of workloads and policies that the stores do not
have stay.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import online_page, online_pictures
from benchmarks.online_rows import Row, Runs, kept, merged
from benchmarks.stored import store
from rsjs.rows.csv import read_rows

ROOT = Path(__file__).parents[1]
ROWS, DOCS = ROOT / "results" / "online" / "rows.csv", ROOT / "docs"


def main() -> None:
    """Take rows from stores, if any are named, then make the page."""
    if stores := [Path(name) for name in sys.argv[1:]]:
        store(merged(_kept_before(), kept(stores)), ROWS)
    runs = Runs.of(read_rows(ROWS))
    online_pictures.policies(runs, DOCS / "images" / "online-policies.png")
    online_pictures.over_load(runs, DOCS / "images" / "online-loads.png")
    online_page.write(runs, DOCS / "online.md")


def _kept_before() -> list[Row]:
    return read_rows(ROWS) if ROWS.exists() else []


if __name__ == "__main__":
    main()

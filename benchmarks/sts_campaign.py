"""
The campaign of the STS paper: `python -m benchmarks.sts_campaign` makes docs/sts-campaign.md.

It is made from results/sts_online/rows.csv, one row for each workload and policy; `python -m
benchmarks.sts_campaign STORE...` first takes these from stores of `rsjs run sts-online`, all
repetitions of a workload and a policy; rows of workloads and policies that they do not have stay.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import sts_campaign_page, sts_campaign_picture
from benchmarks.online_rows import Runs, merged
from benchmarks.repetitions import averaged
from benchmarks.stored import refuse_false, store
from rsjs.campaigns.collection import collect
from rsjs.rows.csv import read_rows

ROOT = Path(__file__).parents[1]
ROWS, DOCS = ROOT / "results" / "sts_online" / "rows.csv", ROOT / "docs"


def main() -> None:
    """Take rows from stores, if any are named, then make the page."""
    if stores := [Path(name) for name in sys.argv[1:]]:
        found = collect(stores).rows
        refuse_false(found)
        before = read_rows(ROWS) if ROWS.exists() else []
        store(merged(before, averaged(found)), ROWS)
    runs = Runs.of(read_rows(ROWS))
    sts_campaign_picture.by_size(runs, DOCS / "images" / "sts-campaign.png")
    sts_campaign_page.write(runs, DOCS / "sts-campaign.md")


if __name__ == "__main__":
    main()

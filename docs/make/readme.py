"""Table and picture of README: `python -m docs.make.readme` runs `rsjs demo` and fills them in."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from docs.make.pages import DOCS, filled
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.comparison import conditions
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.columns import Row
from rsjs.rows.csv import read_rows

README = DOCS.parent / "README.md"
COLUMNS = (
    Column("method", "method"),
    Column("solved", "solved", align="right"),
    Column("ratio", "cost / best", formats.measured),
    Column("total_s", "time", formats.measured, unit="s"),
    Column("wins", "best", formats.count),
    Column("executed", "jobs run", formats.percent, unit="%"),
)
NOTE = (
    "Solved: instances with a verified solution. Cost / best, time and jobs run are medians; best: "
    "on how many instances the method is within the gap limit of the lowest cost found."
)


def main() -> None:
    """Rebuild README from a fresh demo."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "demo"
        subprocess.run([sys.executable, "-m", "rsjs", "demo", "-o", str(folder)], check=True)
        rows = read_rows(folder / "rows.csv")
        shutil.copy(folder / "gap.png", DOCS / "images" / "demo-gap.png")
    text = filled(README.read_text("utf-8"), {"table": lambda: summary(rows).markdown()})
    write_bytes(text.encode(), README)


def summary(rows: Sequence[Row]) -> Table:
    """Return a row for each method: instances solved, and medians of cost over best and of time."""
    frame = pd.DataFrame(rows)
    frame["cost"] = frame.objective.where(frame.status == "ok")
    frame["ratio"] = frame.cost / frame.groupby("instance").cost.transform("min")
    frame["wins"] = frame.ratio <= 1 + frame.gap_limit
    frame["executed"] = (frame.executed / frame.jobs).where(frame.status == "ok")
    runs = frame.groupby("method", sort=False)
    table = runs[["ratio", "total_s", "executed"]].median()
    table["solved"] = [f"{sum(own.ratio.notna())}/{len(own)}" for _, own in runs]
    table["wins"] = runs.wins.sum()
    lines = table.reset_index().to_dict("records")
    return Table(columns=COLUMNS, rows=lines, notes=[NOTE, *conditions(rows)])


if __name__ == "__main__":
    main()

"""Tables and picture of README: `python -m docs.make.readme` runs `rsjs demo` and fills them in."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.make import methods
from docs.make.pages import DOCS, filled
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.comparison import COLUMNS, GAP, Row, conditions, read_rows
from rsjs.reporting.tables.table import Column, Table

README = DOCS.parent / "README.md"
SHOWN = ("instance", "method", "stop", "objective", "gap_to_best", "executed", "total_s")


def main() -> None:
    """Rebuild README from a fresh demo."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "demo"
        subprocess.run([sys.executable, "-m", "rsjs", "demo", "-o", str(folder)], check=True)
        rows = read_rows(folder / "rows.csv")
        shutil.copy(folder / "gap.png", DOCS / "images" / "demo-gap.png")
    tables = {"table": lambda: comparison(rows), "methods": methods.matrix}
    write_bytes(filled(README.read_text("utf-8"), tables).encode(), README)


def comparison(rows: list[Row]) -> str:
    """A few columns of the demo's rows, instances by their size."""
    columns = [column for key in SHOWN for column in COLUMNS if column.key == key]
    columns[0] = Column("size", columns[0].full_heading)
    sized = [{**row, "size": f"{row['nodes']} x {row['jobs']}"} for row in rows]
    return Table(columns=columns, rows=sized, notes=[GAP, *conditions(rows)]).markdown()


if __name__ == "__main__":
    main()

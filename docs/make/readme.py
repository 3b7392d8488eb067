"""Tables and picture of README: `python -m docs.make.readme` runs `rsjs demo` and fills them in."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.make.pages import DOCS, filled
from rsjs.instances.instance import FAMILIES, Objective
from rsjs.instances.io.files import write_bytes
from rsjs.methods import all_methods
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
    tables = {"table": lambda: comparison(rows), "methods": method_matrix}
    write_bytes(filled(README.read_text("utf-8"), tables).encode(), README)


def comparison(rows: list[Row]) -> str:
    """A few columns of the demo's rows, instances by their size."""
    columns = [column for key in SHOWN for column in COLUMNS if column.key == key]
    columns[0] = Column("size", columns[0].full_heading)
    sized = [{**row, "size": f"{row['nodes']} x {row['jobs']}"} for row in rows]
    return Table(columns=columns, rows=sized, notes=[GAP, *conditions(rows)]).markdown()


def method_matrix() -> str:
    """Which method serves the objective of which family."""
    heads = [Column("method", "method"), Column("kind", "kind"), *(Column(f, f) for f in FAMILIES)]
    rows = [
        {"method": name, "kind": method.kind}
        | {f: "yes" if _serves(name, objective) else "-" for f, objective in FAMILIES.items()}
        for name, method in all_methods().items()
    ]
    return Table(columns=heads, rows=rows).markdown()


def _serves(name: str, objective: Objective) -> bool:
    method = all_methods()[name]
    kinds = ("energy", "tardiness_at", "open_nodes", "expectation")
    return all(getattr(objective, kind) in getattr(method, kind) for kind in kinds)


if __name__ == "__main__":
    main()

"""
README's table, picture and list of methods, made again: `python -m benchmarks.readme`.

Runs `rsjs demo` and puts what it found between README's markers; the picture goes to docs/images.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rsjs.instances.instance import FAMILIES, Objective
from rsjs.instances.io.files import write_bytes
from rsjs.methods import all_methods
from rsjs.reporting.tables.comparison import COLUMNS, GAP, conditions, read_rows
from rsjs.reporting.tables.table import code, escaped

ROOT = Path(__file__).parents[1]
SHOWN = ("instance", "method", "stop", "objective", "gap_to_best", "executed", "total_s")


def main() -> None:
    """Rebuild README from a fresh demo."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "demo"
        subprocess.run([sys.executable, "-m", "rsjs", "demo", "-o", str(folder)], check=True)
        rows = read_rows(folder / "rows.csv")
        shutil.copy(folder / "gap.png", ROOT / "docs" / "images" / "demo-gap.png")
    readme = ROOT / "README.md"
    text = readme.read_text("utf-8")
    text = filled(text, "table", comparison(rows))
    text = filled(text, "methods", method_matrix())
    write_bytes(text.encode(), readme)


def filled(text: str, block: str, content: str) -> str:
    """The text with a new content between the markers of a block."""
    begin, end = f"<!-- {block} -->", f"<!-- /{block} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", text)


def comparison(rows: list[dict[str, object]]) -> str:
    """The demo's rows, a few columns of them."""
    columns = [column for key in SHOWN for column in COLUMNS if column.key == key]
    lines = [_line([escaped(column.full_heading) for column in columns])]
    lines.append(_line(["---:" if column.is_right else ":---" for column in columns]))
    for row in rows:
        short = {**row, "instance": f"{row['nodes']} x {row['jobs']}"}
        cells = [column.cell(short) for column in columns]
        lines.append(_line([cells[0], code(cells[1]), *map(escaped, cells[2:])]))
    return "\n".join([*lines, "", *(f"{escaped(line)}  " for line in [GAP, *conditions(rows)])])


def method_matrix() -> str:
    """Which method serves the objective of which family."""
    lines = [_line(["method", "kind", *FAMILIES]), _line([":---"] * 2 + [":---:"] * len(FAMILIES))]
    for name, method in all_methods().items():
        marks = ["yes" if _serves(name, family) else "-" for family in FAMILIES.values()]
        lines.append(_line([code(name), method.kind, *marks]))
    return "\n".join(lines)


def _serves(name: str, objective: Objective) -> bool:
    method = all_methods()[name]
    kinds = ("energy", "tardiness_at", "open_nodes", "expectation")
    return all(getattr(objective, kind) in getattr(method, kind) for kind in kinds)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()

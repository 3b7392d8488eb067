"""Table and picture of README: `python -m docs.make.readme` runs `rsjs demo` and fills them in."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from docs.make.pages import DOCS, filled
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import summary_table
from rsjs.reporting.statistics.tidy import read_stored
from rsjs.reporting.tables.comparison import conditions

README = DOCS.parent / "README.md"


def main() -> None:
    """Rebuild README from a fresh demo."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "demo"
        subprocess.run([sys.executable, "-m", "rsjs", "demo", "-o", str(folder)], check=True)
        shutil.copy(folder / "gap.png", DOCS / "images" / "demo-gap.png")
        text = filled(README.read_text("utf-8"), {"table": lambda: summary(folder)})
    write_bytes(text.encode(), README)


def summary(folder: Path) -> str:
    """Return the ranked summary of a comparison in a folder, with limits and versions below."""
    rows = read_stored(folder)
    table = summary_table({"": Analysis(rows=rows)})
    return replace(table, notes=[*table.notes, *conditions(rows)]).markdown()


if __name__ == "__main__":
    main()

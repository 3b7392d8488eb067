"""Table and picture of README: `python -m docs.make.readme` runs `rsjs demo` for the picture."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.make import heuristics
from docs.make.pages import DOCS, filled
from rsjs.instances.io.files import write_bytes

README = DOCS.parent / "README.md"
SHOWN = (  # of docs/results/heuristics.md
    *("ruin_recreate?iterations=0", "fix_and_optimise", "priced_greedy", "local_search?jobs=all"),
    *("randomized_greedy:paper", "greedy:paper", "priority:paper", "edf:paper"),
)


def text() -> str:
    """Return README with its table made from the stored rows."""
    tables = {"table": lambda: heuristics.summary(SHOWN)}
    return filled(README.read_text("utf-8"), tables)


def main() -> None:
    """Rebuild README, with the picture of a fresh demo."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "demo"
        subprocess.run([sys.executable, "-m", "rsjs", "demo", "-o", str(folder)], check=True)
        shutil.copy(folder / "gap.png", DOCS / "images" / "demo-gap.png")
    write_bytes(text().encode(), README)


if __name__ == "__main__":
    main()

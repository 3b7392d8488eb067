"""
Tables and pictures of the documentation from stored rows: `python -m docs.make.pages [PAGE ...]`.

Pages are written by hand. What stands between `<!-- NAME -->` and `<!-- /NAME -->` is replaced by
the table of that name, and the pictures in docs/images are drawn again. Nothing is measured: the
rows are those in results/, whose README names the campaigns that make them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from docs.make import (
    claims,
    columns,
    formulations,
    heuristics,
    hindsight,
    instance_space,
    load_sweep,
    methods,
    mig,
    online,
    online_track,
    solver_track,
    solver_versions,
    sts_campaign,
)
from rsjs.instances.io.files import write_bytes

DOCS = Path(__file__).parents[1]
Tables = Mapping[str, Callable[[], str]]  # block -> its Markdown
Pictures = Mapping[str, Callable[[Path], object]]  # name of the file -> writes it
PAGES: Mapping[str, tuple[Tables, Pictures]] = {
    "results/claims": (claims.TABLES, {}),
    **claims.PAPERS,
    "results/konopa": (
        claims.PAPERS["results/konopa"][0] | mig.TABLES,
        claims.PAPERS["results/konopa"][1] | mig.PICTURES,
    ),
    "results/formulations": (formulations.TABLES, formulations.PICTURES),
    "results/heuristics": (heuristics.TABLES, heuristics.PICTURES),
    "results/hindsight": (hindsight.TABLES, {}),
    "results/solver-track": (solver_track.TABLES, solver_track.PICTURES),
    "results/solver-versions": (solver_versions.TABLES, solver_versions.PICTURES),
    "results/policies": (
        online.TABLES | load_sweep.TABLES,
        online.PICTURES | load_sweep.PICTURES,
    ),
    "results/online-track": (online_track.TABLES, online_track.PICTURES),
    "results/benchmark-set": (instance_space.SELECTION, instance_space.PICTURES),
    "reference/columns": (columns.TABLES, {}),
    "reference/features": (instance_space.TABLES, {}),
    "reference/methods": (methods.TABLES, {}),
    "results/sts-campaign": (sts_campaign.TABLES, sts_campaign.PICTURES),
}


def filled(text: str, tables: Tables) -> str:
    """Return the text of a page with each table between the markers of its block."""
    for block, table in tables.items():
        begin, end = f"<!-- {block} -->", f"<!-- /{block} -->"
        before, marked, after = text.partition(begin)
        _, ended, after = after.partition(end)
        if not (marked and ended):
            raise ValueError(f"found no block {begin} ... {end}, expected one")
        text = f"{before}{begin}\n{table().rstrip()}\n{end}{after}"
    return text


def page(name: str) -> str:
    """Return the text of a page with its tables made from the stored rows."""
    return filled((DOCS / f"{name}.md").read_text("utf-8"), PAGES[name][0])


def main(names: list[str]) -> None:
    """Fill in pages and draw their pictures, all by default."""
    if unknown := {*names} - {*PAGES}:
        raise SystemExit(f"found {min(unknown)}, expected pages among {', '.join(PAGES)}")
    for name in names or PAGES:
        write_bytes(page(name).encode(), DOCS / f"{name}.md")
        for picture, draw in PAGES[name][1].items():
            draw(DOCS / "images" / f"{picture}.png")


if __name__ == "__main__":
    main(sys.argv[1:])

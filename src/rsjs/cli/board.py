"""`rsjs board`: a site of stored results and best-known values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rsjs.cli.options import Json, option
from rsjs.cli.output import print_json, print_text, writable
from rsjs.cli.progress import busy
from rsjs.reporting.site.board import results_here, write_board
from rsjs.reporting.site.build import refuse
from rsjs.reporting.tables.formats import counted


def board(
    output: Annotated[Path, option("DIR", "Folder of the site.", "-o", "--output")],
    results: Annotated[
        Path | None,
        option("DIR", "Folder of results; ./results, or that of the sources, by default."),
    ] = None,
    submissions: Annotated[
        Path | None,
        option("DIR", "Folder of submissions; by default `submissions` beside the results."),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Make a static site that ranks methods on each set and tells what is known of each instance.

    \b
    Example:
      rsjs board -o site
      rsjs board --results results -o site

    Made of the rows of runs in */rows.csv and the values in best_known/*.jsonl of the results, and
    of the submissions that pass `rsjs submit check`. Methods are ranked by cost over the best-known
    cost, among runs of one source with equal limits; each cell leads to its runs. Open
    DIR/index.html in a browser: nothing is fetched and no server is needed. A site that is there is
    replaced when the new one is complete.
    """
    writable(output, folder=True)
    refuse(output)
    with busy("writing pages"):
        made = write_board(results or results_here(), output, submissions)
    if as_json:
        print_json(made)
        return
    told = [counted(made[noun], noun[:-1]) for noun in ("runs", "instances", "sets", "pages")]
    size = made["largest_bytes"] / 1e6
    print_text(f"{', '.join(told)}; the largest page has {size:.1f} MB. Open:")
    print(output / "index.html")

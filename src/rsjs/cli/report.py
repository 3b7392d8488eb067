"""`rsjs report`: a site of everything that stores and tables hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json


def report(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DIR...]",
            help="Stores of `rsjs run`, folders of `rsjs collect` or `rsjs compare`; by default"
            " the store in ./runs that was worked on last.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Folder of the site; DIR-report by default."
        ),
    ] = None,
    all_pdf: Annotated[
        bool,
        typer.Option(
            "--all-pdf",
            help="Figures of each instance as PDF too, however many: about a second each.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Make a static site of campaigns: tables, figures, failures, fairness, provenance.

    \b
    Example:
      rsjs run smoke
      rsjs report
      rsjs report shard1 shard2 -o site

    Open DIR/index.html in a browser: nothing is fetched and no server is needed. Each table is
    there as CSV, Markdown and LaTeX, each figure as PDF; every number leads to the runs that it
    comes from. A site that is there is replaced when the new one is complete.
    """
    from rsjs.cli.console import print_json
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy
    from rsjs.cli.report_text import as_document, print_built
    from rsjs.cli.stores import last_store
    from rsjs.reporting.site.build import build, refuse, titled
    from rsjs.reporting.site.report_data import gathered

    chosen = sources or [last_store(Path("runs"))]
    folder = output or beside(chosen[0])
    writable(folder, folder=True)
    refuse(folder)
    with busy("reading records"):
        material = gathered(chosen)
    with busy("writing pages"):
        built = build(material, folder, title=titled(chosen), all_pdf=all_pdf)
    if as_json:
        print_json(as_document(material, built))
    else:
        print_built(material, built, found=not sources)


def beside(source: Path) -> Path:
    """
    Where a report goes unless it is told.

    >>> beside(Path("runs/smoke")).as_posix(), beside(Path("tables/rows.csv")).as_posix()
    ('runs/smoke-report', 'tables-report')
    """
    folder = source.parent if source.suffix == ".csv" else source
    folder = folder.resolve() if folder.name in ("", "..") else folder
    return folder.with_name(f"{folder.name}-report")

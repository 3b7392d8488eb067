"""`rsjs report`: a site of everything that stores and tables hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rsjs.campaigns.store import STORE
from rsjs.cli.options import Baseline, Json, argument, option, options_named
from rsjs.cli.output import print_json, print_text, writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.reporting.site.build import build, refuse
from rsjs.reporting.site.report_data import gathered
from rsjs.reporting.statistics.analysis import baseline_of
from rsjs.reporting.tables.formats import counted


def report(
    sources: Annotated[
        list[Path] | None,
        argument(
            "DIR",
            "Stores of `rsjs run`, folders of `rsjs collect` or `rsjs compare`; by default"
            " this folder, if it is a store, or the one in ./runs that was worked on last.",
        ),
    ] = None,
    output: Annotated[
        Path | None, option("DIR", "Folder of the site; DIR-report by default.", "-o", "--output")
    ] = None,
    baseline: Baseline = None,
    all_pdf: Annotated[
        bool, option(None, "Figures of each instance as PDF too, however many.", "--all-pdf")
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

    here = Path()
    chosen = sources or [here if (here / STORE).exists() else last_store(Path("runs"))]
    folder = output or beside(chosen[0])
    writable(folder, folder=True)
    refuse(folder)
    with busy("reading records"):
        material = gathered(chosen)
    with options_named():
        baseline = baseline_of(material.rows, baseline)
    folders = [_folder(path).absolute() for path in chosen]  # a study's own is DIR/store
    title = ", ".join(one.parent.name if one.name == "store" else one.name for one in folders)
    with busy("writing pages"):
        built = build(material, folder, title=title, all_pdf=all_pdf, baseline=baseline)
    if as_json:
        facts = {"sources": [*material.sources], "runs": len(material.rows)}
        facts |= {"missing": material.missing, **built}
        for key, name, found in (
            ("corrupt", "record", material.corrupt),
            ("sessions_lost", "session", material.lost),
        ):
            facts[key] = [{name: what, "reason": reason} for what, reason in found]
        print_json(facts)
        return
    runs, names = counted(len(material.rows), "run"), ", ".join(map(str, chosen))
    last = "" if sources or chosen == [here] else " (the store in ./runs that was worked on last)"
    print_text(f"Reported: {names}{last}: {runs}.")
    if material.missing:
        print_text(f"Not carried out yet: {counted(len(material.missing), 'run')} of the plan.")
    for path, reason in material.corrupt:
        print_text(f"Left out, as its record cannot be read: {path}: {reason}")
    for session, reason in material.lost:
        print_text(f"Without commit and machine, as session {session} cannot be read: {reason}")
    if built["without_pdf"]:
        left = counted(built["without_pdf"], "instance")
        print_text(f"No PDF of the figures of {left}: --all-pdf draws them.")
    pages, size = counted(built["pages"], "page"), built["opening_bytes"] / 1e6
    print_text(f"{pages}; the opening page loads {size:.1f} MB at most. Open:")
    print(folder / "index.html")


def beside(source: Path) -> Path:
    """
    Return the default folder of a report.

    >>> beside(Path("runs/smoke")).as_posix(), beside(Path("tables/rows.csv")).as_posix()
    ('runs/smoke-report', 'tables-report')
    """
    folder = _folder(source)
    folder = folder.resolve() if folder.name in ("", "..") else folder
    return folder.with_name(f"{folder.name}-report")


def _folder(source: Path) -> Path:
    return source.parent if source.suffix == ".csv" else source


def last_store(folder: Path) -> Path:
    """Return the store worked on last, the folder itself or in it; InputError if there is none."""
    stores = [path.parent for place in (STORE, f"*/{STORE}") for path in folder.glob(place)]
    if not stores:
        expected = "a store of `rsjs run`: give its folder, or run a campaign first"
        raise InputError("", described("no store"), expected, folder)

    def touched(store: Path) -> tuple[float, str]:
        """Return when a run, a session or the plan was last written."""
        places = [store / "plan.json", *store.glob("sessions/*.json"), *store.glob("runs/??")]
        times = (path.stat().st_mtime for path in places if path.exists())
        return max(times, default=0.0), store.name

    return max(stores, key=touched)

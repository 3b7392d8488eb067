"""The tables and figures of a campaign, each by its name: pure functions of its records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from rsjs.instances.errors import InputError
from rsjs.instances.files import write_bytes
from rsjs.reporting import cost_bars, gap_curves, tables
from rsjs.reporting.csv_rows import csv_text
from rsjs.reporting.kit.evidence import Experiment
from rsjs.reporting.statistics import sheet_text
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.pictures import pictures
from rsjs.reporting.statistics.sheet import Sheet
from rsjs.reporting.statistics.sheets import sheets

Kind = Literal["table", "figure"]


@dataclass(frozen=True)
class Item:
    """
    A table or a figure.

    Attributes
    ----------
    name, title : str
    kind : "table" | "figure"
    files : sequence of str
        Below the folder of the campaign.
    """

    name: str
    title: str
    kind: Kind
    files: Sequence[str]


Texts = Callable[[], dict[str, str]]  # suffix -> text
Draw = Callable[[Path], object]


def write_results(experiment: Experiment, folder: Path, only: Sequence[str] = ()) -> list[Item]:
    """
    Write tables (.md, .tex, .csv) and figures (.pdf) into a folder, with the rows they show.

    Parameters
    ----------
    only : sequence of str
        Names of tables and figures; none = all.

    Raises
    ------
    InputError
        For a name that is none of them.
    """
    courses = {course["run_id"]: course["events"] for course in experiment.courses}
    rows = [{**row, "events": courses[row["run_id"]]} for row in experiment.rows]
    analysis = Analysis(rows=rows)
    known = [*_tables(experiment, analysis), *_figures(experiment, analysis)]
    names = [item.name for item, _ in known]
    for name in only:
        if name not in names:
            raise InputError("--only", name, f"one of {', '.join(names)}")
    made = [(item, write) for item, write in known if not only or item.name in only]
    for _, write in made:
        write(folder)
    write_bytes(csv_text(experiment.rows).encode(), folder / "rows.csv")
    write_bytes(json.dumps(experiment.courses).encode(), folder / "events.json")
    if experiment.found.skipped:
        write_bytes(csv_text(experiment.found.skipped).encode(), folder / "skipped.csv")
    return [item for item, _ in made]


def _tables(experiment: Experiment, analysis: Analysis) -> Iterator[tuple[Item, Draw]]:
    rows = experiment.rows

    def runs() -> dict[str, str]:
        return {"md": tables.markdown(rows), "tex": tables.latex(rows), "csv": csv_text(rows)}

    yield _table("runs", "Every run: checked cost, gap, time", runs)
    told = analysis.conditions()
    for sheet in sheets(analysis):
        yield _table(sheet.name, sheet.title, partial(_texts, sheet, told))


def _texts(sheet: Sheet, told: Sequence[str]) -> dict[str, str]:
    return {
        "md": sheet_text.markdown([sheet], told),
        "tex": sheet_text.latex([sheet], told),
        "csv": sheet_text.csv(sheet),
    }


def _table(name: str, title: str, texts: Texts) -> tuple[Item, Draw]:
    paths = {suffix: f"tables/{name}.{suffix}" for suffix in ("md", "tex", "csv")}

    def write(folder: Path) -> None:
        for suffix, text in texts().items():
            write_bytes(text.encode(), folder / paths[suffix])

    return Item(name, title, "table", [*paths.values()]), write


def _figures(experiment: Experiment, analysis: Analysis) -> Iterator[tuple[Item, Draw]]:
    rows, courses = experiment.rows, experiment.courses
    yield _figure("gap-over-time", "Gap over time", partial(gap_curves.gap_over_time, courses))
    yield _figure("cost-terms", "Terms of the cost", partial(cost_bars.cost_split, rows))
    for one in pictures(analysis):
        yield _figure(f"{one.name}-figure", one.title, one.draw)


def _figure(name: str, title: str, draw: Draw) -> tuple[Item, Draw]:
    file = f"figures/{name}.pdf"
    return Item(name, title, "figure", [file]), lambda folder: draw(folder / file)

"""
The tables and figures of a campaign, each by its name: pure functions of its records.

Statistics are computed family by family, as by `rsjs statistics` and `rsjs report`: most methods
serve some families only. If there are several, names begin with the family.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from rsjs.core.errors import InputError
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.archive.campaign_data import Experiment
from rsjs.reporting.figures import cost_bars, gap_curves
from rsjs.reporting.figures.methods import pictures
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import tables
from rsjs.reporting.tables import comparison
from rsjs.reporting.tables.csv_rows import csv_text
from rsjs.reporting.tables.table import Table, latex_all, markdown_all
from rsjs.reporting.tables.units import by_family

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
Made = tuple[Item, str, Draw]  # its name without the family; writes its files


def write_results(experiment: Experiment, folder: Path, only: Sequence[str] = ()) -> list[Item]:
    """
    Write tables (.md, .tex, .csv) and figures (.pdf) into a folder, with the rows they show.

    Parameters
    ----------
    only : sequence of str
        Names of tables and figures, with or without the family; none = all.

    Raises
    ------
    InputError
        For a name that is none of them.
    """
    courses = {course["run_id"]: course["events"] for course in experiment.courses}
    rows = [{**row, "events": courses[row["run_id"]]} for row in experiment.rows]
    known = [*_of_runs(experiment)]
    families = by_family(rows)
    for family, group in families.items():
        known += _of_family(Analysis(rows=group), family if len(families) > 1 else "")
    names = [name for item, plain, _ in known for name in dict.fromkeys((plain, item.name))]
    for name in only:
        if name not in names:
            raise InputError("--only", name, f"one of {', '.join(dict.fromkeys(names))}")
    made = [
        (item, write)
        for item, plain, write in known
        if not only or item.name in only or plain in only
    ]
    for _, write in made:
        write(folder)
    write_bytes(csv_text(experiment.rows).encode(), folder / "rows.csv")
    write_bytes(json.dumps(experiment.courses).encode(), folder / "events.json")
    if experiment.found.skipped:
        write_bytes(csv_text(experiment.found.skipped).encode(), folder / "skipped.csv")
    return [item for item, _ in made]


def _of_runs(experiment: Experiment) -> Iterator[Made]:
    rows, courses = experiment.rows, experiment.courses

    def runs() -> dict[str, str]:
        return {
            "md": comparison.markdown(rows),
            "tex": comparison.latex(rows),
            "csv": csv_text(rows),
        }

    yield _table("runs", "Every run: checked cost, gap, time", runs)
    yield _figure("gap-over-time", "Gap over time", partial(gap_curves.gap_over_time, courses))
    yield _figure("cost-terms", "Terms of the cost", partial(cost_bars.cost_split, rows))


def _of_family(analysis: Analysis, family: str) -> Iterator[Made]:
    told = analysis.conditions()
    for table in tables(analysis):
        title = f"{family}: {table.title.lower()}" if family else table.title
        texts = partial(_texts, replace(table, title=title), told)
        yield _table(table.name, title, texts, family)
    for one in pictures(analysis):
        title = f"{family}: {one.title.lower()}" if family else one.title
        yield _figure(f"{one.name}-figure", title, one.draw, family)


def _texts(table: Table, told: Sequence[str]) -> dict[str, str]:
    return {
        "md": markdown_all([table], told),
        "tex": latex_all([table], told),
        "csv": table.csv(),
    }


def _table(plain: str, title: str, texts: Texts, family: str = "") -> Made:
    name = f"{family}-{plain}" if family else plain
    paths = {suffix: f"tables/{name}.{suffix}" for suffix in ("md", "tex", "csv")}

    def write(folder: Path) -> None:
        for suffix, text in texts().items():
            write_bytes(text.encode(), folder / paths[suffix])

    return Item(name, title, "table", [*paths.values()]), plain, write


def _figure(plain: str, title: str, draw: Draw, family: str = "") -> Made:
    name = f"{family}-{plain}" if family else plain
    file = f"figures/{name}.pdf"
    return Item(name, title, "figure", [file]), plain, lambda folder: draw(folder / file)

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
from rsjs.reporting.archive.archive_data import Experiment
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.figure_style import styles
from rsjs.reporting.figures.methods import figures
from rsjs.reporting.figures.runs import cost_split, gap_over_time
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import tables
from rsjs.reporting.statistics.tidy import StoredRow
from rsjs.reporting.tables import comparison
from rsjs.reporting.tables.table import latex_all, markdown_all
from rsjs.rows.csv import csv_text
from rsjs.rows.select import by_family

Kind = Literal["table", "figure"]
Content = str | Callable[[Path], object]  # the text of a file, or what draws it
Part = tuple[str, str, dict[str, Content]]  # name without the family, title, suffix -> content


@dataclass(frozen=True)
class Item:
    """A table or a figure."""

    name: str
    title: str
    kind: Kind
    files: Sequence[str]  # below the folder of the campaign


def write_results(experiment: Experiment, folder: Path, only: Sequence[str] = ()) -> list[Item]:
    """
    Write tables (.md, .tex, .csv) and figures (.pdf) into a folder, with the rows they show.

    `only` names tables and figures, with or without the family; none = all. InputError for a name
    that is none of them.
    """
    rows: list[StoredRow] = [
        {**row, "events": trajectory["events"]}
        for row, trajectory in zip(experiment.rows, experiment.trajectories, strict=True)
    ]
    families = by_family(rows)
    parts = [("", part) for part in _of_runs(experiment)]
    for name, group in families.items():
        family = name if len(families) > 1 else ""
        parts += [(family, part) for part in _of_family(Analysis(rows=group), family)]
    names: dict[str, None] = {}
    chosen: list[tuple[Item, dict[str, Content]]] = []
    for family, (plain, title, contents) in parts:
        name = f"{family}-{plain}" if family else plain
        names |= {plain: None, name: None}
        if not only or name in only or plain in only:
            kind: Kind = "figure" if "pdf" in contents else "table"
            files = {f"{kind}s/{name}.{suffix}": content for suffix, content in contents.items()}
            chosen.append((Item(name, title, kind, [*files]), files))
    for name in only:
        if name not in names:
            raise InputError("--only", name, f"one of {', '.join(names)}")
    more: dict[str, Content] = {
        "rows.csv": csv_text(experiment.rows),
        "events.json": json.dumps(experiment.trajectories),
    }
    if experiment.found.skipped:
        more["skipped.csv"] = csv_text(experiment.found.skipped)
    for files in (*(files for _, files in chosen), more):
        for file, content in files.items():
            if isinstance(content, str):
                write_bytes(content.encode(), folder / file)
            else:
                content(folder / file)
    return [item for item, _ in chosen]


def _of_runs(experiment: Experiment) -> Iterator[Part]:
    rows, trajectories = experiment.rows, experiment.trajectories
    texts: dict[str, Content] = {
        "md": comparison.markdown(rows),
        "tex": comparison.latex(rows),
        "csv": csv_text(rows),
    }
    yield "runs", "Every run: checked cost, gap, time", texts
    yield "gap-over-time", "Gap over time", {"pdf": partial(write, gap_over_time(trajectories))}
    yield "cost-terms", "Terms of the cost", {"pdf": partial(write, cost_split(rows))}


def _of_family(analysis: Analysis, family: str) -> Iterator[Part]:
    told = analysis.conditions()
    for table in tables(analysis):
        title = f"{family}: {table.title.lower()}" if family else table.title
        titled = replace(table, title=title)
        texts = {"md": markdown_all([titled], told), "tex": latex_all([titled], told)}
        yield table.name, title, {**texts, "csv": table.csv()}
    colours = styles(analysis.ran.columns)
    for one in figures(analysis):
        title = f"{family}: {one.title.lower()}" if family else one.title
        yield f"{one.name}-figure", title, {"pdf": partial(write, one, styles=colours)}

"""What `rsjs statistics` prints: the tables, or the same numbers as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rsjs.cli.console import console, print_json, print_text
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.gaps import with_courses
from rsjs.reporting.statistics.sheet import Sheet
from rsjs.reporting.statistics.tables import sheets
from rsjs.reporting.tables.formats import counted

MOST_PAIRS = 12  # beyond, a terminal shows those of the best method only


def print_all(made: Mapping[str, Analysis], files: Mapping[str, Sequence[Path]]) -> None:
    """Print each family; several with their names above."""
    if len(made) > 1:
        print_text(f"{len(made)} families, each by itself: {', '.join(made)}.")
    for name, analysis in made.items():
        if len(made) > 1:
            print(f"\nFamily {name}\n")
        _print(analysis, files[name])


def _print(analysis: Analysis, files: Sequence[Path]) -> None:
    """Print the tables, counts first, conditions, and where the files are."""
    from rsjs.reporting.statistics.sheet_terminal import table

    out = console()
    for sheet in sheets(analysis):
        shown = _shortened(sheet, analysis)
        out.print(table(shown))
        for note in shown.notes:
            print_text(note)
        print()
    if not with_courses(analysis.runs):
        print_text("No integrals and targets: they need events.json beside every rows.csv.")
    for line in analysis.conditions():
        print_text(line)
    if files:
        print_text(f"Written to {files[0].parent}: {', '.join(path.name for path in files)}")


def as_document(made: Mapping[str, Analysis], files: Mapping[str, Sequence[Path]]) -> None:
    """Print each table as a list of objects; of several families an object each."""
    told = {name: _document(analysis, files[name]) for name, analysis in made.items()}
    print_json({"families": told} if len(made) > 1 else next(iter(told.values())))


def _document(analysis: Analysis, files: Sequence[Path]) -> dict[str, Any]:
    return {
        **{sheet.name: sheet.lines.to_dict("records") for sheet in sheets(analysis)},
        "conditions": analysis.conditions(),
        "files": list(files),
    }


def _shortened(sheet: Sheet, analysis: Analysis) -> Sheet:
    """Without the pairs that the best method is not in, if there are many."""
    few = len(sheet.lines) <= MOST_PAIRS
    if few or not sheet.name.startswith("pairs") or not analysis.ranked:
        return sheet
    ranks = analysis.ranks_by_time if sheet.name.endswith("time") else analysis.ranks_by_cost
    best = ranks.index[0]
    kept = sheet.lines[(sheet.lines[["one", "other"]] == best).any(axis=1)]
    told = f"Of {counted(len(sheet.lines), 'pair')}, those with {best}; files have all."
    return replace(sheet, lines=kept, notes=[*sheet.notes, told])

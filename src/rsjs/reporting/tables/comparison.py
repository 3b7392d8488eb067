"""
The comparison of methods, or of formulations, on instances: a row for each run.

Pure functions of rows. What stands below a table is made here, too: the definition of the gap,
limits, versions and remarks on runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.references import references, referred, rule
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.table import Column, Table, latex_all
from rsjs.rows.columns import Row
from rsjs.rows.csv import csv_text
from rsjs.rows.select import (
    AnyRow,
    best_row,
    distinct,
    executed,
    group_by,
    how_it_ended,
    is_wrong,
    known,
    problem,
)
from rsjs.runs.gap import gap

Maker = Callable[[Sequence[Row]], Table]
R = TypeVar("R", bound=AnyRow)


def _measured(row: AnyRow) -> str:
    return "bound" if _is_bound(row) else how_it_ended(row)


def _is_bound(row: AnyRow) -> bool:
    """Whether a run gave what it was to: a bound, and no solution."""
    return row["status"] == "no_solution" and known(row, "bound") is not None


def _late(row: AnyRow) -> str:
    late, jobs = known(row, "late"), known(row, "jobs")
    return "" if late is None or jobs is None else f"{late:.0f}/{jobs:.0f}"


_cost = partial(Column, unit="$", part="cost", number=formats.cost)
_term = partial(Column, unit="$", part="cost", number=formats.term)
_gap = partial(Column, unit="%", part="cost", number=formats.percent)
_effort = partial(Column, unit="s", part="effort", number=formats.measured)
COLUMNS: Sequence[Column] = (
    Column("instance", "instance", part="instance"),
    Column("method", "method", part="method"),
    Column("stop", "ended", part="method", text=how_it_ended),
    _cost("objective", "objective"),
    Column("over_best", "cost / best", formats.ratio, part="cost"),
    _term("spent", "w/o postp.", rank=4),
    _term("tardiness", "tardiness", rank=9),
    _term("postponement", "postponement", rank=6),
    _term("energy", "energy", rank=7),
    _term("idle", "idle", rank=10),
    _term("changes", "changes", rank=10),
    _cost("bound", "bound", rank=8),
    _cost("best_bound", "best bound", part="instance", rank=8),
    _gap("own_gap", "own gap", rank=5),
    _gap("gap_to_best", "gap to best", rank=3),
    _gap("gap_without_postponement", "gap w/o postp.", rank=11),
    Column("executed", "jobs run", part="effort", rank=2, text=executed),
    Column("late", "late", align="right", part="effort", rank=2, text=_late),
    _effort("build_s", "build", rank=12),
    _effort("solve_s", "solve", rank=13),
    _effort("total_s", "total", rank=1),
    _effort("peak_memory_mb", "memory", unit="MB", rank=11),
)
FORMULATIONS: Sequence[Column] = (
    *COLUMNS[:2],
    Column("stop", "ended", part="method", text=_measured),
    *(Column(key, key, formats.count, part="cost", rank=3) for key in ("columns", "integers")),
    *(Column(key, key, formats.count, part="cost", rank=9) for key in ("rows", "nonzeros")),
    _cost("objective", "objective", rank=4),
    _cost("bound", "bound"),
    _gap("root_gap", "root gap"),
    _effort("build_s", "build", rank=1),
    _effort("handover_s", "hand-over", rank=7),
    _effort("solve_s", "solve", rank=5),
    _effort("total_s", "total", rank=2),
    Column("search_nodes", "search nodes", formats.count, part="effort", rank=6),
    _effort("peak_memory_mb", "memory", unit="MB", rank=8),
)
SIMULATIONS: Sequence[Column] = (
    *COLUMNS[:1],
    Column("method", "policy", part="method"),
    _cost("objective", "cost"),
    _cost("energy", "energy", rank=2),
    _cost("tardiness", "tardiness", rank=2),
    Column("over_bound", "/ bound", formats.ratio, part="cost"),
    Column("over_best", "/ best", formats.ratio, part="cost"),
    _cost("known_cost", "W_j known", rank=3),
    Column("over_known", "/ known", formats.ratio, part="cost", rank=1),
    _cost("mean_cost", "mean", rank=4),
    Column("over_expected", "/ expected", formats.term, part="cost", rank=1),
    Column("over_expected_half", "±", formats.measured, part="cost", rank=1),
    Column("cost_ratio", "ratio", formats.term, part="cost", rank=1),
    _gap("cost_reduction", "PCR", rank=1),
    _cost("predicted_cost", "predicted", rank=6),
    _gap("deviation_of_predicted", "of prediction", rank=7),
    _gap("deviation_of_real", "of real", rank=8),
    Column("late", "late", align="right", part="effort", text=_late),
    _effort("utilisation", "in use", unit="%", number=formats.percent),
    _effort("makespan_h", "makespan", unit="h", number=formats.term, rank=3),
    Column("decisions", "decisions", formats.count, part="effort", rank=4),
    _effort("decision_median_s", "each", rank=5),
)
BOUNDS = {  # and baselines: columns of the references of a workload
    "capacity_free_bound": "bound: {:.6g} $, capacity-free: every job alone, W_j known",
    "workload_bound": "bound: {:.6g} $, workload bound: GPUs at prices over time, W_j known",
    "best_known_bound": "bound: {:.6g} $, the best known of this workload; / bound is over it",
    "best_cost": "best: {:.6g} $, the least known cost of a simulation, also of policies told W_j",
    "clairvoyant_greedy": "no bound: {:.6g} $, clairvoyant greedy: queue:greedy with W_j known",
    "infinite_cluster": "no bound: {:.6g} $, infinite cluster: every job alone, W_j not known",
}
TITLES = {
    "cost": "Costs and bounds",
    "effort": "Wall-clock time, work and peak memory",
}
GAP = (
    "Gaps are of runs that prove a bound. Gap to best = (z - b) / max(|z|, |b|): z is the checked "
    "cost, b the best valid lower bound of the instance (own gap: the method's bound). Without "
    "postponement: (z - b) / |z - postponement|."
)
GAPS = ("gap_to_best", "gap_without_postponement", "gap_over_energy")
ROOT_GAP = (
    "Root gap: from the bound to the best checked cost of the instance, (z - b) / max(|z|, |b|);"
    " in `@relaxation` the integers may be fractional. Solve is with the hand-over to the solver."
)
MOST_REMARKS = 10
UNLIMITED = 1e7  # s, the longest limit: that of simulations, which are limited by decision
LONGEST_MESSAGE = 200

LIMITS: dict[str, Callable[[Any], str]] = {
    "time_limit": lambda value: f"{value:g} s" if value < UNLIMITED else "no time limit of a run",
    "gap_limit": lambda value: f"gap {value:g}",
    "threads": lambda value: counted(int(value), "thread"),
    "seed": lambda value: f"seed {int(value)}",
}


def proving(rows: Sequence[R]) -> list[R]:
    """Return the rows without the gaps to bounds that other methods proved."""
    others = dict.fromkeys(GAPS)
    return [row if known(row, "bound") is not None else cast(R, {**row, **others}) for row in rows]


def table(rows: Sequence[Row]) -> Table:
    """
    Return one row per run, with the definition of the gap, conditions and remarks below.

    A column whose cells are all equal is told in the notes instead.
    """
    return _of_runs(rows).without_constants()


def _of_runs(rows: Sequence[Row]) -> Table:
    if not rows:
        raise InputError("", described("no rows"), "at least one run to make a table of")
    best = references(rows)
    named = proving(referred(distinct(rows), best))
    return _table(named, "comparison", COLUMNS, [rule(rows, best), GAP, *conditions(named)])


def _table(
    rows: Sequence[Row], title: str, columns: Sequence[Column], notes: Sequence[str]
) -> Table:
    return Table(
        name="comparison",
        title=title,
        columns=columns,
        rows=rows,
        notes=notes,
        footnotes=remarks(rows),
        mark=_mark,
    )


def formulations(rows: Sequence[Row]) -> Table:
    """Return sizes, bounds and times, a row per run of a formulation or of its relaxation."""
    best = {key: best_row(group) for key, group in group_by(rows, problem).items()}
    costs = {key: None if row is None else row["objective"] for key, row in best.items()}
    made = _of_runs(rows)
    measured = [{**row, "root_gap": gap(costs[problem(row)], row["bound"])} for row in made.rows]
    return replace(
        made,
        title="formulations",
        columns=FORMULATIONS,
        rows=measured,
        notes=[ROOT_GAP, *made.notes[2:]],
        footnotes=remarks([row for row in made.rows if not _is_bound(row)]),
    )


def simulations(rows: Sequence[Row]) -> Table:
    """Return the policies on a workload, with the bounds and baselines of it below."""
    notes = [
        text.format(value)
        for key, text in BOUNDS.items()
        if (value := known(rows[0], key)) is not None
    ]
    if (expected := known(rows[0], "expected_bound")) is not None:
        half, draws = known(rows[0], "expected_half"), known(rows[0], "draws")
        notes.append(
            f"bound in expectation: {expected:.6g} $"
            + ("" if half is None else f" ± {half:.3g} $ (95 %)")
            + f", mean over {counted(draws, 'draw')} of W_j: no policy costs less on average;"
            " expected: its mean cost on these over it, ± half the 95 % interval"
        )
    if "cost_ratio" in rows[0]:
        first = rows[0]["method"]
        notes.append(f"ratio, PCR: cost over that of {first}, and by how much it is less")
    return _table(distinct(rows), "simulations", SIMULATIONS, notes)


def write_all(
    rows: Sequence[Row], folder: Path, make: Maker = table, first: Sequence[Table] = ()
) -> list[Path]:
    """
    Write rows.csv, table.md and table.tex, each whole or not at all; return their paths.

    The tables in `first` stand above the one that `make` returns.
    """
    made = [one.markdown(2) for one in first]
    texts = {
        "rows.csv": csv_text(rows),
        "table.md": "\n".join([*made, make(rows).markdown(2 if first else 0)]),
        "table.tex": latex(rows, make, first),
    }
    for name, text in texts.items():
        write_bytes(text.encode(), folder / name)
    return [folder / name for name in texts]


def latex(rows: Sequence[Row], make: Maker = table, first: Sequence[Table] = ()) -> str:
    """
    Return tables in LaTeX, `first` and then of costs and of effort.

    A document needs `booktabs` only.
    """
    made = make(rows)
    parts = [
        replace(
            made,
            title=title,
            columns=[c for c in made.columns if c.part in ("instance", "method", part)],
            sections=("instance", "best_bound"),
            notes=made.notes if part == "cost" else conditions(made.rows),
            footnotes=made.footnotes if part == "cost" else (),
        )
        for part, title in TITLES.items()
    ]
    return latex_all([*first, *parts])


def shortened_table(rows: Sequence[Row], make: Maker = table) -> Table:
    """Return the table with what all names have in common as its title."""
    made = make(rows)
    common, short = shortened([str(row.get("instance")) for row in made.rows])
    shown = [{**row, "instance": short[str(row.get("instance"))]} for row in made.rows]
    names = list(dict.fromkeys(row["instance"] for row in shown))
    if len(names) == 1:
        columns = [column for column in made.columns if column.key != "instance"]
        return replace(made, title=common or names[0], columns=columns, rows=shown)
    return replace(made, title=common or made.title, rows=shown, sections=("instance",))


def _mark(row: AnyRow, key: str) -> str:
    if key != "stop":
        return ""
    return "bad" if is_wrong(row) else "warn" if known(row, "objective") is None else ""


def conditions(rows: Sequence[AnyRow]) -> list[str]:
    """Return limits, threads and seed in one sentence, versions in another."""
    found = [
        (show, Counter(row[key] for row in rows if known(row, key) is not None))
        for key, show in LIMITS.items()
    ]
    told = [
        " or ".join(
            show(value) + (f" ({counted(n, 'row')})" if len(values) > 1 else "")
            for value, n in sorted(values.items())
        )
        for show, values in found
        if values
    ]
    differ = any(len(values) > 1 for _, values in found)
    own = dict.fromkeys(str(row["rsjs_version"]) for row in rows if known(row, "rsjs_version"))
    packages = ({"rsjs-bench": [*own]} if own else {}) | dict(sorted(solver_versions(rows).items()))
    versions = [f"{name} {' and '.join(several)}" for name, several in packages.items()]
    heads = {"LIMITS DIFFER between rows" if differ else "Limits": told, "Versions": versions}
    return [f"{head}: {', '.join(parts)}." for head, parts in heads.items() if parts]


def remarks(rows: Sequence[AnyRow]) -> list[str]:
    """Return a line for each row with false values or without a solution, wrong ones first."""
    told = [row for row in rows if is_wrong(row) or row.get("status") == "no_solution"]
    told.sort(key=lambda row: not is_wrong(row))
    lines = []
    for row in told[:MOST_REMARKS]:
        mark = str(row.get("status")).replace("_", " ")
        mark = mark.upper() if is_wrong(row) else mark.capitalize()
        message = " ".join(str(known(row, "message") or "no reason given").split())
        if len(message) > LONGEST_MESSAGE:
            message = message[: LONGEST_MESSAGE - 1] + "…"
        lines.append(f"{mark}: {row.get('method')} on {row.get('instance')}: {message}")
    left = len(told) - len(lines)
    return [*lines, f"and {left} more: see the messages of the rows"] if left else lines


def solver_versions(rows: Sequence[AnyRow]) -> dict[str, list[str]]:
    """Return solver -> its versions, by the methods that used one."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        _, at, rest = str(row.get("method")).partition("@")
        if at and known(row, "solver_version"):
            name = rest.partition("?")[0].partition(":")[0]
            found.setdefault(name, {})[str(row["solver_version"])] = None
    return {name: [*versions] for name, versions in found.items()}

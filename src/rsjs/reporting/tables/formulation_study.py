"""
The tables of a study of formulations, in Markdown and for a terminal, from its stored rows.

What the rows of a study of formulations say together: one record per formulation and instance.

The root gap is the gap from the bound of the linear relaxation to the best cost that any row of
the same instance reached and the checker confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.footnotes import conditions
from rsjs.reporting.tables.markdown_table import code, escaped
from rsjs.reporting.tables.select import Row, known
from rsjs.runs.gap import contradicts, gap

if TYPE_CHECKING:
    from rich.table import Table

LIMITS = {"time_limit": "time", "memory_limit": "memory"}


@dataclass(frozen=True, kw_only=True)
class Record:
    """
    One formulation on one instance.

    Attributes
    ----------
    relaxed : row or None
        Of its linear relaxation.
    solves : mapping of str to row
        Solver -> row.
    best : float or None
        The least cost reached on the instance by any formulation.
    """

    family: str
    nodes: int
    jobs: int
    formulation: str
    relaxed: Row | None
    solves: Mapping[str, Row]
    best: float | None

    @property
    def measured(self) -> Row:
        """The row that has its size and times: of the relaxation, else of a solve."""
        return self.relaxed if self.relaxed is not None else next(iter(self.solves.values()))

    @property
    def bound(self) -> float | None:
        """Of the relaxation."""
        return None if self.relaxed is None else known(self.relaxed, "bound")

    @property
    def root_gap(self) -> float | None:
        """From the bound of the relaxation to the best cost."""
        return gap(self.best, self.bound)

    @property
    def ended(self) -> str:
        """How the relaxation ended: `solved`, `limit (time)`, or what went wrong."""
        return "" if self.relaxed is None else told(self.relaxed)


def records(rows: Sequence[Row]) -> list[Record]:
    """In the order of the rows; of several rows for the same thing the last one counts."""
    groups: dict[tuple[str, str], list[Row]] = {}
    best: dict[str, float] = {}
    for row in rows:
        groups.setdefault((row["instance_sha256"], row["formulation"]), []).append(row)
        cost = known(row, "objective")
        if cost is not None and row["status"] == "ok":
            best[row["instance_sha256"]] = min(cost, best.get(row["instance_sha256"], cost))
    return [_record(group, best.get(instance)) for (instance, _), group in groups.items()]


def told(row: Row) -> str:
    """How a measurement ended, in a word or two."""
    stop = str(row["stop"])
    if stop in LIMITS:
        return f"limit ({LIMITS[stop]})"
    if stop == "error":
        return "refused" if "serves" in str(row["message"]) else "error"
    if row["measure"] == "solve":
        return stop.replace("_", " ")
    return "solved" if known(row, "bound") is not None else stop.replace("_", " ")


def false_bounds(rows: Sequence[Row]) -> list[str]:
    """Relaxations above a cost that was reached: one line for each, there should be none."""
    return [
        f"{one.formulation} on {one.measured['instance']}: relaxation {one.bound:g} above a cost"
        f" reached, {one.best:g}"
        for one in records(rows)
        if one.best is not None and one.bound is not None and contradicts(one.best, one.bound)
    ]


def _record(group: Sequence[Row], best: float | None) -> Record:
    first = group[0]
    relaxed = [row for row in group if row["measure"] == "relaxation"]
    return Record(
        family=first["family"],
        nodes=first["nodes"],
        jobs=first["jobs"],
        formulation=first["formulation"],
        relaxed=relaxed[-1] if relaxed else None,
        solves={row["solver"]: row for row in group if row["measure"] == "solve"},
        best=best,
    )


GUTTER = 2  # between columns of a terminal

ROOT_GAP = (
    "Relaxation: the integers may be fractional; its optimum is a bound. Root gap: from it to the"
    " best checked cost of the instance, (z - b) / max(|z|, |b|). Limit: no bound within the time"
    " or memory; refused: the formulation does not serve that size."
)


@dataclass(frozen=True)
class Column:
    """A heading and what stands below it; in a narrow terminal, high ranks are left out."""

    heading: str
    text: Callable[[Record], str]
    right: bool = True
    rank: int = 0


def markdown(rows: Sequence[Row]) -> str:
    """A table of the formulations and, where some were solved, one of the solves."""
    found = records(rows)
    relaxed = [record for record in found if record.relaxed is not None]
    parts = [_markdown(_FORMULATIONS, relaxed), f"{escaped(ROOT_GAP)}  "]
    if solved := [(one, row) for one in found for row in one.solves.values()]:
        parts.append(_markdown(_SOLVES, [_alone(one, row) for one, row in solved]))
    parts.append("\n".join(f"{escaped(line)}  " for line in conditions(rows)))
    parts += [f"- **{escaped(line)}**" for line in false_bounds(rows)]
    return "\n\n".join(parts) + "\n"


def rich_tables(rows: Sequence[Row], width: int) -> list[Table]:
    """The same for a terminal of `width` characters: the more room, the more columns."""
    found = records(rows)
    relaxed = [record for record in found if record.relaxed is not None]
    made = [_rich("Formulations and their relaxations", _FORMULATIONS, relaxed, width)]
    if solved := [(one, row) for one in found for row in one.solves.values()]:
        made.append(_rich("Solved", _SOLVES, [_alone(one, row) for one, row in solved], width))
    return made


def _alone(record: Record, row: Row) -> Record:
    """The record of a formulation with one of its solves."""
    return Record(**{**vars(record), "solves": {row["solver"]: row}})


def _size(record: Record) -> str:
    return f"{record.family} {record.nodes} x {record.jobs}"


def _measured(key: str, form: Callable[[float], str]) -> Callable[[Record], str]:
    return lambda record: _shown(known(record.measured, key), form)


def _solve(key: str, form: Callable[[float], str]) -> Callable[[Record], str]:
    return lambda record: _shown(known(next(iter(record.solves.values())), key), form)


def _relaxed_in(record: Record) -> str:
    """Without the hand-over, which the phase of the solve holds too."""
    solve, handover = (known(record.measured, key) for key in ("solve_s", "handover_s"))
    return _shown(None if solve is None else solve - (handover or 0.0), formats.measured)


def _shown(value: Any, form: Callable[[float], str]) -> str:
    return formats.MISSING if value is None else form(value)


_WHAT = (
    Column("instance", _size, right=False),
    Column("formulation", lambda record: record.formulation, right=False),
)
_FORMULATIONS = (
    *_WHAT,
    Column("rows", _measured("rows", formats.count), rank=5),
    Column("columns", _measured("columns", formats.count), rank=2),
    Column("nonzeros", _measured("nonzeros", formats.count), rank=6),
    Column("integers", _measured("integers", formats.count), rank=4),
    Column("bound [$]", lambda record: _shown(record.bound, formats.cost), rank=3),
    Column("root gap [%]", lambda record: _shown(record.root_gap, formats.percent)),
    Column("build [s]", _measured("build_s", formats.measured), rank=1),
    Column("hand-over [s]", _measured("handover_s", formats.measured), rank=9),
    Column("relaxed in [s]", _relaxed_in, rank=7),
    Column("memory [MB]", _measured("peak_memory_mb", formats.measured), rank=8),
    Column("relaxation", lambda record: record.ended, right=False),
)
_SOLVES = (
    *_WHAT,
    Column("solver", lambda record: next(iter(record.solves)), right=False),
    Column("ended", lambda record: told(next(iter(record.solves.values()))), right=False),
    Column("cost [$]", _solve("objective", formats.cost), rank=1),
    Column("bound [$]", _solve("bound", formats.cost), rank=3),
    Column("own gap [%]", _solve("gap", formats.percent)),
    Column("search nodes", _solve("search_nodes", formats.count), rank=4),
    Column("total [s]", _solve("total_s", formats.measured), rank=2),
    Column("memory [MB]", _solve("peak_memory_mb", formats.measured), rank=5),
)


def _markdown(columns: Sequence[Column], found: Sequence[Record]) -> str:
    rules = ["---:" if column.right else ":---" for column in columns]
    lines = [[escaped(column.heading) for column in columns], rules]
    for record in found:
        texts = [(column, column.text(record)) for column in columns]
        lines.append(
            [code(text) if c.heading == "formulation" else escaped(text) for c, text in texts]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rich(title: str, columns: Sequence[Column], found: Sequence[Record], width: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    chosen = _fitting(columns, found, width)
    made = Table(
        title=Text(title),
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, GUTTER - 1, 0, 0),
    )
    for column in chosen:
        made.add_column(
            Text(column.heading), justify="right" if column.right else "left", no_wrap=True
        )
    before = None
    for record in found:
        if before not in (None, _size(record)):
            made.add_section()
        texts = [column.text(record) for column in chosen]
        made.add_row(*map(Text, ["" if _size(record) == before else texts[0], *texts[1:]]))
        before = _size(record)
    return made


def _fitting(columns: Sequence[Column], found: Sequence[Record], width: int) -> list[Column]:
    """Without the highest ranks, as many as it takes for the rest to fit."""
    chosen = list(columns)
    while any(column.rank for column in chosen):
        taken = [
            max(map(len, [column.heading, *map(column.text, found)])) + GUTTER for column in chosen
        ]
        if sum(taken) - GUTTER <= width:
            break
        chosen.remove(max(chosen, key=lambda column: column.rank))
    return chosen

"""
The report on a trace: what is wrong in it, and what load it offers.

    offered load of a GPU type = sum over its jobs of GPUs x share x run time / span

in GPUs that are busy on average, the span from the first submission to the last; over the GPUs of
the nodes that may run it (`gpu_models.nodes_for`) it is a fraction, above 1 more than they can do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.traces.duplicates import Names
from rsjs.instances.traces.flaws import EMPTY, KINDS, MISSING_COLUMN, TRUNCATED
from rsjs.instances.traces.gpu_models import nodes_for, stand_ins
from rsjs.instances.traces.io.line_blocks import Truncated
from rsjs.instances.traces.records import Rows
from rsjs.instances.traces.registry import Trace
from rsjs.instances.traces.screen import Screen
from rsjs.instances.traces.tally import HOUR, Place, Tally
from rsjs.instances.traces.trace_format import NodeGroup

GAP = 24  # h without a submission that are told
_ODD_SHORT, _ODD_LONG = 1.0, 30 * 86400.0  # s, of the median run time
_ODD_SPAN = 10 * 366 * 86400.0  # s
_DIGITS = 3  # of the median run time [s] in a document


@dataclass(frozen=True, kw_only=True)
class Load:
    """Offered load of a GPU type as recorded ("" = not recorded); capacity in GPUs or None."""

    model: str
    jobs: int
    gpu_hours: float
    busy: float
    capacity: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """
    What `inspect` finds.

    Attributes
    ----------
    trace : Trace
    nodes : sequence of NodeGroup
    known : mapping of str to str
        See `gpu_models.stand_ins`.
    tally : Tally
    duplicates : (d,) int
        Lines of jobs that an earlier line has.
    """

    trace: Trace
    nodes: Sequence[NodeGroup]
    known: Mapping[str, str]
    tally: Tally
    duplicates: NDArray[np.int64]

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong, notices aside."""
        return any(kind.error and self.tally.flaws[kind.name] for kind in KINDS)

    @property
    def span(self) -> float:
        """First to last submission [s], at least an hour."""
        return max(HOUR, self.tally.last - self.tally.first) if self.tally.usable else HOUR

    @property
    def loads(self) -> list[Load]:
        """By GPU type as recorded, the largest first."""
        work: dict[str, float] = dict.fromkeys(self.tally.jobs, 0.0)
        for (model, _), amount in self.tally.gpu_seconds.items():
            work[model] += amount
        found = [
            Load(
                model=model,
                jobs=self.tally.jobs[model],
                gpu_hours=amount / HOUR,
                busy=amount / self.span,
                capacity=self._capacity(model),
            )
            for model, amount in work.items()
        ]
        return sorted(found, key=lambda load: -load.gpu_hours)

    def _capacity(self, model: str) -> int | None:
        """Return the GPUs on which a job of a recorded type may run; None if there are none."""
        binding = self.trace.format.binding
        found = nodes_for(model, self.nodes, self.known, binding=binding)
        return sum(group.gpus * group.count for group in found) or None

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """Hours after the first submission at which nothing is submitted for long, and how long."""
        hours = np.array(sorted(self.tally.submissions), dtype=np.int64)
        long = np.flatnonzero(np.diff(hours) > GAP)
        found = [(int(hours[i] + 1 - hours[0]), int(hours[i + 1] - hours[i] - 1)) for i in long]
        return sorted(found, key=lambda gap: -gap[1])

    @property
    def remarks(self) -> list[str]:
        """What looks odd in the trace as a whole."""
        found = []
        median = self.median_run_time
        if median is not None and not _ODD_SHORT <= median <= _ODD_LONG:
            found.append(f"the median run time is {median:.3g} s: check the unit")
        if self.span > _ODD_SPAN:
            years = self.span / (365.25 * 86400)
            found.append(f"submissions span {years:.3g} years: check the unit")
        return found

    @property
    def median_run_time(self) -> float | None:
        """Return the median run time of the usable rows [s]; None without any."""
        times = self.tally.run_times
        return float(np.median(np.concatenate(times))) if times else None

    def as_document(self) -> dict[str, Any]:
        """For `--json`."""
        tally, median = self.tally, self.median_run_time
        return {
            "format": self.trace.format.name,
            "files": {table: source.name for table, source in self.trace.tables.items()},
            "ignored": list(self.trace.ignored),
            "rows": tally.rows,
            "usable": tally.usable,
            "kinds": [
                {
                    "kind": kind.name,
                    "error": kind.error,
                    "rows": tally.flaws[kind.name],
                    "meaning": kind.meaning,
                    "first": [vars(place) for place in tally.places[kind.name]],
                }
                for kind in KINDS
                if tally.flaws[kind.name]
            ],
            "span_hours": self.span / HOUR,
            "median_run_time_s": median if median is None else round(median, _DIGITS),
            "offered_load": [vars(load) for load in self.loads],
            "gaps": [{"after_hours": at, "hours": length} for at, length in self.gaps],
            "remarks": self.remarks,
            "errors": self.has_errors,
        }


def inspect(
    trace: Trace,
    *,
    nodes: Sequence[NodeGroup] | None = None,
    gpus: Mapping[str, str] | None = None,
) -> Report:
    """
    Read a trace once and report on it.

    Parameters
    ----------
    nodes : sequence of NodeGroup, optional
        The cluster, if not that of the trace's node list.
    gpus : mapping, optional
        GPU type as recorded ("" = not recorded) -> that of the catalogue; see `gpu_models`.
    """
    screen = Screen(
        nodes=trace.nodes() if nodes is None else list(nodes),
        known=stand_ins(gpus or {}, trace.format.gpu),
        binding=trace.format.binding,
    )
    names = Names()
    tally = _tally(trace, screen, names.add)
    if len(duplicates := names.duplicates()):  # they have no part in the load: count once more
        screen = replace(screen, duplicates=duplicates)
        tally = _tally(trace, screen)
    return Report(
        trace=trace, nodes=screen.nodes, known=screen.known, tally=tally, duplicates=duplicates
    )


def _tally(trace: Trace, screen: Screen, note: Callable[[Rows], None] = lambda rows: None) -> Tally:
    """What the rows of a trace are, each chunk noted as it passes."""
    tally = Tally()
    for table, columns in trace.missing.items():
        place = Place(trace.tables[table].name, 1, ", ".join(columns))
        tally.note_file(MISSING_COLUMN, place, len(columns))
    if trace.missing:
        return tally
    try:
        for rows in trace.rows():
            note(rows)
            tally.add(screen(rows))
    except Truncated as error:
        tally.note_file(TRUNCATED, Place(error.file, error.line, ""), 1)
    if not tally.rows:
        tally.note_file(EMPTY, Place(next(iter(trace.tables.values())).name, 1, ""), 1)
    return tally

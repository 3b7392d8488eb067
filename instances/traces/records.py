"""
The common record of all traces, and what a trace format declares to fill it.

Jobs are columns, a chunk of consecutive lines at a time. A format declares its tables with the
columns that it reads, how the first bytes of a file identify them, and how rows become jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.instances.traces.flaws import Bits, FlawKind
from rsjs.instances.traces.io.csv import CsvLayout, split_line
from rsjs.instances.traces.io.streams import ByteSource

Texts = NDArray[np.bytes_]
ID_BYTES = 64  # longer names of jobs are cut
_LINES = 20  # from which a table without a header is identified: some may be damaged


@dataclass(frozen=True, kw_only=True, eq=False)
class JobRecords:
    """Some consecutive jobs of a trace."""

    file: str  #: where they were read
    line: Ints  #: (n,) their lines, from 1
    id: Texts  #: (n,)
    #: (n,) [s], NaN = not recorded. Numbers count from any zero, dates from 1970 in their own zone
    submit: Floats
    duration: Floats  #: (n,) [s], run time on the recorded GPUs; NaN = not recorded
    gpus: Floats  #: (n,) NaN = not recorded
    share: Floats  #: (n,) of one GPU; 1 for jobs on whole GPUs
    #: (n,) position of the recorded GPU type in `models`, -1 = not recorded. "A|B" = A or B.
    model: Ints
    models: tuple[str, ...] = ()
    #: (n,) position of what the job trains in `applications`, -1 = not recorded
    application: Ints
    applications: tuple[str, ...] = ()
    flaw: Bits  #: (n,) bits of the kinds of flaws
    start: Floats = field(default_factory=lambda: np.zeros(0))  #: (n,) [s]; NaN = not recorded
    end: Floats = field(default_factory=lambda: np.zeros(0))  #: (n,) [s]; NaN = not recorded
    due: Floats = field(default_factory=lambda: np.zeros(0))  #: (n,) [s]; NaN = not recorded
    weight: Floats = field(default_factory=lambda: np.zeros(0))  #: (n,) [$/h]; NaN = not recorded
    #: (n,) [GB] on each GPU; NaN = not recorded
    memory: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name in ("start", "end", "due", "weight", "memory"):
            if not getattr(self, name).size:
                object.__setattr__(self, name, np.full(len(self.line), np.nan))

    def __len__(self) -> int:
        return len(self.line)

    @property
    def spelled_models(self) -> list[str]:
        """Return (n,) recorded GPU types as texts, "" = not recorded."""
        return [*map((*self.models, "").__getitem__, self.model.tolist())]

    def subset(self, rows: NDArray[Any]) -> JobRecords:
        """Return the jobs at these positions, or where the mask is true."""
        columns = {
            name: value[rows] if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        return JobRecords(**columns)


def broken_lines(file: str, line: Ints, kind: FlawKind) -> JobRecords:
    """Return lines that are no jobs, for one reason."""
    n = len(line)
    unknown = np.full(n, np.nan)
    none = np.full(n, -1, dtype=np.int64)
    return JobRecords(
        file=file,
        line=line,
        id=np.zeros(n, dtype=f"S{ID_BYTES}"),
        submit=unknown,
        duration=unknown,
        gpus=unknown,
        share=unknown,
        model=none,
        application=none,
        flaw=np.full(n, kind.bit, dtype=np.uint32),
    )


def recode(codes: Ints, names: Sequence[str], known: dict[str, int]) -> Ints:
    """Return (n,) positions in the names that are known by now, which grow; -1 stays."""
    position = [known.setdefault(name, len(known)) for name in names]
    return np.array([*position, -1], dtype=np.int64)[codes]


@dataclass(frozen=True)
class TraceNodes:
    """Identical nodes of a node list."""

    model: str  #: GPU type as the trace spells it; empty = not recorded
    gpus: int
    count: int


@dataclass(frozen=True, kw_only=True)
class TraceTable:
    """One table of a format."""

    name: str  #: as users know it
    #: column that it must have -> "number" | "date" | "text" | "word"; "" = it is not read
    columns: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()  #: all columns of a table without a header
    #: whether the fields of a line, as many as `order`, are a row of this table
    is_row: Callable[[Sequence[str]], bool] = lambda row: False
    separator: str = ","
    #: stands in for `missing` where the table is JSON, from its first bytes
    identify: Callable[[bytes], tuple[str, ...] | None] | None = None
    required: bool = True  #: whether there are no jobs without it

    def missing(self, head: bytes) -> tuple[str, ...] | None:
        """
        Return the columns that a file lacks, or has twice: () = it is this table; None = another.

        A header with two and a third of the columns is one of this table. Of a column that stands
        twice nobody knows which one counts: it is missing as well.
        """
        if self.identify is not None:
            return self.identify(head)
        header = self._header(head)
        if self.order:
            text = head.decode("utf-8", "replace")
            lines = (text.splitlines()[:-1] or [text])[:_LINES]  # the last one may be cut
            rows = [line.split(self.separator) for line in lines]
            like = any(len(row) == len(self.order) and self.is_row(row) for row in rows)
            return () if header == self.order or like else None
        count = Counter(header)
        absent = tuple(
            f"{name} twice" if count[name] else name for name in self.columns if count[name] != 1
        )
        present = len(self.columns) - len(absent)
        similar = present >= 2 and 3 * present >= len(self.columns)
        return absent if not absent or similar else None

    def layout(self, head: bytes) -> CsvLayout:
        """Return how a file with these first bytes is written."""
        header = self._header(head)
        return CsvLayout(
            columns=self.order or header,
            wanted={name: kind for name, kind in self.columns.items() if kind},
            separator=self.separator,
            header=not self.order or header == self.order,
        )

    def _header(self, head: bytes) -> tuple[str, ...]:
        """Return the names of the columns in the first line."""
        first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
        return tuple(name.strip() for name in split_line(first.split("\r", 1)[0], self.separator))


@dataclass(frozen=True, kw_only=True)
class TraceFormat:
    """A trace format."""

    name: str
    title: str  #: for documentation
    #: of the published data; None = none stated, so nothing made of it may be handed on
    licence: str | None = None
    tables: tuple[TraceTable, ...]
    #: jobs in the order of the file, from the sources by table
    rows: Callable[[Mapping[str, ByteSource]], Iterator[JobRecords]]
    #: nodes of the node list, none without one, from the sources by table
    nodes: Callable[[Mapping[str, ByteSource]], list[TraceNodes]] = lambda sources: []
    gpu: str  #: GPU type of the catalogue that stands for one that is not recorded
    #: whether the recorded GPU type is one that the job asks for, not where it happened to run
    binding: bool = False
    arrivals: bool = True  #: whether jobs are submitted over time; otherwise all wait at once
    #: whether dates of submission have time zones; None = times of submission are numbers
    zoned: bool | None = None
    #: application of the trace -> network of the catalogue
    network: Mapping[str, str] = field(default_factory=dict)

"""
The common record of all traces: jobs as columns, a chunk at a time.

What a trace format declares: its tables, how to tell them, and how to read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats, Ints
from rsjs.instances.traces.flaws import Bits, FlawKind
from rsjs.instances.traces.io.streams import ByteSource

Texts = NDArray[np.bytes_]
ID_BYTES = 64  # longer names of jobs are cut


@dataclass(frozen=True, kw_only=True, eq=False)
class JobRecords:
    """
    Some consecutive jobs of a trace.

    Attributes
    ----------
    file : str
        Where they were read.
    line : (n,) int
        Their lines, from 1.
    id : (n,) bytes
    submit : (n,) float [s]
        NaN = not recorded. Numbers count from any zero; dates from 1970, in the clock's own zone.
    duration : (n,) float [s]
        Run time on the recorded GPUs; NaN = not recorded.
    gpus : (n,) float
        NaN = not recorded.
    share : (n,) float
        Of one GPU; 1 for jobs on whole GPUs.
    model, models : (n,) int, tuple of str
        Position of the recorded GPU type in `models`, -1 = not recorded. "A|B" = A or B.
    application, applications : (n,) int, tuple of str
        Likewise for what the job trains.
    flaw : (n,) uint32
        Bits of `kinds`.
    """

    file: str
    line: Ints
    id: Texts
    submit: Floats
    duration: Floats
    gpus: Floats
    share: Floats
    model: Ints
    models: tuple[str, ...] = ()
    application: Ints
    applications: tuple[str, ...] = ()
    flaw: Bits

    def __len__(self) -> int:
        return len(self.line)

    def taken(self, rows: NDArray[Any]) -> JobRecords:
        """The jobs at these positions, or where the mask is true."""
        columns = {
            name: value[rows] if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        return JobRecords(**columns)


def broken_lines(file: str, line: Ints, kind: FlawKind) -> JobRecords:
    """Lines that are no jobs, for one reason."""
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


Sources = Mapping[str, ByteSource]


@dataclass(frozen=True)
class TraceNodes:
    """
    Nodes that are alike.

    Attributes
    ----------
    model : str
        GPU type as the trace spells it; empty = not recorded.
    gpus, count : int
    """

    model: str
    gpus: int
    count: int


@dataclass(frozen=True, kw_only=True)
class TraceTable:
    """
    One table of a format.

    Attributes
    ----------
    name : str
        As users know it.
    missing : function
        From the first bytes of a file to the columns it lacks, or has twice: () = it is this
        table; None = it is another.
    needed : bool
        Whether there are no jobs without it.
    """

    name: str
    missing: Callable[[bytes], tuple[str, ...] | None]
    needed: bool = True


@dataclass(frozen=True, kw_only=True)
class TraceFormat:
    """
    A trace format.

    Attributes
    ----------
    name : str
    title : str
        Trace and licence, for documentation.
    tables : tuple of TraceTable
    rows : function of the sources by table
        Jobs in the order of the file.
    nodes : function of the source of a node list, by the name of its table
    gpu : str
        GPU type of the catalogue that stands for one that is not recorded.
    binding : bool
        Whether the recorded GPU type is one that the job asks for, not where it happened to run.
    network : mapping of str to str
        Application of the trace -> network of the catalogue.
    """

    name: str
    title: str
    tables: tuple[TraceTable, ...]
    rows: Callable[[Sources], Iterator[JobRecords]]
    nodes: Mapping[str, Callable[[ByteSource], list[TraceNodes]]] = field(default_factory=dict)
    gpu: str
    binding: bool = False
    network: Mapping[str, str] = field(default_factory=dict)


def header_of(head: bytes, separator: str = ",") -> tuple[str, ...]:
    """The names of the columns in the first line."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    return tuple(name.strip().strip('"') for name in first.rstrip("\r").split(separator))


def with_columns(*needed: str) -> Callable[[bytes], tuple[str, ...] | None]:
    """
    `TraceTable.missing` of a table whose header has these columns, or two and a third of them.

    Of a column that stands twice nobody knows which one counts: it is missing as well.
    """

    def missing(head: bytes) -> tuple[str, ...] | None:
        count = Counter(header_of(head))
        told = {name: name if count[name] == 0 else f"{name} twice" for name in needed}
        absent = tuple(told[name] for name in needed if count[name] != 1)
        present = len(needed) - len(absent)
        return absent if not absent or (present >= 2 and 3 * present >= len(needed)) else None

    return missing

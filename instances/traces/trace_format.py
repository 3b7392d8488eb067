"""What a trace format declares: its tables, how to tell them, and how to read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rsjs.instances.traces.io.streams import Source
from rsjs.instances.traces.records import Rows

Sources = Mapping[str, Source]


@dataclass(frozen=True)
class NodeGroup:
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
class Table:
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
    tables : tuple of Table
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
    tables: tuple[Table, ...]
    rows: Callable[[Sources], Iterator[Rows]]
    nodes: Mapping[str, Callable[[Source], list[NodeGroup]]] = field(default_factory=dict)
    gpu: str
    binding: bool = False
    network: Mapping[str, str] = field(default_factory=dict)


def header_of(head: bytes, separator: str = ",") -> tuple[str, ...]:
    """The names of the columns in the first line."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    return tuple(name.strip().strip('"') for name in first.rstrip("\r").split(separator))


def with_columns(*needed: str) -> Callable[[bytes], tuple[str, ...] | None]:
    """
    `Table.missing` of a table whose header has these columns, or two and a third of them.

    Of a column that stands twice nobody knows which one counts: it is missing as well.
    """

    def missing(head: bytes) -> tuple[str, ...] | None:
        count = Counter(header_of(head))
        told = {name: name if count[name] == 0 else f"{name} twice" for name in needed}
        absent = tuple(told[name] for name in needed if count[name] != 1)
        present = len(needed) - len(absent)
        return absent if not absent or (present >= 2 and 3 * present >= len(needed)) else None

    return missing

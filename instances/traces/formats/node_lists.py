"""Lists of the nodes of a cluster, which some traces have beside the jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.traces.io.csv import CsvLayout, TableBlock, blocks, numbers, words
from rsjs.instances.traces.io.streams import HEAD, ByteSource, Truncated, pieces
from rsjs.instances.traces.records import TraceNodes, header_of

MAX_GPUS = 1024  # of a node


def node_list(
    gpus: str, model: str | None, columns: tuple[str, ...] = ()
) -> Callable[[ByteSource], list[TraceNodes]]:
    """
    A reader of node lists; nodes without GPUs are left out.

    Parameters
    ----------
    gpus, model : str
        Columns; None = the list has no GPU types.
    columns : tuple of str
        All columns of a table without a header.
    """
    wanted = {gpus: "number"} | ({model: "word"} if model else {})

    def read(source: ByteSource) -> list[TraceNodes]:
        with source.open() as stream:
            head = next(pieces(stream, HEAD), b"")
        layout = CsvLayout(columns=columns or header_of(head), wanted=wanted, header=not columns)
        for name in wanted:
            if (count := layout.columns.count(name)) != 1:
                found_so = described(f"column {name!r} {count} times")
                raise InputError("/1", found_so, "it once", source.name)
        found: Counter[tuple[str, int]] = Counter()
        try:
            with source.open() as stream:
                for block in blocks(stream, source.name, layout):
                    for line in block.other[:1].tolist():
                        raise InputError(
                            f"/{line}", described("other fields"), "a node", source.name
                        )
                    found.update(_nodes(block, gpus, model, source.name))
        except Truncated as error:
            bad = described(f"an end within line {error.line}")
            raise InputError("", bad, "a whole node list", source.name) from None
        return [TraceNodes(name, size, count) for (name, size), count in found.items() if size]

    return read


def _nodes(block: TableBlock, gpus: str, model: str | None, file: str) -> Iterator[tuple[str, int]]:
    """GPU type and GPUs of each node of a block."""
    values, _ = numbers(block.frame[gpus])
    wrong = ~((values >= 0) & (values <= MAX_GPUS) & (values == np.floor(values)))
    for i in np.flatnonzero(wrong)[:1]:
        expected = f"a whole number 0 to {MAX_GPUS}"
        raise InputError(f"/{block.line[i]}/{gpus}", values[i].item(), expected, file)
    if model is None:
        names = [""] * len(values)
    else:
        codes, known = words(block.frame[model])
        names = [*map([*known, ""].__getitem__, codes)]
    return zip(names, values.astype(np.int64).tolist(), strict=True)

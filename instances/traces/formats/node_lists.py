"""Lists of the nodes of a cluster, which some traces have beside the jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.traces.columns import TableBlock, is_count
from rsjs.instances.traces.io.csv import read_blocks
from rsjs.instances.traces.io.streams import ByteSource, Truncated
from rsjs.instances.traces.records import TraceNodes, TraceTable

MAX_GPUS = 1024  # of a node


def read_nodes(
    table: TraceTable, gpus: str, model: str | None, sources: Mapping[str, ByteSource]
) -> list[TraceNodes]:
    """
    Read a node list; nodes without GPUs are left out.

    Parameters
    ----------
    gpus, model : str
        Columns; None = the list has no GPU types.
    sources : mapping
        Without this table there are no nodes.
    """
    if table.name not in sources:
        return []
    source = sources[table.name]
    layout = table.layout(source.head())
    for name in layout.wanted:
        if (count := layout.columns.count(name)) != 1:
            times = described(f"column {name!r} {count} times")
            raise InputError("/1", times, "it once", source.name)
    nodes: Counter[tuple[str, int]] = Counter()
    try:
        for line, frame, other in read_blocks(source, layout):
            for i in other[:1].tolist():
                raise InputError(f"/{i}", described("other fields"), "a node", source.name)
            block = TableBlock(source.name, line, frame)
            size = block.number(gpus)
            for i in np.flatnonzero(~is_count(size, MAX_GPUS))[:1]:
                expected = f"a whole number 0 to {MAX_GPUS}"
                pointer = f"/{line[i]}/{gpus}"
                raise InputError(pointer, size[i].item(), expected, source.name)
            # GPU type and GPUs of each node of the block.
            codes, models = block.word(model) if model else (np.full(len(line), -1), ())
            names = map((*models, "").__getitem__, codes.tolist())
            nodes.update(zip(names, size.astype(np.int64).tolist(), strict=True))
    except Truncated as error:
        bad = described(f"an end within line {error.line}")
        raise InputError("", bad, "a whole node list", source.name) from None
    return [TraceNodes(name, size, count) for (name, size), count in nodes.items() if size]

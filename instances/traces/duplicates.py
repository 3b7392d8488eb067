"""Jobs that an earlier line of a trace has: 16 bytes a row are kept to find them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.traces.records import Rows
from rsjs.instances.traces.text_columns import keys


@dataclass(eq=False)
class Names:
    """The names of the jobs, as the chunks pass; lines that hold no job have no part in this."""

    _keys: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = field(default_factory=list)

    def add(self, rows: Rows) -> None:
        """Note the names of a chunk."""
        named = np.flatnonzero(rows.id != b"")
        self._keys.append((keys(rows.id[named]), rows.line[named]))

    def duplicates(self) -> NDArray[np.int64]:
        """Lines of jobs that an earlier line has, in order of the file."""
        twice = self._repeated()
        first = np.ones(len(twice), dtype=bool)
        found = [np.empty(0, dtype=np.int64)]
        for key, line in self._keys if len(twice) else []:
            at = np.minimum(np.searchsorted(twice, key), len(twice) - 1)
            hit = np.flatnonzero(twice[at] == key)
            new, here = np.unique(at[hit], return_index=True)
            again = np.delete(hit, here[first[new]])
            first[new] = False
            found.append(line[again])
        return np.concatenate(found)

    def _repeated(self) -> NDArray[np.uint64]:
        """Keys that more than one row has, in order."""
        if not self._keys:
            return np.empty(0, dtype=np.uint64)
        key = np.concatenate([part for part, _ in self._keys])
        key.sort()
        return np.unique(key[1:][key[1:] == key[:-1]])

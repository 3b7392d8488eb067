"""Types of arrays, and arrays that stay read-only: a digest says what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class ReadOnly:
    """Base of frozen dataclasses with read-only arrays, also in pickles and copies."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            _freeze(value)
        self.__dict__.update(state)


def _freeze(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple):
        for entry in value:
            _freeze(entry)

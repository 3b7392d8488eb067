"""Arrays that stay read-only: a digest says what is in them as long as nobody writes to them."""

from __future__ import annotations

from typing import Any

import numpy as np


class ReadOnly:
    """Base of frozen dataclasses with read-only arrays: NumPy forgets it in pickles and copies."""

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

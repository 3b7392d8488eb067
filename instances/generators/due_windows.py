"""Between which times after submission a due date is drawn, by the papers' rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from rsjs.instances.arguments import one_of
from rsjs.instances.generators.random_streams import Floats

# Rule -> the latest due date from the least and the largest time of a job; the earliest is least.
LATEST: Mapping[str, Callable[[Floats, Floats], Floats]] = MappingProxyType(
    {
        # Jahani 2019, V-A; and ours, harder
        "base": lambda least, most: 2 * most,
        "tight": lambda least, most: np.maximum(1.5 * least, most / 2),
        # Filippini 2024, (31)
        "at_most_thrice": lambda least, most: np.minimum(3 * least, most),
        # generate_data_new.py of the authors' program
        "thrice": lambda least, most: 3 * least,
    }
)


def due_window(rule: str, hours: Floats) -> tuple[Floats, Floats]:
    """
    (J,) earliest and latest due date after submission [h].

    Parameters
    ----------
    rule : str
        In `LATEST`.
    hours : (J, T, G + 1) float [h]
        Time of the whole job on each configuration, inf = not admissible.
    """
    latest = LATEST[one_of("due", rule, LATEST)]
    least = hours.min(axis=(1, 2))
    most = np.where(np.isfinite(hours), hours, 0.0).max(axis=(1, 2))
    return least, latest(least, most)

"""
Holm's step-down correction of several tests (Holm 1979).

    p_(1) <= ... <= p_(m),   adjusted p_(i) = max_{j <= i} min(1, (m - j + 1) p_(j))

All hypotheses with an adjusted p below alpha are rejected; the chance of any false rejection stays
below alpha whatever the dependence of the tests.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rsjs.core.types import Floats


def holm(p: ArrayLike) -> Floats:
    """
    Adjusted p-values in the order given.

    >>> print(holm([0.01, 0.04, 0.03, 0.005]).round(12).tolist())
    [0.03, 0.06, 0.06, 0.02]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * values[order]))
    return adjusted

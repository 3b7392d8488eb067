"""Which engine runs a method: compiled kernels or numpy. Both give the same results."""

from __future__ import annotations

import sys

from rsjs.heuristics.compiled import AVAILABLE, engine, is_kept

COMPILING = 30.0  # seconds that a run must have, so that kernels are compiled for it


def choose_engine(
    asked: str, kernels: str, *, much_work: bool = False, seconds: float = 0.0
) -> str:
    """
    "numba" or "numpy", as asked for.

    "auto" is numba where its kernels are loaded already. To load them takes a second: that is for
    much work. To compile them takes several: that is for runs with time enough.

    Parameters
    ----------
    kernels : the module that has them
    much_work : whether numpy takes longer than numba with loading
    seconds : time that is left
    """
    if asked == "numba" and not AVAILABLE:
        raise ValueError("engine=numba, but numba is not installed: pip install 'rsjs-bench[fast]'")
    if asked == "numba" and engine() != "numba":
        raise ValueError("engine=numba, but numba cannot be imported; `python -c 'import numba'`")
    if asked != "auto":
        return asked
    if not AVAILABLE:
        return "numpy"
    worth_it = much_work and (seconds >= COMPILING or is_kept(kernels))
    chosen = kernels in sys.modules or worth_it
    return "numba" if chosen and engine() == "numba" else "numpy"

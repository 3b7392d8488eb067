"""
Kernels compiled by numba where it is installed; elsewhere they run as the Python they are.

Only modules of kernels import this one, and only methods that are about to run a kernel import
those: importing numba takes most of a second. Compiled code is kept beside the package, or in the
user's cache where the package is read-only, or not at all.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

AVAILABLE = importlib.util.find_spec("numba") is not None


def compiled(function: F) -> F:
    """A function on arrays and numbers, compiled when it is first called."""
    if not AVAILABLE:
        return function
    from numba import njit

    try:
        kernel: F = njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba found no folder to write to
        kernel = njit(nogil=True, error_model="numpy")(function)
    return kernel

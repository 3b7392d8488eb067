"""
RSJS-Bench: scheduling deep-learning training jobs on GPU clusters as optimisation.

>>> import rsjs
>>> instance = rsjs.generate("jahani", nodes=2, jobs=8, seed=1)
>>> result = rsjs.solve(instance, "greedy:paper")
>>> rsjs.check(instance, result.solution).feasible
True
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rsjs import library
    from rsjs.api import *  # noqa: F403

    __version__: str

__all__ = ["Comparison", "InputError", "Method", "MethodError", "Solution", "__version__"]  # noqa: F405
__all__ += ["best_known", "board", "check", "check_submission", "compare", "cost_tables"]  # noqa: F405
__all__ += ["export_model", "finished"]  # noqa: F405
__all__ += ["from_frames", "generate", "library", "load", "run_campaign", "save"]  # noqa: F405
__all__ += ["simulate", "snapshots", "solve"]  # noqa: F405


def __getattr__(name: str) -> Any:
    # imported on first use, so that `rsjs --help` stays fast
    if name == "__version__":
        return version("rsjs-bench")
    if name == "library":
        return import_module("rsjs.library")
    if name in __all__:
        return getattr(import_module("rsjs.api"), name)
    raise AttributeError(f"module 'rsjs' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what the package offers, for tab completion."""
    return __all__

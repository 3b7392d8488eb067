"""
RSJS-Bench: scheduling deep-learning training jobs on GPU clusters as optimisation.

>>> import rsjs
>>> instance = rsjs.load("instance.json")
>>> result = rsjs.solve(instance, "jahani_patterns@highs", time_limit=60)
>>> rsjs.check(instance, result.solution).objective
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rsjs.api import InputError, MethodError, check, export_model, load, save, solve

__all__ = ["InputError", "MethodError", "check", "export_model", "load", "save", "solve"]


def __getattr__(name: str) -> Any:
    # imported on first use, so that `rsjs --help` stays fast
    if name in __all__:
        from rsjs import api

        return getattr(api, name)
    raise AttributeError(f"module 'rsjs' has no attribute {name!r}")

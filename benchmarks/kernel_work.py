"""One call of a kernel, as asv and its twin measure it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Work:
    """`run` is timed, `values` reads cost [$] and counts off its result."""

    run: Callable[[], Any]
    values: Callable[[Any], dict[str, float]]

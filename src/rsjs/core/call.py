"""What a method is asked: limits, options, one request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isnan
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from rsjs.instances.solution import Solution


ASKED, GRACE = 1.0, 2.0  # s after its time limit at which a run is asked to return, and ended


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one run."""

    #: wall-clock seconds for the whole method, from when it is given the instance
    time_limit: float = 60.0
    gap: float = 1e-4  #: relative gap at which an exact method may stop
    threads: int = 1  #: of the solver
    seed: int = 0  #: of all that is random
    #: resident memory of the worker's process tree; None = no limit
    memory_limit_mb: float | None = None

    @classmethod
    def asked(cls, **given: Any) -> Limits:
        """
        Return the limits of a user's request; within a method remaining limits may be 0.

        InputError at "/NAME" for a limit that does not exist or a value that makes no sense.
        """
        for name, value in given.items():
            if name not in _ASKED:
                raise InputError(f"/{name}", value, f"one of the limits {', '.join(_ASKED)}")
            kind, sensible, expected = _ASKED[name]
            if name == "memory_limit_mb" and value is None:
                continue
            known = isinstance(value, kind) and not isinstance(value, bool)
            if not known or not sensible(value):
                raise InputError(f"/{name}", value, expected)
            given[name] = int(value) if kind is Integral else float(value)  # of numpy, too
        return cls(**given)

    def __post_init__(self) -> None:
        for name, low, high in (("threads", 1, 2**31), ("seed", 0, 2**63)):
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value < high:
                raise InputError("", f"{name}={value}", f"an integer from {low} to {high - 1}")
        for name in ("time_limit", "gap"):
            if isnan(getattr(self, name)):
                raise InputError("", f"{name}=nan", "a number")


_ASKED: Mapping[str, tuple[type, Callable[[float], bool], str]] = {
    "time_limit": (Real, lambda value: 0 < value <= 1e7, "a number of seconds > 0 and <= 1e7"),
    "gap": (Real, lambda value: 0 <= value <= 1, "a relative gap from 0 to 1, e.g. 1e-4"),
    "threads": (Integral, lambda value: 1 <= value < 2**31, "a number of threads >= 1"),
    "seed": (Integral, lambda value: 0 <= value < 2**63, "a seed from 0 to 2^63 - 1"),
    "memory_limit_mb": (Real, lambda value: 0 < value < inf, "a number of MB > 0"),
}


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a method, given as `?name=value`."""

    default: Any  #: a value, or the specification of a method, or of several between "|"
    help: str
    choices: tuple[str, ...] = ()  #: empty = any value of the default's type
    minimum: float | None = None  #: the minimum accepted
    #: a method is handed to `Call.options` as an `InnerMethod`; of several, the first one
    #: that serves an instance runs
    kind: Literal["value", "method"] = "value"
    on_whole: bool = False  #: whether that method is given the whole instance, not parts of it


@dataclass(frozen=True, kw_only=True)
class Call:
    """
    Call of a method: solver, rule, options, limits and warm start.

    `ready` is what the method's `prepare` returned; None if that was nothing, or was not run.
    """

    solver: str | None = None
    rule: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    warm_start: Solution | None = None
    log: bool = False
    ready: Any = None

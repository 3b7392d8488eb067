"""
What a policy is: (state, memory) -> choice.

A policy is called after every event. It may ask to be called again after so many hours (T_j of the
STS paper: a job needs another mode), and what it leaves in `memory` it finds there at the
next call; at the first one there is None. Jobs come and go between calls: memory is best kept by
`State.rows`.

Policies that fail or never end: reported, not waited for.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from rsjs.core.call import GRACE
from rsjs.core.errors import printable
from rsjs.core.types import Floats
from rsjs.instances.solution import Solution
from rsjs.simulation.state import State

if TYPE_CHECKING:
    from rsjs.instances.instance import Workload
    from rsjs.simulation.options import Options


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Result of a policy's call."""

    solution: Solution  #: of the jobs at hand, in the order of `State.rows`
    #: (A,) hours until each job needs another decision, inf = it does not; None = no job does. The
    #: first such time is an event unless another one comes before
    change: Floats | None = None
    memory: Any = None  #: for the next call


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A policy under its name."""

    spelling: str
    decide: Callable[[State, Any], Choice]
    #: whether jobs that run are left alone: with events="authors" it then loses jobs
    keeps_running: bool = False
    #: `Options.epochs` that it was made for; None = it is no matter
    epochs: str | None = None
    #: imports and compiles what decisions need; `registry.policy` has run it
    prepare: Callable[[], object] = lambda: None
    #: a clairvoyant policy in place of this one, told the workload with W_j, and the options
    told: Callable[[Workload, Options], Policy] | None = None


TIE = 1e-9  # h: events this close are one
CLOSE = 1e-6  # h: events this close, many times in a row, are a clock that stands still
MOST_CLOSE = 100
MOST_LETTERS = 500  # of a message
MOST_IN_VAIN = 10_000  # decisions in a row between which no job came or went
AGAIN = 1.0  # s until the next ring, where a library swallowed the first one
LONGEST = 1e8  # s: timers know no longer times


class Status(StrEnum):
    """How a simulation ended."""

    COMPLETE = "complete"
    LOST = "lost"  # jobs, as the authors' program does
    DEADLOCK = "deadlock"
    ENDLESS = "endless"
    INFEASIBLE = "infeasible"
    TOO_SLOW = "too_slow"
    ERROR = "error"
    INTERRUPTED = "interrupted"


class Stopped(Exception):
    """Error: the simulation cannot continue, and why."""

    def __init__(self, status: Status, message: str) -> None:
        line = printable(" ".join(message.split()))  # that any terminal prints
        super().__init__(line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 3]}...")
        self.status = status


class Watch:
    """Counter of the events that only the policy or the rescheduling interval asked for."""

    def __init__(self) -> None:
        self._in_vain, self._close, self._last = 0, 0, float("-inf")

    def event(self, now: float, *, progress: bool, idle: bool) -> None:
        """Take note of an event: did a job come or go; does no job run and will none come."""
        self._in_vain = 0 if progress else self._in_vain + 1
        self._close = 0 if progress or now - self._last > CLOSE else self._close + 1
        self._last = now
        if self._close >= MOST_CLOSE or self._in_vain >= MOST_IN_VAIN:
            count = f"{max(self._close, self._in_vain)} decisions in a row"
            if idle:
                raise Stopped(Status.DEADLOCK, f"{count}, no job runs and none will come")
            raise Stopped(Status.ENDLESS, f"{count} and no job came or went")


class _TimeUp(BaseException):
    """A decision takes too long; `except Exception` in a policy shall not swallow it."""


class Alarm:
    """
    Alarm that interrupts policies at their time limit, in the main thread.

    Elsewhere a late solution is refused when it is returned.
    """

    def __init__(self) -> None:
        self._rings = threading.current_thread() is threading.main_thread()
        self._asking = False

    def __enter__(self) -> Alarm:
        if self._rings:
            self._before = signal.signal(signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        if self._rings:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def ask(self, policy: Policy, state: State, memory: Any) -> tuple[Any, float]:
        """Return what a policy says, and the seconds that took; raises Stopped if it fails."""
        limit = state.time_limit + GRACE
        begin = time.perf_counter()
        try:
            try:
                self._asking = True
                if self._rings:
                    signal.setitimer(signal.ITIMER_REAL, min(limit, LONGEST), AGAIN)
                reply = policy.decide(state, memory)
            finally:
                self._asking = False
                if self._rings:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            seconds = time.perf_counter() - begin
            if seconds > limit:
                raise _TimeUp
        except (Stopped, KeyboardInterrupt):
            raise
        except _TimeUp:
            raise Stopped(Status.TOO_SLOW, f"no decision within {limit:g} s") from None
        except BaseException as error:  # also sys.exit(): a policy ends its own run only
            raise Stopped(Status.ERROR, f"{type(error).__name__}: {error}") from error
        return reply, seconds

    def _ring(self, *_: object) -> None:
        if self._asking:
            raise _TimeUp

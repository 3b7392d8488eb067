"""Callback adapter: keeps the best incumbent and bound, re-raises exceptions after the solve."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.backend import RawResult, SolveTask
from rsjs.formulations.backends.stop import settled

INFINITE = 1e20
POLL_SECONDS = 0.05


class CallbackAdapter:
    """
    Callback adapter: passes better incumbents and bounds on, one at a time, and keeps them.

    It also times the hand-over, from when it is made to `limits_left`, and the solve.

    Solvers repeat solutions, call from threads of their own, and cannot carry a Python exception
    through their C++ frames: the exception waits here, asks the solver to stop, and is raised by
    `result`.

    Attributes
    ----------
    x, objective : vector and float, or None
        The best vector so far and its true cost.
    bound : float or None
        The best lower bound so far.
    interrupted : bool
        Whether the caller's `stop` said yes.
    """

    def __init__(self, task: SolveTask) -> None:
        self.task = task
        self.x: Floats | None = None
        self.objective: float | None = None
        self.bound: float | None = None
        self.interrupted = False
        self._error: BaseException | None = None
        self._over = False
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self._handover = self._spent = 0.0

    def limits_left(self) -> Limits:
        """Return the limits with what the hand-over, which ends now, leaves of the time."""
        self._handover = time.monotonic() - self._begin
        return replace(self.task.limits, time_limit=max(0.0, self.task.seconds - self._handover))

    @contextmanager
    def solving(self) -> Iterator[None]:
        """Time the solve, which is the block."""
        begin = time.monotonic()
        yield
        self._spent = time.monotonic() - begin

    def offer_incumbent(self, x: Floats) -> None:
        """Evaluate a feasible vector of the model; keep and report it if it is the best so far."""
        with self._guarded():
            objective = self.task.model.objective(x)
            least = 1e-12 * max(1.0, abs(objective))
            better = self.objective is None or objective < self.objective - least
            if better and not self._over:
                x.setflags(write=False)
                self.x, self.objective = x, objective
                self.task.on_incumbent(x)

    def offer_bound(self, value: float) -> None:
        """Keep and report a lower bound, offset included; infinities of solvers are none."""
        with self._guarded():
            better = self.bound is None or value > self.bound
            if better and abs(value) < INFINITE and not self._over:
                self.bound = value
                self.task.on_bound(value)

    def stopping(self) -> bool:
        """Return whether the solver has to end early."""
        if not self.interrupted:
            with self._guarded():
                self.interrupted = self.task.stop()
        return self.interrupted or self._error is not None

    @contextmanager
    def watching(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Time the solve, which is the block; poll `stop` in a thread and call `interrupt`."""
        done = threading.Event()

        def poll() -> None:
            while not done.wait(POLL_SECONDS):
                if self.stopping():
                    # again and again: a solver forgets or refuses a call that comes too early
                    with suppress(Exception):
                        interrupt()

        thread = threading.Thread(target=poll, daemon=True)
        thread.start()
        try:
            with self.solving():
                yield
        finally:
            done.set()
            thread.join()

    def result(
        self, stop: Stop, status: str, counts: Mapping[str, int], options: Mapping[str, Any]
    ) -> RawResult:
        """Return the result; raise what a callback raised. Later offers are ignored."""
        self._over = True
        if self._error is not None:
            raise self._error
        return RawResult(
            stop=settled(stop, self.objective, self.bound),
            status=status,
            x=self.x,
            objective=self.objective,
            bound=None if stop is Stop.INFEASIBLE else self.bound,
            counts=counts,
            options=options,
            handover_seconds=self._handover,
            solve_seconds=self._spent,
        )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except BaseException as error:
                self._error = error

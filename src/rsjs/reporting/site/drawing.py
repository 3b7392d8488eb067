"""Pictures drawn beside the writing of pages, by processes of their own on the cores there are."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Draw = Callable[..., object]


class Drawing:
    """Draws what is asked for; leaving the context waits until all of it is drawn."""

    def __init__(self) -> None:
        # spawned, not forked: a terminal's spinner is a thread of this process
        self._pool = ProcessPoolExecutor(
            _cores(), mp_context=get_context("spawn"), initializer=_leave_ctrl_c
        )
        self._pictures: list[Future[object]] = []

    def draw(self, draw: Draw, *what: Any, path: Path) -> None:
        """Call draw(*what, path), a function of a module."""
        self._pictures.append(self._pool.submit(draw, *what, path))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._pool.shutdown(cancel_futures=error is not None)
        if error is None:
            for picture in self._pictures:
                picture.result()


def _leave_ctrl_c() -> None:
    """Only the process that asked for the pictures hears of Ctrl-C, and ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cores() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1

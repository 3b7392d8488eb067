"""What is shown on a terminal's standard error while something runs; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from rsjs.cli.console import console, number, percent

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.console import RichCast
    from rich.live import Live
    from rich.text import Text


def busy(what: str) -> AbstractContextManager[Any]:
    """A spinner beside a word on what is done."""
    if not sys.stderr.isatty():
        return nullcontext()
    return console(stderr=True).status(what)


class RunLine:
    """One line on a running method: time, cost, bound and gap, from the events it reports."""

    def __init__(self, label: str, time_limit: float) -> None:
        self.label, self.time_limit = label, time_limit
        self.cost: float | None = None
        self.bound: float | None = None
        self._begin = time.monotonic()

    def __call__(self, event: dict[str, Any]) -> None:
        """Take note of an event line of a worker."""
        if event["event"] == "incumbent":
            self.cost = event["value"]
        elif event["event"] == "bound":
            self.bound = event["value"]

    def text(self) -> str:
        """The line as of now; its seconds count the start of the process, the limit does not."""
        from rsjs.runs.gap import gap

        seconds = time.monotonic() - self._begin
        parts = [f"{self.label}: {seconds:.0f} s (limit {self.time_limit:g})"]
        if self.cost is not None or self.bound is not None:
            parts += [f"cost {number(self.cost)}", f"bound {number(self.bound)}"]
            parts += [f"gap {percent(gap(self.cost, self.bound))}"]
        return "  ".join(parts)

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(self.text(), overflow="ellipsis", no_wrap=True)


class Screen:
    """Standard error while methods run: what was said stays, the line shown last is renewed."""

    def __init__(self, live: Live | None) -> None:
        self._live = live

    def show(self, line: RichCast) -> None:
        """Show a line, or several, in place of what was there before; only on a terminal."""
        if self._live is not None:
            self._live.update(line)

    def say(self, text: str) -> None:
        """Print a line that stays."""
        if self._live is None:
            print(text, file=sys.stderr, flush=True)
        else:
            self._live.console.print(text)


@contextmanager
def running(*, live: bool = True) -> Iterator[Screen]:
    """A screen; without `live`, or away from a terminal, it only keeps what is said."""
    if not live or not sys.stderr.isatty():
        yield Screen(None)
        return
    from rich.live import Live

    with Live(console=console(stderr=True), transient=True, refresh_per_second=4) as display:
        yield Screen(display)

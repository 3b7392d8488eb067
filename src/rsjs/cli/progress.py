"""What a terminal's standard error shows while methods and campaigns run; nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import chain
from statistics import fmean
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from rich.live import Live
from rich.text import Text

from rsjs.cli.output import console, number, percent
from rsjs.reporting.tables.formats import plain
from rsjs.runs.gap import gap
from rsjs.runs.kinds.base import kind

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.console import RichCast

    from rsjs.campaigns.pool import News
    from rsjs.campaigns.run import Run


def busy(what: str) -> AbstractContextManager[Any]:
    """Show a spinner beside a word on what is done."""
    return console(stderr=True).status(what) if sys.stderr.isatty() else nullcontext()


class RunLine:
    """One line on a running method: time, cost, bound and gap, from the events it reports."""

    def __init__(self, label: str, time_limit: float) -> None:
        self.label, self.time_limit = label, time_limit
        self.reached: dict[str, float | None] = {"incumbent": None, "bound": None}
        self._begin = time.monotonic()

    def __call__(self, event: dict[str, Any]) -> None:
        """Take note of an event line of a worker."""
        if event["event"] in self.reached:
            self.reached[event["event"]] = event["value"]

    def text(self) -> str:
        """Return the line; its seconds count the start of the process, the limit does not."""
        seconds = time.monotonic() - self._begin
        parts = [f"{self.label}: {seconds:.0f} s (limit {self.time_limit:g})"]
        cost, bound = self.reached.values()
        if cost is not None or bound is not None:
            parts += [f"cost {number(cost)}", f"bound {number(bound)}"]
            parts += [f"gap {percent(gap(cost, bound))}"]
        return "  ".join(parts)

    def __rich__(self) -> Text:
        return Text(self.text(), overflow="ellipsis", no_wrap=True)


class Screen(Live):
    """Standard error while methods run: what was said stays, the line shown last is renewed."""

    def __init__(self, *, live: bool = True) -> None:
        live = live and sys.stderr.isatty()
        out = console(stderr=True, force_terminal=live)
        super().__init__(console=out, transient=True, auto_refresh=live, refresh_per_second=4)

    def show(self, line: RichCast | str) -> None:
        """Show a line, or several, in place of what was there before; only on a terminal."""
        self.update(line)

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self.console.print(text, soft_wrap=True)


class Board:
    """The state of a campaign, kept up by its news: runs that ended now, and that failed."""

    def __init__(self, name: str, left: Sequence[Run], slots: int, screen: Screen) -> None:
        self.name, self.slots, self.screen = name, slots, screen
        self.waiting = {run.id: run for run in left}
        self.total, self.done, self.failed = len(left), 0, 0
        self._running: dict[str, RunLine] = {}
        self._spent: dict[str, list[float]] = {}

    def hear(self, news: News) -> None:
        """Take note of what happened, and show it."""
        run = news.run
        if run is None:
            pass  # only time has passed
        elif news.kind == "begun":
            self.waiting.pop(run.id, None)
            label = f"  {run.method}, {run.nodes} x {run.jobs}"
            self._running[run.id] = RunLine(label, run.limits.time_limit)
        elif news.kind == "line" and run.id in self._running:
            self._running[run.id](news.data)
        elif news.kind in ("ended", "passed over", "lost"):
            self._running.pop(run.id, None)
            self._tell(news, run)
        self.screen.show(self)

    def _tell(self, news: News, run: Run) -> None:
        from rsjs.rows.select import failure  # for campaigns only: it takes long to import

        if news.kind == "lost":
            self.waiting[run.id] = run
            self.screen.say(f"  {run.label}: its supervisor died, it is tried again")
            return
        self.done += 1
        place = f"  {self.done}/{self.total} {run.label}"
        if news.kind == "passed over":
            self.waiting.pop(run.id, None)
            self.screen.say(f"{place}: left to another process")
            return
        found = news.data
        self.failed += bool(failure(found))
        self._spent.setdefault(run.method, []).append(found["whole_s"])
        value = found["objective"]
        cost = "no schedule" if value is None else plain(value)
        if unit := kind(run.kind).unit:
            cost = f"{number(value)} {unit}"
        own_gap, seconds = percent(found["own_gap"]), number(found["total_s"], 3)
        result = f"{found['ended']}, {found['quality']}, {cost}, own gap {own_gap}, {seconds} s"
        why = f": {shorten(found['message'], 200)}" if failure(found) else ""
        self.screen.say(f"{place}: {result}{why}")

    def seconds_left(self) -> float | None:
        """Estimate from the runs of each method so far; None before the first has ended."""
        if not self._spent:
            return None
        overall = fmean(chain(*self._spent.values()))
        means = {name: fmean(several) for name, several in self._spent.items()}
        ahead = sum(means.get(run.method, overall) for run in self.waiting.values())
        return (ahead + overall / 2 * len(self._running)) / self.slots

    def text(self) -> str:
        """Return the board as of now."""
        left = self.seconds_left()
        counts = f"{self.done} of {self.total} done, {self.failed} failed"
        head = f"{self.name}: {counts}, {len(self._running)} running"
        head += f", about {duration(left)} left" if left is not None else ""
        return "\n".join([head, *(line.text() for line in self._running.values())])

    def __rich__(self) -> Text:
        return Text(self.text(), overflow="ellipsis", no_wrap=True)


def duration(seconds: float) -> str:
    """
    Write a duration in words.

    >>> duration(59), duration(61), duration(7300)
    ('59 s', '2 min', '2.0 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{-(-seconds // 60):.0f} min"
    return f"{seconds / 3600:.1f} h"

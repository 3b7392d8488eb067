"""What is shown while a campaign runs: how much is done, what runs now, how long it will take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rsjs.campaigns.dispatch import News
from rsjs.campaigns.run import Run
from rsjs.campaigns.statuses import failure
from rsjs.cli.console import number, percent
from rsjs.cli.progress import RunLine, Screen
from rsjs.reporting.tables.formats import plain

if TYPE_CHECKING:
    from rich.text import Text


class Board:
    """
    The state of a campaign, kept up by its news.

    Attributes
    ----------
    done, failed : int
        Runs that ended now; those of them that failed, see `statuses.failure`.
    """

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
            self.screen.show(self)
            return
        if news.kind == "begun":
            self.waiting.pop(run.id, None)
            self._running[run.id] = RunLine(
                f"  {run.method}, {run.nodes} x {run.jobs}", run.limits.time_limit
            )
        elif news.kind == "line" and run.id in self._running:
            self._running[run.id](news.data)
        elif news.kind in ("ended", "passed over", "lost"):
            self._running.pop(run.id, None)
            self._tell(news, run)
        self.screen.show(self)

    def _tell(self, news: News, run: Run) -> None:
        if news.kind == "lost":
            self.waiting[run.id] = run
            self.screen.say(f"  {run.label}: its watcher died, it is tried again")
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
        cost = f"{number(value)} $"
        if run.mig is not None:
            cost = "no schedule" if value is None else plain(value)
        told = f"{found['ended']}, {found['quality']}, {cost}"
        told += f", own gap {percent(found['gap'])}, {number(found['total_s'], 3)} s"
        self.screen.say(f"{place}: {told}")

    def seconds_left(self) -> float | None:
        """From the runs of each method so far; None before the first has ended."""
        spent = [seconds for several in self._spent.values() for seconds in several]
        if not spent:
            return None
        overall = sum(spent) / len(spent)
        means = {name: sum(several) / len(several) for name, several in self._spent.items()}
        ahead = sum(means.get(run.method, overall) for run in self.waiting.values())
        return (ahead + overall / 2 * len(self._running)) / self.slots

    def text(self) -> str:
        """The board as of now."""
        left = self.seconds_left()
        counts = f"{self.done} of {self.total} done, {self.failed} failed"
        head = f"{self.name}: {counts}, {len(self._running)} running"
        head += f", about {duration(left)} left" if left is not None else ""
        return "\n".join([head, *(line.text() for line in self._running.values())])

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(self.text(), overflow="ellipsis", no_wrap=True)


def duration(seconds: float) -> str:
    """
    In words.

    >>> duration(59), duration(61), duration(7300)
    ('59 s', '2 min', '2.0 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{-(-seconds // 60):.0f} min"
    return f"{seconds / 3600:.1f} h"

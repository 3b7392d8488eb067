"""
Controllers one after another: each solves its part within its share of the time that is left.

When i controllers are not begun, the next one among p processes gets the time left over
ceil(i / p), or a second if that is more: no solver answers at once. What it leaves unused goes to
those after it. An exception of one is its result.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rsjs.instances.errors import told
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Report, Run
from rsjs.instances.solution import SolveResult, Stop

LEAST = 1.0  # seconds


def share(call: Call, report: Report, left: int, processes: int) -> Call:
    """The call to the next controller when `left` are not begun, it among them."""
    remaining = report.remaining()
    seconds = min(remaining, max(LEAST, remaining / -(-left // processes)))
    return replace(call, limits=replace(call.limits, time_limit=seconds))


def attempt(solve: Run, instance: Instance, call: Call, report: Report) -> SolveResult:
    """The result of a controller; an exception is one, too."""
    try:
        return solve(instance, call, report)
    except Exception as error:
        traceback.print_exc()
        return SolveResult(stop=Stop.ERROR, message=told(error))


def add_seconds(report: Report, seconds: dict[str, float]) -> None:
    """Phases of a controller, summed over the controllers."""
    for name, value in seconds.items():
        report.seconds[name] = report.seconds.get(name, 0.0) + value


class TurnReport(Report):
    """
    The report of a controller that runs in this process.

    Phases and the wish to stop are those of the whole; its incumbents and bounds say nothing
    about the whole.
    """

    def __init__(self, whole: Report, time_limit: float) -> None:
        super().__init__(time_limit)
        self._whole = whole

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of the block to a phase of the whole."""
        with self._whole.phase(name):
            yield

    def stop_requested(self) -> bool:
        """Whether the whole was asked to end."""
        return self._whole.stop_requested()


def one_by_one(
    solve: Run, instances: Sequence[Instance], call: Call, report: Report
) -> Iterator[tuple[int, SolveResult]]:
    """Position and result of each controller, as long as there is time and nobody says stop."""
    for position, instance in enumerate(instances):
        if report.stop_requested() or report.remaining() <= 0:
            return
        asked = share(call, report, len(instances) - position, 1)
        turn = TurnReport(report, asked.limits.time_limit)
        result = attempt(solve, instance, asked, turn)
        add_seconds(report, turn.seconds)
        yield position, result

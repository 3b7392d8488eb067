"""Simulations of a workload under several policies: carried out, shown, kept in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.cli.console import number
from rsjs.cli.progress import Screen, busy
from rsjs.cli.runs import file_name
from rsjs.instances.files import write_bytes
from rsjs.instances.schema import Workload
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.guards import Status
from rsjs.simulation.offline import capacity_free_bound
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Policy
from rsjs.simulation.recorded import replay

if TYPE_CHECKING:
    from rich.text import Text

    from rsjs.simulation.event_records import Record

INTERRUPTED = 130


def policies(spellings: str, workload: Workload) -> list[Policy]:
    """The policies in a list, each once; InputError for one that cannot decide here."""
    from rsjs.cli.spellings import requests

    return [policy(request.spelling, workload) for request in requests(spellings)]


class ClockLine:
    """One line on a running simulation: its clock, its jobs, its cost."""

    def __init__(self, label: str, jobs: int) -> None:
        self.label, self.jobs = label, jobs
        self._completed = 0
        self._last: Record | None = None

    def __call__(self, record: Record) -> None:
        """Take note of an event."""
        self._completed += len(record.completed)
        self._last = record

    def text(self) -> str:
        """The line as of now."""
        if self._last is None:
            return f"{self.label}: before its first event"
        done = f"{self._completed} of {self.jobs} jobs complete, {self._last.waiting} wait"
        cost = number(self._last.energy + self._last.tardiness)
        return f"{self.label}: {self._last.time:.1f} h, {done}, {cost} $"

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(self.text(), overflow="ellipsis", no_wrap=True)


class Simulations:
    """
    Runs of one workload.

    Attributes
    ----------
    outcomes : list of Outcome
    bound : float [$]
        See `simulation.offline`.
    """

    def __init__(self, workload: Workload, options: Options, folder: Path, screen: Screen) -> None:
        self.workload, self.options, self.folder = workload, options, folder
        self.outcomes: list[Outcome] = []
        self.bound = capacity_free_bound(workload, options)
        self._screen = screen

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 1 if a run did not complete, else 0."""
        ended = {outcome.status for outcome in self.outcomes}
        if Status.INTERRUPTED in ended:
            return INTERRUPTED
        return 0 if ended == {Status.COMPLETE} else 1

    def run(self, policy: Policy) -> None:
        """Simulate a policy, unless Ctrl-C ended the one before."""
        if self.exit_code == INTERRUPTED:
            return
        line = ClockLine(policy.spelling, len(self.workload.jobs))
        self._screen.show(line)
        self._keep(simulate(self.workload, policy, self.options, line))

    def replay(self, log: Path) -> None:
        """Simulate the decisions of a log under its own options."""
        found = replay(self.workload, event_log.read(log))
        self.options = found.options
        self.bound = capacity_free_bound(self.workload, self.options)
        self._keep(found)

    def write(self) -> None:
        """Write the totals and the pictures."""
        from rsjs.reporting.cluster_course import cluster_course
        from rsjs.reporting.job_gantt import job_gantt

        text = json.dumps(self.as_document(), indent=1, ensure_ascii=False)
        write_bytes(text.encode(), self.folder / "totals.json")
        with busy("drawing"):
            for outcome in self.outcomes:
                job_gantt(outcome, self._path(outcome, ".gantt.png"))
            cluster_course(self.outcomes, self.folder / "course.png")

    def as_document(self) -> dict[str, Any]:
        """All that is known, as JSON."""
        return {
            "workload": self.workload.name,
            "sha256": self.workload.digest,
            "options": self.options.as_dict(),
            "capacity_free_bound": self.bound,
            "runs": [
                {
                    "policy": outcome.policy,
                    "status": str(outcome.status),
                    "message": outcome.message,
                    **asdict(outcome.totals),
                    "seconds_per_decision": outcome.seconds_as_dict(),
                    "log": self._path(outcome, ".jsonl.gz").name,
                }
                for outcome in self.outcomes
            ],
        }

    def _keep(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        event_log.write(outcome, self._path(outcome, ".jsonl.gz"))
        totals = outcome.totals
        told = outcome.message or f"{number(totals.cost)} $, {totals.late} of {totals.jobs} late"
        self._screen.say(f"{outcome.policy}: {told}")

    def _path(self, outcome: Outcome, suffix: str) -> Path:
        return self.folder / f"{file_name(outcome.policy)}{suffix}"

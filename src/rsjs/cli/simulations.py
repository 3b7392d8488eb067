"""Simulations of a workload under several policies: run, shown, and kept in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from rsjs.cli import INTERRUPTED
from rsjs.cli.compare import file_name
from rsjs.cli.options import requests
from rsjs.cli.output import number
from rsjs.cli.progress import Screen, busy
from rsjs.instances.instance import Workload
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.figures.job_gantt import job_gantt
from rsjs.reporting.figures.simulation import cluster_course
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.metrics import crowded, deviation, metrics, over_bound
from rsjs.simulation.options import DENOMINATORS, Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policies.registry import deciders, policy
from rsjs.simulation.policy import Policy, Status
from rsjs.simulation.references import references
from rsjs.simulation.replay import replay

if TYPE_CHECKING:
    from rich.text import Text

    from rsjs.simulation.events import Record

Document = dict[str, Any]


def policies(spellings: str, workload: Workload) -> list[Policy]:
    """The policies in a list, each once; InputError for one that cannot decide here."""

    return [policy(one.spelling, workload) for one in requests(spellings, deciders())]


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

        return Text(self.text(), overflow="ellipsis", no_wrap=True)


class Simulations:
    """
    Runs of one workload.

    Parameters
    ----------
    bucket_hours : float, optional [h]
        See `references`.
    compare : bool
        Whether policies are compared: with yardsticks, and with what was predicted where options
        make that another cost.

    Attributes
    ----------
    outcomes : list of Outcome
    predicted : mapping
        Policy -> predicted cost [$].
    references : References
    """

    def __init__(
        self,
        workload: Workload,
        options: Options,
        folder: Path,
        screen: Screen,
        *,
        bucket_hours: float | None = None,
        compare: bool = False,
    ) -> None:
        self.workload, self.options, self.folder = workload, options, folder
        self.outcomes: list[Outcome] = []
        self.predicted: dict[str, float] = {}
        self.compare, self._bucket_hours, self._screen = compare, bucket_hours, screen
        self._refer(options)

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
        predicted = self.options.as_predicted()
        self._keep(self._simulated(policy, policy.spelling, self.options))
        if self.compare and predicted != self.options and self.exit_code != INTERRUPTED:
            found = self._simulated(policy, f"{policy.spelling} as predicted", predicted)
            if found.status == Status.COMPLETE:
                self.predicted[policy.spelling] = found.totals.cost

    def replay(self, log: Path) -> None:
        """Simulate the decisions of a log under its own options."""
        found = replay(self.workload, event_log.read(log))
        self.options = found.options
        self._refer(self.options)
        self._keep(found)

    def write(self) -> None:
        """Write the totals and the pictures."""

        text = json.dumps(document(self), indent=1, ensure_ascii=False)
        write_bytes(text.encode(), self.folder / "totals.json")
        with busy("drawing"):
            for outcome in self.outcomes:
                job_gantt(outcome, self.path(outcome, ".gantt.png"))
            cluster_course(self.outcomes, self.folder / "course.png")

    def path(self, outcome: Outcome, suffix: str) -> Path:
        """A file of a run."""
        return self.folder / f"{file_name(outcome.policy)}{suffix}"

    def _refer(self, options: Options) -> None:
        self.references = references(
            self.workload, options, bucket_hours=self._bucket_hours, yardsticks=self.compare
        )

    def _simulated(self, policy: Policy, label: str, options: Options) -> Outcome:
        line = ClockLine(label, len(self.workload.jobs))
        self._screen.show(line)
        return simulate(self.workload, policy, options, line)

    def _keep(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        event_log.write(outcome, self.path(outcome, ".jsonl.gz"))
        totals = outcome.totals
        told = outcome.message or f"{number(totals.cost)} $, {totals.late} of {totals.jobs} late"
        self._screen.say(f"{outcome.policy}: {told}")


def document(runs: Simulations) -> Document:
    """Return workload, options, references and a run per policy, each compared with the first."""
    return {
        "workload": runs.workload.name,
        "sha256": runs.workload.digest,
        "options": runs.options.as_dict(),
        **runs.references.as_dict(),
        "baseline": runs.outcomes[0].policy if runs.compare else None,
        "runs": [_run(runs, outcome) for outcome in runs.outcomes],
    }


def _run(runs: Simulations, outcome: Outcome) -> Document:
    return {
        "policy": outcome.policy,
        "status": str(outcome.status),
        "message": outcome.message,
        **asdict(outcome.totals),
        "over_bound": over_bound(outcome, runs.references.bound),
        "crowded": crowded([outcome]),
        **(_compared(runs, outcome) if runs.compare else {}),
        "seconds_per_decision": outcome.seconds_as_dict(),
        "log": runs.path(outcome, ".jsonl.gz").name,
    }


def _compared(runs: Simulations, outcome: Outcome) -> Document:
    predicted = runs.predicted.get(outcome.policy)
    found: Document = {**metrics(outcome, runs.outcomes[0]).as_dict(), "predicted_cost": predicted}
    for denominator in DENOMINATORS:
        known = None
        if predicted is not None:
            known = deviation(outcome.totals.cost, predicted, denominator)
        found[f"deviation_of_{denominator}"] = known
    return found

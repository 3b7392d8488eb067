"""Runs of several methods on several instances: carried out, shown, kept in a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rsjs.cli.console import number, percent
from rsjs.cli.progress import RunLine, Screen
from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_solution
from rsjs.methods import Request
from rsjs.runs import compare
from rsjs.runs.compare import Row
from rsjs.runs.gap import gap
from rsjs.runs.verified_run import Outcome


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A method that was not run on an instance, and why."""

    instance: str
    method: str
    reason: str


class Runs:
    """
    What was run; each verified solution is written as soon as it is there.

    Attributes
    ----------
    outcomes : list of Outcome
    left_out : list of LeftOut
    interrupted : bool
        Ctrl-C ended a run; none is begun after that.
    """

    def __init__(self, folder: Path, limits: Limits, screen: Screen, total: int) -> None:
        self.folder, self.limits, self.screen, self.total = folder, limits, screen, total
        self.outcomes: list[Outcome] = []
        self.left_out: list[LeftOut] = []
        self.interrupted = False
        self._names: set[str] = set()
        self._announced: Instance | None = None

    def run(self, instances: Sequence[Instance], requests: Sequence[Request]) -> None:
        """Run every method on every instance that it serves, until Ctrl-C."""
        if self.interrupted:
            return
        self.left_out += not_served(instances, requests)

        def begin(instance: Instance, request: Request) -> RunLine:
            if instance is not self._announced:
                self._announced = instance
                self.screen.say(instance.name)
            place = f"{len(self.outcomes) + 1}/{self.total}"
            line = RunLine(f"  {place} {request.spelling}", self.limits.time_limit)
            self.screen.show(line)
            return line

        try:
            for found in compare.compare(instances, requests, self.limits, on_start=begin):
                self._keep(found)
                if found.result.stop is Stop.INTERRUPTED:
                    self.interrupted = True
                    return
        except KeyboardInterrupt:  # between two runs
            self.interrupted = True

    def _keep(self, found: Outcome) -> None:
        self.outcomes.append(found)
        if found.verified and found.result.solution is not None:
            write_solution(
                found.result.solution,
                found.instance.digest,
                self.folder / "solutions" / f"{self._name(found)}.json.gz",
                method=found.method,
                objective=found.objective,
                bound=found.result.bound,
            )
        ended = found.result.stop.value.replace("_", " ")
        own_gap = percent(gap(found.objective, found.result.bound))
        seconds = number(found.result.seconds.get("total"), 3)
        told = f"{ended}, {number(found.objective)} $, own gap {own_gap}, {seconds} s"
        self.screen.say(f"  {len(self.outcomes)}/{self.total} {found.method}: {told}")

    def _name(self, found: Outcome) -> str:
        """A file name for one run, unlike those before."""
        plain = file_name(f"{found.instance.name}--{found.method}")
        name, count = plain, 1
        while name.lower() in self._names:
            count += 1
            name = f"{plain}-{count}"
        self._names.add(name.lower())
        return name

    def rows(self) -> list[Row]:
        """One row per run."""
        return compare.rows(self.outcomes, self.limits)

    def events(self, rows: Sequence[Row]) -> list[dict[str, Any]]:
        """The course of each run, with the best bound of its instance."""
        return [
            {
                "instance": row["instance"],
                "instance_sha256": row["instance_sha256"],
                "method": row["method"],
                "seed": row["seed"],
                "best_bound": row["best_bound"],
                "seconds": row["total_s"],
                "events": compare.trajectory(found),
            }
            for row, found in zip(rows, self.outcomes, strict=True)
        ]


def not_served(instances: Sequence[Instance], requests: Sequence[Request]) -> list[LeftOut]:
    """The pairs that `comparison.compare` passes over."""
    return [
        LeftOut(instance=instance.name, method=request.spelling, reason=reason)
        for instance in instances
        for request in requests
        if (reason := request.method.refusal(instance) or request.missing())
    ]


def file_name(text: str) -> str:
    """
    Text with what file systems do not like replaced.

    >>> file_name("case--greedy:code?x=1")
    'case--greedy_code_x=1'
    """
    return re.sub(r"[^\w.@=,+-]", "_", text, flags=re.ASCII)

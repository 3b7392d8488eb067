"""
One simulation as a run: in the worker process, a workload under a policy.

Besides the files of `protocol` it leaves

    simulation.jsonl.gz     the log of a simulation that completed, see `simulation.event_log`
    figures.json            seconds of decisions; bounds and yardsticks

`references` stands in place of a policy for what a workload is compared with: a run without
decisions that gives a bound.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.call import Option
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.methods import Methods, Request, parse
from rsjs.runs.task_files import Task

if TYPE_CHECKING:
    from rsjs.instances.instance import Workload
    from rsjs.runs.streaming_report import StreamingReport
    from rsjs.simulation.events import Record
    from rsjs.simulation.options import Options
    from rsjs.simulation.policy import Policy

LOG, FIGURES = "simulation.jsonl.gz", "figures.json"
REFERENCES = Method(
    name="references",
    summary="lower bounds and yardsticks of a workload, in place of a policy",
    kind="exact",
    run="rsjs.simulation.references:references",
    options={
        "bucket_hours": Option(default=0.0, minimum=0, help="of the bucket bound; 0 = without it")
    },
    decides=False,
)


def known() -> Methods:
    """Name -> what a campaign of simulations may run."""
    from rsjs.simulation.policies.registry import deciders

    found = deciders()
    return replace(found, own={**found.own, REFERENCES.name: REFERENCES})


def request(spelling: str) -> Request:
    """The policy, or the references, that a spelling stands for."""
    return parse(spelling, known())


def refusal(asked: Request, workload: Workload) -> str | None:
    """Why a policy cannot decide on a workload, in one line; None if it can."""
    from rsjs.core.errors import InputError
    from rsjs.simulation.policies.registry import served
    from rsjs.simulation.state import whole

    if asked.method.name == REFERENCES.name:
        return None
    try:
        served(asked, whole(workload))
    except InputError as error:
        return str(error)
    return None


def run(task: Task, report: StreamingReport, folder: Path) -> SolveResult:
    """Carry out the task of a folder and leave its files there."""
    with report.phase("import"):
        from rsjs.instances.io.files import read_workload
        from rsjs.simulation.options import Options
        from rsjs.simulation.policies.registry import policy

        asked = request(task.method)
    with report.phase("read"):
        workload = read_workload(task.instance)
    options = Options(**(task.simulation or {}))
    if asked.method.name == REFERENCES.name:
        report.start_clock()
        return _references(workload, options, asked.options["bucket_hours"] or None, folder)
    with report.phase("import"):
        decides = policy(asked.spelling, workload)
    report.start_clock()
    return _simulated(workload, decides, options, report, folder)


def _references(
    workload: Workload, options: Options, bucket_hours: float | None, folder: Path
) -> SolveResult:
    from rsjs.simulation.references import references

    found = references(workload, options, bucket_hours=bucket_hours, yardsticks=True)
    _write({"references": found.as_dict()}, folder)
    return SolveResult(
        stop=Stop.ITERATIONS,
        bound=found.bound,
        bound_source="capacity_free" if found.bucket_bound is None else "buckets",
        bound_variant="instance",
    )


def _simulated(
    workload: Workload, decides: Policy, options: Options, report: Report, folder: Path
) -> SolveResult:
    from rsjs.simulation import event_log
    from rsjs.simulation.bounds import capacity_free_bound
    from rsjs.simulation.engine import simulate
    from rsjs.simulation.policy import Status

    with report.phase("solve"):
        found = simulate(workload, decides, options, _ending(report))
    _write({"seconds_per_decision": found.seconds_as_dict()}, folder)
    if found.status == Status.COMPLETE:
        event_log.write(found, folder / LOG)
    complete, ended = found.status == Status.COMPLETE, found.status == Status.INTERRUPTED
    return SolveResult(
        stop=Stop.ITERATIONS if complete else Stop.INTERRUPTED if ended else Stop.ERROR,
        objective=found.totals.cost if complete else None,
        bound=capacity_free_bound(workload, options),
        bound_source="capacity_free",
        bound_variant="instance",
        message=found.message,
    )


def _ending(report: Report) -> Callable[[Record], None]:
    """An observer that ends a simulation when its run is asked to end."""
    from rsjs.simulation.policy import Status, Stopped

    def observe(record: Record) -> None:
        if report.stop_requested():
            raise Stopped(Status.INTERRUPTED, "asked to end")

    return observe


def _write(figures: Mapping[str, Any], folder: Path) -> None:
    (folder / FIGURES).write_text(json.dumps(figures), "utf-8")

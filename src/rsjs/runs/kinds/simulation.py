"""
Simulations: a workload under a policy, which decides whenever jobs arrive or complete.

Besides the files of `rsjs.runs.task_files` a worker leaves

    simulation.jsonl.gz     the log of a simulation that completed, see `simulation.event_log`
    figures.json            seconds of decisions; bounds and baselines

To verify a run, its log is simulated again without the policy that made it: each decision is held
to the constraints, and all metrics but seconds are those of the second time.

`references` stands in place of a policy for what a workload is compared with: a run without
decisions that gives a bound.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.call import Option
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.methods import Methods, Request
from rsjs.runs.kinds.base import FIGURES, Columns, ProblemKind, Verified

if TYPE_CHECKING:
    from rsjs.instances.check import Verdict
    from rsjs.instances.instance import Workload
    from rsjs.runs.streaming_report import StreamingReport
    from rsjs.runs.task_files import Task
    from rsjs.simulation.events import Record
    from rsjs.simulation.options import Options
    from rsjs.simulation.outcome import Outcome
    from rsjs.simulation.policy import Policy

REFERENCES = Method(
    name="references",
    summary="lower bounds and baselines of a workload, in place of a policy",
    kind="exact",
    run="rsjs.simulation.references:references",
    options={
        "bucket_hours": Option(default=0.0, minimum=0, help="of the bucket bound; 0 = without it")
    },
    decides=False,
)
TOTALS = {  # column: name among the totals of `simulation.outcome`
    "late": "late",
    "completed": "completed",
    "tardiness_hours": "tardiness_hours",
    "makespan_h": "makespan",
    "utilisation": "utilisation",
    "longest_queue": "longest_queue",
    "decisions": "decisions",
    "preemptions": "preemptions",
    "moves": "moves",
    "repeated_epochs": "repeated_epochs",
    "idle_gpu_hours": "idle_gpu_hours",
}
SECONDS = {"decision_median_s": "median", "decision_most_s": "most", "policy_s": "total"}


class _Simulations(ProblemKind):
    name = "workload"
    solution_file = "simulation.jsonl.gz"
    unit = "$"
    plugins = True

    def read(self, path: str | Path) -> Workload:
        from rsjs.instances.io.files import read_workload

        return read_workload(path)

    def write(self, problem: Workload, path: str | Path) -> None:
        from rsjs.instances.io.files import write_workload

        write_workload(problem, path)

    def size(self, problem: Workload) -> tuple[int, int]:
        return problem.cluster.nodes, len(problem.jobs)

    def methods(self) -> Methods:
        from rsjs.simulation.policies.registry import deciders

        found = deciders()
        return replace(found, own={**found.own, REFERENCES.name: REFERENCES})

    def refusal(self, request: Request, problem: Workload) -> str | None:
        from rsjs.simulation.policies.registry import served
        from rsjs.simulation.state import whole

        if request.method.name == REFERENCES.name:
            return None
        try:
            served(request, whole(problem))
        except InputError as error:
            return str(error)
        return None

    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        with report.phase("import"):
            from rsjs.simulation.options import Options
            from rsjs.simulation.policies.registry import policy

            asked = self.request(task.method)
        with report.phase("read"):
            workload = self.read(task.instance)
        options = Options(**task.options)
        if asked.method.name == REFERENCES.name:
            report.start_clock()
            return _references(workload, options, asked.options["bucket_hours"] or None, folder)
        with report.phase("import"):
            decides = policy(asked.spelling, workload)
        report.start_clock()
        return _simulated(workload, decides, options, report, folder)

    def verify(
        self,
        problem: Workload,
        method: str,
        options: Mapping[str, Any],
        result: SolveResult,
        work: Path,
    ) -> Verified:
        from rsjs.instances.io.bounded_files import read_bytes

        try:
            figures = json.loads(read_bytes(work / FIGURES))
        except (OSError, ValueError, RecursionError):
            figures = {}
        if result.objective is None:
            return Verified(result=result, figures=figures)
        try:
            found = _again(problem, method, options, work / self.solution_file)
        except InputError as error:
            refused = error.pointer, error.value, error.expected
        except KeyError as error:
            refused = "", f"no key {error}", "a log of rsjs simulate"
        else:
            figures = {**figures, "totals": asdict(found.totals)}
            return Verified(
                result=result, verdict=_verdict(found, result.objective), figures=figures
            )
        return Verified(result=result, verdict=_refused(*refused), figures=figures)

    def price_file(
        self, problem: Workload, method: str, options: Mapping[str, Any], path: Path
    ) -> float | None:
        return _again(problem, method, options, path).totals.cost

    def columns(
        self,
        options: Mapping[str, Any],
        figures: Mapping[str, Any],
        verdict: Verdict | None,
        seconds: Mapping[str, float],
    ) -> Columns:
        from rsjs.instances.io.serialization import canonical_text

        totals, spent = figures.get("totals", {}), figures.get("seconds_per_decision", {})
        gpu_hours = totals.get("gpu_hours")
        asked = {name: value for name, value in options.items() if name != "seed"}
        return {
            "simulation": canonical_text(asked),
            **{column: totals.get(name) for column, name in TOTALS.items()},
            "gpu_hours": None if gpu_hours is None else json.dumps(gpu_hours),
            **{column: spent.get(name) for column, name in SECONDS.items()},
            **figures.get("references", {}),
        }


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
        event_log.write(found, folder / KIND.solution_file)
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
    """Return an observer that ends a simulation when its run is asked to end."""
    from rsjs.simulation.policy import Status, Stopped

    def observe(record: Record) -> None:
        if report.stop_requested():
            raise Stopped(Status.INTERRUPTED, "asked to end")

    return observe


def _write(figures: Mapping[str, Any], folder: Path) -> None:
    (folder / FIGURES).write_text(json.dumps(figures), "utf-8")


def _again(workload: Workload, method: str, options: Mapping[str, Any], path: Path) -> Outcome:
    """Simulate a log again; InputError if it is not what was asked for, or does not hold."""
    from rsjs.instances.io.serialization import canonical_text
    from rsjs.simulation import event_log
    from rsjs.simulation.options import Options
    from rsjs.simulation.replay import replay

    log = event_log.read(path)
    for name, found, expected in (
        ("policy", log.run["policy"], method),
        (
            "options",
            canonical_text(log.run["options"]),
            canonical_text(Options(**options).as_dict()),
        ),
    ):
        if found != expected:
            raise InputError(f"/{name}", found, f"{expected}, as asked")
    return replay(workload, log, checker=False)


def _refused(where: str, found: Any, expected: str) -> Verdict:
    from rsjs.instances.check import Verdict, Violation

    violation = Violation(constraint="log", where=where, found=found, expected=expected)
    return Verdict(feasible=False, violations=(violation,))


def _verdict(found: Outcome, claimed: float) -> Verdict:
    from rsjs.instances.check import ROUNDING, TOLERANCE, Verdict, Violation

    totals = found.totals
    false = abs(totals.cost - claimed) > TOLERANCE * abs(totals.cost) + ROUNDING
    violation = Violation(
        constraint="claimed_objective",
        where="cost of the simulation",
        found=claimed,
        expected=f"{totals.cost!r}",
    )
    return Verdict(
        feasible=not false,
        violations=(violation,) if false else (),
        terms={
            "tardiness": totals.tardiness,
            "postponement": 0.0,
            "energy": totals.energy,
            "idle": 0.0,
        },
        objective=totals.cost,
        counts={"executed": totals.completed, "postponed": totals.jobs - totals.completed},
    )


KIND = _Simulations()

"""
Simulations: a workload under a policy, which decides whenever jobs arrive or complete.

Besides the files of `rsjs.runs.task_files` a worker leaves

    simulation.jsonl.gz     the log of the simulation, see `simulation.event_log`
    figures.json            seconds of decisions; bounds and baselines, certificate of the bound

To verify a run, its log is replayed without the policy that made it: each decision is held to the
constraints, and all metrics but running times are those of the replay.

`references` stands in place of a policy for what a workload is compared with: a run without
decisions that gives a bound.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.call import Option
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.instances.check import Verdict, Violation, claims
from rsjs.instances.io import files
from rsjs.instances.io.serialization import canonical_text
from rsjs.methods import Methods, Request
from rsjs.runs.kinds.base import Claimed, Json, ProblemKind, Verified, read_figures, write_figures

if TYPE_CHECKING:
    from rsjs.instances.instance import Workload
    from rsjs.rows.columns import Row
    from rsjs.runs.task_files import Task
    from rsjs.runs.worker import StreamingReport
    from rsjs.simulation.options import Options
    from rsjs.simulation.outcome import LoggedEvent, Outcome
    from rsjs.simulation.policy import Policy

REFERENCES = Method(
    name="references",
    summary="lower bounds and baselines of a workload, in place of a policy",
    kind="exact",
    run="rsjs.simulation.references:references",
    options={
        "baselines": Option(default="yes", choices=("yes", "no"), help="whether they are computed"),
    },
    decides=False,
)


class _Simulations(ProblemKind):
    def refusal(self, request: Request, problem: Workload) -> str | None:
        from rsjs.simulation.policies.registry import served

        if request.method.name == REFERENCES.name:
            return None
        try:
            served(request, problem.submitted())
        except InputError as error:
            return str(error)
        return None

    def serving(self, problem: Workload) -> list[str]:
        from rsjs.simulation.policies import registry

        return registry.serving(problem.submitted())

    def run(self, task: Task, report: StreamingReport, folder: Path) -> SolveResult:
        with report.phase("import"):
            from rsjs.simulation.options import Options
            from rsjs.simulation.policies.registry import policy

            asked = self.request(task.method)
        with report.phase("read"):
            workload = self.read(task.instance)
        options = Options(**task.options)
        if asked.method.name == REFERENCES.name:
            from rsjs.simulation.references import references

            report.start_clock()
            values = references(workload, options, baselines=asked.options["baselines"] == "yes")
            certificate = values.pop("certificate")
            write_figures({"references": values, "certificate": certificate}, folder)
            return SolveResult(
                stop=Stop.ITERATIONS,
                bound=max(values["workload_bound"], values["capacity_free_bound"]),  # but rounding
                bound_source="lagrangian",
                bound_variant="instance",
            )
        with report.phase("import"):
            decides = policy(asked.spelling, workload, options)
        report.start_clock()
        return _simulated(workload, decides, options, report, folder)

    def verify(
        self, problem: Workload, method: str, options: Json, result: SolveResult, work: Path
    ) -> Verified:
        figures = _told(work, method)
        if result.objective is None:
            return Verified(result=result, figures=figures)
        try:
            found = _replayed(problem, method, options, work / self.solution_file)
        except InputError as error:
            violation = Violation("log", error.pointer, error.value, error.expected)
            refused = Verdict(feasible=False, violations=(violation,))
            return Verified(result=result, verdict=refused, figures=figures)
        figures = {**figures, "totals": asdict(found.totals)}
        return Verified(result=result, verdict=_verdict(found, result.objective), figures=figures)

    def keeps(self, path: Path) -> bool:
        from rsjs.simulation import event_log

        try:
            event_log.read(path)
        except (InputError, RecursionError):
            return False
        return True  # of a simulation that did not complete

    def read_solution(self, problem: Workload, path: Path) -> Claimed:
        from rsjs.simulation import event_log

        log = event_log.read(path)
        found = event_log.replay(problem, log)
        return Claimed(found, log.run["policy"], log.end["totals"]["cost"])

    def check(self, problem: Workload, claimed: Claimed) -> Verdict:
        return _verdict(claimed.solution, claimed.objective)

    def price_file(self, problem: Workload, method: str, options: Json, path: Path) -> float | None:
        return _replayed(problem, method, options, path).totals.cost

    def columns(self, options: Json, figures: Json, verdict: Verdict | None, seconds: Json) -> Row:
        totals, spent = figures.get("totals", {}), figures.get("seconds_per_decision", {})
        references: Row = figures.get("references", {})
        gpu_hours = totals.get("gpu_hours")
        return {
            "simulation": canonical_text({k: v for k, v in options.items() if k != "seed"}),
            **super().columns(options, totals, verdict, seconds),
            "makespan_h": totals.get("makespan"),
            "gpu_hours": None if gpu_hours is None else json.dumps(gpu_hours),
            "decision_median_s": spent.get("median"),
            "decision_most_s": spent.get("most"),
            "policy_s": spent.get("total"),
            **references,
        }


def _told(work: Path, method: str) -> Json:
    """Return what a worker left beside the log: only of references costs and a certificate."""
    try:
        found = read_figures(work)
    except (OSError, ValueError, RecursionError):
        return {}
    if method.partition("?")[0] == REFERENCES.name:
        return found
    spent = found.get("seconds_per_decision") if isinstance(found, dict) else None
    if not isinstance(spent, dict) or not all(isinstance(one, Real) for one in spent.values()):
        return {}
    return {"seconds_per_decision": spent}


def _simulated(
    workload: Workload, decides: Policy, options: Options, report: Report, folder: Path
) -> SolveResult:
    from rsjs.simulation import event_log
    from rsjs.simulation.bounds import capacity_free_bound
    from rsjs.simulation.engine import simulate
    from rsjs.simulation.policy import Status, Stopped

    def observe(record: LoggedEvent) -> None:
        if report.stop_requested():
            raise Stopped(Status.INTERRUPTED, "asked to end")

    with report.phase("solve"):
        found = simulate(workload, decides, options, observe)
    write_figures({"seconds_per_decision": found.seconds_as_dict()}, folder)
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


def _replayed(workload: Workload, method: str, options: Json, path: Path) -> Outcome:
    """Replay a log; InputError if it is not what was asked for, or does not hold."""
    from rsjs.simulation import event_log
    from rsjs.simulation.options import Options

    log = event_log.read(path)
    options_of_log = canonical_text(log.run.get("options", {}))
    for name, found, expected in (
        ("policy", log.run.get("policy"), method),
        ("options", options_of_log, canonical_text(Options(**options).as_dict())),
    ):
        if found != expected:
            raise InputError(f"/{name}", found, f"{expected}, as asked")
    return event_log.replay(workload, log, checker=False)


def _verdict(found: Outcome, claimed: float) -> Verdict:
    totals = found.totals
    violations = (*claims(totals.cost, claimed, None),)
    return Verdict(
        feasible=not violations,
        violations=violations,
        terms={
            "tardiness": totals.tardiness,
            "energy": totals.energy,
            "postponement": 0.0,
            "idle": 0.0,
        },
        objective=totals.cost,
        counts={"executed": totals.completed, "postponed": totals.jobs - totals.completed},
    )


def _methods() -> Methods:
    from rsjs.simulation.policies.registry import deciders

    return Methods({**deciders().data, REFERENCES.name: REFERENCES})


KIND = _Simulations(
    name="workload",
    keys=("workloads", "policies", "simulation"),
    solution_file="simulation.jsonl.gz",
    unit="$",
    plugins=True,
    has_best_known=True,
    metrics=(
        *("late", "completed", "tardiness_hours", "utilisation", "longest_queue", "decisions"),
        *("preemptions", "moves", "repeated_epochs", "idle_gpu_hours"),
    ),
    read=files.read_workload,
    write=files.write_workload,
    methods=_methods,
)

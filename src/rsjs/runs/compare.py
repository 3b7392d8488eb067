"""Several methods on several instances, and the one row that each pair becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.report import SolveResult
from rsjs.instances.check import Verdict
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.runs import provenance, verified_run
from rsjs.runs.gap import contradicts, gap, gap_over
from rsjs.runs.kinds.base import Kind, kind
from rsjs.runs.verified_run import Outcome

Row = dict[str, Any]
OnEvent = Callable[[dict[str, Any]], None]

# Among the options that a run reports: of its solver, and of the decision that it was given.
TAKEN = ("feasibility_tolerance", "integrality_tolerance", "warm_start_sha256")
LONGEST_MESSAGE = 2000  # characters in a row
PHASES = ("import", "read", "build", "handover", "solve", "extract", "check", "total", "process")


def compare(
    instances: Sequence[Instance],
    requests: Sequence[Request],
    limits: Limits,
    *,
    on_start: Callable[[Instance, Request], OnEvent | None] = lambda *_: None,
) -> Iterator[Outcome]:
    """
    Run every method on every instance, one worker process after the other.

    A method that does not serve an instance, or whose solver is missing, is left out; callers
    ask `outcome.refuse` for the reason.
    """
    for instance in instances:
        for request in requests:
            if request.method.refusal(instance) or request.missing():
                continue
            on_event = on_start(instance, request)
            yield verified_run.run(instance, request, limits, on_event=on_event)


def rows(outcomes: Sequence[Outcome], limits: Limits) -> list[Row]:
    """
    One row per run made here, with its provenance and the best valid bound of its instance.

    status: ok (feasible), no_solution, infeasible (the decision fails the check), wrong (a claim
    is false: the cost, or a bound above a cost that some method reached).
    """
    table = [{**row(Measured.of(found), limits), **provenance.stamp()} for found in outcomes]
    for instance in {row["instance_sha256"] for row in table}:
        share_bounds([row for row in table if row["instance_sha256"] == instance])
    return table


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """What a row is made of: a run and the checker's verdict on it, wherever they were kept."""

    instance: str
    instance_sha256: str
    nodes: int
    jobs: int
    method: str
    result: SolveResult
    verdict: Verdict | None
    rsjs_version: str
    solver_version: str | None
    kind: Kind = "instance"
    options: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(found: Outcome) -> Measured:
        """That of a run just made."""
        nodes, jobs = found.kind.size(found.problem)
        return Measured(
            instance=found.problem.name,
            instance_sha256=found.problem.digest,
            nodes=nodes,
            jobs=jobs,
            method=found.method,
            result=found.result,
            verdict=found.verdict,
            rsjs_version=version("rsjs-bench"),
            solver_version=found.solver_version,
            kind=found.kind.name,
            figures=found.figures,
        )


def row(found: Measured, limits: Limits) -> Row:
    """The row of one run; what other runs know of its instance is missing, see `share_bounds`."""
    verdict, result = found.verdict, found.result
    objective = verdict.objective if verdict is not None and verdict.feasible else None
    terms: Mapping[str, float | None] = (verdict and verdict.terms) or {}
    violations = () if verdict is None else verdict.violations
    false_claims = [v for v in violations if v.constraint.startswith("claimed_")]
    status = "no_solution" if verdict is None else "ok" if verdict.feasible else "infeasible"
    if false_claims and len(false_claims) == len(violations):
        status = "wrong"
    return {
        "instance": found.instance,
        "instance_sha256": found.instance_sha256,
        "nodes": found.nodes,
        "jobs": found.jobs,
        "method": found.method,
        "stop": result.stop.value,
        "status": status,
        "objective": objective,
        **{name: terms.get(name) for name in ("tardiness", "postponement", "energy", "idle")},
        "bound": result.bound,
        "best_bound": None,
        "own_gap": gap(objective, result.bound),
        "gap_to_best": None,
        "gap_without_postponement": None,
        "gap_over_energy": None,
        "executed": verdict.counts.get("executed") if verdict else None,
        **{f"{phase}_s": result.seconds.get(phase) for phase in PHASES},
        "peak_memory_mb": result.peak_memory_mb,
        "rsjs_version": found.rsjs_version,
        "solver_version": found.solver_version,
        "time_limit": limits.time_limit,
        "gap_limit": limits.gap,
        "threads": limits.threads,
        "seed": limits.seed,
        **{name: result.options.get(name) for name in TAKEN},
        "message": _cut("; ".join([result.message, *map(str, violations)]).strip("; ")),
        **kind(found.kind).columns(found.options, found.figures, verdict, result.seconds),
    }


def _cut(message: str) -> str:
    more = len(message) - LONGEST_MESSAGE
    return message if more <= 0 else f"{message[:LONGEST_MESSAGE]} ... {more} characters left out"


def share_bounds(table: list[Row]) -> None:
    """Give the rows of one instance its best valid bound and the gaps to it."""
    costs = [row["objective"] for row in table if row["objective"] is not None]
    least = min(costs, default=None)
    for row in table:
        if row["bound"] is not None and least is not None and contradicts(least, row["bound"]):
            row["status"] = "wrong"
            row["message"] += f"; bound {row['bound']:g} above a cost reached, {least:g}"
    valid = [r["bound"] for r in table if r["bound"] is not None and r["status"] != "wrong"]
    best = max(valid, default=None)
    for row in table:
        row["best_bound"] = best
        row["gap_to_best"] = gap(row["objective"], best)
        if row["objective"] is not None and row["postponement"] is not None:
            spent = row["objective"] - row["postponement"]
            row["gap_without_postponement"] = gap_over(row["objective"], best, spent)
            row["gap_over_energy"] = gap_over(row["objective"], best, row["energy"])


def trajectory(found: Outcome) -> list[dict[str, float | None]]:
    """Seconds, incumbent and bound at each event of a run, for pictures of gap against time."""
    return [vars(event) for event in found.result.events]

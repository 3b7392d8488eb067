"""
Models of the solver track: a solver on a frozen model, without a start.

A problem's file, format `rsjs-model/1`, names a model and the sha256 of its MPS text; worker and
checker build the model from its recipe. A solution's file, `rsjs-columns/1`, has the columns that
are not 0, by position. The checker puts the vector into rows and bounds and prices it. It refuses
a cost below the bound that is known of the model, and a bound above the cost.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.call import Call
from rsjs.core.errors import InputError, described
from rsjs.core.method import Method
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Floats
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.backends.stop import reached
from rsjs.formulations.milp.models import TrackModel, chosen
from rsjs.formulations.milp.solve import MARGIN, chosen_solver
from rsjs.instances.check import Verdict, Violation, claims
from rsjs.instances.io.files import write_document
from rsjs.instances.io.strict_json import read_json
from rsjs.methods import Request
from rsjs.runs.gap import contradicts
from rsjs.runs.kinds.base import Claimed, FileKind, Json, Verified

MODEL, COLUMNS = "rsjs-model/1", "rsjs-columns/1"
TOLERANCE = 1e-5  # of integers, and of rows and bounds relative to their largest term
METHODS = {
    "solve": Method(
        name="solve",
        summary="a solver on the model, without a start",
        kind="exact",
        run="rsjs.runs.kinds.model:solve",
        prepare="rsjs.formulations.milp.solve:prepare",
        solvers=tuple(BACKENDS),
    )
}


def solve(
    model: TrackModel, call: Call, report: Report
) -> tuple[SolveResult, Floats | None, dict[str, Any]]:
    """Build the model and run the solver; the solution is the vector of its columns."""
    with report.phase("build"):
        matrix = model.matrix
    seconds = report.remaining() - MARGIN
    if seconds <= 0:
        message = "limit reached in the build"
        return SolveResult(stop=Stop.TIME_LIMIT, message=message), None, {}
    with report.phase("solve"):
        raw = chosen_solver(call).load()(
            SolveTask(
                matrix,
                call.limits,
                seconds=seconds,
                on_bound=report.bound,
                stop=report.stop_requested,
                log=call.log,
            )
        )
    report.add_seconds({"handover": raw.handover_seconds})
    result = SolveResult(
        stop=reached(raw.stop, raw.objective, raw.bound, call.limits.gap),
        objective=raw.objective,
        bound=raw.bound,
        bound_source="solver",
        bound_variant="instance",
        counts={**matrix.counts, **raw.counts},
        options=raw.options,
        message=raw.status,
    )
    return result, raw.x, {}


def read_model(path: str | Path) -> TrackModel:
    """Return the model that a file names; InputError if it is another one here."""
    document = read_json(path)
    if not isinstance(document, dict) or document.get("format") != MODEL:
        raise InputError("", described("no model"), f"a file of format {MODEL}", path)
    model = chosen([document["name"]])[0]
    if (document["name"], document["sha256"]) != (model.name, model.text_sha256):
        expected = f"{model.text_sha256}, the sha256 of {model.name}"
        raise InputError("/sha256", document["sha256"], expected, path)
    return model


def write_model(model: TrackModel, path: str | Path) -> None:
    """Write the file that names a model."""
    write_document({"format": MODEL, "name": model.name, "sha256": model.text_sha256}, path)


def read_columns(model: TrackModel, path: Path) -> tuple[Floats, Json]:
    """Read the vector in a file, and what the file claims about it."""
    document = read_json(path)
    if document.get("format") != COLUMNS or document.get("model_sha256") != model.text_sha256:
        raise InputError("/model_sha256", document.get("model_sha256"), model.text_sha256, path)
    x = np.zeros(model.columns)
    position = np.array(document["position"], dtype=np.int64)
    if len(position) and not 0 <= position.min() <= position.max() < len(x):
        found = described(f"positions from {position.min()} to {position.max()}")
        raise InputError("/position", found, f"columns from 0 to {len(x) - 1}", path)
    x[position] = document["value"]
    return x, {key: document.get(key) for key in ("method", "objective", "bound")}


def write_columns(model: TrackModel, x: Floats, path: Path, **claimed: Any) -> None:
    """Write a vector with what is claimed about it."""
    position = np.flatnonzero(x)
    head = {"format": COLUMNS, "model_sha256": model.text_sha256, **claimed}
    write_document({**head, "position": position.tolist(), "value": x[position].tolist()}, path)


class _Models(FileKind):
    def size(self, problem: TrackModel) -> tuple[int, int]:
        return problem.rows, problem.columns

    def refusal(self, request: Request, problem: TrackModel) -> str | None:
        if request.solver in problem.solvers or request.solver not in BACKENDS:
            return None
        return f"{request.solver} takes integer columns only, not those of {problem.method}"

    def save(self, problem: TrackModel, method: str, found: Verified, path: Path) -> None:
        if found.solution is not None:
            claimed = {"objective": found.result.objective, "bound": found.result.bound}
            write_columns(problem, found.solution, path, method=method, **claimed)

    def check(self, problem: TrackModel, claimed: Claimed) -> Verdict:
        matrix, x = problem.matrix, np.asarray(claimed.solution, dtype=np.float64)
        cost = matrix.objective(x)
        violations = [
            Violation(constraint, f"/{place}", found, f"at most {TOLERANCE:g}")
            for constraint, place, found in matrix.violations(x, TOLERANCE)
        ]
        violations += claims(cost, claimed.objective, claimed.bound)
        if contradicts(cost, problem.bound):
            known = f"at least {problem.bound!r}, proved by {problem.bound_by}"
            violations.append(Violation("objective", "/objective", cost, known))
        violations += _refuted(problem, claimed.bound)
        return Verdict(
            feasible=not violations, violations=tuple(violations), terms={}, objective=cost
        )

    def refuted(self, problem: TrackModel, result: SolveResult) -> Verdict | None:
        violations = _refuted(problem, result.bound)
        if result.stop is Stop.INFEASIBLE and problem.objective is not None:
            known = f"a solution: one of cost {problem.objective!r} is known"
            violations.append(Violation("claimed_infeasible", "/stop", result.stop.value, known))
        if not violations:
            return None
        return Verdict(feasible=False, violations=tuple(violations), terms={}, objective=None)


def _refuted(problem: TrackModel, bound: float | None) -> list[Violation]:
    """Return the violation of a bound above a cost that is known."""
    if not contradicts(problem.objective, bound):
        return []
    known = f"at most {problem.objective!r}, which is reached"
    return [Violation("claimed_bound", "/bound", bound, known)]


KIND = _Models(
    name="model",
    keys=("models", "methods"),
    solution_file="columns.json.gz",
    read=read_model,
    write=write_model,
    methods=METHODS.copy,
    claim="objective",
    load=read_columns,
    store=write_columns,
    checker=claims,  # in `check`
)

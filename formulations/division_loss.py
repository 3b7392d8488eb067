"""What division costs: the controllers against the undivided instance (Kiros 2020, 4.3.5)."""

from __future__ import annotations

from dataclasses import replace

from rsjs.instances.method import Call, Report, Run
from rsjs.instances.schema import Instance
from rsjs.instances.solution import SolveResult


class _Bounds(Report):
    """Lets bounds of the whole instance through; its decisions are not the controllers'."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.remaining())
        self._outer = report

    def publish_bound(self, value: float) -> None:
        self._outer.bound(value)

    def stop_requested(self) -> bool:
        return self._outer.stop_requested()


def with_loss(
    divided: SolveResult, undivided: Run, instance: Instance, call: Call, report: Report
) -> SolveResult:
    """
    The controllers' result with the bound of the whole instance, and their loss in the message.

    Parameters
    ----------
    undivided : callable
        A method that solves the whole instance in the time that is left.
    """
    asked = replace(call, options={}, warm_start=None)
    with report.phase("undivided"):
        whole = undivided(instance, asked, _Bounds(report))
    return replace(
        divided,
        bound=whole.bound,
        bound_source=whole.bound_source,
        bound_variant=whole.bound_variant,
        message="; ".join(filter(None, [divided.message, _told(divided, whole)])),
    )


def _told(divided: SolveResult, whole: SolveResult) -> str:
    if divided.objective is None or whole.objective is None:
        return f"undivided: {whole.message or whole.stop.value}, no loss to tell"
    loss, bound = divided.objective - whole.objective, whole.bound
    share = f" ({loss / whole.objective:.3%})" if whole.objective > 0 else ""
    known = "no bound" if bound is None else f"bound {bound:.6g} $"
    return f"loss {loss:.6g} ${share} against {whole.objective:.6g} $ undivided, {known}"

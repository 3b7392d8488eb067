"""
Another method, with deterministic numbers of epochs in place of the distributions.

worst_case   each job has all epochs left that it may have, as EDF, RG and DP assume
mean         E[W] - w while that is positive, then all again: the avg- variants

(Filippini et al. 2024, VII). The decision is priced by the objective of the instance as given; what
the method says of the other one, its bounds too, is dropped. If it refuses the instance while it
runs, that is an error of this method, told in its words.
"""

from __future__ import annotations

from dataclasses import replace

from rsjs.core.call import Call
from rsjs.core.errors import InputError
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.dispatching.queues import planned
from rsjs.instances import costs
from rsjs.instances.instance import Instance


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Run `call.options["method"]` on the deterministic instance."""
    assumed = planned(instance, call.options["epochs"])
    try:
        found: SolveResult = call.options["method"](assumed, call, report.child())
    except InputError as error:
        return SolveResult(stop=Stop.ERROR, message=str(error))
    objective = None
    if found.solution is not None:
        objective = costs.terms(instance, found.solution).total
        report.incumbent(found.solution, objective)
    proved = found.stop in (Stop.OPTIMAL, Stop.GAP)  # for the other instance
    return replace(
        found,
        stop=Stop.ITERATIONS if proved else found.stop,
        objective=objective,
        bound=None,
        bound_source=None,
        bound_variant=None,
        seconds=dict(report.seconds),
        events=tuple(report.events),
    )

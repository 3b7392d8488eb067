"""
Any method as a policy: it decides on all jobs at hand anew at each event.

What it says of costs and bounds is ignored: a simulation has its own. An exact method begins from
the placement until now, with the jobs that wait postponed, if it can begin from one at all.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Report
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.simulation.policies.placements import kept
from rsjs.simulation.policy import Choice, Policy, Status, Stopped
from rsjs.simulation.state import State


def refuse(request: Request, whole: Instance) -> None:
    """
    Raise InputError if a method cannot decide on a workload.

    Parameters
    ----------
    whole : Instance
        All jobs of the workload, see `state.whole`: the method need not serve so many at once.
    """
    method = replace(request.method, max_jobs=None)
    if reason := method.refusal(whole) or request.missing():
        raise InputError("", request.spelling, f"another policy or workload: {reason}")
    if not request.decides:
        raise InputError("", request.spelling, "a method that makes decisions, not bounds only")


def policy(request: Request, whole: Instance) -> Policy:
    """A method that serves the workload as a policy."""
    run, most = request.method.load(), request.method.max_jobs
    begins = _begins(request, whole)

    def decide(state: State, memory: Any) -> Choice:
        if most is not None and len(state.rows) > most:
            raise Stopped(Status.ERROR, f"serves up to {most} jobs, not {len(state.rows)}")
        call = Call(
            solver=request.solver,
            rule=request.rule,
            options=request.options,
            limits=Limits(time_limit=state.time_limit, seed=state.seed),
            warm_start=kept(state) if begins else None,
        )
        result = run(state.instance, call, Report(state.time_limit))
        if result.solution is None:
            raise Stopped(Status.ERROR, f"no decision ({result.stop}) {result.message}".strip())
        return Choice(solution=result.solution)

    def prepare() -> None:
        limits, jobs = Limits(time_limit=inf), len(whole.jobs)
        request.serving(whole, in_parts=True).prepare(Call(limits=limits), jobs)

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)


def _begins(request: Request, whole: Instance) -> bool:
    """Whether the placement until now is a start: where any number of nodes may be open."""
    starts = request.method.kind == "exact" and request.method.warm_start
    return starts and whole.objective.open_nodes in ("free", "jahani_eq")

"""
Fix and optimise: an exact method decides a few nodes anew while all others stay as they are.

1. A schedule by `ruin_recreate`, or the warm start; the bound is that of its prices.
2. Draw a neighbourhood, a few nodes with their jobs and some postponed jobs (`neighbourhoods`),
   and solve it as an instance of its own that costs what the whole does (`subinstance`).
3. Keep what costs less. After as many failures in a row as there are nodes, add one node.

The exact method is a callable; the whole is never handed to it. Dorneles et al. 2014; Sahling et
al. 2009 (fix-and-optimise).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rsjs.heuristics import ruin_recreate
from rsjs.heuristics.neighbourhoods import Neighbourhoods
from rsjs.instances import costs
from rsjs.instances.completion import complete
from rsjs.instances.method import Call, Limits, Report, Run
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop
from rsjs.instances.subinstance import SubInstance

GAP = 1e-6  # of a part
SECONDS = 5.0  # for a part
LEAST = 1e-12  # relative improvement that counts


class PartReport(Report):
    """The report of one part, which ends when the whole is asked to."""

    def __init__(self, whole: Report) -> None:
        super().__init__(min(SECONDS, whole.remaining()))
        self._whole = whole

    def stop_requested(self) -> bool:
        return self._whole.stop_requested()


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Improve a schedule part by part with `call.options["method"]`, a callable.

    Options: `rounds` parts are solved unless the time is up before, 0 = until then; `nodes` and
    `postponed` jobs of a part; `iterations` of ruin and recreate before.
    """
    options = call.options
    first = ruin_recreate.run(
        instance, replace(call, options={"iterations": options["iterations"]}), report
    )
    if first.solution is None or first.stop in (Stop.GAP, Stop.INTERRUPTED, Stop.TIME_LIMIT):
        return first
    with report.phase("parts"):
        stop, solution, rounds, solved = _improve(instance, first.solution, first, call, report)
    return replace(
        first,
        stop=stop,
        solution=solution,
        objective=costs.terms(instance, solution).total,
        seconds=dict(report.seconds),
        events=tuple(report.events),
        counts={**first.counts, "rounds": rounds, "improved": solved},
    )


def _improve(
    instance: Instance, best: Solution, first: SolveResult, call: Call, report: Report
) -> tuple[Stop, Solution, int, int]:
    """Why it stops, the best schedule, how many parts were solved and how many improved it."""
    rounds, nodes = call.options["rounds"], call.options["nodes"]
    draws = Neighbourhoods.of(instance)
    rng = np.random.default_rng(call.limits.seed)
    cost, failures, improved, made = costs.terms(instance, best).total, 0, 0, 0
    while True:
        if first.bound is not None and cost - first.bound <= call.limits.gap * abs(cost):
            return Stop.GAP, best, made, improved
        if report.stop_requested():
            return Stop.INTERRUPTED, best, made, improved
        if report.remaining() <= 0:
            return Stop.TIME_LIMIT, best, made, improved
        if rounds and made >= rounds:
            return Stop.ITERATIONS, best, made, improved
        made += 1
        part = draws.draw(best, nodes, call.options["postponed"], rng)
        found = None if part is None else _decided(part, best, call, report)
        total = np.inf if found is None else costs.terms(instance, found).total
        if found is not None and total < cost - LEAST * abs(cost):
            best, cost, failures, improved = found, total, 0, improved + 1
            report.incumbent(best, cost)
        else:
            failures += 1
            if failures >= instance.cluster.nodes:
                nodes, failures = nodes + 1, 0


def _decided(part: SubInstance, now: Solution, call: Call, report: Report) -> Solution | None:
    """The schedule with a part decided by the exact method; None if it finds nothing."""
    solve: Run = call.options["method"]
    inner = PartReport(report)
    limits = Limits(
        time_limit=inner.time_limit, gap=GAP, threads=call.limits.threads, seed=call.limits.seed
    )
    start = complete(part.instance, part.restricted(now))
    result = solve(part.instance, Call(limits=limits, warm_start=start), inner)
    if result.solution is None:
        return None
    return complete(part.whole, part.merged(now, result.solution))

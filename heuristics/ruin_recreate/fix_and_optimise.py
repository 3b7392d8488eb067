"""
Fix and optimise: an exact method decides a few nodes anew while all others stay as they are.

1. A schedule by `ruin_recreate`, or the warm start; the bound is that of its prices.
2. Draw a neighbourhood, a few nodes with their jobs and some postponed jobs (`neighbourhoods`),
   and solve it as an instance of its own that costs what the whole does (`subinstance`).
3. Keep what costs less. After as many rounds in vain in a row as there are nodes, add one node.

The exact method is a callable; the whole is never handed to it, nor a part larger than it accepts.
If it fails, the schedule stays as it is (`part_decisions`). Dorneles et al. 2014; Sahling et
al. 2009 (fix-and-optimise).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rsjs.heuristics.local_search.methods import options_of
from rsjs.heuristics.ruin_recreate import ruin_recreate
from rsjs.heuristics.ruin_recreate.methods import FIX_AND_OPTIMISE
from rsjs.heuristics.ruin_recreate.part_decisions import PartDecisions
from rsjs.instances import costs
from rsjs.instances.errors import InputError
from rsjs.instances.instance import Instance
from rsjs.instances.method import Call, Method, Report, prepare_inner
from rsjs.instances.solution import Solution, SolveResult, Stop

LEAST = 1e-12  # relative improvement that counts
POSTPONED = 8  # jobs of a part


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """
    Improve a schedule part by part with `call.options["method"]`, a callable.

    Options: `rounds` parts are solved unless the time is up before, 0 = until then; `nodes` of a
    part; `iterations` of ruin and recreate before. The message tells how many rounds failed, see
    `part_decisions`.
    """
    call = replace(call, options=options_of(FIX_AND_OPTIMISE, call))
    solve = call.options["method"]
    if not callable(solve):
        expected = "a callable, such as rsjs.methods.parse makes of a spelling"
        raise InputError("", f"method={solve}", expected)
    before = replace(call, options={"iterations": call.options["iterations"]})
    first = ruin_recreate.run(instance, before, report)
    if first.solution is None or first.stop in (Stop.GAP, Stop.INTERRUPTED, Stop.TIME_LIMIT):
        return first
    with report.phase("parts"):
        parts = PartDecisions(instance, solve, call.limits, report)
        stop, solution, rounds, improved = _improve(
            instance, first.solution, first.bound, parts, call, report
        )
    return replace(
        first,
        stop=stop,
        solution=solution,
        objective=costs.terms(instance, solution).total,
        seconds=dict(report.seconds),
        events=tuple(report.events),
        counts={**first.counts, "rounds": rounds, "improved": improved},
        message=parts.troubles(rounds),
    )


def prepare(method: Method, call: Call, jobs: int) -> None:
    """Compile or load the kernels; prepare the exact method."""
    ruin_recreate.prepare(method, call, jobs)
    prepare_inner(method, call, jobs)


def _improve(
    instance: Instance,
    best: Solution,
    bound: float | None,
    parts: PartDecisions,
    call: Call,
    report: Report,
) -> tuple[Stop, Solution, int, int]:
    """Why it stops, the best schedule, how many parts were solved and how many improved it."""
    rounds, nodes = call.options["rounds"], call.options["nodes"]
    rng = np.random.default_rng(call.limits.seed)
    cost, failures, improved, made = costs.terms(instance, best).total, 0, 0, 0
    while True:
        if bound is not None and cost - bound <= call.limits.gap * abs(cost):
            return Stop.GAP, best, made, improved
        if report.stop_requested():
            return Stop.INTERRUPTED, best, made, improved
        if report.remaining() <= 0:
            return Stop.TIME_LIMIT, best, made, improved
        if rounds and made >= rounds:
            return Stop.ITERATIONS, best, made, improved
        made += 1
        part = parts.draw(best, nodes, POSTPONED, rng)
        found = None if part is None else parts.decide(part, best)
        total = np.inf if found is None else costs.terms(instance, found).total
        if found is not None and total < cost - LEAST * abs(cost):
            best, cost, failures, improved = found, total, 0, improved + 1
            report.incumbent(best, cost)
        else:
            failures += 1
            if failures >= instance.cluster.nodes:
                nodes, failures = nodes + 1, 0

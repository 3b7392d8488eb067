"""
Who agrees with the least cost and the greatest bound of an instance.

A run confirms a cost if it reached it, a bound if it proves it, both up to the margin, and if it
differs in method or solver from the run that is credited. Of several with the same method and
solver the earliest is named. Solutions from elsewhere confirm nothing: they may be copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.origins import Origin, Step


def confirmed(known: BestKnown, costs: Iterable[Origin], bounds: Iterable[Origin]) -> BestKnown:
    """The same with its witnesses, from claims and from those that the histories name."""
    least, greatest, margin = known.cost, known.bound, known.margin
    if least is not None:
        at = least.value
        agree = [one for one in _runs(known.ub_data, costs) if abs(one.value - at) <= margin]
        head = replace(least, confirmed_by=_named(least, agree))
        known = replace(known, ub_data=(*known.ub_data[:-1], head))
    if greatest is not None:
        at = greatest.value
        prove = [one for one in _runs(known.lb_data, bounds) if one.value >= at - margin]
        proof = replace(greatest, confirmed_by=_named(greatest, prove))
        known = replace(known, lb_data=(*known.lb_data[:-1], proof))
    return known


def _runs(history: Iterable[Step], claims: Iterable[Origin]) -> list[Origin]:
    """Runs that claim a value now, or are named in the history, the earliest first."""
    named = [origin for step in history for origin in (step, *step.confirmed_by)]
    runs = [origin.alone() for origin in [*named, *claims] if origin.run_id is not None]
    return sorted(runs, key=lambda one: one.order)


def _named(step: Step, agree: Iterable[Origin]) -> tuple[Origin, ...]:
    """Those that differ from the step and from each other in method or solver."""
    found = {step.method_and_solver: step.alone()}
    for one in agree:
        found.setdefault(one.method_and_solver, one)
    del found[step.method_and_solver]
    return tuple(found.values())

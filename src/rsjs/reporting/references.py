"""
What costs and bounds are compared with: the best-known values of the library beside the runs.

    best cost    the library's best-known cost of the instance, which its sha256 identifies; of an
                 instance that it has not, the least checked cost of the runs. That of a workload
                 is one of a simulation with the default options, whatever a policy was told
    best bound   the greatest valid lower bound that a run proved or the library has

A checked cost below the library's stays what it is: cost / best is then below 1, and the primal gap
below 0. A bound of the library above a checked cost is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from rsjs.reporting.tables.formats import counted
from rsjs.rows.build import COSTS
from rsjs.rows.select import AnyRow, group_by, known, problem
from rsjs.rows.status import is_usual
from rsjs.runs.gap import contradicts, gap, gap_over, ties

R = TypeVar("R", bound=AnyRow)


class Reference(NamedTuple):
    """Reference values of a problem: those that its runs are compared with; None = unknown."""

    cost: float | None  # best cost
    bound: float | None  # best bound
    least: float | None  # least checked cost of the runs
    in_library: bool  # whether the best cost is that of the library

    @property
    def lowest(self) -> float | None:
        """The lowest cost ever reached, which no bound may exceed."""
        return min((z for z in (self.cost, self.least) if z is not None), default=None)


def references(rows: Sequence[AnyRow]) -> dict[tuple[Any, ...], Reference]:
    """Return the reference of each problem, see `rsjs.rows.select.problem`, whatever the seed."""
    from rsjs.bks.storage import lookup

    found = {}
    for key, own in group_by(rows, problem).items():
        best = lookup(str(key[0])) if is_usual(own[0]) else None
        costs = [cost for row in own for k in COSTS if (cost := known(row, k)) is not None]
        least = min(costs, default=None)
        value = None if best is None else best.value
        cost = least if value is None else value
        reference = Reference(cost, None, least, value is not None)
        proved = [
            bound
            for row in own
            for bound in (known(row, "bound"), known(row, "best_bound"))
            if bound is not None and row.get("status") != "wrong"
        ]
        proved += [] if best is None or best.bound is None else [best.bound]
        valid = [bound for bound in proved if not contradicts(reference.lowest, bound)]
        found[key] = reference._replace(bound=max(valid, default=None))
    return found


def referred(rows: Sequence[R], best: Mapping[tuple[Any, ...], Reference]) -> list[R]:
    """
    Return the rows with what follows from the references of their problems, see `references`.

    New are `over_best`, cost / best cost, and `spent`, the cost without postponement [$];
    `best_bound` and the gaps to it are those of rows, or of the library where its bound is greater.
    """
    made = []
    for row in rows:
        reference, objective = best[problem(row)], known(row, "objective")
        left = spent(row)
        more: dict[str, Any] = {
            "over_best": cost_ratio(objective, reference.cost),
            "spent": left,
        }
        if reference.bound is not None and reference.bound != known(row, "best_bound"):
            more |= {"best_bound": reference.bound, "gap_to_best": gap(objective, reference.bound)}
            if left is not None:
                energy = known(row, "energy")
                more["gap_without_postponement"] = gap_over(objective, reference.bound, left)
                more["gap_over_energy"] = gap_over(objective, reference.bound, energy)
        made.append(cast(R, {**row, **more}))
    return made


def spent(row: AnyRow) -> float | None:
    """Return the cost of a row without postponement [$], None where one is not known."""
    objective, postponement = known(row, "objective"), known(row, "postponement")
    return None if objective is None or postponement is None else objective - postponement


def cost_ratio(cost: float | None, best: float | None) -> float | None:
    """Return cost / best, exactly 1 if they tie; None without one of them or a best cost > 0."""
    if cost is None or best is None or best <= 0:
        return None
    return 1.0 if ties(cost, best) else cost / best


def primal_gap(cost: float | None, best: float | None) -> float | None:
    """Return (z - z*) / max(|z|, |z*|), at most 1, 0 if they tie, below 0 if z is less than z*."""
    if cost is None or best is None:
        return None
    if ties(cost, best):
        return 0.0
    found = gap(cost, best) if cost > best else gap(best, cost)
    return None if found is None else found if cost > best else -found


def rule(rows: Sequence[AnyRow], best: Mapping[tuple[Any, ...], Reference]) -> str:
    """Return the definition of best for a caption, and how many runs are better than best known."""
    listed = sum(reference.in_library for reference in best.values())
    if not listed:
        return (
            "Best: the least checked cost of these runs, and the greatest bound; the library has no"
            " best-known cost of these instances."
        )
    text = (
        f"Best: the library's best-known cost ({listed} of {counted(len(best), 'instance')}), else"
        " the least checked cost of these runs; the best bound is the greatest of both."
    )
    better = sum(
        reference.in_library
        and cost is not None
        and reference.cost is not None
        and cost < reference.cost
        and not ties(cost, reference.cost)
        for row in rows
        for reference, cost in [(best[problem(row)], known(row, "objective"))]
    )
    told = "is" if better == 1 else "are"
    return f"{text} {counted(better, 'run')} {told} better than best known." if better else text

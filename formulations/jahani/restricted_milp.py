"""
The slot model over few columns: jobs with one alternative left are settled, the rest are open.

The settled jobs' demand b_s moves to the right-hand side; x has columns for open jobs only:

    (cover)   sum_s x_js <= 1                             for the open jobs
    (slots)   sum_j x_js - sum_c a_cs L_c <= -b_s         for all s
    (nodes), (class)                                      as in `slot_model`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.jahani.slot_model import SlotModel
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel, RowBuilder


@dataclass(frozen=True, eq=False)
class OpenJobColumns:
    """
    The columns x of the open jobs, and where the settled jobs are.

    Attributes
    ----------
    jobs : (m,) int
        Open jobs, one cover row each.
    slot, job, row : (n,) int
        Slot and job of each column, and the job's cover row.
    settled : (J,) int
        Slot of each settled job; -1 = postponed or open.
    """

    jobs: Ints
    slot: Ints
    job: Ints
    row: Ints
    settled: Ints

    @staticmethod
    def of(slots: Bools, waits: Bools) -> OpenJobColumns:
        """Return the columns for the slots (S, J) a job may take and whether (J,) it may wait."""
        is_open = alternatives(slots, waits) > 1
        jobs = np.flatnonzero(is_open)
        slot, row = np.nonzero(slots[:, jobs])
        settled = np.where(is_open | ~slots.any(axis=0), -1, slots.argmax(axis=0))
        return OpenJobColumns(jobs, slot, jobs[row], row, settled)

    def choice(self, x: Floats) -> Ints:
        """Return (J,) slot of each job, -1 = postponed; open jobs as x says."""
        chosen, taken = self.settled.copy(), x > 0.5
        chosen[self.job[taken]] = self.slot[taken]
        return chosen


def alternatives(slots: Bools, waits: Bools) -> Ints:
    """Return (J,) the number of alternatives of each job."""
    return np.asarray(np.count_nonzero(slots, axis=0) + waits)


def program(
    model: SlotModel, columns: OpenJobColumns, slack: tuple[Floats, Floats] | None = None
) -> MatrixModel:
    """
    Build the program over these columns: x, L and, with slack, u and w.

    Parameters
    ----------
    slack : (low, high), each (S,) float, optional
        Lowest and highest price of a slot [$]: (slots) become equations with u_s slots bought at
        the highest and w_s sold at the lowest; L is continuous.
    """
    n, (patterns, slots) = len(columns.job), model.parts.shape
    x, L = np.arange(n), n + np.arange(patterns)
    u, w = np.split(n + patterns + np.arange(2 * slots), 2)
    each, pattern, slot = np.arange(slots), *np.nonzero(model.parts)
    # the slots of settled jobs move to the right-hand side
    taken = np.flatnonzero(columns.settled >= 0)
    demand = np.bincount(columns.settled[taken], minlength=slots).astype(float)
    cost = [model.gain[columns.slot, columns.job], model.idle]
    entries: list[tuple[Ints, Ints, float | Floats]] = [
        (columns.slot, x, 1.0),
        (slot, L[pattern], -model.parts[pattern, slot]),
    ]
    if slack is not None:
        cost += [slack[1], -slack[0]]
        entries += [(each, u, -1.0), (each, w, 1.0)]
    rows = RowBuilder()
    rows.add(len(columns.jobs), -np.inf, 1.0, (columns.row, x, 1.0))
    rows.add(slots, -np.inf if slack is None else -demand, -demand, *entries)
    least = model.nodes if model.exactly else -np.inf
    rows.add(1, least, model.nodes, (np.zeros(patterns, dtype=np.int64), L, 1.0))
    rows.add(len(model.sizes), -np.inf, model.sizes, (model.of_class, L, 1.0))
    kind = np.full(sum(map(len, cost)), ColumnKind.CONTINUOUS, np.uint8)
    upper = np.full(len(kind), np.inf)
    if slack is None:
        kind[:n], kind[n:] = ColumnKind.IMPLIED_INTEGER, ColumnKind.INTEGER
        upper[:n], upper[n:] = 1.0, model.nodes
    offset = model.postponement.sum() + model.gain[columns.settled[taken], taken].sum()
    return rows.model(cost=np.concatenate(cost), upper=upper, kind=kind, offset=float(offset))

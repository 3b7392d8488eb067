"""
The mode model over few columns: jobs with one alternative left are settled, the rest are open.

The settled jobs' demand b_s moves to the right-hand side; x has columns for open jobs only:

    (cover)   sum_s x_js <= 1                             for the open jobs
    (slots)   sum_j x_js - sum_vu y_vug <= -b_s           for all s
    (source), (flow), (nodes), (class)                    as in `mode_model`

Without arcs, a relaxation for large nodes, where small slots fill what larger ones leave. The rows
floor(g / m) are superadditive, so that a node meets them; x is an integer here:

    (cover), (nodes), (class)
    sum_js floor(g_s / m) x_js <= sum_kv floor(s_v / m) L_kv     for all m; s, v of a GPU type and
                                                                 price, settled jobs among the x
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.jahani.mode_model import ModeModel
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel
from rsjs.formulations.milp.row_builder import RowBuilder

PARTS = 8  # rows count slots larger than a half, a third, ... of a node, down to one in so many


@dataclass(frozen=True, eq=False)
class OpenJobColumns:
    """The columns x of the open jobs, and where the settled jobs are."""

    jobs: Ints  # (m,) open jobs, one cover row each
    # mode, job, row: (n,) mode and job of each column, and the job's cover row
    mode: Ints
    job: Ints
    row: Ints
    settled: Ints  # (J,) mode of each settled job; -1 = postponed or open

    @staticmethod
    def of(modes: Bools, waits: Bools) -> OpenJobColumns:
        """Return the columns for the modes (S, J) a job may take and whether (J,) it may wait."""
        is_open = alternatives(modes, waits) > 1
        jobs = np.flatnonzero(is_open)
        mode, row = np.nonzero(modes[:, jobs])
        settled = np.where(is_open | ~modes.any(axis=0), -1, modes.argmax(axis=0))
        return OpenJobColumns(jobs, mode, jobs[row], row, settled)

    def choice(self, x: Floats) -> Ints:
        """Return (J,) mode of each job, -1 = postponed; open jobs as x says."""
        chosen, taken = self.settled.copy(), x > 0.5
        chosen[self.job[taken]] = self.mode[taken]
        return chosen


def alternatives(modes: Bools, waits: Bools) -> Ints:
    """Return (J,) the number of alternatives of each job."""
    return np.asarray(np.count_nonzero(modes, axis=0) + waits)


def without_arcs(model: ModeModel, columns: OpenJobColumns) -> MatrixModel:
    """Build the relaxation over these columns: x and L."""
    cuts, n = model.cuts, len(columns.job)
    L, each = n + np.arange(len(cuts.of_class)), np.arange(n)
    # of a mode: the family, known by the mode of one GPU, and its GPUs
    v, g = np.nonzero(cuts.mode >= 0)
    family, gpus = np.empty((2, len(model.gain)), dtype=np.int64)
    family[cuts.mode[v, g]], gpus[cuts.mode[v, g]] = cuts.mode[v, 1], g
    of_node, size = cuts.mode[cuts.of_type, 1], cuts.sizes[cuts.of_type]
    taken = columns.settled[columns.settled >= 0]
    rows = RowBuilder()
    rows.add(len(columns.jobs), -np.inf, 1.0, (columns.row, each, 1.0))
    for f in np.unique(of_node).tolist():
        x, nodes = np.flatnonzero(family[columns.mode] == f), np.flatnonzero(of_node == f)
        mine, sizes = taken[family[taken] == f], set(size[nodes].tolist())
        # the whole node, then more than a half, a third, ... of one
        for m in sorted({1, *(1 + s // k for s in sizes for k in range(2, PARTS + 1))}):
            rows.add(
                1,
                -np.inf,
                -float((gpus[mine] // m).sum()),
                (np.zeros_like(x), x, (gpus[columns.mode[x]] // m).astype(float)),
                (np.zeros_like(nodes), L[nodes], -(size[nodes] // m).astype(float)),
            )
    _add_node_rows(rows, model, L)
    kind = np.full(n + len(L), ColumnKind.INTEGER, np.uint8)
    return rows.model(
        cost=np.concatenate([model.gain[columns.mode, columns.job], cuts.cost[: len(L)]]),
        upper=np.concatenate([np.ones(n), np.full(len(L), model.nodes)]),
        kind=kind,
        offset=_settled_cost(model, columns),
    )


def _add_node_rows(rows: RowBuilder, model: ModeModel, L: Ints) -> None:
    """Add (nodes) and (class) on the columns L."""
    least = model.nodes if model.exactly else -np.inf
    rows.add(1, least, model.nodes, (np.zeros(len(L), dtype=np.int64), L, 1.0))
    rows.add(len(model.sizes), -np.inf, model.sizes, (model.cuts.of_class, L, 1.0))


def _settled_cost(model: ModeModel, columns: OpenJobColumns) -> float:
    """Return what the settled jobs cost, and all others postponed [$]."""
    taken = np.flatnonzero(columns.settled >= 0)
    return float(model.postponement.sum() + model.gain[columns.settled[taken], taken].sum())


def program(
    model: ModeModel,
    columns: OpenJobColumns,
    slack: tuple[Floats, Floats] | None = None,
    usable: Bools | bool = True,
) -> MatrixModel:
    """
    Build the program over these columns: x, L, y and, with slack, u and w.

    Parameters
    ----------
    slack : (low, high), each (S,) float, optional
        Lowest and highest price of a mode [$]: (slots) become equations with u_s modes bought at
        the highest and w_s sold at the lowest; L and y are continuous.
    usable : (Y,) bool, optional
        Which of L and y may be used in the integer program; all by default.
    """
    cuts, n, modes = model.cuts, len(columns.job), len(model.gain)
    x, L = np.arange(n), n + np.arange(len(cuts.of_class))
    u, w = np.split(n + len(cuts.cost) + np.arange(2 * modes), 2)
    each, (mode, offering, amount) = np.arange(modes), cuts.offers
    # the modes of settled jobs move to the right-hand side
    taken = np.flatnonzero(columns.settled >= 0)
    demand = np.bincount(columns.settled[taken], minlength=modes).astype(float)
    cost = [model.gain[columns.mode, columns.job], cuts.cost]
    entries: list[tuple[Ints, Ints, float | Floats]] = [
        (columns.mode, x, 1.0),
        (mode, n + offering, -amount),
    ]
    if slack is not None:
        cost += [slack[1], -slack[0]]
        entries += [(each, u, -1.0), (each, w, 1.0)]
    rows = RowBuilder()
    rows.add(len(columns.jobs), -np.inf, 1.0, (columns.row, x, 1.0))
    rows.add(modes, -np.inf if slack is None else -demand, -demand, *entries)
    row, column, value = cuts.balance
    rows.add(cuts.rows, -np.inf, 0.0, (row, n + column, value))
    _add_node_rows(rows, model, L)
    kind = np.full(sum(map(len, cost)), ColumnKind.CONTINUOUS, np.uint8)
    upper = np.full(len(kind), np.inf)
    if slack is None:
        kind[:n], kind[n:] = ColumnKind.IMPLIED_INTEGER, ColumnKind.INTEGER
        # a slot that no job takes is not needed
        upper[:n], upper[n:], upper[L] = 1.0, model.jobs, model.nodes
        upper[n:] *= usable
    offset = _settled_cost(model, columns)
    return rows.model(cost=np.concatenate(cost), upper=upper, kind=kind, offset=offset)

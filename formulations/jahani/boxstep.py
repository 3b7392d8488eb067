"""
The Lagrangian dual of the mode model inside a box of multipliers, as a linear program: one step of
the boxstep method (Marsten, Hogan and Blankenship 1975).

For low <= pi <= high a job's cheapest alternative can only be a column with

    C_js - P_j + low_s <= min(0, min_t (C_jt - P_j + high_t)),

or to be postponed if that minimum is 0 or more: with the program over these columns, in which u_s
modes are bought at the price high_s and w_s are sold at low_s,

    min  sum (C_js - P_j) x_js + sum_kv mu s_v L_kv + sum_s (high_s u_s - low_s w_s)
    s.t. sum_j x_js + b_s - sum_vu y_vug = u_s - w_s   and the rest of `restricted_milp`,

the dual is maximised over the box without approximation. Where u = 0, and w_s = 0 for all s with
low_s > 0, the box does not bind. Primal simplex starts from the last basis, or from each job's
cheapest alternative at the centre, and needs a few hundred pivots.
"""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.backends.highs import handed_over, reset_scheduler
from rsjs.formulations.jahani.mode_model import ModeModel
from rsjs.formulations.jahani.restricted_milp import OpenJobColumns, program

FEASIBLE = 1e-7
OPTIONS = {"output_flag": False, "threads": 1, "simplex_strategy": 4}  # 4: primal simplex


@dataclass(frozen=True, eq=False)
class Basis:
    """Basic columns and rows, named so that they remain valid when columns change."""

    modes: Bools  # (S, J) columns x
    waits: Bools  # (J,) slacks of the cover rows: postponed jobs
    columns: Bools  # (Y + 2S,) columns L, y, u, w
    rows: Bools  # (S + R + 1 + K,) slacks of the other rows


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """The maximum over a box."""

    multipliers: Floats  # (S,)
    binds: bool  # whether multipliers outside the box may be better
    choice: Ints  # (J,) mode of each job, -1 = postponed; jobs in halves are postponed
    flow: Floats  # (Y,) L and y
    basis: Basis


def useful(model: ModeModel, low: Floats, high: Floats, basis: Basis) -> tuple[Bools, Bools]:
    """Return (S, J) modes and (J,) postponements that the program needs; what is basic stays."""
    least = (model.gain + high[:, None]).min(axis=0)
    modes = model.gain + low[:, None] <= np.minimum(least, 0.0)
    waits = least >= 0.0
    return modes | basis.modes, waits | basis.waits


def first_basis(model: ModeModel, centre: Floats) -> Basis:
    """Return the basis of each job's cheapest alternative, the cheapest nodes, and the slack."""
    reduced = model.gain + centre[:, None]
    cheapest, jobs = reduced.argmin(axis=0), np.arange(model.jobs)
    taken = reduced[cheapest, jobs] < 0.0
    modes = np.zeros(reduced.shape, dtype=bool)
    modes[cheapest[taken], jobs[taken]] = True
    cuts, size = model.cuts, len(model.gain)
    basic, flow = np.zeros(len(cuts.cost), dtype=bool), np.zeros(len(cuts.cost))
    other = size + cuts.rows  # rows (nodes) and (class)
    rows = np.zeros(other + 1 + len(model.sizes), dtype=bool)
    rows[size:] = True
    # the cheapest nodes and the arcs of their slots; a row that these use up is not basic
    left = model.nodes
    for k, c, slots, _, number in model.cheapest_nodes(cuts.most_valuable(centre)):
        columns = [c, *cuts.path(int(cuts.of_type[c]), slots)]
        basic[columns] = True
        flow[columns] += number
        left -= number
        rows[other if left <= 0.0 else other + 1 + k] = False
        at, column, value = cuts.balance
        rows[size + at[(value > 0.0) & np.isin(column, columns)]] = False
    short = modes.sum(axis=1) > cuts.offered(flow, size)
    return Basis(modes, ~taken, np.concatenate([basic, short, ~short]), rows)


def solve(
    model: ModeModel, low: Floats, high: Floats, centre: Floats, basis: Basis, seconds: float
) -> BoxSolution | None:
    """Maximise the dual in a box around the centre; None if the time does not suffice."""
    columns = OpenJobColumns.of(*useful(model, low, high, basis))
    matrix = program(model, columns, (low, high))
    reset_scheduler()
    highs = handed_over(matrix, {**OPTIONS, "time_limit": max(0.0, seconds)})
    highs.setBasis(_start(model, columns, centre, basis))
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = highs.getSolution()
    values, dual = np.array(solution.col_value), np.array(solution.row_dual)
    n, m, size = len(columns.job), len(columns.jobs), len(model.gain)
    x, flow, u, w = np.split(values, np.cumsum([n, len(model.cuts.cost), size]))
    return BoxSolution(
        multipliers=np.clip(-dual[m : m + size], low, high),
        binds=bool((u > FEASIBLE).any() or (w[low > 0.0] > FEASIBLE).any()),
        choice=columns.choice(x),
        flow=flow,
        basis=_kept(model, columns, highs.getBasicVariables()[1]),
    )


def _start(
    model: ModeModel, columns: OpenJobColumns, centre: Floats, basis: Basis
) -> highspy.HighsBasis:
    """Return the basis for these columns; jobs that have just been opened begin where they were."""
    x, cover = basis.modes[columns.mode, columns.job], basis.waits[columns.jobs]
    # jobs that have just been opened have no basic column yet
    new = ~cover
    new[columns.row[x]] = False
    if new.any():
        reduced = model.gain[:, columns.jobs[new]] + centre[:, None]
        waits = reduced.min(axis=0) >= 0.0
        cover[new] = waits
        cheapest = np.full(model.jobs, -1)
        cheapest[columns.jobs[new][~waits]] = reduced.argmin(axis=0)[~waits]
        x |= columns.mode == cheapest[columns.job]
    start = highspy.HighsBasis()
    status = highspy.HighsBasisStatus
    start.col_status = _statuses(np.concatenate([x, basis.columns]), status.kLower)
    start.row_status = _statuses(np.concatenate([cover, basis.rows]), status.kUpper)
    start.valid, start.alien = True, False
    return start


def _statuses(basic: Bools, otherwise: highspy.HighsBasisStatus) -> list[highspy.HighsBasisStatus]:
    statuses = [otherwise] * len(basic)
    for i in np.flatnonzero(basic).tolist():
        statuses[i] = highspy.HighsBasisStatus.kBasic
    return statuses


def _kept(model: ModeModel, columns: OpenJobColumns, basic: Ints) -> Basis:
    """Return the basis that HiGHS lists: columns as they are, row r as -1 - r."""
    cuts, n, m, size = model.cuts, len(columns.job), len(columns.jobs), len(model.gain)
    column = np.zeros(n + len(cuts.cost) + 2 * size, dtype=bool)
    row = np.zeros(m + size + cuts.rows + 1 + len(model.sizes), dtype=bool)
    column[basic[basic >= 0]], row[-1 - basic[basic < 0]] = True, True
    modes, waits = np.zeros(model.gain.shape, dtype=bool), np.zeros(model.jobs, dtype=bool)
    modes[columns.mode, columns.job], waits[columns.jobs] = column[:n], row[:m]
    return Basis(modes, waits, column[n:], row[m:])

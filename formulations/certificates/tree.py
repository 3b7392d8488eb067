"""
Branch and bound on counts of slots and nodes, whose leaves are prices that prove a bound.

Each node of the tree is the linear program of `node_model` with bounds on some counts, solved by
HiGHS over the columns that were of use so far; all others are priced, and the best of those that
would be are added. A leaf is what `rsjs_verify` says in exact arithmetic of its prices, rounded to
as few decimals as the bound allows: any prices prove some bound, so nothing rests on HiGHS.

A node whose bound is below the target is branched on: of up to eight fractional counts, that whose
two linear programs rise most, tried with few iterations. The target is a bound that is known.
Where no count is fractional, or the budget is spent, the tree proves less than the target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import highspy
import numpy as np

from rsjs import rsjs_verify
from rsjs.core.errors import InputError, described
from rsjs.core.types import Bools, Floats
from rsjs.formulations.backends.backend import never
from rsjs.formulations.certificates.node_model import Kind, NodeModel
from rsjs.instances.instance import Instance
from rsjs.instances.io.serialization import canonical_text, of_instance
from rsjs.rsjs_verify import UNIT, Counts, Leaf

FIRST, MORE = 4, 3  # columns of each job to begin with, and to add at a time
TRIED, TRIAL, UNLIMITED = 8, 40, 2**31 - 1  # counts that are tried, iterations of a trial
MOST_LEAVES = 300
WHOLE = 1e-6  # counts are integral up to this
SMALL, FAR = 1e-9, 10.0
EXACT = 1e-9  # columns that would change the bound by less are left out
DECIMALS = range(3, 13)
Entry = dict[str, Any]


@dataclass(frozen=True, eq=False)
class State:
    """A node of the tree: bounds on counts, and a basis to start from."""

    most: Counts = field(default_factory=dict)
    least: Counts = field(default_factory=dict)
    basis: Any = None


def grow(
    model: NodeModel, target: float, stop: Callable[[], bool] = never
) -> tuple[list[Entry], Fraction]:
    """
    Return the tree of a certificate, and the bound that it proves [$].

    Parameters
    ----------
    target : float
        Bound to prove [$]; what is not branched on proves less.
    stop : callable
        Whether to branch no more.
    """
    program, goal, left = _Program(model), int(Fraction(target) * UNIT), [State()]
    entries: list[Entry] = []
    proved: list[int] = []
    while left:
        state = left.pop()
        bound = program.solve(state, target)
        count = None
        if bound < target and len(proved) + len(left) < MOST_LEAVES and not stop():
            count = program.to_branch(state, target)
        if count is None:
            entry, value = _leaf(program, state, goal)
            entries.append(entry)
            proved.append(value)
            continue
        kind, most = count
        entries.append({"type": kind[0], "slot": kind[1], "most": most})
        low, high = {**state.most, kind: most}, {**state.least, kind: most + 1}
        left.append(State(state.most, high, program.basis))
        left.append(State(low, state.least, program.basis))
    return entries, Fraction(min(proved), UNIT)


def _leaf(program: _Program, state: State, goal: int) -> tuple[Entry, int]:
    """Return prices with the fewest decimals that prove the goal, or the most, and their bound."""
    found: list[tuple[int, Entry]] = []
    for decimals in DECIMALS:
        entry = program.prices(state, decimals)
        fractions = {
            key: {
                name: {slot: Fraction(str(value)) for slot, value in of.items()}
                if isinstance(of, dict)
                else Fraction(str(of))
                for name, of in row.items()
            }
            for key, row in entry.items()
        }
        leaf = Leaf(program.model.slots, "", fractions, state.most, state.least)
        found.append((leaf.bound(), entry))
        if found[-1][0] >= goal:
            break
    value, entry = max(found, key=lambda one: one[0])
    return entry, value


class _Program:
    """The linear program, with the columns of jobs that were of use so far."""

    def __init__(self, model: NodeModel) -> None:
        self.model = model
        self.highs = highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("threads", 1)
        rows, columns = model.rows_and_columns()
        none = np.zeros(0, dtype=np.int32)
        self.lower, self.upper = np.array(rows).T
        for low, high in rows:
            highs.addRow(low, high, 0, none, np.zeros(0))
        for column in columns:
            index = np.array(list(column.entries), dtype=np.int32)
            value = np.array(list(column.entries.values()))
            highs.addCol(column.cost, 0.0, np.inf, len(index), index, value)
        self.kinds, self.jobs = len(model.kinds), len(model.postponement)
        self.base = float(model.postponement.sum())
        self.number = {kind: column for column, kind in enumerate(model.counts)}
        self.has: Bools = np.zeros(model.gain.shape, dtype=bool)
        self._add(model.gain, FIRST)
        self.bounded: set[Kind] = set()
        self.basis: Any = None
        self.duals: Floats = np.zeros(len(rows))
        self.reduced: Floats = np.zeros(len(self.number))
        self.values: Floats = np.zeros(len(self.number))

    def _add(self, worth: Floats, number: int) -> bool:
        """Add the least columns of each job that are finite; return whether there are any."""
        best = np.argsort(worth, axis=0, kind="stable")[:number]
        chosen = np.zeros(worth.shape, dtype=bool)
        np.put_along_axis(chosen, best, values=True, axis=0)
        kind, job = np.nonzero(chosen & np.isfinite(worth) & ~self.has)
        n = len(kind)
        if n:
            self.has[kind, job] = True
            index = np.column_stack([job, self.jobs + kind]).ravel().astype(np.int32)
            start, gain = 2 * np.arange(n, dtype=np.int32), self.model.gain[kind, job]
            self.highs.addCols(
                n, gain, np.zeros(n), np.full(n, np.inf), 2 * n, start, index, np.ones(2 * n)
            )
        return n > 0

    def _bound(self, kind: Kind, state: State) -> None:
        low, high = state.least.get(kind, 0), state.most.get(kind, np.inf)
        self.highs.changeColBounds(self.number[kind], float(low), float(high))

    def solve(self, state: State, target: float) -> float:
        """Return the bound of a node of the tree; infinite where nothing is feasible."""
        bounds = {*state.most, *state.least}
        for kind in self.bounded | bounds:
            self._bound(kind, state)
        self.bounded = bounds
        if state.basis is not None:
            self._start(state.basis)
        while True:
            self.highs.run()
            if self.highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
                # columns that make it feasible, or prices that prove that none does
                ray = self._ray()
                useful = ray[: self.jobs] + ray[self.jobs : self.jobs + self.kinds, None]
                useful = np.where((useful > SMALL) & ~self.has, -useful, np.inf)
                if self._add(np.where(np.isfinite(self.model.gain), useful, np.inf), MORE):
                    continue
                self._follow(ray)
                return np.inf
            solution = self.highs.getSolution()
            objective = self._objective()
            self.duals = np.array(solution.row_dual)
            self.reduced = np.array(solution.col_dual[: len(self.number)])
            self.values = np.array(solution.col_value[: len(self.number)])
            self.basis = self.highs.getBasis()
            price = -self.duals[self.jobs : self.jobs + self.kinds]
            worth = self.model.gain + price[:, None] - self.duals[: self.jobs]
            lost = float(np.minimum(0.0, worth.min(axis=0)).sum())
            if objective + lost >= target or lost > -EXACT * abs(objective):
                return objective + lost
            if not self._add(np.where(worth < 0.0, worth, np.inf), MORE):
                return objective + lost

    def _objective(self) -> float:
        return float(self.highs.getInfo().objective_function_value) + self.base

    def _start(self, basis: Any) -> None:
        """Start from a basis of fewer columns."""
        more = self.highs.getNumCol() - len(basis.col_status)
        at_zero = [highspy.HighsBasisStatus.kLower] * more
        basis.col_status = [*basis.col_status, *at_zero]
        self.highs.setBasis(basis)

    def _ray(self) -> Floats:
        """Return duals along which the bound of an infeasible program rises; 0 if not known."""
        _, there, ray = self.highs.getDualRay()
        if not there:
            return np.zeros(len(self.duals))
        for way in (np.array(ray), -np.array(ray)):
            # of rows without a lower or an upper bound only one sign is right
            with np.errstate(invalid="ignore"):
                rises = np.where(way == 0.0, 0.0, way * np.where(way > 0.0, self.lower, self.upper))
            if rises.sum() > -np.inf:
                unit: Floats = way / max(np.abs(way).max(), SMALL)
                return unit
        return np.zeros(len(self.duals))

    def _follow(self, ray: Floats) -> None:
        """Take prices far along a ray."""
        step = ray * FAR * max(1.0, abs(self.base))
        self.duals = self.duals + step
        # reduced costs of Y and N: minus what their rows say
        first, last, types = self.jobs, self.jobs + self.kinds, len(self.number) - self.kinds
        of_slots, offered = step[first:last], step[last : last + self.kinds]
        source, tie = step[last + self.kinds :][: 2 * types].reshape(2, types)
        self.reduced = self.reduced + np.concatenate([of_slots - offered, source - tie])

    def to_branch(self, state: State, target: float) -> tuple[Kind, int] | None:
        """Return the fractional count to branch on, and the most of its lower branch."""
        whole = np.abs(self.values - np.rint(self.values)) < WHOLE
        middle = np.abs(self.values - np.floor(self.values) - 0.5)
        order = np.lexsort((np.arange(len(middle)), np.where(whole, np.inf, middle)))
        order = order[: min(TRIED, int((~whole).sum()))]
        values, best, counts = self.values.copy(), (-1.0, -1.0), self.model.counts
        start, found = self.basis, None
        before = self._objective()
        self.highs.setOptionValue("simplex_iteration_limit", TRIAL)
        for column in order.tolist():
            kind, most = counts[column], int(np.floor(values[column]))
            rises = []
            for low in (True, False):
                side = State({**state.most, kind: most}, state.least)
                if not low:
                    side = State(state.most, {**state.least, kind: most + 1})
                self._bound(kind, side)
                self.highs.run()
                rise = target - before
                if self.highs.getModelStatus() != highspy.HighsModelStatus.kInfeasible:
                    rise = min(rise, self._objective() - before)
                rises.append(max(rise, EXACT * (target - before)))
                self.highs.setBasis(start)
            self._bound(kind, state)
            if (score := (rises[0] * rises[1], sum(rises))) > best:
                best, found = score, (kind, most)
            if min(rises) >= target - before:
                break
        self.highs.setOptionValue("simplex_iteration_limit", UNLIMITED)
        self.basis = start
        return found

    def prices(self, state: State, decimals: int) -> Entry:
        """Return the prices of the last program, as a leaf."""
        first, last = self.jobs, self.jobs + self.kinds
        price = np.round(np.maximum(0.0, -self.duals[first:last]), decimals)
        rents = np.round(-self.duals[last + self.kinds :], decimals)
        leaf: Entry = {}
        for (name, slot), of in zip(self.model.kinds, price.tolist(), strict=True):
            if of and slot[0] != "l":
                leaf.setdefault("prices", {}).setdefault(name, {})[slot] = of
        if self.model.slots.leads:
            for name, of in zip(self.model.slots.types, rents.tolist(), strict=False):
                if of:
                    leaf.setdefault("rents", {})[name] = of
        for kind in {**state.most, **state.least}:
            of = round(float(self.reduced[self.number[kind]]), decimals)
            if of > 0.0 or (of < 0.0 and kind in state.most):
                leaf.setdefault("counts", {}).setdefault(kind[0], {})[kind[1]] = of
        return leaf


def claim(proved: Fraction) -> float:
    """Return the greatest double that is not above a bound, neither itself nor its decimals."""
    value = rsjs_verify.rounded(proved, -inf)
    return value if Fraction(repr(value)) <= proved else nextafter(value, -inf)


def certificate(
    instance: Instance, target: float, stop: Callable[[], bool] = never
) -> dict[str, Any]:
    """
    Return a certificate of a bound of an instance, the document `rsjs-bound/1`.

    It proves the target if that can be proved, otherwise less, see `grow`. InputError for an
    objective in which nodes do not pay for themselves.
    """
    try:
        subject = rsjs_verify.Instance(rsjs_verify.parsed(canonical_text(of_instance(instance))))
        slots = rsjs_verify.Slots(subject)
    except rsjs_verify.Refused as error:
        raise InputError(error.where, described(error.found), error.expected) from None
    entries, proved = grow(NodeModel.of(slots), target, stop)
    return {
        "format": rsjs_verify.BOUND,
        "instance": instance.digest,
        "bound": claim(proved),
        "tree": entries,
    }

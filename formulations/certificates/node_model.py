"""
Jobs that take slots of nodes, for every objective: the linear program whose duals are certificates.

A node is cut into slots. Jobs only say which kind of slot of which node type they take, so that one
price for each kind couples them to nodes, as in `jahani.lagrangian`; here for all objectives of
single nodes, with leaders (first_ending) and shares of GPUs. Costs are those that `rsjs_verify`
computes itself, as fractions.

Sets and data
    j in J jobs; v node types; k node classes, N_k nodes of class k
    s slots of a type: g whole GPUs; u units of one GPU; a leader's, which leaves r GPUs, w units
    C_js cost in a slot, P_j cost of postponing; mu cost of an idle GPU; U units of a GPU

Variables
    x_js >= 0      job j takes a slot of kind s, priced when it is of use
    Y_s >= 0       slots of the kind, and N_v nodes of the type: these are branched on
    L_kv, y, o     nodes; arcs that cut a node, or a GPU into shares; GPUs opened for shares

    min  sum_j P_j + sum_js (C_js - P_j) x_js + sum_kv mu s_v L_kv - sum_v mu o_v
    (cover)    sum_s x_js <= 1                                     for all j
    (slots)    sum_j x_js <= Y_s, of leaders =                     for all s
    (offered)  Y_s <= sum of the y of the kind, of leaders =       for all s
    (flow)     sum of y from u <= sum of y to u                    for all v, 0 < u < s_v
    (units)    sum of y from u units <= sum of y to u units, or o_v  for all v, 0 <= u < U; o_v at 0
    (source)   sum of the first y <= N_v                           for all v; = where each has a job
    (types)    N_v = sum_k L_kv                                    for all v
    (class)    sum_v L_kv <= N_k;  (nodes)  sum L = min(J, N), the matching number, or <= N

The pattern of a node is a path of arcs, as in `arc_flow`. The price of a slot is the dual of
(slots), that of a count the reduced cost of Y_s or N_v, the rent of a node the dual of (source).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rsjs.core.types import Bools, Floats
from rsjs.formulations.modes import arc_flow
from rsjs.formulations.modes.arc_flow import Arc
from rsjs.rsjs_verify import NODE_COUNT, UNIT, Slots, left_by, most_nodes_with_a_job

Kind = tuple[str, str]  # node type and slot


@dataclass(frozen=True, eq=False)
class NodeModel:
    """Rows, and the columns besides those of jobs."""

    slots: Slots
    kinds: list[Kind]
    gain: Floats  # (S, J) C_js - P_j [$]; inf where there is none
    postponement: Floats  # (J,) P_j [$]

    @staticmethod
    def of(slots: Slots) -> NodeModel:
        """Return the model of the instance of these slots."""
        kinds = [(name, slot) for name, rows in slots.costs.items() for slot in rows]
        postponement = np.array(slots.postponed) / UNIT
        gain = np.full((len(kinds), len(postponement)), np.inf)
        for q, (name, slot) in enumerate(kinds):
            row = slots.costs[name][slot]
            gain[q, list(row)] = np.array(list(row.values()), dtype=float) / UNIT
        # a job that stays somewhere pays no change: here it may do so on any node
        for j, (name, free) in slots.stays.items():
            for slot, cost in free.items():
                q = kinds.index((name, slot))
                gain[q, j] = min(gain[q, j], cost / UNIT)  # another mode may take the slot, too
        return NodeModel(slots, kinds, gain - postponement, postponement)

    @cached_property
    def leads(self) -> Bools:
        """(S,) whether a slot is a leader's."""
        return np.array([slot[0] == "l" for _, slot in self.kinds])

    def rows_and_columns(self) -> tuple[list[tuple[float, float]], list[Column]]:
        """
        Return the bounds of all rows, and the columns Y, N, L, y, o in this order.

        The first rows are (cover), (slots), (offered), and (source) in the order of the types.
        """
        inf, instance, slots = np.inf, self.slots.instance, self.slots
        jobs, count, types = len(self.postponement), len(self.kinds), list(slots.types)
        rows: list[tuple[float, float]] = [(-inf, 1.0)] * jobs
        rows += [(0.0 if leads else -inf, 0.0) for leads in self.leads.tolist()] * 2
        rule, mu = instance.rules["open_nodes"], float(instance.rules["mu"])
        exact = slots.leads and rule != "jahani_eq"
        source = {name: len(rows) + i for i, name in enumerate(types)}
        rows += [(0.0 if exact else -inf, 0.0)] * len(types)
        tie = {name: len(rows) + i for i, name in enumerate(types)}
        rows += [(0.0, 0.0)] * len(types)
        classes = Counter(tuple(of) for of in instance.allowed)
        of_class = {of: len(rows) + i for i, of in enumerate(classes)}
        rows += [(-inf, float(number)) for number in classes.values()]
        most = float(min(jobs, len(instance.allowed)))
        if rule == "rsjs_eq_feasible":
            most = float(most_nodes_with_a_job(instance))
        nodes = len(rows)
        rows.append((-inf if rule == "free" else most, most))
        columns = [Column(0.0, {jobs + q: -1.0, jobs + count + q: 1.0}) for q in range(count)]
        columns += [Column(0.0, {source[name]: -1.0, tie[name]: 1.0}) for name in types]
        for of, row in of_class.items():
            for name in of:
                idle = mu * slots.types[name]["gpus"]
                columns.append(Column(idle, {tie[name]: -1.0, row: 1.0, nodes: 1.0}))
        for name in types:
            columns += self._patterns(name, source[name], rows, jobs + count)
        return rows, columns

    def _patterns(
        self, name: str, source: int, rows: list[tuple[float, float]], offered: int
    ) -> list[Column]:
        """Return the arcs of a node type, and add their rows."""
        slots = self.slots
        size, whole = int(slots.types[name]["gpus"]), slots.unit(name)
        own = {slot: offered + q for q, (of, slot) in enumerate(self.kinds) if of == name}
        leaders = {slot: left_by(slot) for slot in own if slot[0] == "l"}
        shares = {int(slot[1:]): row for slot, row in own.items() if slot[0] == "u"}
        gpus = {int(slot): row for slot, row in own.items() if slot[0] not in "lu"}
        first = {Arc(0, 0, size - left) for left, _ in leaders.values()}
        begun = {whole - units for _, units in leaders.values() if units}
        cuts = arc_flow.arcs(0, size, {*gpus, *([1] if shares else [])}, sorted(first))
        cuts = [arc for arc in cuts if not leaders or arc.tail]
        inner = sorted({arc.tail for arc in cuts} - {0})
        flow = {0: source, **{tail: len(rows) + i for i, tail in enumerate(inner)}}
        rows += [(-np.inf, 0.0)] * len(inner)
        in_one = arc_flow.arcs(0, whole, shares, (), begun)
        units = {tail: len(rows) + i for i, tail in enumerate(sorted({arc.tail for arc in in_one}))}
        rows += [(-np.inf, 0.0)] * len(units)
        columns = []
        for slot, (left, beside) in leaders.items():
            entries = {own[slot]: -1.0, source: 1.0}
            if size - left in flow:
                entries[flow[size - left]] = -1.0
            if beside and whole - beside in units:
                entries[units[whole - beside]] = -1.0
            columns.append(Column(0.0, entries))
        for arc in cuts:
            entries = {flow[arc.tail]: 1.0}
            if arc.head in flow:
                entries[flow[arc.head]] = -1.0
            if arc.gpus in gpus:
                columns.append(Column(0.0, {**entries, gpus[arc.gpus]: -1.0}))
            if arc.gpus == 1 and shares:
                mu = float(slots.instance.rules["mu"])
                columns.append(Column(-mu, {**entries, units[0]: -1.0}))
        for arc in in_one:
            entries = {units[arc.tail]: 1.0, shares[arc.gpus]: -1.0}
            if arc.head in units:
                entries[units[arc.head]] = -1.0
            columns.append(Column(0.0, entries))
        return columns

    @property
    def counts(self) -> list[Kind]:
        """What is branched on: the columns Y and N."""
        return [*self.kinds, *((name, NODE_COUNT) for name in self.slots.types)]


@dataclass(frozen=True, eq=False)
class Column:
    """A column that is >= 0: its cost [$] and its entries by row."""

    cost: float
    entries: dict[int, float]

"""
RS-JS by node classes (form E): which job leads, which follow, but not whom.

Nodes that may take the same types are alike. Forget on which of them a job runs: a follower costs
the same wherever it follows, and a leader pays for its node whoever follows (rsjs.md 3, form E;
Filippini et al. 2024, (P1) as corrected in rsjs.md 2.2). What remains are J rows that run each
job once and a few rows per class that tell whether followers fit beside leaders.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; k node classes with N_k nodes; p = (k, v) node groups, v a type that k may take
    q modes        k_q dedicated GPUs, or k_q = 0 and a share of u_q units; of U units a GPU has
    theta_jq, T_jq time and tardiness cost; P_j postponement cost; c_vg price of g GPUs in use
    K_v            the g beyond which c_v rises, and s_v

Variables
    F_pjq in {0, 1}    j follows at p in mode q, k_q < s_v
    R_pjqg in {0, 1}   j leads at p in mode q: charged for at most g in K_v GPUs until it ends

    min  sum_j P_j + sum (T_jq - P_j) F_pjq + sum (T_jq + c_vg theta_jq - P_j) R_pjqg
    (cover)   sum_pq F_pjq + sum_pqg R_pjqg <= 1                            for all j
    (class)   sum_v,j,q,g R_(k,v)jqg <= N_k                                 for all k
    (count)   sum R = required             open_nodes rsjs_eq, rsjs_eq_feasible; where that is
              every node, (class) are equalities instead
    (room)    what followers take at p <= what leaders leave, in one of two ways for all p;
              a leader leaves r = g - max(k_q, 1) GPUs and, if shared, U - u_q units of its own

packing = "rows", superadditive rows (form E of the notes, a relaxation)
    sum floor(k_q / m) F <= sum floor(r / m) R                              for m = 1 .. s_v - 1
    sum w_s(q) F <= sum (r W_s(U) + W_s(U - u_q)) R                         for s = 1, share sizes
    w_s(q) = floor(u_q / s), or k_q W_s(U); W_s(u): most that shares on u units weigh; no second
    term for a dedicated leader. A node meets each row, so their sum does, with any share levels.
packing = "splits", exact
    y_pab in {0, 1, ...}  blocks of b GPUs cut into a and b - a;  o_p GPUs opened for shares
    sum F [k_q = b] + cuts of b + o_p [b = 1] <= sum R [r = b] + pieces b   for b = 1 .. s_v - 1
    sum w_s(u_q) F [k_q = 0] <= W_s(U) o_p + sum W_s(U - u_q) R             for s = 1, share sizes
                                          where weights suffice (`gpu_sharing`); elsewhere by arcs
    a_ptu in {0, 1, ...}  GPUs with a share of u units after t units; o_p = sum_u a_p0u
    sum F [u_q = u] <= sum_t a_ptu                                          for all share sizes u
    sum_u a_ptu <= sum_u a_p,t-u,u + sum R [u_q = t]                        for 0 < t < U

Relaxation: a schedule gives a vector of the same cost, its leaders the first to end. If followers
pack into the room left, the vector gives a schedule that costs no more: a proved optimum. Else
jobs that do not fit are put where they cost least. Left out: dominated modes, T_jq >= P_j in F.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from rsjs.core.call import Call
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.first_ending.costs import limits
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel
from rsjs.formulations.milp.row_builder import RowBuilder
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.modes.modes import numbered
from rsjs.formulations.rsjs.aggregated.capacity_rows import (
    CapacityRows,
    pack,
    split_rows,
    superadditive_rows,
)
from rsjs.formulations.rsjs.aggregated.columns import ColumnTypes, ModeCosts, column_types_of
from rsjs.formulations.rsjs.aggregated.local_search import NodeLoads, insert_postponed
from rsjs.instances.bin_packing import filled_gpus, gpus_for_shares
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import nodes_with_a_job
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


INDEX_LETTERS = {"x": "jkvguq", "s": "m", "cover": "j", "rows": "r"}


LEFT_OVER = "the relaxation is solved; not all followers fit as it says"
PACKINGS = {"rows": superadditive_rows, "splits": split_rows}


@dataclass(frozen=True, eq=False)
class AggregatedModel:
    """The model's data. Column order: the column types of jobs kept, then the splits."""

    instance: Instance
    types: ColumnTypes
    mode_costs: ModeCosts
    costs: Floats  # (L, J) of every column type of every job [$]; inf where there is none
    capacity: CapacityRows
    required: int | None  # nodes with a job; None = any number
    # column_type, job: (n,) the columns kept
    column_type: Ints
    job: Ints

    @staticmethod
    def of(instance: Instance, packing: str) -> AggregatedModel:
        """Return the model with every column."""
        types = column_types_of(instance.cluster)
        mode_costs = ModeCosts.of(instance, types)
        costs = mode_costs.costs(types)
        column_type, job = np.nonzero(np.isfinite(costs))
        capacity = PACKINGS[packing](instance.cluster)
        required = nodes_with_a_job(instance)
        return AggregatedModel(
            instance, types, mode_costs, costs, capacity, required, column_type, job
        )

    def restricted(self, kept: Bools, packing: str) -> AggregatedModel:
        """Return the model with the columns (L, J) of `kept` only."""
        column_type, job = np.nonzero(kept & np.isfinite(self.costs))
        capacity = PACKINGS[packing](self.instance.cluster)
        return replace(self, column_type=column_type, job=job, capacity=capacity)

    @cached_property
    def gain(self) -> Floats:
        """(n,) cost of a column less that of postponing its job [$]."""
        postponement = self.mode_costs.postponement[self.job]
        gain: Floats = self.costs[self.column_type, self.job] - postponement
        return gain

    @property
    def every_node(self) -> bool:
        """Whether every node has a job: then (class) are equalities and make (count) redundant."""
        return self.required == self.types.cluster.nodes

    @property
    def counted(self) -> bool:
        """Whether there is a row (count)."""
        return self.required is not None and not self.every_node

    @cached_property
    def matrix(self) -> Floats:
        """(R, L) coefficients by column type of the rows (room), (class), (count)."""
        types = self.types
        classes = np.arange(len(types.cluster.class_sizes))
        of_class = (types.node_class[types.group] == classes[:, None]) & types.leads
        count = types.leads[None, :][: int(self.counted)]
        return np.vstack([self.capacity.by_type, of_class, count])

    @cached_property
    def split_matrix(self) -> Floats:
        """(R, S) coefficients of the splits."""
        more = len(self.matrix) - len(self.capacity.splits)
        return np.vstack([self.capacity.splits, np.zeros((more, self.capacity.splits.shape[1]))])

    @cached_property
    def upper(self) -> Floats:
        """(R,) right-hand sides."""
        count = [self.required] if self.counted else []
        sizes = self.types.cluster.class_sizes
        return np.concatenate([np.zeros(len(self.capacity.by_type)), sizes, count]).astype(float)

    @cached_property
    def lower(self) -> Floats:
        """(R,) -inf, but for equalities."""
        lower = np.full(len(self.upper), -np.inf)
        if self.required is not None:
            first = len(self.capacity.by_type) if self.every_node else len(lower) - 1
            lower[first:] = self.upper[first:]
        return lower

    @cached_property
    def most_splits(self) -> Floats:
        """(S,) upper bounds of the splits."""
        types, group = self.types, self.capacity.group
        nodes = types.cluster.class_sizes[types.node_class[group]]
        block = np.maximum(self.capacity.block, 1)  # arcs: at most one of a kind on a GPU
        blocks = types.cluster.gpus_of_type[types.node_type[group]] // block
        return (nodes * blocks).astype(float)


def warm_start(data: AggregatedModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution.

    Dominated modes are replaced and followers that cost no less than being postponed left out, so
    that the vector never costs more than the solution.
    """
    x = np.zeros(len(data.column_type) + len(data.most_splits))
    known = data.column_type * len(data.instance.jobs) + data.job  # ascending
    for group, jobs, types in _columns_by_node(data, solution):
        wanted = np.array(types) * len(data.instance.jobs) + np.array(jobs)
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        x[at[known[at] == wanted]] = 1.0
        if len(data.most_splits):
            _cut(data, group, types, x[len(data.column_type) :])
    return x


def column_types_of_jobs(data: AggregatedModel, solution: Solution) -> dict[int, int]:
    """Return job -> column type, for the jobs that run."""
    return {
        j: column_type
        for _, jobs, types in _columns_by_node(data, solution)
        for j, column_type in zip(jobs, types, strict=True)
    }


def _columns_by_node(
    data: AggregatedModel, solution: Solution
) -> list[tuple[int, list[int], list[int]]]:
    """Return node group, jobs (the leader first) and column types on each busy node."""
    types, cluster = data.types, data.instance.cluster
    number = numbered(types.group, types.mode, types.paid)
    group_of = numbered(types.node_class, types.node_type)
    mode_of = numbered(types.mode_gpu, types.gpus, types.level)
    by_node: dict[int, list[tuple[int, int]]] = {}
    for j in np.flatnonzero(solution.job_node >= 0).tolist():
        n = int(solution.job_node[j])
        gpu = int(cluster.gpu_of_type[solution.node_type[n]])
        taken = mode_of[gpu, int(solution.job_gpus[j]), int(solution.job_level[j])]
        by_node.setdefault(n, []).append((j, int(data.mode_costs.stands[taken, j])))
    placed = []
    for n, members in by_node.items():
        v = int(solution.node_type[n])
        group = group_of[int(cluster.class_of_node[n]), v]
        # the first job to end leads; its charge is the smallest limit that holds all GPUs in use
        members.sort(key=lambda member: data.mode_costs.hours[member[1], member[0]])
        node_modes = [mode for _, mode in members]
        used = _used(data, node_modes)
        paid = next(k for k in limits(cluster.node_types[v]) if k >= used)
        leader, *followers = node_modes
        column_types = [number[group, leader, paid], *(number[group, q, 0] for q in followers)]
        placed.append((group, [j for j, _ in members], column_types))
    return placed


def _used(data: AggregatedModel, modes: list[int]) -> int:
    types = data.types
    whole = types.cluster.gpu_types[types.mode_gpu[modes[0]]].units
    units = [u for u in types.units[modes].tolist() if u]
    return int(types.gpus[modes].sum()) + gpus_for_shares(units, whole)


def _cut(data: AggregatedModel, group: int, column_types: list[int], splits: Floats) -> None:
    """Add the splits of one node: followers cut from what its leader leaves, large ones first."""
    types, capacity = data.types, data.capacity
    rest = int(types.rest[column_types[0]])
    modes = types.mode[column_types]
    followers = types.gpus[modes[1:]]
    opened = _used(data, modes.tolist()) - int(types.least[modes[0]]) - int(followers.sum())
    for g in [*sorted(followers[followers > 0].tolist(), reverse=True), *[1] * opened]:
        if rest > g:
            here = (capacity.group == group) & (capacity.block == rest)
            splits[here & (capacity.piece == min(g, rest - g))] += 1
        rest -= g
    here = (capacity.group == group) & (capacity.piece == 0)
    if not (here & (capacity.units > 0)).any():
        splits[here] += opened
        return
    shares = types.units[modes].tolist()
    leader, units = shares[0], types.gpu_units(group)
    for on in filled_gpus([u for u in shares if u], units):
        filled = 0
        if leader in on:  # its GPU begins with it
            on.remove(leader)
            filled, leader = leader, 0
        for u in on:
            splits[here & (capacity.filled == filled) & (capacity.units == u)] += 1
            filled += u


data_of = AggregatedModel.of


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the model; the solution is proved optimal only where it costs what the bound says."""
    result = solve(__name__, instance, call, report)
    return replace(result, message=LEFT_OVER) if result.stop is Stop.ITERATIONS else result


def arrays(data: AggregatedModel) -> MatrixModel:
    """Build the matrix without Pyomo, for `search`, which makes it again and again."""
    n, splits = len(data.column_type), data.split_matrix.shape[1]
    jobs, cover = np.unique(data.job, return_inverse=True)
    # each column of a job repeats the entries of its column type: (room), (class), (count)
    entries = csr_array(data.matrix.T)[data.column_type].tocoo()
    row, split = np.nonzero(data.split_matrix)
    rows = RowBuilder()
    rows.add(len(jobs), -np.inf, 1.0, (cover, np.arange(n), 1.0))
    rows.add(
        len(data.upper),
        data.lower,
        data.upper,
        (entries.col, entries.row, entries.data),
        (row, n + split, data.split_matrix[row, split]),
    )
    return rows.model(
        cost=np.concatenate([data.gain, np.zeros(splits)]),
        upper=np.concatenate([np.ones(n), data.most_splits]),
        kind=np.full(n + splits, ColumnKind.INTEGER, dtype=np.uint8),
        offset=float(data.mode_costs.postponement.sum()),
    )


def build(data: AggregatedModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are x, then the splits s, as in `AggregatedModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, index_set, linear_sum, objective

    types, column_type, job = data.types, data.column_type, data.job.tolist()
    group, mode = types.group[column_type], types.mode[column_type]
    parts = (types.node_class[group], types.node_type[group], types.gpus[mode])
    indices = (data.job, *parts, types.units[mode], types.paid[column_type])
    m = pyo.ConcreteModel(name="rsjs_classes")
    options = index_set(zip(*(part.tolist() for part in indices), strict=True))
    m.x = pyo.Var(options, domain=pyo.Binary)
    m.s = pyo.Var(range(len(data.most_splits)), domain=pyo.NonNegativeIntegers)
    for split, most in zip(m.s.values(), data.most_splits.tolist(), strict=True):
        split.setub(most)
    x = list(m.x.values())
    m.cost, cover = objective(data.instance, data.gain, x), Rows()
    of_type: list[list[VarData]] = [[] for _ in types.group]
    for r, j, variable in zip(column_type.tolist(), job, x, strict=True):
        cover[j].append((1, variable))
        of_type[r].append(variable)
    m.cover = cover.at_most(1)

    def row(m: ConcreteModel, r: int) -> object:
        coefficients, splits = data.matrix[r], data.split_matrix[r]
        terms = [
            (float(coefficients[column_type]), variable)
            for column_type in np.flatnonzero(coefficients).tolist()
            for variable in of_type[column_type]
        ]
        terms += [(float(splits[s]), m.s[s]) for s in np.flatnonzero(splits).tolist()]
        if not terms and data.lower[r] <= 0 <= data.upper[r]:
            return pyo.Constraint.Skip
        exact = data.lower[r] == data.upper[r]
        total = linear_sum(terms)
        return total == data.upper[r] if exact else total <= data.upper[r]

    m.rows = pyo.Constraint(range(len(data.upper)), rule=row)
    return m


def extract(data: AggregatedModel, x: Floats) -> Solution:
    """Return a feasible solution from a column vector: packed, the rest put where it fits."""
    chosen = np.flatnonzero(x[: len(data.column_type)] > 0.5)
    column_type = np.full(len(data.instance.jobs), -1)
    worth = np.zeros(len(column_type))
    job = data.job[chosen]
    column_type[job], worth[job] = data.column_type[chosen], -data.gain[chosen]
    splits = np.rint(x[len(data.column_type) :]).astype(np.int64)
    decision = pack(data.instance, data.types, column_type, worth, splits if splits.size else None)
    loads = NodeLoads(data.instance, data.types, data.mode_costs).load(decision)
    insert_postponed(loads, open_nodes=data.required is None, stop=lambda: False)
    return loads.solution()

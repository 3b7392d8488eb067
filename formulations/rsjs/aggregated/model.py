"""
RS-JS by node classes (form E): which job leads, which follow, but not whom.

Nodes that may take the same types are alike. Forget on which of them a job runs: a follower costs
the same wherever it follows, and a leader pays for its node whoever follows (rsjs.md 3, form E;
Filippini et al. 2024, (P1) as corrected in rsjs.md 2.2). What remains are J rows that run each
job once and a few rows per class that tell whether followers fit beside leaders.

Sets and data (rsjs.md 2.1; times relative to now)
    j in J jobs; k node classes with N_k nodes; p = (k, v) places, v a type that k may take
    q shapes       k_q dedicated GPUs, or k_q = 0 and a share of u_q units; of U units a GPU has
    theta_jq, T_jq time and tardiness cost; P_j postponement cost; c_vg price of g GPUs in use
    K_v            the g beyond which c_v rises, and s_v

Variables
    F_pjq in {0, 1}    j follows at p in shape q, k_q < s_v
    R_pjqg in {0, 1}   j leads at p in shape q: charged for at most g in K_v GPUs until it ends

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
packing = "splits", exact for dedicated GPUs and for the shares of STS Table IV
    y_pab in {0, 1, ...}  blocks of b GPUs cut into a and b - a;  o_p GPUs opened for shares
    sum F [k_q = b] + cuts of b + o_p [b = 1] <= sum R [r = b] + pieces b   for b = 1 .. s_v - 1
    sum w_s(u_q) F [k_q = 0] <= W_s(U) o_p + sum W_s(U - u_q) R             for s = 1, share sizes

Relaxation: a schedule gives a vector of the same cost, its leaders the first to end. If followers
pack into the room left, the vector gives a schedule that costs no more: a proved optimum. Else
jobs that do not fit are put where they cost least. Left out: dominated shapes, T_jq >= P_j in F.
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
from rsjs.formulations.backends.stop import relative_gap, settled
from rsjs.formulations.first_ending.costs import limits
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel, RowBuilder
from rsjs.formulations.milp.solve import solve
from rsjs.formulations.rsjs.aggregated.capacity_rows import (
    CapacityRows,
    pack,
    split_rows,
    superadditive_rows,
)
from rsjs.formulations.rsjs.aggregated.columns import ColumnTypes, ModeCosts, column_types_of
from rsjs.formulations.rsjs.aggregated.local_search import NodeLoads, insert_postponed
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.costs import cost_tables
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
    """
    The model's data. Column order: the roles of jobs kept, then the splits.

    Attributes
    ----------
    shapes : ModeCosts
    costs : (L, J) float
        Of every role of every job [$]; inf where there is none.
    rooms : CapacityRows
    required : int or None
        Nodes with a job; None = any number.
    role, job : (n,) int
        The columns kept.
    """

    instance: Instance
    roles: ColumnTypes
    shapes: ModeCosts
    costs: Floats
    rooms: CapacityRows
    required: int | None
    role: Ints
    job: Ints

    @staticmethod
    def of(instance: Instance, packing: str) -> AggregatedModel:
        """Return the model with every column."""
        roles = column_types_of(instance.cluster)
        shapes = ModeCosts.of(instance, roles)
        costs = shapes.costs(roles)
        role, job = np.nonzero(np.isfinite(costs))
        rooms = PACKINGS[packing](instance.cluster)
        required = nodes_with_a_job(instance)
        return AggregatedModel(instance, roles, shapes, costs, rooms, required, role, job)

    def restricted(self, kept: Bools, packing: str) -> AggregatedModel:
        """Return the model with the columns (L, J) of `kept` only."""
        role, job = np.nonzero(kept & np.isfinite(self.costs))
        return replace(self, role=role, job=job, rooms=PACKINGS[packing](self.instance.cluster))

    @cached_property
    def gain(self) -> Floats:
        """(n,) what a column changes against postponing its job [$]."""
        gain: Floats = self.costs[self.role, self.job] - self.shapes.postponement[self.job]
        return gain

    @property
    def every_node(self) -> bool:
        """Whether every node has a job: then (class) are equalities and make (count) redundant."""
        return self.required == self.roles.cluster.nodes

    @property
    def counted(self) -> bool:
        """Whether there is a row (count)."""
        return self.required is not None and not self.every_node

    @cached_property
    def matrix(self) -> Floats:
        """(R, L) coefficients by role of the rows (room), (class), (count)."""
        roles = self.roles
        classes = np.arange(len(roles.cluster.class_sizes))
        of_class = (roles.node_class[roles.place] == classes[:, None]) & roles.leads
        count = roles.leads[None, :][: int(self.counted)]
        return np.vstack([self.rooms.roles, of_class, count])

    @cached_property
    def split_matrix(self) -> Floats:
        """(R, S) coefficients of the splits."""
        more = len(self.matrix) - len(self.rooms.splits)
        return np.vstack([self.rooms.splits, np.zeros((more, self.rooms.splits.shape[1]))])

    @cached_property
    def upper(self) -> Floats:
        """(R,) right-hand sides."""
        count = [self.required] if self.counted else []
        sizes = self.roles.cluster.class_sizes
        return np.concatenate([np.zeros(len(self.rooms.roles)), sizes, count]).astype(float)

    @cached_property
    def lower(self) -> Floats:
        """(R,) -inf, but for equalities."""
        lower = np.full(len(self.upper), -np.inf)
        if self.required is not None:
            first = len(self.rooms.roles) if self.every_node else len(lower) - 1
            lower[first:] = self.upper[first:]
        return lower

    @cached_property
    def most_splits(self) -> Floats:
        """(S,) upper bounds of the splits."""
        roles, place = self.roles, self.rooms.place
        nodes = roles.cluster.class_sizes[roles.node_class[place]]
        blocks = roles.cluster.gpus_of_type[roles.node_type[place]] // self.rooms.block
        return (nodes * blocks).astype(float)


def warm_start(data: AggregatedModel, solution: Solution) -> Floats:
    """
    Return the column vector of a feasible solution.

    Dominated shapes are replaced and followers that cost no less than being postponed left out, so
    that the vector never costs more than the solution.
    """
    x = np.zeros(len(data.role) + len(data.most_splits))
    known = data.role * len(data.instance.jobs) + data.job  # ascending
    for place, jobs, roles in _roles_by_node(data, solution):
        wanted = np.array(roles) * len(data.instance.jobs) + np.array(jobs)
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        x[at[known[at] == wanted]] = 1.0
        if len(data.most_splits):
            _cut(data, place, roles, x[len(data.role) :])
    return x


def roles_of_jobs(data: AggregatedModel, solution: Solution) -> dict[int, int]:
    """Return job -> role, for the jobs that run."""
    by_node = _roles_by_node(data, solution)
    return {j: role for _, jobs, roles in by_node for j, role in zip(jobs, roles, strict=True)}


def _roles_by_node(
    data: AggregatedModel, solution: Solution
) -> list[tuple[int, list[int], list[int]]]:
    """Return place, jobs (the leader first) and roles on each busy node."""
    roles, cluster = data.roles, data.instance.cluster
    triples = zip(roles.place.tolist(), roles.shape.tolist(), roles.paid.tolist(), strict=True)
    number = {triple: role for role, triple in enumerate(triples)}
    places = zip(roles.node_class.tolist(), roles.node_type.tolist(), strict=True)
    place_of = {pair: place for place, pair in enumerate(places)}
    shapes = zip(roles.shape_gpu.tolist(), roles.gpus.tolist(), roles.level.tolist(), strict=True)
    shape_of = {triple: shape for shape, triple in enumerate(shapes)}
    by_node: dict[int, list[tuple[int, int]]] = {}
    for j in np.flatnonzero(solution.job_node >= 0).tolist():
        n = int(solution.job_node[j])
        gpu = int(cluster.gpu_of_type[solution.node_type[n]])
        taken = shape_of[gpu, int(solution.job_gpus[j]), int(solution.job_level[j])]
        by_node.setdefault(n, []).append((j, int(data.shapes.stands[taken, j])))
    placed = []
    for n, members in by_node.items():
        v = int(solution.node_type[n])
        place = place_of[int(cluster.class_of_node[n]), v]
        # the first job to end leads; its charge is the smallest limit that holds all GPUs in use
        members.sort(key=lambda member: data.shapes.hours[member[1], member[0]])
        taken_shapes = [shape for _, shape in members]
        used = _used(data, taken_shapes)
        paid = next(k for k in limits(cluster.node_types[v]) if k >= used)
        leader, *followers = taken_shapes
        node_roles = [number[place, leader, paid], *(number[place, q, 0] for q in followers)]
        placed.append((place, [j for j, _ in members], node_roles))
    return placed


def _used(data: AggregatedModel, shapes: list[int]) -> int:
    roles = data.roles
    whole = roles.cluster.gpu_types[roles.shape_gpu[shapes[0]]].units
    units = [u for u in roles.units[shapes].tolist() if u]
    return int(roles.gpus[shapes].sum()) + gpus_for_shares(units, whole)


def _cut(data: AggregatedModel, place: int, node_roles: list[int], splits: Floats) -> None:
    """Add the splits of one node: followers cut from what its leader leaves, large ones first."""
    roles, rooms = data.roles, data.rooms
    rest = int(roles.rest[node_roles[0]])
    shapes = roles.shape[node_roles]
    followers = roles.gpus[shapes[1:]]
    opened = _used(data, shapes.tolist()) - int(roles.least[shapes[0]]) - int(followers.sum())
    for g in [*sorted(followers[followers > 0].tolist(), reverse=True), *[1] * opened]:
        if rest > g:
            here = (rooms.place == place) & (rooms.block == rest)
            splits[here & (rooms.piece == min(g, rest - g))] += 1
        rest -= g
    splits[(rooms.place == place) & (rooms.piece == 0)] += opened


data_of = AggregatedModel.of


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Solve the model; the solution is proved optimal only where it costs what the bound says."""
    result = solve(__name__, instance, call, report)
    if result.stop not in (Stop.OPTIMAL, Stop.GAP):
        return result
    largest = float(cost_tables(instance).postponement.max())
    stop = settled(Stop.OPTIMAL, result.objective, result.bound, largest)
    gap = relative_gap(result.objective, result.bound)
    if stop is Stop.OPTIMAL or gap <= call.limits.gap:
        return replace(result, stop=stop)
    return replace(result, stop=Stop.ITERATIONS, message=LEFT_OVER)


def arrays(data: AggregatedModel) -> MatrixModel:
    """Build the matrix without Pyomo, for `search`, which makes it again and again."""
    n, splits = len(data.role), data.split_matrix.shape[1]
    jobs, cover = np.unique(data.job, return_inverse=True)
    # each column of a job repeats the entries of its role: (room), (class), (count)
    by_role = csr_array(data.matrix.T)
    entries = np.diff(by_role.indptr)[data.role]
    column = np.repeat(np.arange(n), entries)
    within = np.arange(len(column)) - np.repeat(np.cumsum(entries) - entries, entries)
    at = by_role.indptr[data.role][column] + within
    row, split = np.nonzero(data.split_matrix)
    rows = RowBuilder()
    rows.add(len(jobs), -np.inf, 1.0, (cover, np.arange(n), 1.0))
    rows.add(
        len(data.upper),
        data.lower,
        data.upper,
        (by_role.indices[at], column, by_role.data[at]),
        (row, n + split, data.split_matrix[row, split]),
    )
    return rows.model(
        cost=np.concatenate([data.gain, np.zeros(splits)]),
        upper=np.concatenate([np.ones(n), data.most_splits]),
        kind=np.full(n + splits, ColumnKind.INTEGER, dtype=np.uint8),
        offset=float(data.shapes.postponement.sum()),
    )


def build(data: AggregatedModel) -> ConcreteModel:
    """Build the Pyomo model; its columns are x, then the splits s, as in `AggregatedModel`."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import Rows, index_set, linear_sum, objective

    roles, role, job = data.roles, data.role, data.job.tolist()
    place, shape = roles.place[role], roles.shape[role]
    parts = (roles.node_class[place], roles.node_type[place], roles.gpus[shape])
    indices = (data.job, *parts, roles.units[shape], roles.paid[role])
    m = pyo.ConcreteModel(name="rsjs_classes")
    options = index_set(zip(*(part.tolist() for part in indices), strict=True))
    m.x = pyo.Var(options, domain=pyo.Binary)
    m.s = pyo.Var(range(len(data.most_splits)), domain=pyo.NonNegativeIntegers)
    for split, most in zip(m.s.values(), data.most_splits.tolist(), strict=True):
        split.setub(most)
    x = list(m.x.values())
    m.cost, cover = objective(data.instance, data.gain, x), Rows()
    of_role: list[list[VarData]] = [[] for _ in roles.place]
    for r, j, variable in zip(role.tolist(), job, x, strict=True):
        cover[j].append((1, variable))
        of_role[r].append(variable)
    m.cover = cover.at_most(1)

    def row(m: ConcreteModel, r: int) -> object:
        coefficients, splits = data.matrix[r], data.split_matrix[r]
        terms = [
            (float(coefficients[role]), variable)
            for role in np.flatnonzero(coefficients).tolist()
            for variable in of_role[role]
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
    """Return a feasible solution from a column vector: roles packed, the rest put where it fits."""
    chosen = np.flatnonzero(x[: len(data.role)] > 0.5)
    role = np.full(len(data.instance.jobs), -1)
    worth = np.zeros(len(role))
    role[data.job[chosen]], worth[data.job[chosen]] = data.role[chosen], -data.gain[chosen]
    decision = pack(data.instance, data.roles, role, worth)
    loads = NodeLoads(data.instance, data.roles, data.shapes).load(decision)
    insert_postponed(loads, open_nodes=data.required is None, stop=lambda: False)
    return loads.solution()

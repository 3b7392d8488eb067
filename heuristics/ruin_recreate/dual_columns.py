"""
The dual of a relaxation in which nodes of a class are alike: one price per GPU, one per node.

A place p = (c, v) is a class of nodes and a type that it may take. Job j in shape a, which takes
w_a GPUs (a share its part of one), takes part in some node of a place as

    first_ending    follower   T_ja                                     room  w_a <  s_v
                    leader     T_ja + cost_vk theta_ja + mu (s_v - k)   room  w_a - k, w_a <= k
    proportional    member     T_ja + (w_a / s_v) c_v t_ja              room  w_a

so that sum of the room taken <= 0 at each place (proportional: <= s_v times its nodes),
leaders of class c <= N_c, and all leaders = R where `open_nodes` asks for R nodes. With prices
lambda_p per GPU, Lambda_c per node of a class and Lambda per node,

    L(x) = -b x + sum_j min(P_j, min_l c_lj + (A' x)_l),    x = (lambda, Lambda_c, Lambda)

is a lower bound on the cost of every decision for every x >= its lower limits: lambda, Lambda_c >=
0, and Lambda >= -mu min s_v if nodes without a job may count among the R, else Lambda is free.
Under "proportional" a node is worth its price, s_v (lambda_p - mu) = Lambda_c + Lambda, which
leaves out lambda. A share counts units / U, so bins that do not fill are not charged.

Sources: Jahani 2019, (9), (10); the leader and follower columns are those of RS-JS by classes.

How jobs may take part in nodes: the columns of the dual before they are priced.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes


@dataclass(frozen=True, eq=False)
class Pieces:
    """
    L columns at P places; see `price_columns`.

    Attributes
    ----------
    cost : (L, J) float [$]
    place, paid : (L,) int
        Where; k of a leader, 0 of a follower or member.
    room : (L,) float
        w_a.
    place_class, place_type : (P,) int
        Larger nodes first: of equal columns the one that leaves more room is chosen.
    """

    cost: Floats
    place: Ints
    paid: Ints
    room: Floats
    place_class: Ints
    place_type: Ints


def pieces(instance: Instance) -> Pieces:
    """Every way in which some job may take part in a node."""
    cluster, table = instance.cluster, costs.cost_tables(instance)
    place_class, place_type = np.nonzero(cluster.allowed_in_class)
    larger_first = np.argsort(-cluster.gpus_of_type[place_type], kind="stable")
    place_class, place_type = place_class[larger_first], place_type[larger_first]
    found: list[tuple[int, int, float, Floats]] = []
    for p, v in enumerate(place_type.tolist()):
        i = int(cluster.gpu_of_type[v])
        gpu = cluster.gpu_types[i]
        for level, share in enumerate(gpu.levels):
            late, hours = table.shared_tardiness[:, i, level], table.shared_hours[:, i, level]
            found += _ways(instance, p, v, 1, share.units / gpu.units, late, hours)
        for g in range(1, cluster.node_types[v].gpus + 1):
            late, hours = table.tardiness[:, i, g], table.hours[:, i, g]
            found += _ways(instance, p, v, g, float(g), late, hours)
    place, paid, room, cost = zip(*found, strict=True)
    return Pieces(
        cost=np.array(cost),
        place=np.array(place),
        paid=np.array(paid),
        room=np.array(room),
        place_class=place_class,
        place_type=place_type,
    )


def _ways(
    instance: Instance, p: int, v: int, least: int, room: float, late: Floats, hours: Floats
) -> list[tuple[int, int, float, Floats]]:
    """Place, paid GPUs, room and cost of each column of one shape, if some job may take it."""
    usable = np.isfinite(late)
    if not usable.any():
        return []
    objective, node = instance.objective, instance.cluster.node_types[v]
    time = np.where(usable, hours, 0.0)
    if objective.energy == "proportional":
        return [(p, 0, room, late + room / node.gpus * node.cost[-1] * time)]
    leaders = [
        (p, k, room, late + node.cost[k] * time + objective.mu * (node.gpus - k))
        for k in _paid(instance.cluster, v, least, objective.mu)
    ]
    return [(p, 0, room, late), *leaders] if room < node.gpus else leaders


def _paid(cluster: Cluster, v: int, least: int, mu: float) -> list[int]:
    """Numbers k of GPUs a leader may be charged for: the largest of each cost, all if mu > 0."""
    cost = cluster.node_types[v].cost
    sizes = range(least, len(cost))
    return [k for k in sizes if mu > 0 or k + 1 == len(cost) or cost[k + 1] > cost[k]]


ROUNDING = 1e-13  # of the sum of the absolute values of all terms: more than doubles lose


@dataclass(frozen=True, eq=False)
class Columns:
    """
    What the bound depends on: M prices, L columns, P places.

    Attributes
    ----------
    cost : (L, J) float [$]
        c_lj; inf where not admissible.
    postponement : (J,) float [$]
        P_j.
    matrix : (M, L) float
        A.
    limit : (M,) float
        b.
    lower : (M,) float
        Least values of x.
    place_class, place_type : (P,) int
    place : (L,) int
        Of each column.
    room : (L,) float
        w_a, GPUs of the shape of each column.
    paid : (L,) int
        k of a leader, else 0.
    gpu_price : (P, M) float
        Price of a GPU at each place, beyond mu under "proportional", is `gpu_price @ x`.
    """

    cost: Floats
    postponement: Floats
    matrix: Floats
    limit: Floats
    lower: Floats
    place_class: Ints
    place_type: Ints
    place: Ints
    room: Floats
    paid: Ints
    gpu_price: Floats

    @property
    def leads(self) -> Bools:
        """(L,) whether a column is a leader's."""
        leads: Bools = self.paid > 0
        return leads

    @property
    def outline(self) -> Bools:
        """(L,) followers, and leaders that pay for the least or the most GPUs they may."""
        most = np.zeros(len(self.place_class), dtype=np.int64)
        np.maximum.at(most, self.place, self.paid)
        kept: Bools = ~self.leads | (self.paid == most[self.place])
        return kept | (self.paid - self.room < 1)

    def values(self, x: Floats) -> Floats:
        """(L, J) c_lj + (A' x)_l."""
        values: Floats = self.cost + (x @ self.matrix)[:, None]
        return values

    def bound(self, x: Floats) -> float:
        """L(x), less a margin for rounding; x >= lower."""
        least = np.minimum(self.postponement, self.values(x).min(axis=0))
        spent = x * self.limit
        largest = float((np.abs(x) @ np.abs(self.matrix)).max())
        margin = ROUNDING * (np.abs(spent).sum() + np.abs(least).sum() + len(least) * largest)
        return float(least.sum() - spent.sum() - margin)


def columns(instance: Instance) -> Columns:
    """The columns of an instance with energy "first_ending" or "proportional"."""
    cluster = instance.cluster
    found = pieces(instance)
    shared = instance.objective.energy == "proportional"
    places, size = len(found.place_class), cluster.gpus_of_type[found.place_type]
    rows = _Rows.of(instance, found, 0 if shared else places)
    each, every = np.arange(places), np.arange(len(found.place))
    counted = np.zeros((places, len(rows.limit)))  # which prices of nodes a place pays
    if rows.classes:
        counted[each, rows.first_class + found.place_class] = 1.0
    if rows.total:
        counted[:, -1] = 1.0
    if shared:
        gpu_price = counted / size[:, None]
        matrix = gpu_price[found.place].T * found.room
    else:
        gpu_price = np.eye(places, len(rows.limit))
        matrix = counted[found.place].T * (found.paid > 0)
        matrix[found.place, every] = found.room - found.paid
    return Columns(
        cost=found.cost,
        postponement=costs.cost_tables(instance).postponement,
        matrix=np.ascontiguousarray(matrix),
        limit=rows.limit,
        lower=rows.lower,
        place_class=found.place_class,
        place_type=found.place_type,
        place=found.place,
        room=found.room,
        paid=found.paid,
        gpu_price=gpu_price,
    )


@dataclass(frozen=True)
class _Rows:
    """b and the lower limits: room at places, nodes of the classes, the total of all nodes."""

    limit: Floats
    lower: Floats
    first_class: int
    classes: int
    total: bool

    @staticmethod
    def of(instance: Instance, found: Pieces, places: int) -> _Rows:
        """A single class of nodes says no more than the total does."""
        sizes, objective = instance.cluster.class_sizes, instance.objective
        total = objective.open_nodes != "free"
        classes = 0 if total and len(sizes) == 1 else len(sizes)
        limit = np.concatenate([np.zeros(places), sizes[:classes]])
        lower = np.zeros(places + classes)
        if total:
            limit = np.append(limit, required_nodes(instance))
            smallest = instance.cluster.gpus_of_type[found.place_type].min()
            leaders = objective.energy == "first_ending" and objective.open_nodes != "jahani_eq"
            lower = np.append(lower, -np.inf if leaders else -objective.mu * smallest)
        return _Rows(limit, lower, places, classes, total)

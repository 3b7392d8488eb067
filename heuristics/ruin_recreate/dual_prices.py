"""
Dual prices of GPUs and nodes, and the lower bound that they prove, without any solver.

The relaxation takes the nodes of a class together. A place p = (c, v) is a class of nodes and a
type that it may take. Job j in mode a, which takes w_a GPUs (a share its part of one), takes part
in some node of a place as

    first_ending    follower   T_ja                                     room  w_a <  s_v
                    leader     T_ja + cost_vk theta_ja + mu (s_v - k)   room  w_a - k, w_a <= k
    proportional    member     T_ja + (w_a / s_v) c_v t_ja              room  w_a

so that sum of the room taken <= 0 at each place (proportional: <= s_v times its nodes),
leaders of class c <= N_c, and all leaders = R where `open_nodes` asks for R nodes. With prices
lambda_p per GPU, Lambda_c per node of a class and Lambda per node,

    L(x) = -b x + sum_j min(P_j, min_l c_lj + (A' x)_l),    x = (lambda, Lambda_c, Lambda)

is a lower bound on the cost of every solution for every x >= its lower limits: lambda, Lambda_c >=
0, and Lambda >= -mu min s_v if nodes without a job may count among the R, else Lambda is free.
Under "proportional" a node is worth its price, s_v (lambda_p - mu) = Lambda_c + Lambda, which
leaves out lambda. A share counts units / U, so bins that do not fill are not charged.

One price (Jahani on one class of nodes): the slope of the concave, piecewise linear L changes its
sign once, which bisection finds. Several: L is smoothed,

    min_l u_l  ->  -T log sum_l exp(-u_l / T),

and maximised by projected Newton steps while T falls; the x with the largest L itself is kept. With
weights p_lj = exp((f_j - u_lj) / T), f_j = -T log(sum_l exp(-u_lj / T) + exp(-P_j / T)), the
smoothed L has gradient A p 1 - b and Hessian -(A diag(p 1) A' - sum_j (A p_j)(A p_j)') / T.
A price at its lower limit that would fall further stays there. The search looks only at leaders
that pay for the min or the max number of GPUs they may; L itself is that of all columns.

Sources: Jahani 2019, (9), (10); the leader and follower columns are those of RS-JS by classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes

HALVINGS = 50
FIRST, COOLING, STEPS = 0.3, 0.4, 8  # T in median P_j, its factor, Newton steps at each T
CLOSE = 1e-3  # smoothing of all jobs, 4 J T, relative to the bound, at which to end
SHORTER, ATTEMPTS, ARMIJO = 0.4, 8, 1e-4  # line search
RIDGE = 1e-6  # of the mean diagonal of the Hessian
LITTLE = 1e-4  # gain of a step, in T for each job, at which to stop
TINY = 1e-12
ROUNDING = 1e-13  # of the sum of the absolute values of all terms: more than doubles lose
MIN_SCALE = 1e-3  # of the bound per node: the scale where GPUs are free


@dataclass(frozen=True, eq=False)
class DualColumns:
    """Data of the Lagrangian function: M prices, L columns, P places."""

    cost: Floats  # (L, J) $, c_lj; inf where not admissible
    postponement: Floats  # (J,) $, P_j
    matrix: Floats  # (M, L) A
    limit: Floats  # (M,) b
    lower: Floats  # (M,) lower limits of x
    place_class: Ints  # (P,) largest nodes first: of equal columns the roomiest is chosen
    place_type: Ints  # (P,)
    place: Ints  # (L,) of each column
    room: Floats  # (L,) w_a, GPUs of the mode of each column
    paid: Ints  # (L,) k of a leader, 0 of a follower or member
    gpu_price: Floats  # (P, M) `gpu_price @ x` = price of a GPU, beyond mu under "proportional"

    @property
    def leads(self) -> Bools:
        """Return (L,) whether a column is a leader's."""
        leads: Bools = self.paid > 0
        return leads

    @property
    def outline(self) -> Bools:
        """Return (L,) whether a column is a follower's or a leader's with min or max k."""
        largest = np.zeros(len(self.place_class), dtype=np.int64)
        np.maximum.at(largest, self.place, self.paid)
        kept: Bools = ~self.leads | (self.paid == largest[self.place])
        return kept | (self.paid - self.room < 1)

    def reduced_costs(self, x: Floats) -> Floats:
        """Return (L, J) the reduced costs c_lj + (A' x)_l [$]."""
        values: Floats = self.cost + (x @ self.matrix)[:, None]
        return values

    def bound(self, x: Floats) -> float:
        """Return the dual bound L(x) [$], less a margin for rounding; x >= lower."""
        least = np.minimum(self.postponement, self.reduced_costs(x).min(axis=0))
        spent = x * self.limit
        largest = float((np.abs(x) @ np.abs(self.matrix)).max())
        margin = ROUNDING * (np.abs(spent).sum() + np.abs(least).sum() + len(least) * largest)
        return float(least.sum() - spent.sum() - margin)


def dual_columns(instance: Instance) -> DualColumns:
    """Return the columns of an instance with energy "first_ending" or "proportional"."""
    cluster, objective, table = instance.cluster, instance.objective, costs.cost_tables(instance)
    proportional, least = objective.energy == "proportional", costs.change_costs(instance).least
    # (P,) places, the largest nodes first
    place_class, place_type = np.nonzero(cluster.allowed_in_class)
    larger_first = np.argsort(-cluster.gpus_of_type[place_type], kind="stable")
    place_class, place_type = place_class[larger_first], place_type[larger_first]
    places, size = len(place_class), cluster.gpus_of_type[place_type]
    # (L,) place, paid GPUs, room, and (L, J) cost of every way in which some job may take part
    entries: list[tuple[int, int, float, Floats]] = []
    for p, v in enumerate(place_type.tolist()):
        i = int(cluster.gpu_of_type[v])
        gpu = cluster.gpu_types[i]
        for level, share in enumerate(gpu.levels):
            late = table.shared_tardiness[:, i, level] + least
            hours = table.shared_hours[:, i, level]
            entries += _of_mode(instance, p, v, 1, share.units / gpu.units, late, hours)
        for g in range(1, cluster.node_types[v].gpus + 1):
            late, hours = table.tardiness[:, i, g] + least, table.hours[:, i, g]
            entries += _of_mode(instance, p, v, g, float(g), late, hours)
    place, paid, room, cost = (np.array(values) for values in zip(*entries, strict=True))
    # (M,) right-hand sides: room at places, nodes of each class, all nodes; a single class of nodes
    # says no more than the total does
    sizes, total = cluster.class_sizes, objective.open_nodes != "free"
    rooms, classes = 0 if proportional else places, 0 if total and len(sizes) == 1 else len(sizes)
    limit: Floats = np.append(np.zeros(rooms), sizes[:classes])
    lower: Floats = np.zeros(rooms + classes)
    if total:
        limit = np.append(limit, required_nodes(instance))
        free = objective.energy == "first_ending" and objective.open_nodes != "jahani_eq"
        lower = np.append(lower, -np.inf if free else -objective.mu * size.min())
    # (P, M) which prices of nodes a place pays, then (M, L) the matrix
    counted = np.zeros((places, len(limit)))
    if classes:
        counted[np.arange(places), rooms + place_class] = 1.0
    if total:
        counted[:, -1] = 1.0
    if proportional:
        gpu_price = counted / size[:, None]
        matrix = gpu_price[place].T * room
    else:
        gpu_price = np.eye(places, len(limit))
        matrix = counted[place].T * (paid > 0)
        matrix[place, np.arange(len(place))] = room - paid
    return DualColumns(
        cost=cost,
        postponement=table.postponement,
        matrix=np.ascontiguousarray(matrix),
        limit=limit,
        lower=lower,
        place_class=place_class,
        place_type=place_type,
        place=place,
        room=room,
        paid=paid,
        gpu_price=gpu_price,
    )


def _of_mode(
    instance: Instance, p: int, v: int, least: int, room: float, late: Floats, hours: Floats
) -> list[tuple[int, int, float, Floats]]:
    """Return place, paid GPUs, room and cost of each column of a mode, if some job may take it."""
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
    """Return the numbers k of GPUs a leader may be charged for: max of each cost, all if mu > 0."""
    cost = cluster.node_types[v].cost
    sizes = range(least, len(cost))
    return [k for k in sizes if mu > 0 or k + 1 == len(cost) or cost[k + 1] > cost[k]]


def best_price(data: DualColumns) -> tuple[Floats, Floats]:
    """Return the x with max L for one price, and (L,) how many jobs choose each column."""
    low = max(float(data.lower[0]), -float(np.abs(data.cost[np.isfinite(data.cost)]).max()))
    high, step = low, 1.0
    while _slope(data, high) > 0:
        low, high, step = high, high + step, 2.0 * step
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _slope(data, middle) > 0:
            low = middle
        else:
            high = middle
    best = max((np.array([low]), np.array([high])), key=data.bound)
    return best, _chosen(data, best)


def _chosen(data: DualColumns, x: Floats) -> Floats:
    """Return (L,) how many jobs have their min reduced cost, below P_j, in each column."""
    values = data.reduced_costs(x)
    best = values.argmin(axis=0)
    runs = values[best, np.arange(values.shape[1])] < data.postponement
    return np.bincount(best[runs], minlength=len(values)).astype(float)


def _slope(data: DualColumns, x: float) -> float:
    """Return the slope of L at its only price."""
    return float(data.matrix[0] @ _chosen(data, np.array([x])) - data.limit[0])


def best_prices(data: DualColumns) -> tuple[Floats, Floats]:
    """Return the x with max L found, and (L,) the weight of each column over all jobs there."""
    positive, kept = data.postponement[data.postponement > 0], data.outline
    jobs, x = len(data.postponement), np.maximum(0.0, data.lower)
    dual = SmoothedDual(data, kept, FIRST * float(np.median(positive)) if positive.size else 1.0)
    best, bound = x, data.bound(x)
    while True:
        x = dual.ascend(x)
        reached = data.bound(x)
        if reached > bound:
            best, bound = x, reached
        if 4 * jobs * dual.temperature < max(CLOSE * abs(bound), TINY):
            dual.value(best)
            spread = np.zeros(len(kept))
            spread[kept] = dual.weights.sum(axis=1)
            return best, spread
        dual.temperature *= COOLING


class SmoothedDual:
    """The smoothed dual over some columns at a temperature; large arrays are made once."""

    def __init__(self, data: DualColumns, kept: Bools, temperature: float) -> None:
        self.data, self.temperature = data, temperature
        self.cost, self.matrix = data.cost[kept], np.ascontiguousarray(data.matrix[:, kept])
        self.weights = np.empty(self.cost.shape)

    def value(self, x: Floats) -> float:
        """Return the smoothed L; leaves p in `weights`, (L, J)."""
        data, p = self.data, self.weights
        np.add(self.cost, (x @ self.matrix)[:, None], out=p)
        least = np.minimum(data.postponement, p.min(axis=0))
        np.subtract(least, p, out=p)
        p /= self.temperature
        np.exp(p, out=p)
        total = p.sum(axis=0) + np.exp((least - data.postponement) / self.temperature)
        p /= total
        return float((least - self.temperature * np.log(total)).sum() - x @ data.limit)

    def slopes(self) -> tuple[Floats, Floats]:
        """Return gradient and negative Hessian where `value` was last called."""
        matrix, total = self.matrix, self.weights.sum(axis=1)
        by_job = matrix @ self.weights
        spread = (matrix * total) @ matrix.T - by_job @ by_job.T
        return matrix @ total - self.data.limit, spread / self.temperature

    def ascend(self, x: Floats) -> Floats:
        """Return where Newton steps from x lead, until they gain little."""
        value = self.value(x)
        for _ in range(STEPS):
            x, reached = self._step(x, value)
            gain, value = reached - value, reached
            if gain <= LITTLE * len(self.data.postponement) * self.temperature:
                break
        return x

    def _step(self, x: Floats, value: float) -> tuple[Floats, float]:
        """Return where a projected Newton step that raises the smoothed L leads, and its value."""
        lower = self.data.lower
        gradient, curvature = self.slopes()
        free = np.flatnonzero((x > lower) | (gradient > 0))
        if not free.size:
            return x, value
        system = curvature[np.ix_(free, free)]
        ridge = RIDGE * max(float(np.trace(system)) / len(free), TINY)
        move, length = np.zeros_like(x), 1.0
        move[free] = np.linalg.solve(system + ridge * np.eye(len(free)), gradient[free])
        for _ in range(ATTEMPTS):
            target = np.maximum(lower, x + length * move)
            reached = self.value(target)
            if reached >= value + ARMIJO * float(gradient @ (target - x)):
                return target, reached
            length *= SHORTER
        return x, value


@dataclass(frozen=True, eq=False)
class DualPrices:
    """Dual prices that guide the search, and their bound."""

    bound: float  # $, dual bound on the cost of every solution
    multipliers: Floats  # (M,) x, in the order of `DualColumns`
    gpu: Floats  # (C, V) $ of a GPU of each type on each class of nodes; inf where not allowed
    mix: Floats  # (C, V) share of the nodes of a class that take each type; rows sum to 1
    gain: Floats  # (J,) $, min reduced cost of a job less P_j, <= 0
    scale: float  # $, a typical price of one GPU


def find(instance: Instance) -> DualPrices:
    """Return the dual prices of an instance with energy "first_ending" or "proportional"."""
    data = dual_columns(instance)
    x, spread = best_price(data) if len(data.limit) == 1 else best_prices(data)
    return _prices(instance, data, x, spread)


def _prices(instance: Instance, data: DualColumns, x: Floats, spread: Floats) -> DualPrices:
    cluster, objective = instance.cluster, instance.objective
    place, shape = (data.place_class, data.place_type), cluster.allowed_in_class.shape
    price = data.gpu_price @ x
    members = data.cost + np.where(data.leads, np.inf, data.room * price[data.place])[:, None]
    gain = np.minimum(0.0, members.min(axis=0) - data.postponement)
    taken = np.where(data.leads, spread, 0.0)  # (L,) nodes that are opened
    if objective.energy == "proportional":
        taken = data.room / cluster.gpus_of_type[data.place_type][data.place] * spread
        price = price + objective.mu
    gpu, mix = np.full(shape, np.inf), np.zeros(shape)
    gpu[place] = price
    mix[place] = np.bincount(data.place, taken, minlength=len(price)) + 1e-12
    mix /= mix.sum(axis=1, keepdims=True)
    weight = mix[place] * cluster.class_sizes[data.place_class]
    bound = data.bound(x)
    return DualPrices(
        bound=bound,
        multipliers=x,
        gpu=gpu,
        mix=mix,
        gain=gain,
        scale=max(
            float(weight @ price / weight.sum()), MIN_SCALE * abs(bound) / cluster.nodes, 1e-12
        ),
    )

"""
Prices of GPUs and nodes, and the lower bound they prove, without any solver.

One price (Jahani on one class of nodes): the slope of the concave, piecewise linear L changes its
sign once, which bisection finds. Several: L is smoothed,

    min_l u_l  ->  -T log sum_l exp(-u_l / T),

and maximised by projected Newton steps while T falls; the x with the largest L itself is kept.
Whatever x is found, L(x) is a bound (see `price_columns`).

The best prices: bisection for one, projected Newton on the smoothed dual for several.

With weights p_lj = exp((f_j - u_lj) / T), f_j = -T log(sum_l exp(-u_lj / T) + exp(-P_j / T)), the
smoothed L has gradient A p 1 - b and Hessian -(A diag(p 1) A' - sum_j (A p_j)(A p_j)') / T.
A price at its lower limit that would fall further stays there. The search looks at the leaders
that pay for the least or the most GPUs they may only; L itself is that of all columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Bools, Floats
from rsjs.heuristics.ruin_recreate.dual_columns import Columns, columns
from rsjs.instances.instance import Instance

HALVINGS = 50
FIRST, COOLING, STEPS = 0.3, 0.4, 8  # T in median P_j, its factor, Newton steps at each T
CLOSE = 1e-3  # smoothing of all jobs, 4 J T, relative to the bound, at which to end
SHORTER, ATTEMPTS, ARMIJO = 0.4, 8, 1e-4  # line search
RIDGE = 1e-6  # of the mean diagonal of the Hessian
LITTLE = 1e-4  # gain of a step, in T for each job, at which to stop
TINY = 1e-12


def best_price(data: Columns) -> tuple[Floats, Floats]:
    """The x with the largest L for one price, and how often each column is the best one, (L,)."""
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


def _chosen(data: Columns, x: Floats) -> Floats:
    values = data.values(x)
    best = values.argmin(axis=0)
    runs = values[best, np.arange(values.shape[1])] < data.postponement
    return np.bincount(best[runs], minlength=len(values)).astype(float)


def _slope(data: Columns, x: float) -> float:
    return float(data.matrix[0] @ _chosen(data, np.array([x])) - data.limit[0])


def best_prices(data: Columns) -> tuple[Floats, Floats]:
    """The x with the largest L found, and the weight of each column over all jobs there, (L,)."""
    positive, kept = data.postponement[data.postponement > 0], data.outline
    jobs, x = len(data.postponement), np.maximum(0.0, data.lower)
    dual = _Smoothed(data, kept, FIRST * float(np.median(positive)) if positive.size else 1.0)
    best, bound = x, data.bound(x)
    while True:
        x = dual.ascend(x)
        now = data.bound(x)
        if now > bound:
            best, bound = x, now
        if 4 * jobs * dual.temperature < max(CLOSE * abs(bound), TINY):
            dual.value(best)
            spread = np.zeros(len(kept))
            spread[kept] = dual.weights.sum(axis=1)
            return best, spread
        dual.temperature *= COOLING


class _Smoothed:
    """The smoothed dual over some columns at a temperature; large arrays are made once."""

    def __init__(self, data: Columns, kept: Bools, temperature: float) -> None:
        self.data, self.temperature = data, temperature
        self.cost, self.matrix = data.cost[kept], np.ascontiguousarray(data.matrix[:, kept])
        self.weights = np.empty(self.cost.shape)

    def value(self, x: Floats) -> float:
        """The smoothed L; leaves p in `weights`, (L, J)."""
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
        """Gradient and negative Hessian where `value` was last asked for."""
        matrix, total = self.matrix, self.weights.sum(axis=1)
        by_job = matrix @ self.weights
        spread = (matrix * total) @ matrix.T - by_job @ by_job.T
        return matrix @ total - self.data.limit, spread / self.temperature

    def ascend(self, x: Floats) -> Floats:
        """Newton steps from x, until they gain little."""
        value = self.value(x)
        for _ in range(STEPS):
            x, reached = self._step(x, value)
            gain, value = reached - value, reached
            if gain <= LITTLE * len(self.data.postponement) * self.temperature:
                break
        return x

    def _step(self, x: Floats, value: float) -> tuple[Floats, float]:
        """A projected Newton step that raises the smoothed L, and its value there."""
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
            there = np.maximum(lower, x + length * move)
            reached = self.value(there)
            if reached >= value + ARMIJO * float(gradient @ (there - x)):
                return there, reached
            length *= SHORTER
        return x, value


LEAST = 1e-3  # of the bound per node: the scale where GPUs are free


@dataclass(frozen=True, eq=False)
class Prices:
    """
    What a schedule is guided by.

    Attributes
    ----------
    bound : float [$]
        On the cost of every decision.
    multipliers : (M,) float
        x, in the order of `Columns`.
    gpu : (C, V) float [$]
        Price of a GPU of each type on each class of nodes; inf where not allowed.
    mix : (C, V) float
        Share of the nodes of a class that take each type; rows sum to 1.
    gain : (J,) float [$]
        What the best shape of a job saves at these prices against postponing it, <= 0.
    scale : float [$]
        A typical price of one GPU.
    """

    bound: float
    multipliers: Floats
    gpu: Floats
    mix: Floats
    gain: Floats
    scale: float


def find(instance: Instance) -> Prices:
    """Prices for an instance with energy "first_ending" or "proportional"."""
    data = columns(instance)
    x, spread = best_price(data) if len(data.limit) == 1 else best_prices(data)
    return _prices(instance, data, x, spread)


def _prices(instance: Instance, data: Columns, x: Floats, spread: Floats) -> Prices:
    cluster, objective = instance.cluster, instance.objective
    at, shape = (data.place_class, data.place_type), cluster.allowed_in_class.shape
    price = data.gpu_price @ x
    members = data.cost + np.where(data.leads, np.inf, data.room * price[data.place])[:, None]
    gain = np.minimum(0.0, members.min(axis=0) - data.postponement)
    taken = np.where(data.leads, spread, 0.0)  # nodes that are opened
    if objective.energy == "proportional":
        taken = data.room / cluster.gpus_of_type[data.place_type][data.place] * spread
        price = price + objective.mu
    gpu, mix = np.full(shape, np.inf), np.zeros(shape)
    gpu[at] = price
    mix[at] = np.bincount(data.place, taken, minlength=len(price)) + 1e-12
    mix /= mix.sum(axis=1, keepdims=True)
    weight = mix[at] * cluster.class_sizes[data.place_class]
    bound = data.bound(x)
    return Prices(
        bound=bound,
        multipliers=x,
        gpu=gpu,
        mix=mix,
        gain=gain,
        scale=max(float(weight @ price / weight.sum()), LEAST * abs(bound) / cluster.nodes, 1e-12),
    )

"""
Prices of GPUs and nodes, and the lower bound they prove, without any solver.

One price (Jahani on one class of nodes): the slope of the concave, piecewise linear L changes its
sign once, which bisection finds. Several: L is smoothed,

    min_l u_l  ->  -T log sum_l exp(-u_l / T),

and maximised by projected Newton steps while T falls; the x with the largest L itself is kept.
Whatever x is found, L(x) is a bound (see `price_columns`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.ruin_recreate.dual_columns import Columns, columns
from rsjs.heuristics.ruin_recreate.price_search import best_price, best_prices
from rsjs.instances.instance import Instance

Array = NDArray[np.float64]
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
    multipliers: Array
    gpu: Array
    mix: Array
    gain: Array
    scale: float


def find(instance: Instance) -> Prices:
    """Prices for an instance with energy "first_ending" or "proportional"."""
    data = columns(instance)
    x, spread = best_price(data) if len(data.limit) == 1 else best_prices(data)
    return _prices(instance, data, x, spread)


def _prices(instance: Instance, data: Columns, x: Array, spread: Array) -> Prices:
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

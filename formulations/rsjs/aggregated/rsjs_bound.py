"""
A certified lower bound for RS-JS, and its reuse at the next event.

The bound is the Lagrangian L(lambda) of form E (`class_pricing`), whose multipliers sifting chooses
(`class_sifting`). They are prices of room on the cluster: where jobs come and go and the cluster
stays, those of the last decision are nearly the best for the next.

>>> from rsjs.formulations.rsjs.aggregated import rsjs_bound
>>> from rsjs.instances.generators.sts import generate
>>> instance = generate(nodes=10, jobs=40, seed=1)
>>> first = rsjs_bound.lower_bound(instance)
>>> later = generate(nodes=10, jobs=41, seed=1)  # the same 40 jobs and one more

One evaluation gives a bound at once, sifting from the old multipliers the best one:

>>> quick = rsjs_bound.certified(later, first.multipliers)
>>> best = rsjs_bound.lower_bound(later, start=first.multipliers)
>>> 0.99 * best.bound < quick <= best.bound
True

Multipliers are a plain array with one entry for each row, in $ per unit of room; `numpy.save` keeps
them. Those of a cluster with other rows are refused.
"""

from __future__ import annotations

from collections.abc import Callable

from rsjs.formulations.rsjs.aggregated.column_generation import Sifted, sift
from rsjs.formulations.rsjs.aggregated.columns import Array
from rsjs.formulations.rsjs.aggregated.pricing import Pricing
from rsjs.formulations.rsjs.aggregated.rsjs_classes_data import ClassModel
from rsjs.instances.instance import Instance


def lower_bound(
    instance: Instance,
    *,
    start: Array | None = None,
    tolerance: float = 1e-5,
    on_bound: Callable[[float], None] = lambda bound: None,
    seconds: Callable[[], float] = lambda: float("inf"),
    stop: Callable[[], bool] = lambda: False,
) -> Sifted:
    """
    The bound of form E's linear program, or nearly so; valid whenever it is ended.

    Parameters
    ----------
    start : (R,) float, optional
        Multipliers of an instance on the same cluster.
    tolerance : float
        Relative difference to the linear program at which to end.
    on_bound : callable
        Told each better bound [$].
    seconds : callable
        Time that is left [s].
    stop : callable
        Whether to end early.

    Raises
    ------
    ValueError
        In one line, if form E does not serve the instance or `start` is of another cluster.
    """
    return sift(
        Pricing.of(ClassModel.of(instance, "rows")),
        tolerance=tolerance,
        start=start,
        on_bound=on_bound,
        seconds=seconds,
        stop=stop,
    )


def certified(instance: Instance, multipliers: Array) -> float:
    """
    L(lambda) for multipliers (R,) of any origin: one evaluation of all columns [$].

    Negative multipliers of inequality rows count as 0. ValueError as in `lower_bound`.
    """
    pricing = Pricing.of(ClassModel.of(instance, "rows"))
    usable = pricing.usable(multipliers)
    return max(0.0, pricing.bound(usable, pricing.values(usable)))

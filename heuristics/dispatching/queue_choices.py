"""
What the methods that STS is compared with choose from (Filippini et al. 2024, VII-A1).

They know nothing of laws: the epochs of a job are all that it may have left (`worst_case`), or as
many as its law says on average, until it has had so many, then again all (`mean`).

A job's configurations: those in time, the cheapest first (hours x $/h of the GPUs in use), then the
late ones, the fastest first. Ties: the cheaper one, the first GPU type, the fewest GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.instances import costs
from rsjs.instances.instance import Instance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
EPOCHS = ("worst_case", "mean")


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """
    The configurations of the jobs.

    Attributes
    ----------
    instance : Instance
        With the number of epochs that the method assumes.
    hours : (J, T, G + 1) float
        To completion on k GPUs; k = 0: on the smallest share.
    price : (J, T, G + 1) float [$/h]
    level, units : (J, T) int
        Of that share.
    """

    instance: Instance
    hours: Floats
    price: Floats
    level: Ints
    units: Ints

    @staticmethod
    def of(instance: Instance, epochs: str, model: PowerModel | None = None) -> Choices:
        """The configurations of an instance, assuming a number of epochs; `model` if known."""
        assumed = planned(instance, epochs)
        model = model or PowerModel.of(instance)
        return Choices(
            instance=assumed,
            hours=model.rate * costs.epochs_left(assumed)[:, None, None],
            price=model.power,
            level=model.level,
            units=model.units,
        )

    @property
    def stride(self) -> int:
        """G + 1: a configuration's code is gpu * stride + k."""
        return int(self.hours.shape[2])

    def cheapest(self) -> list[list[int]]:
        """Each job's codes, those in time first."""
        return candidates.ranked(self.instance, self.hours, self.price, strict=False)

    def fastest(self) -> Ints:
        """(J, T (G + 1)) each job's codes by time alone, -1 where not admissible."""
        hours = self.hours.reshape(len(self.hours), -1)
        usable = np.isfinite(hours)
        cost = np.where(usable, hours, 0.0) * np.where(usable, self.price.reshape(hours.shape), 0)
        order = np.lexsort((cost, hours), axis=1)
        return np.where(np.take_along_axis(usable, order, axis=1), order, -1)


def planned(instance: Instance, epochs: str) -> Instance:
    """The instance with deterministic numbers of epochs, one of EPOCHS."""
    if instance.objective.expectation == epochs:
        return instance
    return replace(instance, objective=replace(instance.objective, expectation=epochs))

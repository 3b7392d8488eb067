"""
Speed and power of each job on each GPU type (Filippini et al. 2024, V-A).

Configuration k of a job on a GPU type: k = 1, ..., G dedicated GPUs, and k = 0, its smallest
admissible share of one GPU, of f. With a_k hours per epoch,

    s_k = 1 / a_k                                   speed, epochs/h
    P_k = $/h of k GPUs; f P_1 on a share           power
    Q_k = P_k / s_k = P_k a_k                       energy of an epoch, $           (22)

A price for any number of GPUs counts in proportion: energy costs are taken as linear in the GPUs
in use (VI). Where several node types have the same GPU, the cheapest one counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.dispatching.candidates import share_price_by_gpu_type
from rsjs.heuristics.sts.single_job import SurvivalSteps, steps_of_jobs
from rsjs.instances.instance import Instance


@dataclass(frozen=True, kw_only=True, eq=False)
class PowerModel:
    """Every mode of every job; T GPU types, G GPUs of the largest node."""

    rate: Floats  # (J, T, G + 1) h, a_k; inf where not admissible; k = 0 is the share
    power: Floats  # (J, T, G + 1) $/h, P_k; inf where no node has so many, or without a share
    level: Ints  # (J, T) of the share; -1 = none is admissible
    units: Ints  # (J, T) of the share; 0 = none

    @staticmethod
    def of(instance: Instance) -> PowerModel:
        """Return the power model of the jobs of an instance."""
        level = smallest_levels(instance)
        rate = with_share(instance.hours_per_epoch, instance.shared_hours_per_epoch, level)
        price = share_price_by_gpu_type(instance.cluster)
        power = np.tile(price, (len(instance.jobs), 1, 1))
        units = units_of_share(instance, level)
        power[:, :, 0] = units * _per_unit(instance, price[:, 1])
        return PowerModel(rate=rate, power=power, level=level, units=units)

    def taken(self, rows: Ints) -> PowerModel:
        """Return the model of some of the jobs."""
        return PowerModel(
            rate=self.rate.take(rows, axis=0),
            power=self.power.take(rows, axis=0),
            level=self.level.take(rows, axis=0),
            units=self.units.take(rows, axis=0),
        )


class JobData(NamedTuple):
    """Data of the single-job model, by job."""

    model: PowerModel
    steps: SurvivalSteps  # of its remaining epochs

    @staticmethod
    def of(instance: Instance) -> JobData:
        """Return the data of the jobs of an instance."""
        return JobData(PowerModel.of(instance), steps_of_jobs(instance))


def smallest_levels(instance: Instance) -> Ints:
    """Return (J, T) admissible share level with the fewest units; -1 = none."""
    shared = instance.shared_hours_per_epoch
    if not shared.shape[2]:
        return np.full(shared.shape[:2], -1)
    units = np.full(shared.shape[1:], np.inf)
    for i, gpu in enumerate(instance.cluster.gpu_types):
        units[i, : len(gpu.levels)] = [level.units for level in gpu.levels]
    size = np.where(np.isfinite(shared), units, np.inf)
    return np.where(np.isfinite(size).any(axis=2), size.argmin(axis=2), -1)


def units_of_share(instance: Instance, level: Ints) -> Ints:
    """Return (J, T) units of each share level; 0 where there is none."""
    most = max(len(gpu.levels) for gpu in instance.cluster.gpu_types)
    units = np.zeros((level.shape[1], most + 1), dtype=np.int64)  # the last entry is level -1
    for i, gpu in enumerate(instance.cluster.gpu_types):
        units[i, : len(gpu.levels)] = [share.units for share in gpu.levels]
    return units[np.arange(level.shape[1]), level]


def with_share(dedicated: Floats, shared: Floats, level: Ints) -> Floats:
    """Return (J, T, G + 1) values on k dedicated GPUs; k = 0: on the share, inf without one."""
    values = np.array(dedicated)
    if shared.shape[2]:
        chosen = np.take_along_axis(shared, np.maximum(level, 0)[:, :, None], axis=2)[:, :, 0]
        values[:, :, 0] = np.where(level >= 0, chosen, np.inf)
    return values


def _per_unit(instance: Instance, price: Floats) -> Floats:
    """Return (T,) $/h of one unit of a GPU."""
    units = np.array([gpu.units for gpu in instance.cluster.gpu_types])
    per_unit: Floats = np.where(np.isfinite(price), price, 0.0) / units
    return per_unit

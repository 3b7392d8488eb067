"""One job on every GPU type: its power model as rows, and its optimal profile as segments."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rsjs.core.types import Floats
from rsjs.heuristics.sts.power_model import JobData
from rsjs.heuristics.sts.single_job import INADMISSIBLE, STATUSES, repeated
from rsjs.heuristics.sts.speed_profile import hull, profiles
from rsjs.instances.instance import Instance


@dataclass(frozen=True, kw_only=True)
class ProfileMode:
    """A mode of a job on a GPU type, as part of a speed profile."""

    gpus: Fraction  # dedicated GPUs, or the share of one
    hours_per_epoch: float  # a = 1 / s
    power: float  # $/h, P
    energy: float  # $ of an epoch, Q
    phi: float | None  # $/h, against the next speed of the hull; None at the last and off it
    on_hull: bool
    begins: float | None  # epoch from which the optimal profile uses it; None = not at all
    ends: float | None  # epoch up to which it does

    @property
    def hours(self) -> float:
        """Hours that the speed profile spends in the mode."""
        if self.begins is None or self.ends is None:
            return 0.0
        return (self.ends - self.begins) * self.hours_per_epoch


@dataclass(frozen=True, kw_only=True)
class JobProfile:
    """The optimal speed profile of a job on a GPU type."""

    gpu_type: str
    status: str  # of `single_job.STATUSES`, but "inadmissible"
    energy: float  # $, expected
    worst_hours: float  # until w_max
    change: float | None  # h until the first configuration changes; None = never
    configurations: tuple[ProfileMode, ...]  # the slowest first

    @property
    def used(self) -> tuple[ProfileMode, ...]:
        """The modes that the speed profile uses, in order."""
        return tuple(own for own in self.configurations if own.ends is not None)


def job_profiles(instance: Instance, job: int, time: float) -> list[JobProfile]:
    """
    Return the profiles of a job on the GPU types on which it can run.

    Parameters
    ----------
    job : int
        Position in the instance.
    time : float [h]
        Until the due date.
    """
    model, every = JobData.of(instance)
    rate, power = model.rate[job], model.power[job]
    own = every._replace(law=every.law[[job]], first=every.first[[job]], done=every.done[[job]])
    found = profiles(rate, power, np.full(len(rate), time), repeated(own, len(rate)))
    units = model.units[job].tolist()
    made = []
    for i, gpu in enumerate(instance.cluster.gpu_types):
        if found.status[i] == INADMISSIBLE:
            continue
        corners = hull(rate[i], power[i])
        vertex, phi = corners.vertex.tolist(), corners.phi[:-1].tolist()
        epochs = [float(own.done[0]), *found.until[i, : len(vertex)].tolist()]
        share = Fraction(units[i], gpu.units)
        rows = _configurations(rate[i], power[i], vertex, phi, epochs, share)
        made.append(
            JobProfile(
                gpu_type=gpu.name,
                status=STATUSES[found.status[i]],
                energy=float(found.energy[i]),
                worst_hours=sum(row.hours for row in rows),
                change=float(found.change[i]) if np.isfinite(found.change[i]) else None,
                configurations=rows,
            )
        )
    return made


def _configurations(
    rate: Floats,
    power: Floats,
    vertex: list[int],
    phi: list[float],
    epochs: list[float],
    share: Fraction,
) -> tuple[ProfileMode, ...]:
    """Return the admissible configurations on one GPU type, the slowest first."""
    span = {
        k: (begin, end)
        for k, begin, end in zip(vertex, epochs, epochs[1:], strict=False)
        if end > begin
    }
    chords = dict(zip(vertex, phi, strict=False))
    order = np.argsort(-rate, kind="stable")
    return tuple(
        ProfileMode(
            gpus=Fraction(k) if k else share,
            hours_per_epoch=float(rate[k]),
            power=float(power[k]),
            energy=float(rate[k] * power[k]),
            phi=chords.get(k),
            on_hull=k in vertex,
            begins=span[k][0] if k in span else None,
            ends=span[k][1] if k in span else None,
        )
        for k in order[np.isfinite(rate[order])].tolist()
    )

"""
How a workload is simulated: what is charged, what interruptions cost, when decisions are taken.

The defaults are those of the papers' simulations: the prices in the file, preemption, migration and
change of mode for nothing, times as predicted.

How long epochs really take, where predictions are wrong:

each (job, mode) has an error e, uniform on [-2 delta, 2 delta], so that E|e| = delta:

    predicted    real = predicted (1 + e): ANDREAS 2021 reports 12.29 % of the prediction
    real         predicted = real (1 + e)

Jahani 2019 reports 6.61 % without saying of what. Errors are drawn by workload and seed: policies
that are compared meet the same ones. A job's errors on its modes are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from math import inf
from numbers import Real
from typing import Any

from rsjs.core.errors import InputError, integer
from rsjs.core.types import Floats
from rsjs.instances.generators import random_streams
from rsjs.instances.instance import Instance, Workload
from rsjs.simulation import accounting

CHECKPOINTS = ("continuous", "epoch")
EVENTS = ("gathered", "authors")
DENOMINATORS = ("predicted", "real")
EPOCHS = WITHHELD, KNOWN = ("withheld", "known")
TOLD = ("decision_limit", "epochs", "seed")  # options that change no cost of a schedule


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a simulation."""

    #: what a node costs while it has GPUs in use, see `accounting`
    energy: str = "curve"
    #: hours; a node that is switched on or changes its type makes no progress for so long (Jahani
    #: 2019, V-C: "the time required to boot the different VMs")
    boot: float = 0.0
    #: what a job keeps that is interrupted, moved or given another mode: continuous = all of its
    #: progress, epoch = whole epochs (ibid.: "re-execute the training from the last checkpoint")
    checkpoint: str = "continuous"
    #: gathered = one event for all that happens at one time; authors = as in the authors'
    #: program, where one job is submitted per event, and FIFO, EDF and priority lose the jobs that
    #: wait when all that run end at once
    events: str = "gathered"
    period: float | None = None  #: hours; a decision at the latest so long after the last one
    #: what policies are told of the epochs W_j that a job runs: withheld = their distribution,
    #: known = W_j itself, so that what a policy pays more otherwise is the price of not knowing it
    epochs: str = WITHHELD
    deviation: float = 0.0  #: mean |error| of the predicted times, see `real_times`
    denominator: str = "predicted"  #: what the error is relative to: predicted, or real
    decision_limit: float = 60.0  #: seconds, wall clock of a decision
    seed: int = 0  #: of methods that draw random numbers, and of the errors

    def __post_init__(self) -> None:
        for name in ("boot", "period", "deviation", "decision_limit"):
            value = getattr(self, name)
            if not isinstance(value, Real) and (name, value) != ("period", None):
                raise InputError(f"/{name}", value, "a number")
        integer("seed", self.seed, 0)
        accounting.base_share(str(self.energy))
        choices = {
            **{"checkpoint": CHECKPOINTS, "events": EVENTS},
            **{"denominator": DENOMINATORS, "epochs": EPOCHS},
        }
        for name, sensible, expected in (
            *((n, getattr(self, n) in k, f"one of {', '.join(k)}") for n, k in choices.items()),
            ("boot", 0 <= self.boot < inf, "hours >= 0"),
            ("period", self.period is None or 0 < self.period < inf, "hours > 0"),
            ("deviation", 0 <= self.deviation < 0.5, "a share >= 0 and < 0.5"),
            ("decision_limit", 0 < self.decision_limit < inf, "seconds > 0"),
        ):
            if not sensible:
                raise InputError(f"/{name}", getattr(self, name), expected)

    def as_predicted(self) -> Options:
        """Return these without what predictions leave out: errors, boots, repeated epochs."""
        return replace(self, boot=0.0, checkpoint="continuous", deviation=0.0)

    def shown(self, workload: Workload) -> Instance:
        """Return all jobs of a workload with what policies are told of their epochs."""
        return workload.submitted(known=self.epochs == KNOWN)

    def of_campaign(self) -> dict[str, Any]:
        """Return what a campaign gives its runs: all but the seed."""
        return self._without("seed")

    def seed_of(self, decision: int) -> int:
        """Return the seed of an event, by its number."""
        key = sha256(f"{self.seed}|{decision}".encode()).digest()
        return int.from_bytes(key[:4], "little")

    def as_dict(self) -> dict[str, Any]:
        """Return what the trajectory of a simulation depends on: all but the limit on seconds."""
        return self._without("decision_limit")

    def _without(self, field: str) -> dict[str, Any]:
        """Return all fields but one, and `epochs` only where they are known: digests hold these."""
        left_out = {field} | ({"epochs"} if self.epochs == WITHHELD else set())
        return {name: value for name, value in asdict(self).items() if name not in left_out}


def is_comparable(options: Mapping[str, Any]) -> bool:
    """Return whether simulations with these options cost what those with the defaults do."""
    usual = Options().as_dict()
    return all(value == usual.get(key) for key, value in options.items() if key not in TOLD)


def real_times(whole: Instance, workload_digest: str, options: Options) -> tuple[Floats, Floats]:
    """Return (J, T, G + 1) and (J, T, L) real hours per epoch, on dedicated GPUs and on shares."""
    dedicated, shared = whole.hours_per_epoch, whole.shared_hours_per_epoch
    if options.deviation == 0:
        return dedicated, shared
    size = dedicated.size + shared.size
    u = random_streams.uniforms("simulation", options.seed, f"{workload_digest}|deviation", size)
    factor = 1 + random_streams.uniform(u, -2 * options.deviation, 2 * options.deviation)
    if options.denominator == "real":
        factor = 1 / factor
    first, second = factor[: dedicated.size], factor[dedicated.size :]
    real = dedicated * first.reshape(dedicated.shape), shared * second.reshape(shared.shape)
    for hours in real:
        hours.setflags(write=False)
    return real

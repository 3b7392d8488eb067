"""
How a workload is simulated: what is charged, what interruptions cost, when decisions are taken.

The defaults are those of the papers' simulations: the prices in the file, preemption, migration and
change of configuration for nothing, times as predicted.

How long epochs really take, where predictions are wrong.

Each (job, configuration) has an error e, uniform on [-2 delta, 2 delta], so that E|e| = delta:

    predicted    real = predicted (1 + e): ANDREAS 2021 reports 12.29 % of the prediction
    real         predicted = real (1 + e)

Jahani 2019 reports 6.61 % without saying of what. Errors are drawn by workload and seed: policies
that are compared meet the same ones. A job's errors on its configurations are independent.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from hashlib import sha256
from math import inf
from typing import Any

from rsjs.core.errors import InputError
from rsjs.core.types import Floats
from rsjs.instances.generators import random_streams
from rsjs.instances.instance import Instance
from rsjs.simulation import accounting

CHECKPOINTS = ("continuous", "epoch")
EVENTS = ("gathered", "authors")
DENOMINATORS = ("predicted", "real")


@dataclass(frozen=True, kw_only=True)
class Options:
    """
    Options of a simulation.

    Attributes
    ----------
    energy : str
        What a node costs while it has GPUs in use, see `billing`.
    boot : float [h]
        A node that is switched on or changes its type makes no progress for so long (Jahani 2019,
        V-C: "the time required to boot the different VMs").
    checkpoint : "continuous" | "epoch"
        What a job keeps that is interrupted, moved or given another configuration: all of its
        progress, or its whole epochs (ibid.: "re-execute the training from the last checkpoint").
    events : "gathered" | "authors"
        One decision for all that happens at one time; or as in the authors' program, where one job
        is submitted per event, and FIFO, EDF and priority lose the jobs that wait when all that
        run end at once.
    period : float or None [h]
        A decision at the latest so long after the last one.
    deviation : float
        Mean |error| of the predicted times, see `real_times`.
    denominator : "predicted" | "real"
        What the error is relative to.
    decision_limit : float [s]
        Wall clock of a decision.
    seed : int
        Of methods that draw random numbers, and of the errors.
    """

    energy: str = "curve"
    boot: float = 0.0
    checkpoint: str = "continuous"
    events: str = "gathered"
    period: float | None = None
    deviation: float = 0.0
    denominator: str = "predicted"
    decision_limit: float = 60.0
    seed: int = 0

    def __post_init__(self) -> None:
        accounting.base_share(self.energy)
        for name, known in (
            ("checkpoint", CHECKPOINTS),
            ("events", EVENTS),
            ("denominator", DENOMINATORS),
        ):
            if getattr(self, name) not in known:
                raise InputError(f"/{name}", getattr(self, name), f"one of {', '.join(known)}")
        for name, sensible, expected in (
            ("boot", 0 <= self.boot < inf, "hours >= 0"),
            ("period", self.period is None or 0 < self.period < inf, "hours > 0"),
            ("deviation", 0 <= self.deviation < 0.5, "a share >= 0 and < 0.5"),
            ("decision_limit", 0 < self.decision_limit < inf, "seconds > 0"),
            ("seed", self.seed >= 0, "an integer >= 0"),
        ):
            if not sensible:
                raise InputError(f"/{name}", getattr(self, name), expected)

    def as_predicted(self) -> Options:
        """The same without what predictions leave out: errors, boots, epochs that are repeated."""
        return replace(self, boot=0.0, checkpoint="continuous", deviation=0.0)

    def seed_of(self, decision: int) -> int:
        """The seed of a decision, by its number."""
        key = sha256(f"{self.seed}|{decision}".encode()).digest()
        return int.from_bytes(key[:4], "little")

    def as_dict(self) -> dict[str, Any]:
        """What the course of a simulation depends on: all but the limit on seconds."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "decision_limit"
        }


def real_times(whole: Instance, workload_digest: str, options: Options) -> tuple[Floats, Floats]:
    """(J, T, G + 1) and (J, T, L) real hours per epoch, on dedicated GPUs and on shares."""
    dedicated, shared = whole.hours_per_epoch, whole.shared_hours_per_epoch
    if options.deviation == 0:
        return dedicated, shared
    size = dedicated.size + shared.size
    u = random_streams.uniforms("simulation", options.seed, f"{workload_digest}|deviation", size)
    factor = 1 + random_streams.uniform(u, -2 * options.deviation, 2 * options.deviation)
    if options.denominator == "real":
        factor = 1 / factor
    first, second = factor[: dedicated.size], factor[dedicated.size :]
    return dedicated * first.reshape(dedicated.shape), shared * second.reshape(shared.shape)

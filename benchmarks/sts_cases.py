"""What the benchmarks of the stochastic scheduler measure: 400 jobs on 3 GPU types, 100 nodes."""

from __future__ import annotations

import numpy as np

from rsjs.heuristics.dispatching import pooled_dp, queues
from rsjs.heuristics.sts import sts
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.heuristics.sts.single_job import repeated, steps_of_jobs
from rsjs.instances.generators.sts import generate
from rsjs.instances.instance import Instance

LOADS = (200, 400)
MIXES = {"dedicated": ("km", "none"), "shared": ("kma", "paper")}
DECISIONS = {
    **{f"sts:{rule}": (sts, rule) for rule in sts.RULES},
    **{f"queue:{rule}": (queues, rule) for rule in queues.RULES},
    **{f"dp:{rule}": (pooled_dp, rule) for rule in pooled_dp.RULES},
}


def instance(jobs: int, mix: str = "shared") -> Instance:
    """Fig. 7's loads: 2 and 4 jobs for each of 100 nodes."""
    gpus, sharing = MIXES[mix]
    return generate(nodes=100, jobs=jobs, seed=1, mix=gpus, sharing=sharing)


def single_jobs():
    """
    1 200 single-job problems, 8 speeds and 100 epochs, with due dates that no one speed meets.

    The arguments of `speed_profile.profiles`.
    """
    drawn = generate(nodes=100, jobs=400, seed=1, mix="kma")
    model = PowerModel.of(drawn)
    types, speeds = model.rate.shape[1:]
    rate, power = (part.reshape(-1, speeds) for part in (model.rate, model.power))
    slowest = np.where(np.isfinite(rate), rate, 0.0).max(axis=1)
    time = 100 * (rate.min(axis=1) + slowest) / 2
    return rate, power, time, repeated(steps_of_jobs(drawn), types)


def decision(name: str, of: Instance):
    """A method's decision as a function without arguments, compiled where it is compiled."""
    module, rule = DECISIONS[name]
    if module is not sts:
        return lambda: module.decide(of, rule)
    sts.decide(of, rule)
    return lambda: sts.decide(of, rule).solution

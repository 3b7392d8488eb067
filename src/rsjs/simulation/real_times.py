"""
How long epochs really take, where predictions are wrong.

Each (job, configuration) has an error e, uniform on [-2 delta, 2 delta], so that E|e| = delta:

    predicted    real = predicted (1 + e): ANDREAS 2021 reports 12.29 % of the prediction
    real         predicted = real (1 + e)

Jahani 2019 reports 6.61 % without saying of what. Errors are drawn by workload and seed: policies
that are compared meet the same ones. A job's errors on its configurations are independent.
"""

from __future__ import annotations

from rsjs.core.types import Floats
from rsjs.instances.generators import random_streams
from rsjs.instances.instance import Instance
from rsjs.simulation.options import Options


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

"""Time of one training step, by network, GPU type and number of GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rsjs.instances.arguments import one_of
from rsjs.instances.catalogue.tables import gpu_names, networks, table


@dataclass(frozen=True, kw_only=True)
class StepTime:
    """
    Time of a training step of one network on one GPU type.

    Attributes
    ----------
    alpha, beta : float
        A step on one GPU takes alpha + beta * b, b samples on it [ms, ms per sample].
    rho, c0, c1 : float
        Overheads of several GPUs: share of the one-GPU step; once; per further GPU [-, ms, ms].
    exchange : float
        Time to send all parameters once [ms].
    io_cap : float
        Samples per second that the input pipeline can deliver, whatever the framework.
    status : str
        Of beta, the coefficient that most of the time comes from.
    """

    alpha: float
    beta: float
    rho: float
    c0: float
    c1: float
    exchange: float
    io_cap: float
    status: str

    def milliseconds(self, k: int, local_batch: float) -> float:
        """T(k), the time of one step with `local_batch` samples on each of k GPUs [ms]."""
        alone = self.alpha + self.beta * local_batch
        if k == 1:
            return alone
        shared = self.rho * alone * (1 - 1 / k) + self.c0 + self.c1 * (k - 1)
        return alone + shared + 2 * (k - 1) / k * self.exchange


@cache
def step_time(network: str, gpu: str) -> StepTime:
    """The step-time law of one of `networks()` on one of `gpu_names()`."""
    one_of("network", network, networks())
    one_of("gpu", gpu, gpu_names())
    rows = table("step_time_model")
    row = next(row for row in rows if row["network"] == network and row["gpu"] == gpu)
    return StepTime(
        alpha=float(row["alpha_ms"]),
        beta=float(row["beta_ms_per_sample"]),
        rho=float(row["rho"]),
        c0=float(row["c0_ms"]),
        c1=float(row["c1_ms_per_gpu"]),
        exchange=float(row["param_MB"]) * float(row["inv_bw_ms_per_MB"]),
        io_cap=float(row["io_cap_samples_s"] or "inf"),
        status=row["beta_status"],
    )

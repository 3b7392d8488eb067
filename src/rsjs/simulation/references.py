"""
What the cost of a policy is held against: lower bounds and yardsticks of a workload.

    capacity_free_bound     `offline`
    bucket_bound            `bucket_bound`, where asked for
    clairvoyant_greedy      `yardsticks`: no bounds
    infinite_cluster
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rsjs.instances.instance import Workload
from rsjs.simulation.bucket_bound import bucket_bound
from rsjs.simulation.guards import Status
from rsjs.simulation.offline import capacity_free_bound
from rsjs.simulation.options import Options
from rsjs.simulation.yardsticks import clairvoyant, infinite_cluster


@dataclass(frozen=True, kw_only=True)
class References:
    """
    Costs [$] that a workload is compared with; None = not asked for, or not to be had.

    Attributes
    ----------
    capacity_free_bound : float
    bucket_bound : float or None
    bucket_hours : float or None [h]
    clairvoyant_greedy, infinite_cluster : float or None
    """

    capacity_free_bound: float
    bucket_bound: float | None = None
    bucket_hours: float | None = None
    clairvoyant_greedy: float | None = None
    infinite_cluster: float | None = None

    @property
    def bound(self) -> float:
        """The best lower bound."""
        return max(self.capacity_free_bound, self.bucket_bound or 0.0)

    def as_dict(self) -> dict[str, float | None]:
        """The references by name."""
        return asdict(self)


def references(
    workload: Workload,
    options: Options,
    *,
    bucket_hours: float | None = None,
    yardsticks: bool = False,
) -> References:
    """
    The references of a workload.

    Parameters
    ----------
    bucket_hours : float, optional [h]
        Length of the buckets of the second bound; without it there is none.
    yardsticks : bool
        Whether the yardsticks are wanted: one of them is a simulation.
    """
    buckets = None
    if bucket_hours is not None:
        buckets = bucket_bound(workload, options, hours=bucket_hours)
    told = clairvoyant(workload, options) if yardsticks else None
    complete = told is not None and told.status == Status.COMPLETE
    return References(
        capacity_free_bound=capacity_free_bound(workload, options),
        bucket_bound=buckets,
        bucket_hours=bucket_hours,
        clairvoyant_greedy=told.totals.cost if told is not None and complete else None,
        infinite_cluster=infinite_cluster(workload, options) if yardsticks else None,
    )

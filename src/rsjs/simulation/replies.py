"""Whether what a policy returned is a decision at all; what it decides is for `constraints`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsjs.instances.solution import Solution
from rsjs.simulation.guards import Status, Stopped
from rsjs.simulation.policy import Choice


def checked(reply: Any, jobs: int) -> Choice:
    """
    The reply, if it is a choice with a decision and times to come for so many jobs.

    Raises
    ------
    Stopped
        If it is not.
    """
    if not isinstance(reply, Choice):
        raise _refused("/", type(reply).__name__, "a Choice")
    if not isinstance(reply.solution, Solution):
        raise _refused("/solution", type(reply.solution).__name__, "a Solution")
    if reply.change is None:
        return reply
    change = reply.change
    if not isinstance(change, np.ndarray) or change.dtype.kind not in "iuf":
        raise _refused("/change", getattr(change, "dtype", type(change).__name__), "hours, array")
    if change.shape != (jobs,):
        raise _refused("/change", f"shape {change.shape}", f"shape {(jobs,)}, a time for each job")
    for at in np.flatnonzero(~(change >= 0))[:1]:
        raise _refused(f"/change/{at}", change[at], "hours >= 0 from now, inf = none")
    return reply


def _refused(where: str, found: object, expected: str) -> Stopped:
    return Stopped(Status.ERROR, f"no decision: {where}: found {found}, expected {expected}")

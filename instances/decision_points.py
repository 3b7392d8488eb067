"""
Decision points: moments of a simulation at which its policy decides, as instances.

The jobs at hand run or wait, some have done part of their epochs, and `current` is the placement
until then. Hours and epochs are rounded to 6 decimals, so that a point has one digest wherever it
is simulated.

A point is told by its workload and by what is different from job to job: the library keeps that as
a line of JSON per point (`of_record`), and draws its members without a simulation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.serialization import canonical, digest
from rsjs.instances.solution import DECISION_ARRAYS, Solution

NAME = "decision_point"  # of the generator
_DIGITS = 6


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionPoint:
    """The jobs at hand at a decision of a policy, and where they run."""

    policy: str  #: specification
    #: of the simulation, those that are not the defaults; see `rsjs.simulation.options`
    options: Mapping[str, Any]
    decision: int  #: decisions before this one
    now: float  #: [h]
    rows: Ints  #: (A,) positions in the workload of the jobs at hand, ascending
    epochs_done: Floats  #: (A,)
    current: Solution  #: of the jobs at hand

    def __post_init__(self) -> None:
        # upwards, as no job may be submitted later
        now = round(ceil(round(self.now * 10**_DIGITS, 3)) / 10**_DIGITS, _DIGITS)
        object.__setattr__(self, "now", now)
        object.__setattr__(self, "epochs_done", np.round(self.epochs_done, _DIGITS))

    def instance(self, workload: Workload) -> Instance:
        """Return the decision to take; its name and `generator` say where it comes from."""
        jobs = workload.jobs
        most = jobs.epochs_max[self.rows] - 10.0**-_DIGITS
        done = np.minimum(self.epochs_done, most)
        now = max(self.now, float(jobs.release[self.rows].max()))  # of a release with more digits
        policy = re.sub(r"[^\w.]+", "_", self.policy)
        origin = {key: value for key, value in workload.generator.items() if key != "version"}
        of = {"name": workload.name, "sha256": workload.digest, "generator": origin}
        return Instance(
            name=f"{workload.name}-{policy}-d{self.decision}-{digest(self.record())[:8]}",
            cluster=workload.cluster,
            jobs=jobs.taken(self.rows, done),
            laws=workload.laws,
            now=now,
            H=workload.H,
            rho=workload.rho,
            objective=workload.objective,
            current=self.current,
            generator=made_by(
                NAME,
                workload=of,
                policy=self.policy,
                decision=self.decision,
                **({"options": dict(self.options)} if self.options else {}),
            ),
        )

    def record(self) -> dict[str, Any]:
        """Return what `of_record` reads."""
        document: dict[str, Any] = canonical(
            {
                "policy": self.policy,
                "options": self.options,
                "decision": self.decision,
                "now": self.now,
                "rows": self.rows,
                "epochs_done": self.epochs_done,
                **{name: getattr(self.current, name) for name in DECISION_ARRAYS},
            }
        )
        return document


def of_record(record: Mapping[str, Any]) -> DecisionPoint:
    """Return the point of a record."""
    return DecisionPoint(
        **{name: record[name] for name in ("policy", "options", "decision", "now")},
        rows=np.array(record["rows"], dtype=np.int64),
        epochs_done=np.array(record["epochs_done"], dtype=np.float64),
        current=Solution(**{name: np.array(record[name]) for name in DECISION_ARRAYS}),
    )

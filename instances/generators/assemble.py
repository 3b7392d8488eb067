"""
Instances and workloads from drawn jobs: due dates, weights, arrivals, and the `generator` block.

A due date is uniform between two times after submission, which depend on the times of the job by
one of the papers' rules (`due_window`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, one_of
from rsjs.core.types import Floats, Ints
from rsjs.instances.cluster import Cluster
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators import arrivals, random_streams
from rsjs.instances.generators.job_times import JobTimes
from rsjs.instances.instance import FAMILIES, Instance, Objective, Workload
from rsjs.instances.jobs import Jobs, drawn_epochs

H, RHO = 1.0, 100.0  # [h], -; of Jahani 2019, taken for all families


def made_by(name: str, **parameters: Any) -> dict[str, Any]:
    """Return the `generator` block; the version of the package is no part of the digest."""
    return {"name": name, "parameters": parameters, "version": version("rsjs-bench")}


@dataclass(frozen=True, kw_only=True, eq=False)
class InstanceParts:
    """Parts of an instance, all but the times of submission."""

    family: str  # of the objective, the name and the random streams
    variant: tuple[str, str]  # the parts of the name before and after the arrivals
    parameters: Mapping[str, Any]  # of the generator, with nodes, jobs and seed
    cluster: Cluster
    times: JobTimes
    due: tuple[Floats, Floats]  # (J,) earliest and latest due date after submission [h]
    weight: tuple[float, float]  # min and max tardiness weight [$/h]
    law: tuple[str, ...]  # (J,) names in `laws`, or `FIXED`
    laws: Mapping[str, EpochDistribution] = field(default_factory=dict)
    inflation: Floats | None = None  # (J, T, L)
    objective: Objective | None = None  # None: that of the family
    rho: float = RHO

    def instance(self) -> Instance:
        """Return the instance at time 0 with all jobs submitted."""
        return Instance(
            **self._common("at0"),
            jobs=self._jobs(np.zeros(self._size)),
            generator=made_by(self.family, **self.parameters),
        )

    def workload(
        self, law: str, gap_seconds: float | None, usual: float = 0.0, *, per_node: bool = True
    ) -> Workload:
        """
        Return the jobs submitted one by one.

        Parameters
        ----------
        law : str
            In `arrivals.PROCESSES`, or in `arrivals.LOADS`, whose rates follow from the jobs.
        gap_seconds : float or None
            Mean time between submissions [s], times the number of nodes if `per_node`. None =
            `usual`, or no such time if law is a load.
        """
        gap: float | None = None
        if one_of("law", law, [*arrivals.PROCESSES, *arrivals.LOADS]) in arrivals.PROCESSES:
            gap = usual if gap_seconds is None else gap_seconds
            label = arrivals.label(law, gap)
            mean = gap / self.cluster.nodes if per_node else gap
            release = arrivals.release_times(
                self.family, self._seed, self._size, law=law, gap_seconds=mean
            )
        elif gap_seconds is None:
            label, release = law, self._release_under_load(law)
        else:
            raise InputError("/gap_seconds", gap_seconds, f"none: the jobs set the rate of {law!r}")
        jobs = self._jobs(release)
        return Workload(
            **self._common(label),
            jobs=jobs,
            realised_epochs=self._realised(jobs),
            generator=made_by(
                self.family, **self.parameters, law=law, gap_seconds=gap if label != law else None
            ),
        )

    @property
    def _size(self) -> int:
        return len(self.times.application)

    @property
    def _seed(self) -> int:
        return int(self.parameters["seed"])

    def _uniforms(self, name: str) -> Floats:
        return random_streams.uniforms(self.family, self._seed, name, self._size)

    def _common(self, arrival: str) -> dict[str, Any]:
        before, after = self.variant
        parts = [self.family, before, arrival, *filter(None, [after])]
        return {
            "name": f"{'-'.join(parts)}-N{self.cluster.nodes}-J{self._size}-s{self._seed}",
            "cluster": self.cluster,
            "laws": self.laws,
            "H": H,
            "rho": self.rho,
            "objective": self.objective or FAMILIES[self.family],
        }

    def _jobs(self, release: Floats) -> Jobs:
        n, types = self._size, len(self.cluster.gpu_types)
        after = random_streams.uniform(self._uniforms("due"), *self.due)
        weight = random_streams.uniform(self._uniforms("weight"), *self.weight)
        return Jobs(
            id=tuple(f"j{j + 1}" for j in range(n)),
            application=self.times.application,
            release=release,
            due=random_streams.rounded(release + after),
            weight=random_streams.rounded(weight),
            memory_gb=self.times.memory_gb,
            epochs_max=self.times.epochs_max,
            epochs_done=np.zeros(n),
            law=self.law,
            hours_per_epoch=self.times.hours_per_epoch,
            inflation=np.empty((n, types, 0)) if self.inflation is None else self.inflation,
            meta=self.times.meta,
        )

    def _release_under_load(self, load: str) -> Floats:
        """Return (J,) submission times [h] that keep a share of the GPUs busy."""
        alone = self.times.admissible_hours(self.cluster)[:, :, 1].min(axis=1)
        gpus = self.cluster.nodes * int(self.cluster.largest_of_gpu.max())
        return arrivals.block_release_times(self.family, self._seed, gpus / alone, load=load)

    def _realised(self, jobs: Jobs) -> Ints:
        """Return (J,) W_j, drawn from the distribution of each job."""
        return drawn_epochs(jobs, self.laws, self._uniforms("realised"))


# Rule -> the latest due date from the min and max time of a job; the earliest is the min.
LATEST: Mapping[str, Callable[[Floats, Floats], Floats]] = MappingProxyType(
    {
        # Jahani 2019, V-A; and ours, harder
        "base": lambda fast, slow: 2 * slow,
        "tight": lambda fast, slow: np.maximum(1.5 * fast, slow / 2),
        # Filippini 2024, (31)
        "at_most_thrice": lambda fast, slow: np.minimum(3 * fast, slow),
        # generate_data_new.py of the authors' program
        "thrice": lambda fast, slow: 3 * fast,
    }
)


def due_window(rule: str, hours: Floats) -> tuple[Floats, Floats]:
    """
    Return (J,) earliest and latest due date after submission [h].

    Parameters
    ----------
    rule : str
        In `LATEST`.
    hours : (J, T, G + 1) float [h]
        Time of the whole job in each mode, inf = not admissible.
    """
    latest = LATEST[one_of("due", rule, LATEST)]
    fast = hours.min(axis=(1, 2))
    slow = np.where(np.isfinite(hours), hours, 0.0).max(axis=(1, 2))
    return fast, latest(fast, slow)

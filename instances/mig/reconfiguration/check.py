"""
Whether a schedule of one GPU divided anew is feasible, and its makespan: no solver, no geometry.

    option      the profile is one that the job has
    start       an instance of the profile may begin at that slice
    release     a job begins no earlier than its release; its instance may be made before that,
                but not before time 0
    slices      no memory slice belongs to two instances at a time
    compute     instances at a time have at most the compute slices of the GPU
    most        instances of a profile at a time are at most its `most`
    makespan    what is claimed is what was found
    bound       no claimed bound is above it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from rsjs.instances.check import Violation
from rsjs.instances.mig.reconfiguration.problem import (
    ReconfigurationProblem,
    ReconfigurationSchedule,
)


@dataclass(frozen=True, kw_only=True)
class ReconfigurationVerdict:
    """Result of the checker."""

    violations: tuple[Violation, ...]
    makespan: int | None  #: when the last job ends; None if some job has no duration there

    @property
    def feasible(self) -> bool:
        """No violation at all, wrong claims included."""
        return not self.violations


@dataclass(frozen=True, slots=True)
class _Stay:
    """An instance: its job and profile, first and last slice, and the time it is there."""

    job: str
    profile: int
    first: int
    last: int
    created: int
    destroyed: int


def check(
    jobs: ReconfigurationProblem,
    schedule: ReconfigurationSchedule,
    *,
    makespan: float | None = None,
    bound: float | None = None,
) -> ReconfigurationVerdict:
    """Check a schedule and what is claimed about it."""
    violations: list[Violation] = []
    stays: list[_Stay] = []
    columns = (schedule.profile.tolist(), schedule.start.tolist(), schedule.begin.tolist())
    for j, (p, start, begin) in enumerate(zip(*columns, strict=True)):
        name, profile, earliest = jobs.id[j], jobs.gpu.profiles[p], int(jobs.release[j])
        lasts = dict(jobs.options(j)).get(p)
        if lasts is None:
            violations.append(Violation("option", name, profile.name, "one of its options"))
            continue
        if start not in profile.starts:
            expected = f"a start of {profile.name}: {', '.join(map(str, profile.starts))}"
            violations.append(Violation("start", name, start, expected))
        if begin < max(earliest, jobs.delta):
            expected = f"at least {max(earliest, jobs.delta)}"
            violations.append(Violation("release", name, begin, expected))
        last = start + profile.memory_slices - 1
        stays.append(_Stay(name, p, start, last, begin - jobs.delta, begin + lasts))
    violations += _together(jobs, stays)
    found = max((stay.destroyed for stay in stays), default=0) if len(stays) == len(jobs) else None
    if makespan is not None and makespan != found:
        violations.append(Violation("makespan", "claim", makespan, str(found)))
    if bound is not None and found is not None and bound > found:
        violations.append(Violation("bound", "claim", bound, f"at most {found}"))
    return ReconfigurationVerdict(violations=tuple(violations), makespan=found)


def _together(jobs: ReconfigurationProblem, stays: list[_Stay]) -> Iterator[Violation]:
    """Yield what is wrong with instances that are there at the same time."""
    # Instances at one time share no slice.
    for one, other in combinations(stays, 2):
        overlap = one.created < other.destroyed and other.created < one.destroyed
        if overlap and one.first <= other.last and other.first <= one.last:
            found = f"slices {other.first}-{other.last} in [{other.created}, {other.destroyed})"
            apart = (
                f"none of {one.first}-{one.last} of {one.job} in [{one.created}, {one.destroyed})"
            )
            yield Violation("slices", other.job, found, apart)
    for stay in stays:  # sets only grow when one is made
        there = [own for own in stays if own.created <= stay.created < own.destroyed]
        compute = sum(jobs.gpu.profiles[own.profile].compute_slices for own in there)
        if compute > jobs.gpu.compute_slices:
            expected = f"at most {jobs.gpu.compute_slices}"
            yield Violation("compute", f"time {stay.created}", compute, expected)
        profile = jobs.gpu.profiles[stay.profile]
        number = sum(own.profile == stay.profile for own in there)
        if number > profile.most:
            place = f"{profile.name} at time {stay.created}"
            yield Violation("most", place, number, f"at most {profile.most}")

"""
Whether a placement is feasible, and what it wastes: no solver, no table of sets.

    profile     each workload has one of its profiles
    start       an instance of the profile may begin at that slice
    slices      no memory slice of a GPU belongs to two instances
    compute     the instances of a GPU have at most its compute slices
    most        a GPU has at most `most` instances of a profile
    gpus        what is claimed is what was found
    bound       no claimed bound is above it

Waste, in slices, on the GPUs in use:

    stranded compute, stranded memory   free slices that no further instance of any profile, alone
                                        or with others, can take; each as large as the best
                                        filling for it leaves
    over-allocated                      slices of instances beyond the needs of their workloads
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from rsjs.instances.check import Violation
from rsjs.instances.mig.gpus import MigGpu
from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem

Instances = tuple[tuple[int, int], ...]  # (profile, start) of what is on a GPU


@dataclass(frozen=True, kw_only=True)
class PlacementVerdict:
    """Result of the checker; without waste if instances overlap."""

    violations: tuple[Violation, ...]
    gpus: int  #: GPUs in use
    stranded_compute: int | None = None
    stranded_memory: int | None = None
    over_allocated: int | None = None

    @property
    def feasible(self) -> bool:
        """No violation at all, wrong claims included."""
        return not self.violations

    @property
    def waste(self) -> int | None:
        """Sum of stranded and over-allocated slices."""
        if self.stranded_compute is None or self.stranded_memory is None:
            return None
        return self.stranded_compute + self.stranded_memory + (self.over_allocated or 0)


def check(
    workloads: PlacementProblem,
    placement: MigPlacement,
    *,
    gpus: float | None = None,
    bound: float | None = None,
) -> PlacementVerdict:
    """Check a placement and what is claimed about it."""
    gpu, violations = workloads.gpu, []
    on: dict[int, list[tuple[int, int]]] = {}
    over_allocated = 0
    for w, (number, p, start) in enumerate(
        zip(
            placement.gpu.tolist(),
            placement.profile.tolist(),
            placement.start.tolist(),
            strict=True,
        )
    ):
        profile = gpu.profiles[p]
        if not workloads.admissible[w, p]:
            violations.append(Violation("profile", workloads.id[w], profile.name, "one of its own"))
        if start not in profile.starts:
            expected = f"a start of {profile.name}: {', '.join(map(str, profile.starts))}"
            violations.append(Violation("start", workloads.id[w], start, expected))
        on.setdefault(number, []).append((p, start))
        taken = np.array([profile.compute_slices, profile.memory_slices])
        over_allocated += int((taken - workloads.needs[w]).sum())
    # What is on each GPU.
    for number, own in sorted(on.items()):
        reason = _clash(gpu, tuple(own))
        if reason is not None:
            constraint, found, expected = reason
            violations.append(Violation(constraint, f"GPU {number}", found, expected))
    if gpus is not None and gpus != len(on):
        violations.append(Violation("gpus", "claim", gpus, str(len(on))))
    if bound is not None and bound > len(on):
        violations.append(Violation("bound", "claim", bound, f"at most {len(on)}"))
    if any(
        violation.constraint in ("start", "slices", "compute", "most") for violation in violations
    ):
        return PlacementVerdict(violations=tuple(violations), gpus=len(on))
    stranded = [_stranded(gpu, tuple(sorted(own))) for own in on.values()]
    return PlacementVerdict(
        violations=tuple(violations),
        gpus=len(on),
        stranded_compute=sum(compute for compute, _ in stranded),
        stranded_memory=sum(memory for _, memory in stranded),
        over_allocated=over_allocated,
    )


def _clash(gpu: MigGpu, own: Instances) -> tuple[str, object, str] | None:
    """Return the first constraint that instances of a GPU break: its name, found and expected."""
    # Instances on each memory slice.
    owners = [0] * gpu.memory_slices
    for p, start in own:
        for s in range(start, min(start + gpu.profiles[p].memory_slices, gpu.memory_slices)):
            owners[s] += 1
    if max(owners) > 1:
        return "slices", f"{max(owners)} instances on slice {owners.index(max(owners))}", "one"
    compute = sum(gpu.profiles[p].compute_slices for p, _ in own)
    if compute > gpu.compute_slices:
        return "compute", compute, f"at most {gpu.compute_slices}"
    for p, profile in enumerate(gpu.profiles):
        number = sum(other == p for other, _ in own)
        if number > profile.most:
            return "most", f"{number} of {profile.name}", f"at most {profile.most}"
    return None


@cache
def _stranded(gpu: MigGpu, own: Instances) -> tuple[int, int]:
    """Return compute and memory slices that nothing beside these instances can use, by trying."""
    compute = gpu.compute_slices - sum(gpu.profiles[p].compute_slices for p, _ in own)
    memory = gpu.memory_slices - sum(gpu.profiles[p].memory_slices for p, _ in own)
    for p, profile in enumerate(gpu.profiles):
        for start in profile.starts:
            more = tuple(sorted((*own, (p, start))))
            if _clash(gpu, more) is None:
                left = _stranded(gpu, more)
                compute, memory = min(compute, left[0]), min(memory, left[1])
    return compute, memory

"""Static partitions of a GPU: sets of placements that stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from rsjs.instances.errors import InputError, described
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.gpus import MigGpu
from rsjs.instances.mig.reconfiguration.problem import Repartition

Partition = tuple[int, ...]


def partition_of(gpu: MigGpu, names: str) -> Partition:
    """
    Placements of the profiles in a text like "4g,2g,1g": those that strand fewest slices.

    Raises
    ------
    InputError
        If a profile is unknown, or no placement has them all.
    """
    found, parts = geometry(gpu), [name.strip() for name in names.split(",")]
    wanted = Counter(gpu.index(name, "--partition") for name in parts)
    counts = [wanted[p] for p in range(len(gpu.profiles))]
    sets = np.flatnonzero((found.counts == counts).all(axis=1))
    if not sets.size:
        shown = described(names)
        raise InputError("--partition", shown, f"profiles that fit {gpu.name} together")
    best = sets[found.stranded[sets].sum(axis=1).argmin()]
    return _placements(found.chosen[best])


def maximal_partitions(gpu: MigGpu, profiles: tuple[str, ...]) -> list[Partition]:
    """A partition for each multiset of these profiles that no other one of them contains."""
    found = geometry(gpu)
    own = np.isin([profile.name for profile in gpu.profiles], profiles)
    sets = np.flatnonzero((found.counts[:, ~own] == 0).all(axis=1))
    counts, first = np.unique(found.counts[sets], axis=0, return_index=True)
    return [
        _placements(found.chosen[sets[at]])
        for at, row in zip(first.tolist(), counts, strict=True)
        if ((counts >= row).all(axis=1)).sum() == 1
    ]


def candidates(
    jobs: Repartition, job: int, allowed: Collection[int] | None
) -> list[tuple[int, int]]:
    """
    Placement and duration of each way to run a job.

    Parameters
    ----------
    allowed : collection of int or None
        The only placements there are, those of a static partition; None = all of the GPU.

    Raises
    ------
    InputError
        If there is no way.
    """
    found = geometry(jobs.gpu)
    own = [
        (q, lasts)
        for p, lasts in jobs.options(job)
        for q in found.places(p).tolist()
        if allowed is None or q in allowed
    ]
    if not own:
        names = ", ".join(jobs.gpu.profiles[p].name for p, _ in jobs.options(job))
        expected = f"one of them in the partition {spelled(jobs.gpu, tuple(allowed or ()))}"
        raise InputError(f"/jobs/{job}/options", described(names), expected)
    return own


def spelled(gpu: MigGpu, partition: Partition) -> str:
    """The profiles of a partition, largest first, e.g. 4g,2g,1g."""
    found = geometry(gpu)
    names = [gpu.profiles[found.profile[q]] for q in partition]
    return ",".join(p.name for p in sorted(names, key=lambda p: (-p.memory_slices, p.name)))


def _placements(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Partition:
    return tuple(np.flatnonzero(chosen).tolist())

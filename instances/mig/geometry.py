"""
All ways to have instances on a GPU at the same time.

A placement is a pair (profile, start). A set of placements is feasible if

    no memory slice is in two of them
    their compute slices are at most those of the GPU
    no profile occurs more often than its `most`

Feasible sets are closed under taking away, so all are reached from the empty set by adding
placements one at a time: they are the states of an automaton, and `following` is its table. An
A100 without its media profile has 18 placements and 723 sets, 78 of them maximal; as multisets of
profiles 78, of which 28 are not contained in another.

Stranded slices of a set S: free ones that no further placement can ever take,

    stranded compute = (free compute slices) - max over feasible T >= S of compute(T) - compute(S)

and in the same way of memory, each maximum by itself. A static partition is a feasible set that
stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Bools, Ints
from rsjs.instances.mig.gpus import MigGpu

MOST_SETS = 50_000
Partition = tuple[int, ...]  # placements that stay


@dataclass(frozen=True, kw_only=True, eq=False)
class Geometry:
    """Placements and feasible sets of a GPU with P profiles."""

    gpu: MigGpu
    profile: Ints  #: (Q,) the profile of each placement, profile after profile
    start: Ints  #: (Q,) its first memory slice
    mask: Ints  #: (Q,) bit s is set if the placement takes memory slice s
    #: (S, Q) the placements in each feasible set; set 0 is empty, and smaller ones come first
    chosen: Bools
    following: Ints  #: (S, Q) the set that a placement makes of a set; -1 if it does not fit
    counts: Ints  #: (S, P) instances of each profile in each set
    stranded: Ints  #: (S, 2) stranded compute and memory slices of each set

    def places(self, profile: int) -> Ints:
        """Return the placements of a profile, by start."""
        own = np.flatnonzero(self.profile == profile)
        return np.asarray(own[np.argsort(self.start[own])])

    @cached_property
    def possible(self) -> Ints:
        """Return (S,) how many placements fit beside each set."""
        return np.asarray((self.following >= 0).sum(axis=1))

    @property
    def laminar(self) -> bool:
        """Return whether any two placements are disjoint or one takes all slices of the other."""
        both = self.mask[:, None] & self.mask
        return bool(((both == 0) | (both == self.mask) | (both == self.mask[:, None])).all())


@lru_cache(maxsize=8)
def geometry(gpu: MigGpu) -> Geometry:
    """Enumerate the feasible sets of a GPU."""
    placements = [(p, q) for p, own in enumerate(gpu.profiles) for q in own.starts]
    profile, start = (np.array(column) for column in zip(*placements, strict=True))
    size = np.array([own.memory_slices for own in gpu.profiles])[profile]
    mask = ((1 << size) - 1) << start
    sets, following = _automaton(gpu, profile.tolist(), mask.tolist())
    chosen = np.array([[own >> q & 1 for q in range(len(mask))] for own in sets])
    counts = chosen @ (profile[:, None] == np.arange(len(gpu.profiles))).astype(np.int64)
    return Geometry(
        gpu=gpu,
        profile=profile,
        start=start,
        mask=mask,
        chosen=chosen.astype(bool),
        following=following,
        counts=counts,
        stranded=_stranded(gpu, following, counts),
    )


def slices(gpu: MigGpu) -> Ints:
    """Return (P, 2) compute and memory slices of each profile."""
    return np.array([(own.compute_slices, own.memory_slices) for own in gpu.profiles])


def _automaton(gpu: MigGpu, profile: list[int], mask: list[int]) -> tuple[list[int], Ints]:
    """Return feasible sets, bit q for placement q, smaller ones first, and what follows each."""
    compute = [gpu.profiles[p].compute_slices for p in profile]
    of_profile = [sum(1 << q for q, own in enumerate(profile) if own == p) for p in profile]
    most = [gpu.profiles[p].most for p in profile]
    # Placements, memory slices (both as bits) and compute slices taken, of each set.
    sets = [(0, 0, 0)]
    number = {sets[0]: 0}
    rows: list[list[int]] = []
    # Breadth first: the list grows while it is read, so smaller sets come first.
    for placed, memory_taken, compute_taken in sets:
        # row: the set that each placement makes of this one, numbered when it is first seen
        row = [-1] * len(mask)
        for q, slices_of in enumerate(mask):
            larger = placed | 1 << q, memory_taken | slices_of, compute_taken + compute[q]
            if (
                memory_taken & slices_of
                or larger[2] > gpu.compute_slices
                or (placed & of_profile[q]).bit_count() >= most[q]
            ):
                continue
            if larger not in number:
                number[larger] = len(sets)
                sets.append(larger)
            row[q] = number[larger]
        rows.append(row)
        if len(sets) > MOST_SETS:
            found = described(f"{gpu.name} with more than {MOST_SETS} sets of placements")
            raise InputError("/profiles", found, "profiles that leave fewer")
    return [placed for placed, _, _ in sets], np.array(rows)


def _stranded(gpu: MigGpu, following: Ints, counts: Ints) -> Ints:
    """Return slices of the GPU less the most that a larger set uses; larger sets come later."""
    best = counts @ slices(gpu)
    for s in range(len(best) - 1, -1, -1):
        larger = following[s][following[s] >= 0]
        if larger.size:
            best[s] = np.maximum(best[s], best[larger].max(axis=0))
    return np.asarray((gpu.compute_slices, gpu.memory_slices) - best)


def partition_of(gpu: MigGpu, names: str) -> Partition:
    """
    Return placements of the profiles in a text like "4g,2g,1g": those that strand fewest slices.

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
    """Return a partition for each multiset of these profiles that no other one of them contains."""
    found = geometry(gpu)
    own = np.isin([profile.name for profile in gpu.profiles], profiles)
    sets = np.flatnonzero((found.counts[:, ~own] == 0).all(axis=1))
    counts, first = np.unique(found.counts[sets], axis=0, return_index=True)
    return [
        _placements(found.chosen[sets[at]])
        for at, row in zip(first.tolist(), counts, strict=True)
        if ((counts >= row).all(axis=1)).sum() == 1
    ]


def spelled(gpu: MigGpu, partition: Partition) -> str:
    """Return the profiles of a partition, largest first, e.g. 4g,2g,1g."""
    found = geometry(gpu)
    names = [gpu.profiles[found.profile[q]] for q in partition]
    return ",".join(p.name for p in sorted(names, key=lambda p: (-p.memory_slices, p.name)))


def _placements(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Partition:
    return tuple(np.flatnonzero(chosen).tolist())

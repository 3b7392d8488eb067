"""
Placing workloads on GPUs one by one, each for good.

    ff       the first GPU it fits, at its lowest start
    bf       the GPU it fits with the fewest free memory slices, at its lowest start
    wf       the GPU in use that it fits with the most free memory slices, at its lowest start
    ff_pref  as ff, at the start that leaves aligned blocks free
    flex     the placement on a GPU in use after which the fewest others have become impossible
    ffd      not online: as ff_pref, larger workloads first (memory, then compute)

A GPU is opened if a workload fits none in use. A workload with a choice takes its smallest profile
(memory, then compute). Ties go to the lowest GPU, then the lowest start. `flex` counts placements,
where fragmentation gradient descent (Weng et al. 2023) weighs them by how often they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.mig.geometry import Geometry, geometry, slices
from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem

PREFERRED = {"1g": (6, 4, 5, 2, 3, 0, 1), "1g2m": (6, 4, 2, 0), "2g": (0, 2, 4), "3g": (4, 0)}
"""Starts in order of preference; other profiles take the lowest."""


@dataclass(frozen=True, kw_only=True)
class PlacementRule:
    """A rule by which workloads are placed."""

    free: int = 0  # GPUs by free memory slices: 1 = fewest first, -1 = most first, 0 = by number
    preferred: bool = False  # whether starts are taken in the order of `PREFERRED`
    flexible: bool = False  # whether GPU and start are chosen together, by what becomes impossible
    decreasing: bool = False  # whether workloads come in order of size


RULES = {
    "ff": PlacementRule(),
    "bf": PlacementRule(free=1),
    "wf": PlacementRule(free=-1),
    "ff_pref": PlacementRule(preferred=True),
    "flex": PlacementRule(flexible=True),
    "ffd": PlacementRule(preferred=True, decreasing=True),
}


def place(workloads: PlacementProblem, name: str) -> MigPlacement:
    """Place all workloads by a rule of `RULES`."""
    found, rule = geometry(workloads.gpu), RULES[name]
    # The smallest admissible profile of each workload: by memory, then compute.
    size = slices(found.gpu)
    by_size = np.lexsort((size[:, 0], size[:, 1]))
    smallest = by_size[workloads.admissible[:, by_size].argmax(axis=1)]
    order = np.arange(len(workloads))
    if rule.decreasing:
        order = np.lexsort((-size[smallest, 0], -size[smallest, 1]))
    options = [_options(found, p, rule.preferred) for p in range(len(size))]
    sets = np.zeros(len(workloads), dtype=np.int64)  # of each GPU, as many as could be needed
    used = 0
    rows: dict[int, tuple[int, int, int]] = {}
    for w in order.tolist():
        p = int(smallest[w])
        own = options[p]
        # A GPU in use, or the next one, and the place among its starts.
        gpu, k = _chosen(found, rule, sets[:used], own)
        if gpu < 0:
            gpu, k = used, _chosen(found, rule, sets[used : used + 1], own)[1]
            used += 1
        sets[gpu] = found.following[sets[gpu], own[k]]
        rows[w] = gpu, p, int(found.start[own[k]])
    return MigPlacement.of(rows)


def _options(found: Geometry, profile: int, preferred: bool) -> Ints:
    """Return the placements of a profile in the order in which they are tried."""
    own = found.places(profile)
    order = PREFERRED.get(found.gpu.profiles[profile].name, ()) if preferred else ()
    rank = [order.index(q) if q in order else len(order) for q in found.start[own].tolist()]
    return np.asarray(own[np.argsort(rank, kind="stable")])


def _chosen(found: Geometry, rule: PlacementRule, sets: Ints, own: Ints) -> tuple[int, int]:
    """Return GPU and place among the placements of a profile; -1 if it fits none of these GPUs."""
    following = found.following[sets[:, None], own]
    fits = following >= 0
    if not fits.any():
        return -1, 0
    if rule.flexible:
        # Placements that become impossible, for each GPU in use and each start.
        possible = found.possible
        lost = np.where(fits, possible[sets, None] - possible[following], len(found.mask) + 1)
        best = int(lost.argmin())
        return best // len(own), best % len(own)
    able = np.flatnonzero(fits.any(axis=1))
    free = found.gpu.memory_slices - found.counts[sets[able]] @ slices(found.gpu)[:, 1]
    gpu = int(able[(rule.free * free).argmin()])
    return gpu, int(fits[gpu].argmax())

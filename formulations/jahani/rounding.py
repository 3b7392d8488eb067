"""
Whole numbers of nodes near those of the relaxed problem.

Whole nodes stay. Nodes that are left over are cut one by one by the pattern that brings the slots
offered nearest to those of the relaxed problem; then single nodes take another pattern as long as
that brings them nearer still. Distance: slots too few and too many, and the reduced costs of the
patterns in units of the mean multiplier.
"""

from __future__ import annotations

import numpy as np

from rsjs.formulations.jahani.restricted_milp import Mask
from rsjs.formulations.jahani.slot_model import Array, Index, SlotModel


def rounded(model: SlotModel, counts: Array, multipliers: Array) -> Index:
    """(C,) whole numbers of nodes cut by each pattern, feasible for (nodes) and (class)."""
    whole = np.floor(counts + 1e-6).astype(np.int64)
    target = counts @ model.parts
    price = model.idle - model.parts @ multipliers
    excess = (price - price.min()) / max(float(multipliers.mean()), 1e-9)
    while (room := _room(model, whole)).any():
        lacking = target - whole @ model.parts
        change = np.abs(lacking - model.parts).sum(axis=1) - np.abs(lacking).sum() + excess
        best = int(np.where(room, change, np.inf).argmin())
        if change[best] >= 0.0 and not model.exactly:
            break
        whole[best] += 1
    while (move := _exchange(model, whole, target, excess)) is not None:
        whole[list(move)] += (-1, 1)
    return whole


def _room(model: SlotModel, whole: Index) -> Mask:
    """(C,) whether one more node may be cut by each pattern."""
    used = np.bincount(model.of_class, weights=whole, minlength=len(model.sizes))
    room: Mask = (used < model.sizes)[model.of_class] & (whole.sum() < model.nodes)
    return room


def _exchange(
    model: SlotModel, whole: Index, target: Array, excess: Array
) -> tuple[int, int] | None:
    """The patterns (from, to) between which a node of a class moves with the largest gain."""
    lacking = target - whole @ model.parts
    best, move = np.abs(lacking).sum() - 1e-6, None
    for a in np.flatnonzero(whole).tolist():
        distance = np.abs(lacking + model.parts[a] - model.parts).sum(axis=1) + excess - excess[a]
        distance[model.of_class != model.of_class[a]] = np.inf
        if distance.min() < best:
            best, move = float(distance.min()), (a, int(distance.argmin()))
    return move

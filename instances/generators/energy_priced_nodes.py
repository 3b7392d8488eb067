"""Nodes priced by the power that they draw: W / 1000 x price x PUE (ANDREAS 2021, V-B)."""

from __future__ import annotations

from rsjs.instances.cluster import NodeType
from rsjs.instances.generators import random_streams

PRICE, PUE = 0.172, 1.33  # EUR/kWh, -


def powered_node(gpu: str, size: int, base_w: float, train_w: float) -> NodeType:
    """A node of `size` GPUs that draws base_w, and train_w more for each GPU in use [W]."""
    cost = [(base_w + k * train_w) / 1000 * PRICE * PUE for k in range(1, size + 1)]
    return NodeType(
        name=f"{size} x {gpu}", gpu_type=gpu, cost=(0.0, *random_streams.rounded(cost).tolist())
    )

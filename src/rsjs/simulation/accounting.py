"""
What a node costs per hour with k of its s_v GPUs in use.

    curve     c_v(k), as the file says: per GPU in use, flat for a VM, or base power and GPUs
    gpu       (k / s_v) c_v(s_v): GPUs in use only
    node      c_v(s_v): the whole node while a GPU is in use (VM rental)
    base:B    B c_v(s_v) + (1 - B) (k / s_v) c_v(s_v): a share B is due while a GPU is in use

A node without a GPU in use costs nothing.
"""

from __future__ import annotations

import re

import numpy as np

from rsjs.core.errors import InputError
from rsjs.core.types import Floats
from rsjs.instances.cluster import Cluster

BASE = r"base:([0-9]+[.]?[0-9]*|[.][0-9]+)(e-?[0-9]{1,2})?"  # as the verifier reads it


def base_share(energy: str) -> float | None:
    """Return the base share B of an accounting; None for the price curve of the file."""
    if energy == "curve":
        return None
    named = {"gpu": "base:0", "node": "base:1"}.get(energy, energy)
    share = float(named[len("base:") :]) if re.fullmatch(BASE, named) else -1.0
    if not 0 <= share <= 1:
        raise InputError(
            "/energy", energy, "curve, gpu, node, or base:B with a share B from 0 to 1"
        )
    return share


def prices(cluster: Cluster, energy: str) -> Floats:
    """Return (V, G + 1) $/h by node type and GPUs in use; inf beyond s_v."""
    curve, base = cluster.cost_of_type, base_share(energy)
    if base is None:
        return curve
    size, used = cluster.gpus_of_type[:, None], np.arange(curve.shape[1])
    full = np.take_along_axis(curve, size, axis=1)
    billed = np.where(used > 0, full * (base + (1 - base) * used / size), 0.0)
    return np.where(used <= size, billed, np.inf)

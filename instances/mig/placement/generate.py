"""
Random workloads: each draws its profile from a mix.

    mixed      all sizes, most of them small
    small      one or two slices
    large      halves and whole GPUs are frequent
    memheavy   one compute slice with two memory slices is the most frequent
    elastic    mixed, but a workload of 1g2m or 2g takes either, and so does one of 3g or 4g

`mixed` has the shares of the design; those of the others are chosen here. Profiles are those of
the GPUs of NVIDIA with eight memory slices.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.errors import InputError
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.generators.random_streams import uniforms
from rsjs.instances.mig.gpus import MigGpu
from rsjs.instances.mig.io import nearest_first
from rsjs.instances.mig.placement.problem import PlacementProblem

_MIXED = {"7g": 0.03, "4g": 0.07, "3g": 0.2, "2g": 0.25, "1g2m": 0.15, "1g": 0.3}
MIXES = {
    "mixed": _MIXED,
    "small": {"2g": 0.25, "1g2m": 0.15, "1g": 0.6},
    "large": {"7g": 0.1, "4g": 0.2, "3g": 0.35, "2g": 0.2, "1g2m": 0.05, "1g": 0.1},
    "memheavy": {"7g": 0.02, "4g": 0.03, "3g": 0.15, "2g": 0.1, "1g2m": 0.5, "1g": 0.2},
    "elastic": _MIXED,
}
EITHER = (("1g2m", "2g"), ("3g", "4g"))


def generate(gpu: MigGpu, mix: str, n: int, seed: int) -> PlacementProblem:
    """`n` workloads of a mix; the first of a larger set are those of a smaller one."""
    if mix not in MIXES:
        raise InputError("--mix", mix, f"one of {nearest_first(mix, MIXES)}")
    if n < 1:
        raise InputError("-n", n, "a number of workloads >= 1")
    if seed < 0:
        raise InputError("--seed", seed, "an integer >= 0")
    profiles = np.array([gpu.index(name, "--gpu") for name in MIXES[mix]])
    edges = np.cumsum(list(MIXES[mix].values()))[:-1]
    drawn = np.searchsorted(edges, uniforms("mig-placement", seed, "profile", n), side="right")
    admissible = np.zeros((n, len(gpu.profiles)), dtype=bool)
    admissible[np.arange(n), profiles[drawn]] = True
    if mix == "elastic":
        for names in EITHER:
            pair = [gpu.index(name, "--gpu") for name in names]
            admissible[:, pair] |= admissible[:, pair].any(axis=1, keepdims=True)
    return PlacementProblem(
        name=f"placement-{gpu.name}-{mix}-W{n}-s{seed}",
        gpu=gpu,
        id=tuple(f"w{w + 1}" for w in range(n)),
        admissible=admissible,
        generator=made_by("mig-placement", gpu=gpu.name, mix=mix, workloads=n, seed=seed),
    )

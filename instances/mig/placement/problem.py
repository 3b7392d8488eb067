"""Static workloads to be placed on identical GPUs, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.errors import refuse_control
from rsjs.instances.mig.geometry import slices
from rsjs.instances.mig.gpus import MigGpu
from rsjs.instances.read_only import ReadOnly

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Workloads(ReadOnly):
    """
    W workloads in order of arrival, each of which needs one instance for good.

    Attributes
    ----------
    name : str
    gpu : MigGpu
        The model of all GPUs; there are as many as needed.
    id : tuple of str
    admissible : (W, P) bool
        The profiles that serve each workload, at least one.
    generator : mapping or None
        What made the workloads: name, parameters, version.
    """

    name: str
    gpu: MigGpu
    id: tuple[str, ...]
    admissible: NDArray[np.bool_]
    generator: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        refuse_control("/name", self.name)
        refuse_control("/workloads", *self.id)
        self.admissible.setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    @cached_property
    def needs(self) -> Integers:
        """(W, 2) compute and memory slices: each the least among the admissible profiles."""
        size = np.where(self.admissible[:, :, None], slices(self.gpu), np.iinfo(np.int64).max)
        return np.asarray(size.min(axis=1))

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical text of its file, the generator's version left out."""
        from rsjs.instances.io.serialization import digest
        from rsjs.instances.mig.placement.placement_documents import document

        return digest(document(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class Placement(ReadOnly):
    """
    Where each workload is.

    Attributes
    ----------
    gpu : (W,) int
        Number of its GPU, from 0; GPUs without a workload do not count.
    profile, start : (W,) int
        Its instance: profile, first memory slice.
    """

    gpu: Integers
    profile: Integers
    start: Integers

    @staticmethod
    def of(rows: Mapping[int, tuple[int, int, int]]) -> Placement:
        """From GPU, profile and start of each workload."""
        columns = np.array([rows[w] for w in range(len(rows))], dtype=np.int64).reshape(-1, 3)
        return Placement(gpu=columns[:, 0], profile=columns[:, 1], start=columns[:, 2])

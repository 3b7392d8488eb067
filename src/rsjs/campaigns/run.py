"""One run of a campaign: what is asked, and the id that follows from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from rsjs.campaigns import schema_files
from rsjs.core.call import Limits
from rsjs.instances.io.serialization import canonical_text
from rsjs.runs.kinds.base import Kind

# What tells a run from others; the rest of its fields follow from these.
IDENTITY = (
    "solved_sha256",
    "method",
    "environment",
    "limits",
    "output_limit_mb",
    "timing",
    "repetition",
)
MIG: dict[str, Kind] = {  # in specifications of runs -> kind
    "scheduling": "mig_scheduling",
    "placement": "mig_placement",
    "reconfiguration": "mig_reconfiguration",
}
TEXTS = ("simulation", "plugins")  # objects of a document, fields with canonical JSON


@dataclass(frozen=True, kw_only=True)
class Run:
    """
    A method on an instance within limits.

    Attributes
    ----------
    instance, instance_sha256 : str
        The instance as given.
    solved_sha256 : str
        What the method is handed: the same, or the instance in the order `permutation` draws.
    permutation : int
        0 = as given.
    nodes, jobs : int
    method : str
        Canonical spelling.
    solver : str or None
    environment : str
        "" = the one that the command runs in.
    limits : Limits
        With the seed.
    output_limit_mb : float
    timing : "exclusive" | "shared"
    repetition : int
        From 1.
    simulation : str or None
        Options of a simulation, canonical JSON: the instance is a workload, the method a policy.
        None = the method solves the instance.
    mig : "scheduling", "placement", "reconfiguration" or None
        The instance is such a problem on MIG instances; nodes are its units or GPUs.
    plugins : str or None
        Distribution, version and sha256 of the source of each method of another package that it
        runs, canonical JSON.
    """

    instance: str
    instance_sha256: str
    solved_sha256: str
    permutation: int
    nodes: int
    jobs: int
    method: str
    solver: str | None
    environment: str
    limits: Limits
    output_limit_mb: float
    timing: str
    repetition: int
    simulation: str | None = None
    mig: str | None = None
    plugins: str | None = None

    @property
    def kind(self) -> Kind:
        """What the instance is."""
        if self.mig is not None:
            return MIG[self.mig]
        return "instance" if self.simulation is None else "workload"

    @property
    def options(self) -> dict[str, Any]:
        """Of its kind: those of a simulation, with the seed."""
        if self.simulation is None:
            return {}
        return {**json.loads(self.simulation), "seed": self.limits.seed}

    @cached_property
    def id(self) -> str:
        """The first 16 digits of the sha256 of what is asked."""
        asked = {**{name: getattr(self, name) for name in IDENTITY}, "limits": vars(self.limits)}
        texts = {name: getattr(self, name) for name in TEXTS}
        asked |= {name: json.loads(text) for name, text in texts.items() if text is not None}
        return sha256(canonical_text(asked).encode()).hexdigest()[:16]

    @property
    def label(self) -> str:
        """For people: method, environment and seed on an instance."""
        where = f" [{self.environment}]" if self.environment else ""
        return f"{self.method}{where} seed {self.limits.seed} on {self.instance}"

    def as_document(self) -> dict[str, Any]:
        """The run as `spec.json`."""
        fields = asdict(self)
        mig, texts = fields.pop("mig"), {name: fields.pop(name) for name in TEXTS}
        fields |= {name: json.loads(text) for name, text in texts.items() if text is not None}
        if mig is not None:
            fields["mig"] = mig
        return {"format": schema_files.name("spec"), "id": self.id, **fields}

    @staticmethod
    def of_document(document: dict[str, Any]) -> Run:
        """The run in a document that fits the schema."""
        fields = {key: value for key, value in document.items() if key not in ("format", "id")}
        texts = {name: canonical_text(fields[name]) for name in TEXTS if name in fields}
        return Run(**{**fields, **texts, "limits": Limits(**fields["limits"])})


def in_shard(run: Run, shard: tuple[int, int]) -> bool:
    """Whether a run belongs to part i of n, i from 1: by its id, so on every machine the same."""
    i, n = shard
    return int(run.id, 16) % n == i - 1


def in_order(runs: list[Run]) -> list[Run]:
    """
    Blocks in an order drawn from their content, and so the runs of each block.

    A block is an instance with a seed: its methods run near in time, so that a machine that slows
    down does not favour one of them.
    """

    def place(run: Run) -> tuple[str, int, str]:
        block = f"{run.instance_sha256}|{run.limits.seed}|{run.repetition}"
        return sha256(block.encode()).hexdigest(), run.limits.seed, run.id

    return sorted(runs, key=place)


def with_threads(limits: Limits, threads: int, seed: int) -> Limits:
    """The same limits for another number of threads and seed."""
    return replace(limits, threads=threads, seed=seed)

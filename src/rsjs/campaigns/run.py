"""One run of a campaign: what is asked, and the id that follows from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from rsjs.campaigns import schema_files
from rsjs.core.call import Limits
from rsjs.core.method import with_names
from rsjs.instances.io.serialization import canonical_text
from rsjs.runs.kinds.base import Kind

Isolation = Literal["process", "batch"]

# Of spec.json; they follow from the rest, which tells a run from others.
FOLLOWING = (
    *("instance", "instance_sha256", "permutation", "nodes", "jobs", "solver", "mig", "model"),
)
OF_SOME = ("kind", "kind_options", "plugins", "isolation")  # fields that others leave out


@dataclass(frozen=True, kw_only=True)
class Run:
    """A method on an instance within limits."""

    instance: str
    instance_sha256: str  # as given
    solved_sha256: str  # what the method is handed: in the order that `permutation` draws
    permutation: int  # 0 = as given
    nodes: int  # units or GPUs of a problem on MIG instances; rows of a model
    jobs: int  # columns of a model
    method: str  # canonical specification
    solver: str | None
    environment: str  # "" = the one that the command runs in
    limits: Limits  # with the seed
    output_limit_mb: float
    timing: str  # exclusive or shared
    repetition: int  # from 1
    kind: Kind = "instance"
    kind_options: Mapping[str, Any] = field(default_factory=dict, hash=False)  # without the seed
    plugins: str | None = None  # code of the methods of other packages that it runs, canonical JSON
    isolation: Isolation = "process"

    @property
    def options(self) -> dict[str, Any]:
        """Of its kind, with the seed: those of a simulation."""
        return {**self.kind_options, "seed": self.limits.seed} if self.kind_options else {}

    @property
    def timing_class(self) -> str:
        """exclusive, shared, or batch: seconds may be compared within a class only."""
        return "batch" if self.isolation == "batch" else self.timing

    @cached_property
    def id(self) -> str:
        """The first 16 digits of the sha256 of what is asked."""
        asked = {key: value for key, value in self._asked().items() if key not in FOLLOWING}
        return sha256(canonical_text(asked).encode()).hexdigest()[:16]

    def _asked(self) -> dict[str, Any]:
        """What spec.json says, some of it of some runs only."""
        fields = {key: value for key, value in asdict(self).items() if key not in OF_SOME}
        further = {
            "simulation": dict(self.kind_options),
            "plugins": None if self.plugins is None else json.loads(self.plugins),
            "isolation": "batch" if self.isolation == "batch" else None,
            "mig": self.kind.partition("mig_")[2],
            "model": self.kind == "model",
        }
        return fields | {key: value for key, value in further.items() if value}

    @property
    def shown(self) -> str:
        """Specification for people: programs by their names."""
        return with_names(self.method)

    @property
    def label(self) -> str:
        """For people: method, environment and seed on an instance."""
        where = f" [{self.environment}]" if self.environment else ""
        return f"{self.shown}{where} seed {self.limits.seed} on {self.instance}"

    def as_document(self) -> dict[str, Any]:
        """Return the run as `spec.json`."""
        return {"format": schema_files.name("spec"), "id": self.id, **self._asked()}

    @staticmethod
    def of_document(document: dict[str, Any]) -> Run:
        """Return the run in a document that fits the schema."""
        fields = {key: value for key, value in document.items() if key not in ("format", "id")}
        mig, options = fields.pop("mig", None), fields.pop("simulation", {})
        other = "model" if fields.pop("model", False) else "instance"
        fields["kind"] = "workload" if options else f"mig_{mig}" if mig else other
        if "plugins" in fields:
            fields["plugins"] = canonical_text(fields["plugins"])
        return Run(**{**fields, "limits": Limits(**fields["limits"])}, kind_options=options)


def in_order(runs: list[Run]) -> list[Run]:
    """
    Return runs of batches first, then blocks and their runs in an order drawn from content.

    A block is an instance with a seed: its methods run near in time, so that a machine that slows
    down does not favour one of them.
    """

    def place(run: Run) -> tuple[bool, str, int, str]:
        block = f"{run.instance_sha256}|{run.limits.seed}|{run.repetition}"
        digest = sha256(block.encode()).hexdigest()
        return run.isolation == "process", digest, run.limits.seed, run.id

    return sorted(runs, key=place)

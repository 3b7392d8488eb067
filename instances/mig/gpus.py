"""
GPUs that can be divided into MIG instances: profiles, and where on the GPU each may begin.

A GPU has memory slices in a row and compute slices. An instance of a profile takes adjacent
memory slices from one of its starts on, and compute slices wherever they are. The tables in
`data/mig-gpus.json` name their source; files of the same format override them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.io import nearest_first, read


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A MIG profile."""

    name: str  #: the same on all GPUs, e.g. "1g2m": one compute slice, two memory slices
    #: as nvidia-smi prints it. "1g.10gb" has one memory slice on a GPU of 80 GB, two on 40 GB
    label: str
    compute_slices: int
    memory_slices: int
    memory_mib: float  #: memory of an instance [MiB]; it depends on the driver
    starts: tuple[int, ...]  #: memory slices at which an instance may begin
    most: int  #: instances at a time on one GPU


@dataclass(frozen=True, slots=True, kw_only=True)
class MigGpu:
    """A model of GPU, its profiles in the order of its table."""

    name: str
    memory_slices: int
    compute_slices: int
    profiles: tuple[Profile, ...]

    def index(self, profile: str, pointer: str) -> int:
        """Return the place of the profile of that name; `pointer` is where the name stands."""
        names = [own.name for own in self.profiles]
        if profile not in names:
            raise InputError(pointer, profile, f"a profile of {self.name}: {', '.join(names)}")
        return names.index(profile)


def gpu_of(document: Document, pointer: str = "") -> MigGpu:
    """Build the GPU in a document that fits the schema; InputError if it makes no sense."""
    profiles = tuple(
        Profile(**{**_integral(row), "starts": tuple(map(int, row["starts"]))})
        for row in document["profiles"]
    )
    gpu = MigGpu(**{**_integral(document), "profiles": profiles})
    times = Counter(profile.name for profile in profiles)
    for i, profile in enumerate(profiles):
        where = f"{pointer}/profiles/{i}"
        if times[profile.name] > 1:
            raise InputError(f"{where}/name", profile.name, "a name of its own")
        last = gpu.memory_slices - profile.memory_slices
        for k, start in enumerate(profile.starts):
            if start > last or start in profile.starts[:k]:
                expected = f"a slice from 0 to {last}, once"
                raise InputError(f"{where}/starts/{k}", start, expected)
        if profile.compute_slices > gpu.compute_slices:
            expected = f"at most {gpu.compute_slices}, those of the GPU"
            raise InputError(f"{where}/compute_slices", profile.compute_slices, expected)
    return gpu


def _integral(row: Document) -> Document:
    """Return a row whose numbers of slices and instances are integers, 8.0 as 8."""
    integers = ("compute_slices", "memory_slices", "most")
    return row | {name: int(row[name]) for name in integers if name in row}


def document_of(gpu: MigGpu) -> Document:
    """Return the document of a GPU."""
    return asdict(gpu)


def read_gpus(path: str | Path) -> dict[str, MigGpu]:
    """Read the GPUs in an `rsjs-mig-gpus/1` file, by name."""

    def build(document: Document) -> dict[str, MigGpu]:
        gpus: dict[str, MigGpu] = {}
        for i, entry in enumerate(document["gpus"]):
            if entry["name"] in gpus:
                raise InputError(f"/gpus/{i}/name", entry["name"], "a name of its own")
            gpus[entry["name"]] = gpu_of(entry, f"/gpus/{i}")
        return gpus

    return read(path, "rsjs-mig-gpus/1", "mig-gpus", build)


@cache
def known_gpus() -> Mapping[str, MigGpu]:
    """Return the GPUs whose tables come with the package."""
    with as_file(files("rsjs.instances.mig") / "data" / "mig-gpus.json") as path:
        return read_gpus(path)


def gpu_named(name: str, gpus: Mapping[str, MigGpu] | None = None) -> MigGpu:
    """Return the GPU of that name, of those known or of others."""
    among = known_gpus() if gpus is None else gpus
    if name not in among:
        raise InputError("--gpu", name, f"one of {nearest_first(name, among)}")
    return among[name]

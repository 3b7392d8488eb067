"""A set as files in a folder: drawn, compared with the digests, resumed after an interruption."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from rsjs.core.errors import InputError
from rsjs.instances.io.files import (
    read_document,
    refuse_other_format,
    write_document,
    write_instance,
    write_workload,
)
from rsjs.instances.io.serialization import Document, digest
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library.sets import LICENCE, LibrarySet, Member
from rsjs.instances.mig.job_files import read_jobs, write_jobs

MANIFEST = "rsjs-set/1"
WRITERS: Mapping[str, Callable[[Any, Path], object]] = {
    "instances": write_instance,
    "workloads": write_workload,
    "MIG jobs": write_jobs,
}
MANIFEST_NAME = "manifest.json"


def fetch(
    chosen: LibrarySet, folder: str | Path, optima: Mapping[str, float] = MappingProxyType({})
) -> Iterator[tuple[Member, Literal["kept", "written"]]]:
    """
    Write each member to `<name>.json.gz`, then `manifest.json`.

    A file that is there and holds the member is kept; any other is written again.

    Parameters
    ----------
    optima : mapping
        sha256 -> cost, of instances that are closed.

    Yields
    ------
    (Member, "kept" | "written")

    Raises
    ------
    InputError
        If the digest of what was drawn is not that of the library, or another set is in the folder;
        nothing is written then.
    """
    folder = Path(folder)
    _refuse_other_set(chosen, folder / MANIFEST_NAME)
    for member in chosen.members:
        path = folder / file_name(member)
        if path.exists() and _digest(path, member) == member.sha256:
            yield member, "kept"
            continue
        WRITERS[member.kind](member.draw(), path)
        yield member, "written"
    write_document(manifest(chosen, optima), folder / MANIFEST_NAME)


def file_name(member: Member) -> str:
    """Return the file name of a member in the folder of its set."""
    return f"{member.name}.json.gz"


def manifest(chosen: LibrarySet, optima: Mapping[str, float]) -> Document:
    """Return the manifest: what is in the folder, its licence, and what made it."""
    return {
        "format": MANIFEST,
        "set": chosen.name,
        "summary": chosen.summary,
        "source": chosen.source,
        **({"seed_phrase_sha256": chosen.phrase_sha256} if chosen.phrase_sha256 else {}),
        "licence": LICENCE,
        "versions": {"rsjs-bench": version("rsjs-bench"), "numpy": np.__version__},
        "members": [
            {
                "file": file_name(member),
                "name": member.name,
                "sha256": member.sha256,
                "nodes": member.nodes,
                "jobs": member.jobs,
                "optimum": optima.get(member.sha256, member.optimum),
                "generator": member.generator,
                "parameters": dict(member.arguments),
            }
            for member in chosen.members
        ],
    }


def _refuse_other_set(chosen: LibrarySet, path: Path) -> None:
    """Refuse a folder with another set, or something else: two would have one manifest."""
    refuse_other_format(path, MANIFEST)
    try:
        other = read_json(path)["set"]
    except (InputError, KeyError, TypeError):  # not there, or damaged
        return
    if other != chosen.name:
        raise InputError("/set", other, f"{chosen.name}, or a folder of its own", path)


def _digest(path: Path, member: Member) -> str | None:
    """Return the digest of what is in a file; None if it cannot be read."""
    try:
        of_jobs = member.kind == "MIG jobs"
        return read_jobs(path).digest if of_jobs else digest(read_document(path))
    except InputError:
        return None

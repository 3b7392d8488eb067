"""What sets of jobs are made from: a configuration of ours, or one of the published program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rsjs.instances.errors import InputError, described, reason
from rsjs.instances.io.files import write_document
from rsjs.instances.io.serialization import Document, canonical_text
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.job_files import OURS, write_jobs
from rsjs.instances.mig.job_generator import config, generate
from rsjs.instances.mig.job_generator.config import MigConfig
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.konopa import config as legacy_config
from rsjs.instances.mig.konopa import generator as legacy

MANIFEST = "rsjs-mig-manifest/1"
MANIFEST_NAME = "manifest.json"
T = TypeVar("T")
LEGACY = "published generator (v1)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """
    Attributes
    ----------
    kind : str
        The format of the configuration.
    name : str
    document : the configuration as it was read
    seeds : tuple of int
    make : seed to set of jobs
    config : MigConfig or None
        A configuration of ours.
    """

    kind: str
    name: str
    document: Any
    seeds: tuple[int, ...]
    make: Callable[[int], JobSet] = field(repr=False)
    config: MigConfig | None = None


def read_source(path: str | Path, *, allow_plugins: bool = False) -> Source:
    """
    Read a configuration of either kind; one with a key `format` is ours.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    document = read_json(path, lenient=True)
    if isinstance(document, dict) and "format" in document:
        own = config.to_config(read_json(path), path, allow_plugins=allow_plugins)
        return Source(
            kind=config.MIG_CONFIG,
            name=own.name,
            document=own.document,
            seeds=own.seeds,
            make=lambda seed: _told(path, generate.generate, own, seed),
            config=own,
        )
    if not isinstance(document, dict) or not document.keys() & legacy_config.KEYS:
        found = described("no key 'format'")
        expected = f"{config.MIG_CONFIG!r}, or the keys of the published program"
        raise InputError("", found, expected, path)
    theirs = _told(path, legacy_config.to_config, document)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(path).name.removesuffix(".json")) or "jobs"
    return Source(
        kind=LEGACY,
        name=name,
        document=document,
        seeds=(theirs.seed,),
        make=lambda seed: _told(
            path,
            partial(legacy.generate, theirs, name=f"{name}-s{seed}", seed=seed, document=document),
        ),
    )


def _told(path: str | Path, call: Callable[..., T], *arguments: Any) -> T:
    """The result of a call; its errors name the file."""
    try:
        return call(*arguments)
    except InputError as error:
        raise error if error.file else error.at(path) from None


def write_sets(
    source: Source, seeds: Sequence[int], folder: str | Path, form: str = OURS
) -> Iterator[Document]:
    """
    Write one file per seed, then `manifest.json` with the digest of each; an old one goes first.

    Yields
    ------
    dict
        The line of a set in the manifest: seed, name, file, jobs, sha256 of the set and of the
        file.
    """
    folder, lines = Path(folder), []
    _remove(folder / MANIFEST_NAME)
    for seed in seeds:
        jobs = source.make(seed)
        name = f"{jobs.name}.json"
        written = write_jobs(jobs, folder / name, form)
        lines.append(
            {
                "seed": seed,
                "name": jobs.name,
                "file": name,
                "jobs": len(jobs),
                "sha256": written.digest,
                "file_sha256": written.file_sha256,
            }
        )
        yield lines[-1]
    write_document(manifest(source, form, lines), folder / MANIFEST_NAME)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError("", reason(error), "a file that can be replaced", path) from None


def manifest(source: Source, form: str, sets: Sequence[Document]) -> Document:
    """What made the sets, with which versions, and the digest of each."""
    own = source.config
    return {
        "format": MANIFEST,
        "config_format": source.kind,
        "config_sha256": sha256(canonical_text(source.document).encode()).hexdigest(),
        "form": form,
        "versions": {"rsjs-bench": version("rsjs-bench"), "numpy": np.__version__},
        "files": dict(sorted(own.files.items())) if own else {},
        "plugins": dict(sorted(own.plugins.items())) if own else {},
        "sets": list(sets),
    }

"""
Sets of jobs from a configuration: each field from a stream of uniforms of its own.

A job draws its class by weight, then its fields by the distributions of the class. Streams are
named by seed and field only (`random_streams`): another distribution of one field leaves all
others as they are, and the jobs of a smaller set are the first of a larger one. Numbers that are
not integers are rounded to 6 decimals, the last step.

Sets are also made from a configuration of the published program (`konopa`). `write_sets` notes in
`manifest.json` what made them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described, reason
from rsjs.core.types import Floats, Ints
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.io.files import refuse_other_format, write_document
from rsjs.instances.io.serialization import Document, canonical_text
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.io import built
from rsjs.instances.mig.job_files import OURS, write_jobs
from rsjs.instances.mig.job_generator import config
from rsjs.instances.mig.job_generator.arrivals import first_times
from rsjs.instances.mig.job_generator.config import MigConfig
from rsjs.instances.mig.job_generator.distributions import DECIMALS, pick
from rsjs.instances.mig.job_generator.memory import JOB, UNIT, JobRuns
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.jobs import LARGEST, JobSet
from rsjs.instances.mig.konopa import generator as konopa
from rsjs.instances.mig.konopa.files import CONFIG

GENERATOR = "mig-jobs"
MOST_UNITS = 2 * 10**7  # of run time in a set
_LEAST = {"priority": -LARGEST, "run_length": 1.0, "cuda_cores": 0.0}


@np.errstate(over="ignore")  # infinite values are refused
def generate(config: MigConfig, seed: int) -> JobSet:
    """
    Draw the set of jobs of a seed.

    Raises
    ------
    InputError
        If a distribution draws what its field cannot hold, e.g. a run length of 0.
    """
    times = first_times(config.arrivals, seed, config.count, config.horizon)
    if len(times) and not times[-1] <= LARGEST:
        expected = f"arrivals of at most {LARGEST:g}"
        raise config.arrivals.node.error(expected, value=_found(times[-1]))
    return _Drawing(config, seed, np.round(times, DECIMALS)).jobs()


class _Drawing:
    """One set of jobs as it is drawn, column by column."""

    def __init__(self, config: MigConfig, seed: int, arrival: Floats) -> None:
        self.config, self.seed, self.n = config, seed, len(arrival)
        weight = np.array([known.weight for known in config.classes])
        self.job_class = pick(self._uniforms("class").u, weight)[0].astype(np.int64)
        found = [np.flatnonzero(self.job_class == c) for c in range(len(weight))]
        self.parts = list(zip(config.classes, found, strict=True))
        self.columns: dict[str, NDArray[Any]] = {"arrival": arrival}

    def jobs(self) -> JobSet:
        columns = self.columns
        for name in _LEAST:
            columns[name] = self._integers(name)
        for name in ("interruptible", "migratable"):
            u = self._uniforms(name).u
            columns[name] = np.empty(self.n, dtype=np.bool_)
            for part, rows in self.parts:
                columns[name][rows] = u[rows] < getattr(part, name)
        columns["deadline"] = self._deadlines()
        memory = self._memory(columns["run_length"])
        extra = self._extra(memory)
        return JobSet(
            **columns,
            name=f"{self.config.name}-s{self.seed}",
            time_unit=self.config.time_unit,
            memory=memory,
            job_class=self.job_class,
            classes=tuple(part.name for part, _ in self.parts),
            extra=extra,
            generator=_record(self.config, self.seed),
        )

    def _uniforms(self, field: str) -> Uniforms:
        return Uniforms.of(self.seed, field, self.n)

    def _integers(self, name: str) -> Ints:
        source, column = self._uniforms(name), np.empty(self.n)
        for part, rows in self.parts:
            value = part.values[name]
            column[rows] = drawn = value.draw(source.taken(rows))
            refused = ~((drawn >= _LEAST[name]) & (drawn <= LARGEST)) | (drawn != np.rint(drawn))
            if refused.any():
                expected = f"integers from {_LEAST[name]:g} to {LARGEST:g}, e.g. by clip"
                raise value.node.error(expected, value=_found(drawn[refused][0]))
        return column.astype(np.int64)

    def _deadlines(self) -> Floats:
        source, column = self._uniforms("deadline"), np.full(self.n, inf)
        for part, rows in self.parts:
            kind, value = part.deadline
            if kind == "none":
                continue
            drawn = value.draw(source.taken(rows))
            if kind == "slack_factor":
                drawn = drawn * self.columns["run_length"][rows]
            if kind != "absolute":
                drawn = self.columns["arrival"][rows] + drawn
            if (refused := ~(np.abs(drawn) <= LARGEST)).any():
                expected = f"times of at most {LARGEST:g}"
                raise value.node.error(expected, value=_found(drawn[refused][0]))
            column[rows] = np.round(drawn, DECIMALS)
        return column

    def _memory(self, run_length: Ints) -> Floats:
        if (total := int(run_length.sum())) > MOST_UNITS:
            shown = described(f"{total} time units of run time in a set")
            place = self.parts[0][0].values["run_length"].node
            raise place.error(f"at most {MOST_UNITS}", value=shown)
        jobs, units = self._uniforms(JOB), Uniforms.of(self.seed, UNIT, total)
        if len(self.parts) == 1:
            runs = JobRuns(run_length=run_length, jobs=jobs, units=units)
            return np.round(self.parts[0][0].memory.draw(runs), DECIMALS)
        # Each class fills the time units of its jobs from the streams of the whole set.
        memory, owner = np.empty(total), np.repeat(self.job_class, run_length)
        for c, (part, rows) in enumerate(self.parts):
            own = np.flatnonzero(owner == c)
            runs = JobRuns(
                run_length=run_length[rows], jobs=jobs.taken(rows), units=units.taken(own)
            )
            memory[own] = part.memory.draw(runs)
        return np.round(memory, DECIMALS)

    def _extra(self, memory: Floats) -> dict[str, tuple[Any, ...]]:
        names = sorted({name for part, _ in self.parts for name in part.extra})
        if not names:
            return {}
        length = self.columns["run_length"]
        begin = np.cumsum(length) - length
        known = self.columns | {"peak": np.maximum.reduceat(memory, begin) if self.n else memory}
        return {name: tuple(self._field(name, known)) for name in names}

    def _field(self, name: str, known: dict[str, NDArray[Any]]) -> list[Any]:
        source, column = self._uniforms(f"extra {name}"), [None] * self.n
        for part, rows in self.parts:
            if name in part.extra:
                own = {field: values[rows] for field, values in known.items()}
                drawn = part.extra[name].draw(own, source.taken(rows))
                for j, entry in zip(rows.tolist(), drawn, strict=True):
                    column[j] = entry
        return column


def _record(config: MigConfig, seed: int) -> dict[str, Any]:
    """Return what makes the set again: the configuration but for its seeds and its remarks."""
    kept = {
        key: entry
        for key, entry in config.document.items()
        if key != "seeds" and not key.startswith("x-")
    }
    parameters: dict[str, Any] = {"config": kept, "seed": seed}
    if config.files:
        parameters["files"] = dict(sorted(config.files.items()))
    if config.plugins:
        parameters["plugins"] = dict(sorted(config.plugins.items()))
    return made_by(GENERATOR, **parameters)


def _found(number: np.float64) -> float:
    whole = number.is_integer() and abs(number) <= LARGEST
    return int(number) if whole else float(number)


MANIFEST = "rsjs-mig-manifest/1"
MANIFEST_NAME = "manifest.json"
LEGACY = "published generator (v1)"


@dataclass(frozen=True, kw_only=True, eq=False)
class JobSource:
    """Source of sets of jobs: a configuration of ours, or of the published program."""

    kind: str  #: the format of the configuration
    name: str
    document: Any  #: the configuration as it was read
    seeds: tuple[int, ...]
    make: Callable[[int], JobSet] = field(repr=False)  #: seed -> set of jobs
    config: MigConfig | None = None  #: of a configuration of ours


def read_source(path: str | Path, *, allow_plugins: bool = False) -> JobSource:
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
        return JobSource(
            kind=config.MIG_CONFIG,
            name=own.name,
            document=own.document,
            seeds=own.seeds,
            make=lambda seed: built(own, lambda config: generate(config, seed), path),
            config=own,
        )
    if not isinstance(document, dict) or not document.keys() & CONFIG.keys():
        found = described("no key 'format'")
        expected = f"{config.MIG_CONFIG!r}, or the keys of the published program"
        raise InputError("", found, expected, path)
    theirs = built(document, konopa.to_config, path)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(path).name.removesuffix(".json")) or "jobs"

    def make(seed: int) -> JobSet:
        return konopa.generate(theirs, name=f"{name}-s{seed}", seed=seed, document=document)

    return JobSource(
        kind=LEGACY,
        name=name,
        document=document,
        seeds=(theirs.seed,),
        make=lambda seed: built(seed, make, path),
    )


def write_sets(
    source: JobSource, seeds: Sequence[int], folder: str | Path, form: str = OURS
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
    refuse_other_format(folder / MANIFEST_NAME, MANIFEST)
    try:
        (folder / MANIFEST_NAME).unlink(missing_ok=True)
    except OSError as error:
        expected = "a file that can be replaced"
        raise InputError("", reason(error), expected, folder / MANIFEST_NAME) from None
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
    files, plugins = (source.config.files, source.config.plugins) if source.config else ({}, {})
    manifest = {
        "format": MANIFEST,
        "config_format": source.kind,
        "config_sha256": sha256(canonical_text(source.document).encode()).hexdigest(),
        "form": form,
        "versions": {"rsjs-bench": version("rsjs-bench"), "numpy": np.__version__},
        "files": dict(sorted(files.items())),
        "plugins": dict(sorted(plugins.items())),
        "sets": lines,
    }
    write_document(manifest, folder / MANIFEST_NAME)

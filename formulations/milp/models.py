"""
The solver track: frozen model files, made here from recipes and compared with their digests.

`data/models.csv` has a line per model:

    name            of the file, without .mps.gz
    generator, arguments, instance_sha256   the instance or workload, as in the library, or problem
                    of MIG
    method          the formulation: a method, the kind of the problem of MIG, or workload_steps
    rows, columns, nonzeros, integers       size of the model
    text_sha256     of the text of the MPS file
    objective, bound    the lowest checked cost known, and the greatest bound that is proved for the
                        problem: the model has the same optimum [$; of MIG GPUs or minutes]
    bound_by        what proved the bound: the best-known values, or a method, mostly an exact
                    reformulation

`benchmarks/solver_track.py` adds models. What solvers make of them is a campaign, `rsjs run
solver-track`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described, nearest
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.milp.export import ModelFile, Problem, built, export
from rsjs.formulations.milp.matrix import MatrixModel
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import refuse_other_format, write_document
from rsjs.instances.io.serialization import Document
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library import sets
from rsjs.instances.mig import problems

SUFFIX = ".mps.gz"
MANIFEST, MANIFEST_NAME = "rsjs-models/1", "manifest.json"
SIZES = ("rows", "columns", "nonzeros", "integers")
PROVED = 1e-6  # relative gap up to which an optimum is known


@dataclass(frozen=True, kw_only=True)
class TrackModel:
    """A model of the solver track."""

    name: str
    generator: str
    arguments: dict[str, Any]
    instance_sha256: str
    method: str
    rows: int
    columns: int
    nonzeros: int
    integers: int
    text_sha256: str
    objective: float | None  #: lowest checked cost known
    bound: float | None  #: greatest valid bound known
    bound_by: str  #: what proved it

    @property
    def closed(self) -> bool:
        """Whether the optimum is known."""
        if self.objective is None or self.bound is None:
            return False
        return self.objective - self.bound <= PROVED * max(1.0, abs(self.objective))

    def problem(self) -> Problem:
        """Draw the instance or problem; InputError if its digest is not that of the recipe."""
        problem = drawn(self.generator, self.arguments)
        sets.refuse_other(problem, self.instance_sha256)
        return problem

    @cached_property
    def matrix(self) -> MatrixModel:
        """Build its matrix; InputError if it has another size than the one of the file."""
        from rsjs.formulations.milp.from_pyomo import from_pyomo

        matrix = from_pyomo(built(self.method, self.problem(), {})[0])[0]
        for name, size in matrix.counts.items():
            if size != getattr(self, name):
                expected = f"{getattr(self, name)}: this version builds another model"
                raise InputError(f"/{name}", size, expected, self.name)
        return matrix

    @property
    def digest(self) -> str:
        """sha256 of the text of its file."""
        return self.text_sha256

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of the solvers of the suite that take its columns."""
        needed = {Feature.CONTINUOUS} if self.integers < self.columns else set()
        return tuple(name for name, one in BACKENDS.items() if needed <= one.features)


def drawn(generator: str, arguments: Mapping[str, Any]) -> Problem:
    """Return what a recipe says; see `library.sets.draw` and `mig.problems.draw`."""
    if generator in problems.KINDS:
        return problems.draw(generator, arguments, sets.mig_config)
    problem = sets.draw(generator, arguments)
    assert isinstance(problem, Instance | Workload), "models are of instances and workloads"
    return problem


@cache
def models() -> tuple[TrackModel, ...]:
    """Return all models of the solver track, in the order of the file."""
    text = (files("rsjs.formulations") / "data" / "models.csv").read_text("utf-8")
    return tuple(
        TrackModel(
            name=row["name"],
            generator=row["generator"],
            arguments=json.loads(row["arguments"]),
            instance_sha256=row["instance_sha256"],
            method=row["method"],
            rows=int(row["rows"]),
            columns=int(row["columns"]),
            nonzeros=int(row["nonzeros"]),
            integers=int(row["integers"]),
            text_sha256=row["text_sha256"],
            objective=float(row["objective"]) if row["objective"] else None,
            bound=float(row["bound"]) if row["bound"] else None,
            bound_by=row["bound_by"],
        )
        for row in csv.DictReader(text.splitlines())
    )


def chosen(patterns: Sequence[str]) -> list[TrackModel]:
    """
    Return the models whose names one of the patterns fits, `*` and `?` are wild; all without any.

    InputError for a pattern that fits none.
    """
    known = {model.name: model for model in models()}
    fitting = set[str]()
    for pattern in patterns:
        found = {name for name in known if fnmatchcase(name, pattern)}
        if not found:
            expected = f"a model, e.g. {nearest(pattern, known)} (rsjs list models)"
            raise InputError("", pattern, expected)
        fitting |= found
    return [model for name, model in known.items() if name in fitting or not patterns]


def fetch(wanted: Sequence[TrackModel], folder: Path) -> Iterator[tuple[TrackModel, ModelFile]]:
    """
    Write the files of models, each compared with its digest; yield each when it is written.

    Last comes the manifest: of each model in the folder file, digest, recipe, size and optimum.

    Raises
    ------
    InputError
        If what is written here is not what the recipe says; no file is left of it then. If the
        manifest there is of another format; nothing is written then.
    """
    refuse_other_format(folder / MANIFEST_NAME, MANIFEST)
    folder.mkdir(parents=True, exist_ok=True)
    for model in wanted:
        path, partial = folder / f"{model.name}{SUFFIX}", folder / f".{model.name}{SUFFIX}"
        try:
            written = export(model.method, model.problem(), {}, partial)
            if written.text_sha256 != model.text_sha256:
                found = described(f"the text of {model.name} with sha256 {written.text_sha256}")
                raise InputError("/text_sha256", found, model.text_sha256, path)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        yield model, replace(written, path=path)
    there = {model.name for model in wanted} | _listed(folder)
    here = [model for model in models() if model.name in there]
    write_document(_manifest(here), folder / MANIFEST_NAME)


def _listed(folder: Path) -> set[str]:
    """Return the models that a manifest lists with the digests of here, whose files are there."""
    try:
        entries = {
            one["name"]: one["sha256"] for one in read_json(folder / MANIFEST_NAME)["models"]
        }
    except (InputError, KeyError, TypeError):  # not there, or damaged
        return set()
    return {
        model.name
        for model in models()
        if entries.get(model.name) == model.text_sha256
        and (folder / f"{model.name}{SUFFIX}").exists()
    }


def _manifest(listed: Sequence[TrackModel]) -> Document:
    """Return what is in a folder of models, its licence, and what made it."""
    return {
        "format": MANIFEST,
        "licence": sets.LICENCE,
        "versions": {"rsjs-bench": version("rsjs-bench")},
        "models": [
            {
                "file": f"{model.name}{SUFFIX}",
                "name": model.name,
                "sha256": model.text_sha256,
                "formulation": model.method,
                **{key: getattr(model, key) for key in SIZES},
                "objective": model.objective,
                "bound": model.bound,
                "bound_by": model.bound_by,
                "generator": model.generator,
                "parameters": model.arguments,
                "instance_sha256": model.instance_sha256,
            }
            for model in listed
        ],
    }

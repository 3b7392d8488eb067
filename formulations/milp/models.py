"""
The solver track: frozen model files, made here from recipes and compared with their digests.

`data/models.csv` has a line per model:

    name            of the file, without .mps.gz
    generator, arguments, instance_sha256   the instance, as in the library
    method          the formulation
    rows, columns, nonzeros, integers       size of the model
    text_sha256     of the text of the MPS file
    objective, bound    [$] the lowest checked cost known, and the greatest bound that an exact
                        reformulation proves for the instance: the model has the same optimum

What solvers make of them is a campaign, `rsjs run solver-track`, which runs the formulations on the
instances with one solver after the other.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described, nearest
from rsjs.formulations.milp.export import ModelFile, export
from rsjs.instances.instance import Instance
from rsjs.instances.library.sets import draw, refuse_other

SUFFIX = ".mps.gz"
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
    objective: float  #: [$] lowest checked cost known
    bound: float  #: [$] greatest valid bound known

    @property
    def closed(self) -> bool:
        """Whether the optimum is known."""
        return self.objective - self.bound <= PROVED * max(1.0, abs(self.objective))

    def instance(self) -> Instance:
        """
        Draw the instance.

        InputError if its digest is not that of the recipe.
        """
        instance = draw(self.generator, self.arguments)
        refuse_other(instance, self.instance_sha256)
        assert isinstance(instance, Instance), "models are of instances"
        return instance


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
            objective=float(row["objective"]),
            bound=float(row["bound"]),
        )
        for row in csv.DictReader(text.splitlines())
    )


def chosen(names: Sequence[str]) -> list[TrackModel]:
    """
    Return models by name, all without names.

    InputError for a name that there is not.
    """
    known = {model.name: model for model in models()}
    for name in names:
        if name not in known:
            raise InputError("", name, f"a model, e.g. {nearest(name, known)} (rsjs list models)")
    return [known[name] for name in names] if names else list(models())


def fetch(wanted: Sequence[TrackModel], folder: Path) -> Iterator[tuple[TrackModel, ModelFile]]:
    """
    Write the files of models, each compared with its digest; yield each when it is written.

    Raises
    ------
    InputError
        If what is written here is not what the recipe says; the file is removed then.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for model in wanted:
        path = folder / f"{model.name}{SUFFIX}"
        written = export(model.method, model.instance(), {}, path)
        if written.text_sha256 != model.text_sha256:
            path.unlink()
            found = described(f"the text of {model.name} with sha256 {written.text_sha256}")
            raise InputError("/text_sha256", found, model.text_sha256, path)
        yield model, written

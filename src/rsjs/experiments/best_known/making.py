"""How an instance is made again: by its generator, or from a file that is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.folder import instance_path
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_instance
from rsjs.instances.library.sets import GENERATORS


def made_by(instance: Instance) -> dict[str, Any] | None:
    """Generator, version and parameters that draw this very instance; None if none do."""
    block = instance.generator
    if block.get("name") not in GENERATORS:
        return None
    found = {
        "generator": block["name"],
        "version": str(block.get("version", "")),
        "parameters": dict(sorted(block.get("parameters", {}).items())),
    }
    try:
        return found if make(found).digest == instance.digest else None
    except InputError:  # parameters of a workload, or of another version
        return None


def made_again(entry: BestKnown, folder: Path) -> Instance:
    """
    The instance of an entry, from its generator or the file in the folder.

    Raises
    ------
    InputError
        If it cannot be made, or is another one by its sha256.
    """
    if entry.made_by is None:
        instance = read_instance(instance_path(folder, entry.instance))
    else:
        instance = make(entry.made_by)
    if instance.digest != entry.sha256:
        version = "" if entry.made_by is None else f" as drawn by {entry.made_by['version']}"
        expected = f"{entry.sha256}{version}"
        raise InputError("/sha256", instance.digest, expected)
    return instance


def make(recipe: Mapping[str, Any]) -> Instance:
    """The instance that a generator draws."""
    name = recipe["generator"]
    if name not in GENERATORS:
        raise InputError("/made_by/generator", name, f"one of {', '.join(GENERATORS)}")
    try:
        return GENERATORS[name](**recipe["parameters"])
    except TypeError as error:
        found = described(str(error))
        raise InputError("/made_by/parameters", found, f"parameters of {name}") from None

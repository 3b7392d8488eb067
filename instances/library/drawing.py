"""Drawing members of sets: each generator by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import as_file
from typing import Any

from rsjs.instances.errors import InputError
from rsjs.instances.generators import andreas, jahani, kiros, planted, sts
from rsjs.instances.instance import Instance
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library.recipes import MIG, data
from rsjs.instances.mig.job_generator import generate
from rsjs.instances.mig.job_generator.config import MigConfig, to_config
from rsjs.instances.mig.jobs import JobSet

GENERATORS: Mapping[str, Callable[..., Instance]] = {
    "jahani": jahani.generate,
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": sts.generate,
    "planted": planted.generate,
}


def draw(name: str, arguments: Mapping[str, Any]) -> Instance | JobSet:
    """The instance, or set of MIG jobs, that a generator makes of its arguments."""
    if name == MIG:
        return generate.generate(mig_config(arguments["config"]), arguments["seed"])
    return GENERATORS[name](**arguments)


def refuse_other(subject: Instance | JobSet, sha256: str) -> None:
    """Raise InputError if what was drawn is not what is in the library."""
    if subject.digest != sha256:
        expected = f"{sha256}, the digest of {subject.name} in the library"
        raise InputError("/sha256", subject.digest, expected)


@cache
def mig_config(name: str) -> MigConfig:
    """A configuration in `data/mig`."""
    with as_file(data() / "mig" / name) as path:
        return to_config(read_json(path), path)

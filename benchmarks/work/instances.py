"""Generating, reading, writing and checking instances: what every run pays."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.cases import GENERATORS, LARGE, OPTIONS, Work, instance_of
from rsjs.bks.exact_cost import exact_verdict
from rsjs.heuristics.greedy import greedy
from rsjs.instances.check import check
from rsjs.instances.instance import FAMILIES, Instance
from rsjs.instances.io import files, gpuscheduler_csv, serialization
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.instances.transform import permuted

FOLDER = tempfile.TemporaryDirectory()  # of this process
DRAWN: Mapping[str, tuple[str, dict[str, str]]] = {  # name: family, options
    "jahani networks": ("jahani", {"times": "networks"}),
    **{family: (family, {}) for family in ("jahani", "kiros", "andreas", "sts")},
}


@cache
def stored(family: str, suffix: str) -> tuple[Instance, Solution, Path, Path]:
    """Return an instance at 100 x 400, a solution of greedy, and files of both."""
    instance = instance_of(family, LARGE)
    solution = select_required_nodes(instance, greedy.decide(instance, "code"))
    paths = [Path(FOLDER.name) / f"{family}-{what}{suffix}" for what in ("instance", "solution")]
    files.write_instance(instance, paths[0])
    files.write_solution(solution, instance.digest, paths[1])
    return instance, solution, *paths


def fingerprint(instance: Instance) -> dict[str, float]:
    """Return the start of a digest as a number: any change of an instance changes it."""
    return {"digest": int(instance.digest[:12], 16)}


def _generate(name: str, size: str) -> Work:
    family, options = DRAWN[name]
    nodes, jobs = map(int, size.split(" x "))
    given = {**OPTIONS.get(family, {}), **options}
    return Work(
        run=lambda: GENERATORS[family](nodes=nodes, jobs=jobs, seed=1, **given),
        values=fingerprint,
    )


def _read(family: str, suffix: str) -> Work:
    *_, path, _ = stored(family, suffix)
    return Work(run=lambda: files.read_instance(path), values=fingerprint)


def _read_solution(family: str, suffix: str) -> Work:
    instance, *_, path = stored(family, suffix)
    return Work(
        run=lambda: files.read_solution(path),
        values=lambda read: {"same": int(read.instance_digest == instance.digest)},
    )


def _write(family: str, suffix: str) -> Work:
    instance, *_ = stored(family, suffix)
    path = Path(FOLDER.name) / f"written{suffix}"
    return Work(
        run=lambda: files.write_instance(instance, path),
        values=lambda _: fingerprint(files.read_instance(path)),
    )


def _check(family: str, *, first: bool) -> Work:
    """First: with the instance's own checks and its cost tables."""
    instance, solution, *_ = stored(family, ".json")
    return Work(
        run=lambda: check(replace(instance) if first else instance, solution),
        values=lambda verdict: {"cost": verdict.objective},
    )


def _exact_check(family: str) -> Work:
    """With the reading of both texts."""
    instance, solution, *_ = stored(family, ".json")
    documents = (
        serialization.of_instance(instance),
        serialization.of_solution(solution, instance.digest),
    )
    texts = [serialization.canonical_text(document) for document in documents]
    return Work(
        run=lambda: exact_verdict(*texts),
        values=lambda verdict: {"cost": float(verdict.objective)},
    )


def _of_instance(family: str, call: Callable[[Instance], Any]) -> Work:
    instance, *_ = stored(family, ".json")
    return Work(run=lambda: call(instance), values=lambda _: {"jobs": len(instance.jobs)})


def _csv(*, reads: bool) -> Work:
    """The three files of the authors' program, of 400 jobs that may take every node type."""
    folder = Path(FOLDER.name) / "triple"
    folder.mkdir(exist_ok=True)
    instance = replace(instance_of("kiros", LARGE), objective=FAMILIES["gpuscheduler"], H=0.0)
    gpuscheduler_csv.write(instance, folder)
    call = gpuscheduler_csv.read_any if reads else partial(gpuscheduler_csv.write, instance)
    return Work(run=lambda: call(folder), values=lambda _: {"jobs": len(instance.jobs)})


_CHECKED = ("jahani", "kiros", "andreas", "sts")
WORK: Mapping[str, Callable[[], Work]] = {
    **{
        f"generate {name} {size}": partial(_generate, name, size)
        for name in DRAWN
        for size in (LARGE, "1000 x 4000")
    },
    **{
        f"{call.__name__.strip('_')} {family} {suffix}": partial(call, family, suffix)
        for call in (_read, _write, _read_solution)
        for family in ("jahani", "sts")
        for suffix in (".json", ".json.gz")
    },
    **{f"check {family}": partial(_check, family, first=False) for family in _CHECKED},
    **{f"first check {family}": partial(_check, family, first=True) for family in _CHECKED},
    **{f"exact check {family}": partial(_exact_check, family) for family in _CHECKED},
    **{
        f"digest {family}": partial(
            _of_instance, family, lambda one: serialization.digest(serialization.of_instance(one))
        )
        for family in _CHECKED
    },
    **{f"permute {f}": partial(_of_instance, f, lambda one: permuted(one, 1)) for f in _CHECKED},
    "read csv": partial(_csv, reads=True),
    "write csv": partial(_csv, reads=False),
}

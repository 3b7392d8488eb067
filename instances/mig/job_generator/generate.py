"""
Sets of jobs from a configuration: each field from a stream of uniforms of its own.

A job draws its class by weight, then its fields by the laws of the class. Streams are named by
seed and field only (`uniforms`): other laws of one field leave all others as they are, and the
jobs of a smaller set are the first of a larger one. Numbers that are not integers are rounded to
6 decimals, the last step.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.errors import described
from rsjs.instances.generators.provenance import made_by
from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.mig.job_generator.arrivals import first_times
from rsjs.instances.mig.job_generator.config import MigConfig
from rsjs.instances.mig.job_generator.distributions import pick
from rsjs.instances.mig.job_generator.fields import DECIMALS
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.job_generator.runs import JOB, UNIT, Runs
from rsjs.instances.mig.jobs import LARGEST, JobSet

Rows = NDArray[np.int64]
GENERATOR = "mig-jobs"
MOST_UNITS = 2 * 10**7  # of run time in a set
_LEAST = {"priority": -LARGEST, "run_length": 1.0, "cuda_cores": 0.0}


@np.errstate(over="ignore")  # infinite values are refused
def generate(config: MigConfig, seed: int) -> JobSet:
    """
    The set of jobs of a seed.

    Raises
    ------
    InputError
        If a law draws what its field cannot hold, e.g. a run length of 0.
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

    def _integers(self, name: str) -> Rows:
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

    def _memory(self, run_length: Rows) -> Floats:
        if (total := int(run_length.sum())) > MOST_UNITS:
            shown = described(f"{total} time units of run time in a set")
            place = self.parts[0][0].values["run_length"].node
            raise place.error(f"at most {MOST_UNITS}", value=shown)
        jobs, units = self._uniforms(JOB), Uniforms.of(self.seed, UNIT, total)
        if len(self.parts) == 1:
            runs = Runs(run_length=run_length, jobs=jobs, units=units)
            return np.round(self.parts[0][0].memory.draw(runs), DECIMALS)
        memory, owner = np.empty(total), np.repeat(self.job_class, run_length)
        for c, (part, rows) in enumerate(self.parts):
            own = np.flatnonzero(owner == c)
            runs = Runs(run_length=run_length[rows], jobs=jobs.taken(rows), units=units.taken(own))
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
    """What makes the set again: the configuration but for its seeds and its remarks."""
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

"""
The published job generator: M. Konopa, J. Fesl, L. Beranek, "Job generator for evaluating and
comparing scheduling algorithms for modern GPU clouds", 2025.

One stream of `java.util.Random(seed)`. For each job in turn: priority, interruptible, deadline,
run length n, memory of n time units, CUDA cores, gap to the previous arrival (the first job
comes one gap after 0). A fixed property draws nothing. With G standard normal,

    [mu + sd G]             cut towards zero, to 32 bits; above 2^24 rounded to single precision
    priority, run length,   uniform on low, ..., high;  normal: max(1, [mu + sd G])
    CUDA cores
    deadline                uniform on low, ..., high;  normal: drawn, and 0 is taken
    memory, first or        uniform on low, ..., high - 1;  normal: |[mu + sd G]|
    independent
    memory, dependent       uniform on max(0, prev - h), ..., prev + h - 1 for
                            h = floor((high - low) / 2);  normal: max(0, [prev + sd G])
    interruptible           U < p, U a single
    gap                     uniform on low, ..., high;  Poisson process: -ln(1 - U) / rate

The source as published does this. The published dataset was made otherwise: its gaps come from a
second stream; see `published`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from math import floor, log, trunc
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.konopa.config import INT, Fixed, KonopaConfig, Law, Normal, Poisson, Uniform
from rsjs.instances.mig.konopa.java_random import JavaRandom

Draw = Callable[[JavaRandom], int]
MOST_UNITS = 10**7  # of run time in a set
NO_DEADLINE = -1  # as the program writes it
_EXACT_SINGLE = 2**24


def generate(
    config: KonopaConfig,
    *,
    name: str,
    seed: int | None = None,
    arrival_seed: int | None = None,
    document: Any = None,
) -> JobSet:
    """
    The jobs of a configuration.

    Parameters
    ----------
    name : str
        Name of the set.
    seed : int, optional
        Instead of the configuration's.
    arrival_seed : int, optional
        Of a stream of its own for the gaps; without, they come from the one stream.
    document : JSON, optional
        The configuration as it was read, for the record.
    """
    seed = config.seed if seed is None else seed
    stream = JavaRandom(seed)
    gaps = stream if arrival_seed is None else JavaRandom(arrival_seed)
    priority, cores = _value(config.priority), _value(config.cuda_cores)
    length, deadline = _value(config.run_length), _deadline(config.deadline)
    interruptible, gap = _coin(config.interruptible), _gap(config.gap)
    first, following = _memory(config.memory), _following(config)
    rows: list[tuple[int, bool, int, int, int, float]] = []
    memory: list[int] = []
    clock = 0.0
    for _ in range(config.jobs):
        drawn = priority(stream), interruptible(stream), deadline(stream)
        n = length(stream)
        if len(memory) + n > MOST_UNITS:
            shown = described(f"more than {MOST_UNITS} time units of run time")
            raise InputError("/maxTimeslicesNumberConfigSettings", shown, "fewer")
        used = first(stream)
        memory.append(used)
        for _ in range(n - 1):
            used = following(stream, used)
            memory.append(used)
        k = cores(stream)
        clock += gap(gaps)
        rows.append((*drawn, n, k, clock))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    parameters = {"config": document, "seed": seed} if document is not None else {"seed": seed}
    if arrival_seed is not None:
        parameters["arrival_seed"] = arrival_seed
    return JobSet(
        name=name,
        time_unit="minute",
        arrival=np.array(columns[5], dtype=np.float64),
        priority=np.array(columns[0], dtype=np.int64),
        run_length=np.array(columns[3], dtype=np.int64),
        memory=np.array(memory, dtype=np.float64),
        cuda_cores=np.array(columns[4], dtype=np.int64),
        interruptible=np.array(columns[1], dtype=np.bool_),
        migratable=np.ones(config.jobs, dtype=np.bool_),
        deadline=deadlines(columns[2]),
        job_class=np.zeros(config.jobs, dtype=np.int64),
        classes=("all",),
        generator=made_by("mig-legacy", **parameters),
    )


def deadlines(values: Sequence[int]) -> Floats:
    """Deadlines as the program writes them, as those of a set of jobs."""
    column = np.array(values, dtype=np.float64)
    return np.where(column == NO_DEADLINE, np.inf, column)


def _dropped(drawn: float) -> int:
    """What the program writes for a normal deadline."""
    return 0


def _value(law: Law) -> Draw:
    match law:
        case Fixed(value):
            return lambda stream: value
        case Uniform(low, high):
            return lambda stream: stream.integer(low, high + 1)
        case Normal(mean, deviation):
            return lambda stream: max(1, _integer(stream.normal(mean, deviation)))


def _deadline(law: Law | None) -> Draw:
    match law:
        case None:
            return lambda stream: NO_DEADLINE
        case Normal(mean, deviation):
            return lambda stream: _dropped(stream.normal(mean, deviation))
        case _:
            return _value(law)


def _memory(law: Law) -> Draw:
    match law:
        case Fixed(value):
            return lambda stream: value
        case Uniform(low, high):
            return lambda stream: stream.integer(low, high)
        case Normal(mean, deviation):
            return lambda stream: abs(_integer(stream.normal(mean, deviation)))


def _following(config: KonopaConfig) -> Callable[[JavaRandom, int], int]:
    """The law of the memory of a time unit after the first, given the one before."""
    if not config.memory_depends:
        same = _memory(config.memory)
        return lambda stream, previous: same(stream)
    match config.memory:
        case Uniform(low, high):
            half = (high - low) // 2
            return lambda stream, previous: stream.integer(max(0, previous - half), previous + half)
        case Normal(_, deviation):
            return lambda stream, previous: max(0, _integer(stream.normal(previous, deviation)))
        case Fixed(value):
            return lambda stream, previous: value


def _coin(setting: bool | float) -> Callable[[JavaRandom], bool]:
    if isinstance(setting, bool):
        return lambda stream: setting
    return lambda stream: stream.uniform_single() < setting


def _gap(law: Fixed | Uniform | Poisson) -> Callable[[JavaRandom], float]:
    match law:
        case Poisson(rate):
            return lambda stream: -log(1 - stream.uniform()) / rate
        case _:
            return _value(law)


def _integer(value: float) -> int:
    """Math.round((float) (int) value), as Java has it."""
    number = trunc(min(max(value, INT[0]), INT[1]))
    if abs(number) <= _EXACT_SINGLE:
        return number
    single: float = struct.unpack("f", struct.pack("f", number))[0]
    return min(floor(single + 0.5), INT[1])

"""
The published job generator, ported number for number, and its configuration.

M. Konopa, J. Fesl, L. Beranek, "Job generator for evaluating and comparing scheduling algorithms
for modern GPU clouds", 2025; the configuration is their Table 1.

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
second stream (`files`).

The configuration is one JSON object; keys are case-sensitive, the words of `type` and
`distributionType` are not; unknown keys are ignored; a comma may stand before a closing bracket;
fractions are cut where an integer is expected. Every key is required. What the program would fail
on while it draws, or draw without sense (a run shorter than one time unit, negative memory,
arrivals that go back), is refused when it is read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log, trunc
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.core.types import Floats
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.konopa.java_random import JavaRandom


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """A value of the configuration and its JSON pointer, read as the program reads it."""

    value: Any
    pointer: str

    def at(self, key: str) -> ConfigEntry:
        """Return the entry under a key, which must be there."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        if key not in self.value:
            raise InputError(self.pointer, described(f"no key {key!r}"), "this key")
        return ConfigEntry(self.value[key], f"{self.pointer}/{key}")

    def word(self, *known: str) -> str:
        """Return one of some words, whatever their case."""
        found = {word.lower(): word for word in known}.get(str(self.value).lower())
        if not isinstance(self.value, str) or found is None:
            raise self.error(f"one of {', '.join(known)}")
        return found

    def number(self, least: float, most: float) -> float:
        """Return a number in a range."""
        expected = f"a number >= {least:g} and <= {most:g}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(expected)
        if not least <= self.value <= most:
            raise self.error(expected)
        return float(self.value)

    def integer(self, least: int, most: int) -> int:
        """Return an integer in a range; a fraction is cut, as Java does."""
        expected = f"an integer >= {least} and <= {most}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(expected)
        number = trunc(self.value)
        if not least <= number <= most:
            raise self.error(expected)
        return number

    def error(self, expected: str) -> InputError:
        """Return an error at this pointer."""
        value = described("an object") if isinstance(self.value, dict) else self.value
        return InputError(self.pointer, value, expected)


INT = (-(2**31), 2**31 - 1)
LONG = (-(2**63), 2**63 - 1)
MOST_JOBS = 10**7
KEYS = frozenset(
    {
        "priorityConfigSettings",
        "deadlineConfigSettings",
        "maxRamUsageConfigSettings",
        "maxTimeslicesNumberConfigSettings",
        "stoppabilityConfigSettings",
        "cudaCoresConfigSettings",
        "jobsArrivalConfigSettings",
        "numberOfJobs",
        "seed",
    }
)


@dataclass(frozen=True, slots=True)
class Fixed:
    """One value for every job."""

    value: int


@dataclass(frozen=True, slots=True)
class Uniform:
    """Integers from `low` to `high`; whether `high` itself is drawn depends on the property."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal number, cut to an integer."""

    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Poisson:
    """A Poisson process of `rate` arrivals per time unit."""

    rate: int


JobDistribution = Fixed | Uniform | Normal


@dataclass(frozen=True, slots=True, kw_only=True)
class KonopaConfig:
    """
    A configuration, checked.

    Attributes
    ----------
    priority, run_length, cuda_cores : distribution of the value of a job
    deadline : distribution, or None without deadlines
    memory : distribution of the memory in the first time unit of a run [MB]
    memory_depends : bool
        Whether the following ones are drawn around their predecessor.
    interruptible : bool or float
        One value for all jobs, or a probability.
    gap : distribution of the time units between two arrivals
    jobs : int
    seed : int of 64 bits
    """

    priority: JobDistribution
    deadline: JobDistribution | None
    memory: JobDistribution
    memory_depends: bool
    run_length: JobDistribution
    interruptible: bool | float
    cuda_cores: JobDistribution
    gap: Fixed | Uniform | Poisson
    jobs: int
    seed: int


def to_config(document: Any) -> KonopaConfig:
    """Build the configuration of a document."""
    root = ConfigEntry(document, "")
    memory = root.at("maxRamUsageConfigSettings")
    kind = memory.at("type").word("Fixed", "RandomIndependent", "RandomDependentOnPrevious")
    depends = kind == "RandomDependentOnPrevious"
    return KonopaConfig(
        priority=_integers(root.at("priorityConfigSettings"), "priority"),
        deadline=_deadline(root.at("deadlineConfigSettings")),
        memory=_memory(memory, kind),
        memory_depends=depends,
        run_length=_run_length(root.at("maxTimeslicesNumberConfigSettings")),
        interruptible=_interruptible(root.at("stoppabilityConfigSettings")),
        cuda_cores=_integers(root.at("cudaCoresConfigSettings"), "coresNumber"),
        gap=_gap(root.at("jobsArrivalConfigSettings")),
        jobs=root.at("numberOfJobs").integer(0, MOST_JOBS),
        seed=root.at("seed").integer(*LONG),
    )


def _fixed(group: ConfigEntry, key: str) -> Fixed:
    return Fixed(group.at(key).integer(1, INT[1]))


def _random(group: ConfigEntry, *, least: int = INT[0], width: int = 0) -> Uniform | Normal:
    """Return a distribution: uniform from `least` on, over at least `width` steps, or normal."""
    kind = group.at("distributionType").word("Uniform", "Normal")
    parameters = group.at("distributionParams")
    if kind == "Uniform":
        low = parameters.at("lowerBound").integer(least, INT[1] - 1 - width)
        return Uniform(low, parameters.at("upperBound").integer(low + width, INT[1] - 1))
    return Normal(parameters.at("mean").number(-1e300, 1e300), parameters.at("sd").number(0, 1e300))


def _integers(group: ConfigEntry, key: str) -> JobDistribution:
    kind = group.at("type").word("Fixed", "Random")
    return _fixed(group, key) if kind == "Fixed" else _random(group)


def _run_length(group: ConfigEntry) -> JobDistribution:
    kind = group.at("type").word("Fixed", "Random")
    return _fixed(group, "maxTimeslicesNumber") if kind == "Fixed" else _random(group, least=1)


def _deadline(group: ConfigEntry) -> JobDistribution | None:
    kind = group.at("type").word("NotDefined", "Fixed", "Random")
    if kind == "NotDefined":
        return None
    return _fixed(group, "deadline") if kind == "Fixed" else _random(group)


def _memory(group: ConfigEntry, kind: str) -> JobDistribution:
    if kind == "Fixed":
        return _fixed(group, "maxRamUsage")
    return _random(group, least=0, width=2 if kind == "RandomDependentOnPrevious" else 1)


def _interruptible(group: ConfigEntry) -> bool | float:
    if group.at("type").word("Fixed", "Random") == "Random":
        return group.at("stoppableProbability").number(0, 1)
    entry = group.at("isStoppable")
    if not isinstance(entry.value, bool):
        raise entry.error("true or false")
    return entry.value


def _gap(group: ConfigEntry) -> Fixed | Uniform | Poisson:
    if group.at("type").word("Fixed", "Random") == "Fixed":
        return _fixed(group, "interval")
    kind = group.at("distributionType").word("Uniform", "Poisson")
    parameters = group.at("distributionParams")
    if kind == "Poisson":
        return Poisson(parameters.at("lambda").integer(1, INT[1]))
    low = parameters.at("lowerBound").integer(0, INT[1] - 1)
    return Uniform(low, parameters.at("upperBound").integer(low, INT[1] - 1))


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
    Draw the jobs of a configuration.

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
    length, deadline = _value(config.run_length), _draw_deadline(config.deadline)
    interruptible, gap = _coin(config.interruptible), _draw_gap(config.gap)
    first, following = _draw_memory(config.memory), _following(config)
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
    """Return what the program writes for a normal deadline."""
    return 0


def _value(distribution: JobDistribution) -> Draw:
    match distribution:
        case Fixed(value):
            return lambda stream: value
        case Uniform(low, high):
            return lambda stream: stream.integer(low, high + 1)
        case Normal(mean, deviation):
            return lambda stream: max(1, _integer(stream.normal(mean, deviation)))


def _draw_deadline(distribution: JobDistribution | None) -> Draw:
    match distribution:
        case None:
            return lambda stream: NO_DEADLINE
        case Normal(mean, deviation):
            return lambda stream: _dropped(stream.normal(mean, deviation))
        case _:
            return _value(distribution)


def _draw_memory(distribution: JobDistribution) -> Draw:
    match distribution:
        case Fixed(value):
            return lambda stream: value
        case Uniform(low, high):
            return lambda stream: stream.integer(low, high)
        case Normal(mean, deviation):
            return lambda stream: abs(_integer(stream.normal(mean, deviation)))


def _following(config: KonopaConfig) -> Callable[[JavaRandom, int], int]:
    """Return how the memory of a time unit after the first is drawn, given the one before."""
    if not config.memory_depends:
        same = _draw_memory(config.memory)
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


def _draw_gap(distribution: Fixed | Uniform | Poisson) -> Callable[[JavaRandom], float]:
    match distribution:
        case Poisson(rate):
            return lambda stream: -log(1 - stream.uniform()) / rate
        case _:
            return _value(distribution)


def _integer(value: float) -> int:
    """Return Math.round((float) (int) value), as Java has it."""
    number = trunc(min(max(value, INT[0]), INT[1]))
    if abs(number) <= _EXACT_SINGLE:
        return number
    single: float = struct.unpack("f", struct.pack("f", number))[0]
    return min(floor(single + 0.5), INT[1])

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log, trunc
from typing import Any, TypeVar

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.generators.assemble import made_by
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.konopa.java_random import JavaRandom

T = TypeVar("T", int, float)


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
        return self._within(float, least, most, f"a number >= {least:g} and <= {most:g}")

    def integer(self, least: int, most: int) -> int:
        """Return an integer in a range; a fraction is cut, as Java does."""
        return self._within(trunc, least, most, f"an integer >= {least} and <= {most}")

    def _within(self, read: Callable[[float], T], least: float, most: float, expected: str) -> T:
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            number = read(self.value)
            if least <= number <= most:
                return number
        raise self.error(expected)

    def error(self, expected: str) -> InputError:
        """Return an error at this pointer."""
        value = described("an object") if isinstance(self.value, dict) else self.value
        return InputError(self.pointer, value, expected)


INT = (-(2**31), 2**31 - 1)
LONG = (-(2**63), 2**63 - 1)
MOST_JOBS = 10**7


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
    """A configuration, checked."""

    priority: JobDistribution
    deadline: JobDistribution | None  #: None = no deadlines
    memory: JobDistribution  #: in the first time unit of a run [MB]
    memory_depends: bool  #: whether the following ones are drawn around their predecessor
    run_length: JobDistribution
    interruptible: bool | float  #: one value for all jobs, or a probability
    cuda_cores: JobDistribution
    gap: Fixed | Uniform | Poisson  #: time units between two arrivals
    jobs: int
    seed: int  #: of 64 bits


def to_config(document: Any) -> KonopaConfig:
    """Build the configuration of a document."""
    root = ConfigEntry(document, "")
    memory = root.at("maxRamUsageConfigSettings")
    kinds = ("Fixed", "RandomIndependent", "RandomDependentOnPrevious")
    depends = memory.at("type").word(*kinds) == kinds[-1]
    return KonopaConfig(
        priority=_distribution(root.at("priorityConfigSettings"), "priority"),
        deadline=_deadline(root.at("deadlineConfigSettings")),
        memory=_distribution(memory, "maxRamUsage", kinds, least=0, width=1 + depends),
        memory_depends=depends,
        run_length=_distribution(
            root.at("maxTimeslicesNumberConfigSettings"), "maxTimeslicesNumber", least=1
        ),
        interruptible=_interruptible(root.at("stoppabilityConfigSettings")),
        cuda_cores=_distribution(root.at("cudaCoresConfigSettings"), "coresNumber"),
        gap=_gap(root.at("jobsArrivalConfigSettings")),
        jobs=root.at("numberOfJobs").integer(0, MOST_JOBS),
        seed=root.at("seed").integer(*LONG),
    )


def _distribution(
    group: ConfigEntry,
    key: str,
    kinds: Sequence[str] = ("Fixed", "Random"),
    *,
    least: int = INT[0],
    width: int = 0,
) -> JobDistribution:
    """Return a fixed value, uniform from `least` on over at least `width` steps, or normal."""
    if group.at("type").word(*kinds) == "Fixed":
        return Fixed(group.at(key).integer(1, INT[1]))
    kind = group.at("distributionType").word("Uniform", "Normal")
    parameters = group.at("distributionParams")
    if kind == "Uniform":
        low = parameters.at("lowerBound").integer(least, INT[1] - 1 - width)
        return Uniform(low, parameters.at("upperBound").integer(low + width, INT[1] - 1))
    return Normal(parameters.at("mean").number(-1e300, 1e300), parameters.at("sd").number(0, 1e300))


def _deadline(group: ConfigEntry) -> JobDistribution | None:
    if group.at("type").word("NotDefined", "Fixed", "Random") == "NotDefined":
        return None
    return _distribution(group, "deadline")


def _interruptible(group: ConfigEntry) -> bool | float:
    if group.at("type").word("Fixed", "Random") == "Random":
        return group.at("stoppableProbability").number(0, 1)
    entry = group.at("isStoppable")
    if not isinstance(entry.value, bool):
        raise entry.error("true or false")
    return entry.value


def _gap(group: ConfigEntry) -> Fixed | Uniform | Poisson:
    if group.at("type").word("Fixed", "Random") == "Fixed":
        return Fixed(group.at("interval").integer(1, INT[1]))
    kind = group.at("distributionType").word("Uniform", "Poisson")
    parameters = group.at("distributionParams")
    if kind == "Poisson":
        return Poisson(parameters.at("lambda").integer(1, INT[1]))
    low = parameters.at("lowerBound").integer(0, INT[1] - 1)
    return Uniform(low, parameters.at("upperBound").integer(low, INT[1] - 1))


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
    priority, cores, length, gap = (
        _draw(distribution, lambda number: max(1, number))
        for distribution in (config.priority, config.cuda_cores, config.run_length, config.gap)
    )
    # A normal deadline is drawn, and 0 is taken.
    deadline = _draw(config.deadline or Fixed(NO_DEADLINE), lambda number: 0)
    first, following = _draw(config.memory, abs, beyond=0), _following(config)
    rows: list[dict[str, Any]] = []
    units, clock = 0, 0.0
    for _ in range(config.jobs):
        row: dict[str, Any] = {"priority": priority(stream)}
        chance = config.interruptible
        row["isStoppable"] = (
            chance if isinstance(chance, bool) else stream.uniform_single() < chance
        )
        row["deadline"] = deadline(stream)
        n = length(stream)
        units += n
        if units > MOST_UNITS:
            shown = described(f"more than {MOST_UNITS} time units of run time")
            raise InputError("/maxTimeslicesNumberConfigSettings", shown, "fewer")
        row["timeslices"] = memory = [first(stream)]
        for _ in range(n - 1):
            memory.append(following(stream, memory[-1]))
        row["cudaCoresNumber"] = cores(stream)
        clock += gap(gaps)
        rows.append(row | {"arrivalTime": clock})
    parameters = {"config": document, "seed": seed} if document is not None else {"seed": seed}
    if arrival_seed is not None:
        parameters["arrival_seed"] = arrival_seed
    return to_jobs(rows, name, made_by("mig-legacy", **parameters))


def to_jobs(
    rows: Sequence[Mapping[str, Any]], name: str, generator: Mapping[str, Any] | None = None
) -> JobSet:
    """Build the set of an array of objects that fits its schema ("mig-legacy-jobs")."""
    deadline = np.array([row["deadline"] for row in rows], dtype=np.float64)
    return JobSet(
        name=name,
        time_unit="minute",
        arrival=np.array([row["arrivalTime"] for row in rows], dtype=np.float64),
        priority=np.array([row["priority"] for row in rows], dtype=np.int64),
        run_length=np.array([len(row["timeslices"]) for row in rows], dtype=np.int64),
        memory=np.array([w for row in rows for w in row["timeslices"]], dtype=np.float64),
        cuda_cores=np.array([row["cudaCoresNumber"] for row in rows], dtype=np.int64),
        interruptible=np.array([row["isStoppable"] for row in rows], dtype=np.bool_),
        migratable=np.ones(len(rows), dtype=np.bool_),
        deadline=np.where(deadline == NO_DEADLINE, np.inf, deadline),
        job_class=np.zeros(len(rows), dtype=np.int64),
        classes=("all",),
        generator=generator,
    )


def _draw(
    distribution: JobDistribution | Poisson, of_normal: Callable[[int], int], *, beyond: int = 1
) -> Callable[[JavaRandom], Any]:
    """Return how a value is drawn; uniform ones are below high + `beyond`."""
    match distribution:
        case Fixed(value):
            return lambda stream: value
        case Uniform(low, high):
            return lambda stream: stream.integer(low, high + beyond)
        case Normal(mean, deviation):
            return lambda stream: of_normal(_integer(stream.normal(mean, deviation)))
        case Poisson(rate):
            return lambda stream: -log(1 - stream.uniform()) / rate


def _following(config: KonopaConfig) -> Callable[[JavaRandom, int], int]:
    """Return how the memory of a time unit after the first is drawn, given the one before."""
    if not config.memory_depends:
        same = _draw(config.memory, abs, beyond=0)
        return lambda stream, previous: same(stream)
    match config.memory:
        case Uniform(low, high):
            half = (high - low) // 2
            return lambda stream, previous: stream.integer(max(0, previous - half), previous + half)
        case Normal(_, deviation):
            return lambda stream, previous: max(0, _integer(stream.normal(previous, deviation)))
        case Fixed(value):
            return lambda stream, previous: value


def _integer(value: float) -> int:
    """Return Math.round((float) (int) value), as Java has it."""
    number = trunc(min(max(value, INT[0]), INT[1]))
    if abs(number) <= _EXACT_SINGLE:
        return number
    single: float = struct.unpack("f", struct.pack("f", number))[0]
    return min(floor(single + 0.5), INT[1])

"""
The configuration file of the published job generator (Konopa, Fesl and Beranek 2025, Table 1).

One JSON object; keys are case-sensitive, the words of `type` and `distributionType` are not;
unknown keys are ignored; a comma may stand before a closing bracket; fractions are cut where an
integer is expected. Every key is required, and there are no defaults. What the program would
fail on while it draws, or draw without sense (a run shorter than one time unit, negative memory,
arrivals that go back), is refused here.

A value in a configuration of the published program, read as that program reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import trunc
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.strict_json import read_json


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """A value of the document and where it stands."""

    value: Any
    pointer: str

    def at(self, key: str) -> ConfigEntry:
        """The value under a key, which must be there."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        if key not in self.value:
            raise InputError(self.pointer, described(f"no key {key!r}"), "this key")
        return ConfigEntry(self.value[key], f"{self.pointer}/{key}")

    def word(self, *known: str) -> str:
        """One of some words, in any case."""
        found = {word.lower(): word for word in known}.get(str(self.value).lower())
        if not isinstance(self.value, str) or found is None:
            raise self.error(f"one of {', '.join(known)}")
        return found

    def number(self, least: float, most: float) -> float:
        """A number in a range."""
        expected = f"a number >= {least:g} and <= {most:g}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(expected)
        if not least <= self.value <= most:
            raise self.error(expected)
        return float(self.value)

    def integer(self, least: int, most: int) -> int:
        """An integer in a range; a fraction is cut, as Java does."""
        expected = f"an integer >= {least} and <= {most}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(expected)
        number = trunc(self.value)
        if not least <= number <= most:
            raise self.error(expected)
        return number

    def error(self, expected: str) -> InputError:
        """What is wrong here."""
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
    """The same value for every job."""

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


Law = Fixed | Uniform | Normal


@dataclass(frozen=True, slots=True, kw_only=True)
class KonopaConfig:
    """
    A configuration, checked.

    Attributes
    ----------
    priority, run_length, cuda_cores : law of the value of a job
    deadline : law, or None without deadlines
    memory : law of the memory in the first time unit of a run [MB]
    memory_depends : bool
        Whether the following ones are drawn around their predecessor.
    interruptible : bool or float
        The same for all jobs, or a probability.
    gap : law of the time units between two arrivals
    jobs : int
    seed : int of 64 bits
    """

    priority: Law
    deadline: Law | None
    memory: Law
    memory_depends: bool
    run_length: Law
    interruptible: bool | float
    cuda_cores: Law
    gap: Fixed | Uniform | Poisson
    jobs: int
    seed: int


def read_config(path: str | Path) -> KonopaConfig:
    """Read a configuration; an InputError names file, JSON pointer and value."""
    try:
        return to_config(read_json(path, lenient=True))
    except InputError as error:
        raise error.at(path) from None


def to_config(document: Any) -> KonopaConfig:
    """The configuration of a document."""
    root = ConfigEntry(document, "")
    memory = root.at("maxRamUsageConfigSettings")
    kind = memory.at("type").word("Fixed", "RandomIndependent", "RandomDependentOnPrevious")
    depends = kind == "RandomDependentOnPrevious"
    return KonopaConfig(
        priority=_integer_law(root.at("priorityConfigSettings"), "priority"),
        deadline=_deadline(root.at("deadlineConfigSettings")),
        memory=_memory(memory, kind),
        memory_depends=depends,
        run_length=_run_length(root.at("maxTimeslicesNumberConfigSettings")),
        interruptible=_interruptible(root.at("stoppabilityConfigSettings")),
        cuda_cores=_integer_law(root.at("cudaCoresConfigSettings"), "coresNumber"),
        gap=_gap(root.at("jobsArrivalConfigSettings")),
        jobs=root.at("numberOfJobs").integer(0, MOST_JOBS),
        seed=root.at("seed").integer(*LONG),
    )


def _fixed(group: ConfigEntry, key: str) -> Fixed:
    return Fixed(group.at(key).integer(1, INT[1]))


def _random(group: ConfigEntry, *, least: int = INT[0], width: int = 0) -> Uniform | Normal:
    """Uniform from `least` on, over at least `width` steps, or normal."""
    kind = group.at("distributionType").word("Uniform", "Normal")
    parameters = group.at("distributionParams")
    if kind == "Uniform":
        low = parameters.at("lowerBound").integer(least, INT[1] - 1 - width)
        return Uniform(low, parameters.at("upperBound").integer(low + width, INT[1] - 1))
    return Normal(parameters.at("mean").number(-1e300, 1e300), parameters.at("sd").number(0, 1e300))


def _integer_law(group: ConfigEntry, key: str) -> Law:
    kind = group.at("type").word("Fixed", "Random")
    return _fixed(group, key) if kind == "Fixed" else _random(group)


def _run_length(group: ConfigEntry) -> Law:
    kind = group.at("type").word("Fixed", "Random")
    return _fixed(group, "maxTimeslicesNumber") if kind == "Fixed" else _random(group, least=1)


def _deadline(group: ConfigEntry) -> Law | None:
    kind = group.at("type").word("NotDefined", "Fixed", "Random")
    if kind == "NotDefined":
        return None
    return _fixed(group, "deadline") if kind == "Fixed" else _random(group)


def _memory(group: ConfigEntry, kind: str) -> Law:
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

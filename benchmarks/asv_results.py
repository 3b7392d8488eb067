"""
What asv has stored: how much was measured, what failed, and what has changed between two commits.

asv ends with an error for many reasons and with none although nothing was measured or saved: so its
results are read instead. A value of None failed, NaN was skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose, isnan
from pathlib import Path
from typing import Any

from asv import _stats, benchmarks, results, util
from asv.commands.compare import unroll_result
from asv.config import Config
from asv.machine import Machine
from asv.runner import BenchmarkResult

FACTOR = 1.1  # that of `asv compare`
INEXACT = ("s", "MB")  # units of what is measured, not counted
MACHINE, ENVIRONMENT = "here", "existing"


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Names of benchmarks with their parameters, by what became of them."""

    measured: tuple[str, ...]
    skipped: tuple[str, ...]
    failed: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{len(self.measured)} measured, {len(self.skipped)} skipped, {len(self.failed)} failed"
        )


def tallies(folder: Path, since: float = 0.0) -> dict[str, Tally]:
    """
    What is stored, by commit, of any machine and environment.

    Parameters
    ----------
    since : float
        Only benchmarks begun at this time [s since 1970] or later.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for stored in results.iter_results(folder):
        fates = found.setdefault(stored.commit_hash, {"measured": [], "skipped": [], "failed": []})
        for key in sorted(stored.get_all_result_keys()):
            if stored.started_at.get(key, 0) < 1000 * since:
                continue
            parameters = stored.get_result_params(key)
            values = stored.get_result_value(key, parameters)
            for name, value in unroll_result(key, parameters, values):
                fates[_fate(value)].append(name)
    return {
        commit: Tally(**{fate: tuple(names) for fate, names in fates.items()})
        for commit, fates in found.items()
        if any(fates.values())
    }


def _fate(value: float | None) -> str:
    if value is None:
        return "failed"
    return "skipped" if isnan(value) else "measured"


@dataclass(frozen=True, kw_only=True)
class Change:
    """
    A benchmark, with its parameters, that differs between two commits.

    Attributes
    ----------
    name : str
    before, after : float
    unit : str
    exact : bool
        Whether it is the same in every run of a commit: neither seconds nor memory.
    """

    name: str
    before: float
    after: float
    unit: str
    exact: bool

    @property
    def ratio(self) -> str:
        """After over before."""
        return f"{self.after / self.before:.2f}" if self.before else "-"


def changes(folder: Path, before: str, after: str) -> list[Change]:
    """
    Compare two commits on every machine and in every environment that has both.

    Exact values have changed from a relative difference of 1e-9 on, others as `asv compare` has
    it: from 10 % on, if the samples differ at p < 0.002.
    """
    described = benchmarks.Benchmarks.load(configuration(folder))
    first, second = (_measured(folder, commit) for commit in (before, after))
    found = []
    for key in sorted({*first} & {*second}):
        (one, stats, samples), (other, other_stats, other_samples) = first[key], second[key]
        unit = described.get(key[2], {}).get("unit", "")
        exact = ".track_" in key[2] and unit not in INEXACT
        differs = not isclose(one, other, rel_tol=1e-9)
        if not exact and differs:
            differs = max(one, other) > FACTOR * min(one, other) and (
                not (stats and other_stats)
                or _stats.is_different(samples, other_samples, stats, other_stats)
            )
        if differs:
            found.append(Change(name=key[3], before=one, after=other, unit=unit, exact=exact))
    return found


def _measured(folder: Path, commit: str) -> dict[tuple[str, ...], tuple[float, Any, Any]]:
    """Return value, statistics and samples of all that was measured of a commit."""
    found = {}
    for stored in results.iter_results(folder):
        if stored.commit_hash != commit:
            continue
        for key in stored.get_all_result_keys():
            own = stored.get_result_params(key)
            read = (stored.get_result_value, stored.get_result_stats, stored.get_result_samples)
            for name, value, *others in unroll_result(key, own, *(get(key, own) for get in read)):
                if _fate(value) == "measured":
                    version = str(stored.benchmark_version.get(key))
                    where = stored.params["machine"], f"{stored.env_name} {version}", key, name
                    found[where] = value, *others
    return found


def store(folder: Path, commit: str, samples: dict[str, list[float]]) -> None:
    """
    Write results as asv does, with its statistics, of benchmarks without parameters.

    Parameters
    ----------
    samples : benchmark -> seconds of single runs
    """
    made = results.Results(
        params={"machine": MACHINE},
        requirements={},
        commit_hash=commit,
        date=0,
        python="",
        env_name=ENVIRONMENT,
        env_vars={},
    )
    described = [_described(name) for name in samples]
    for benchmark, seconds in zip(described, samples.values(), strict=True):
        found = BenchmarkResult(
            result=[0.0],  # asv takes the median of the samples
            samples=[seconds],
            number=[1],
            errcode=0,
            stderr="",
            profile=None,
        )
        made.add_result(benchmark, found, record_samples=True)
    made.save(folder)
    util.write_json(folder / MACHINE / "machine.json", {"machine": MACHINE}, Machine.api_version)
    benchmarks.Benchmarks(configuration(folder), described).save()


def has_become_slower(folder: Path, before: str, after: str) -> bool:
    """Return whether any benchmark takes more seconds or memory."""
    return any(one.after > one.before for one in changes(folder, before, after) if not one.exact)


def _described(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "params": [],
        "param_names": [],
        "version": "1",
        "unit": "seconds",
        "type": "time",
    }


def configuration(folder: Path) -> Config:
    """asv's, as far as its results are concerned."""
    config = Config()
    config.results_dir = str(folder)
    return config

"""
What asv has stored: how much was measured, what failed, and what has become slower.

asv ends with an error for many reasons and with none although nothing was measured or saved: so its
results are read instead. A value of None failed, NaN was skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

from asv import benchmarks, results, util
from asv.commands.compare import Compare, unroll_result
from asv.config import Config
from asv.machine import Machine
from asv.runner import BenchmarkResult

FACTOR = 1.1  # that of `asv compare`
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


def has_become_slower(folder: Path, before: str, after: str, factor: float = FACTOR) -> bool:
    """Whether `asv compare` says so of two commits; it also prints its table."""
    slower, _ = Compare.print_table(
        configuration(folder), before, after, factor=factor, split=False, machine=MACHINE
    )
    return bool(slower)


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

"""
One `rsjs run` on a store: what its runs have in common, kept in sessions/<id>.json.

Runs on other machines have a file for each of them. A file is written when its machine joins and
again when all is done; that of a session which was killed has no end. Before and after exclusive
runs a fixed piece of work tells what the machine was worth:

    interpreter   a loop of Python integers
    memory        sums over an array larger than caches, ten times
    milp          HiGHS on a fixed instance to its optimum, one thread, in a worker process

Each part is repeated and the least time counts: whatever else runs only ever adds to it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from timeit import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs import commit
from rsjs.campaigns import schema_files
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.generators import jahani
from rsjs.instances.io.files import write_bytes
from rsjs.methods import parse
from rsjs.runs import provenance, verified_run

if TYPE_CHECKING:
    from rsjs.campaigns.environments import Environment
    from rsjs.campaigns.spec import Campaign

MEASURED = ("load", "calibration")  # before and after
MEMORY = "resident memory of the process tree every 50 ms, VmHWM of each process"
REPETITIONS = 3  # of each part of the calibration
STEPS = 2_000_000
ENTRIES = 8_000_000  # of 8 bytes
MILP, SOLVED = "jahani_patterns@highs", (Stop.OPTIMAL, Stop.GAP)
RESERVE_MB = 512.0  # of memory, for all that is not a run

Conditions = dict[str, Any]


def conditions(environments: Mapping[str, Environment], *, exclusive: bool) -> Conditions:
    """Return under what conditions this machine carries out runs; exclusive ones calibrate it."""
    return {
        **commit.source(),
        "environments": {name: asdict(found) for name, found in environments.items()},
        "machine": provenance.machine(),
        "load": provenance.load(),
        "calibration": calibrate() if exclusive else None,
    }


def calibrate() -> dict[str, float | None]:
    """Return the seconds of each part; None for one that cannot be run here."""
    values, solve = np.arange(ENTRIES, dtype=np.float64), None

    def interpreted() -> None:
        total = 0
        for step in range(STEPS):
            total += step & 7

    if BACKENDS["highs"].available():
        instance, limits = jahani.generate(nodes=40, jobs=400, seed=1), Limits(gap=0.0)
        runs = [verified_run.run(instance, parse(MILP), limits) for _ in range(REPETITIONS)]
        if any(one.result.stop is Stop.INTERRUPTED for one in runs):
            raise KeyboardInterrupt
        times = [one.result.seconds["solve"] for one in runs if one.result.stop in SOLVED]
        solve = min(times, default=None)
    return {
        "interpreter_s": min(repeat(interpreted, number=1, repeat=REPETITIONS)),
        "memory_s": min(repeat(values.sum, number=10, repeat=REPETITIONS)),
        "milp_s": solve,
    }


def refuse_more(
    campaign: Campaign, place: str, slots: int, *, cores: int, memory_mb: float
) -> None:
    """Raise InputError if so many runs do not fit into a machine; `place` set the number."""
    threads, need = max(campaign.threads), campaign.limits.memory_limit_mb or 0.0
    memory, expected = memory_mb - RESERVE_MB, ""
    if campaign.timing == "exclusive" and slots > 1:
        expected = "1, as the campaign's timing is exclusive"
    elif threads > cores:
        expected = f"{threads} cores"
    elif slots * threads > cores:
        expected = f"at most {cores // threads}: {threads} threads each on {cores} cores"
    elif slots * need > memory:
        expected = f"{need:g} MB for each of them in {memory:.0f} MB"
    if expected:
        raise InputError(place, slots, expected)


class Session:
    """A session in progress in the folder of a store."""

    def __init__(
        self, folder: Path, campaign: Campaign, environments: Mapping[str, Environment]
    ) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        self.id = f"{stamp}-{_plain(provenance.machine()['host'])}-{os.getpid()}"
        self.campaign, self.exclusive = campaign, campaign.timing == "exclusive"
        self._folder, self.environments = folder, environments
        self._documents: dict[str, dict[str, Any]] = {}

    def on(self, host: str) -> str:
        """Return the session of runs that another machine carries out."""
        return f"{self.id}-on-{_plain(host)}"

    def here(self) -> Conditions:
        """Return the conditions of this machine."""
        exclusive = self.exclusive and self.campaign.calibrated
        return conditions(self.environments, exclusive=exclusive)

    def begin(self, session: str, found: Conditions, slots: int) -> None:
        """Write the file of a machine that carries out `slots` runs side by side, or now does."""
        document = {
            "format": schema_files.name("session"),
            "id": session,
            "campaign": self.campaign.name,
            "timing": self.campaign.timing,
            **{key: value for key, value in found.items() if key not in MEASURED},
            "memory_measured_by": MEMORY,
            "begun": provenance.utc(),
            "ended": None,
            **{f"{key}_before": found[key] for key in MEASURED},
            **{f"{key}_after": None for key in MEASURED},
        }
        self._write({**document, **self._documents.get(session, {}), "slots": slots})

    def end(self, session: str, found: Conditions) -> None:
        """Complete the file of a machine."""
        after = {f"{key}_after": found[key] for key in MEASURED}
        self._write({**self._documents[session], **after, "ended": provenance.utc()})

    def _write(self, document: dict[str, Any]) -> None:
        self._documents[document["id"]] = document
        text = json.dumps(document, indent=1) + "\n"
        write_bytes(text.encode(), self._folder / "sessions" / f"{document['id']}.json")


def _plain(host: str) -> str:
    """The name of a machine as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", host)

"""
One `rsjs run` on a store: what its runs have in common, kept in sessions/<id>.json.

Runs on other machines have a file for each of them. A file is written when its machine joins and
again when all is done; that of a session which was killed has no end.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rsjs import commit
from rsjs.campaigns import schema_files
from rsjs.campaigns.environments import Environment
from rsjs.campaigns.machine import calibrate
from rsjs.campaigns.spec import Campaign
from rsjs.core.errors import InputError, NewerFormat
from rsjs.instances.io.files import write_bytes
from rsjs.runs import provenance

MEMORY = "resident memory of the process tree every 50 ms, VmHWM of each process"

Conditions = dict[str, Any]


def conditions(environments: Mapping[str, Environment], *, exclusive: bool) -> Conditions:
    """
    Under what conditions this machine carries out runs, as of now.

    Parameters
    ----------
    exclusive : bool
        Calibrate it, too: beside other runs the figures mean nothing.
    """
    return {
        **commit.source(),
        "environments": {name: asdict(found) for name, found in environments.items()},
        "machine": provenance.machine(),
        "load": provenance.load(),
        "calibration": calibrate() if exclusive else None,
    }


def on_host(session: str, host: str) -> str:
    """The session of runs that another machine carries out."""
    return f"{session}-on-{_plain(host)}"


def _plain(host: str) -> str:
    """The name of a machine as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", host)


class Session:
    """
    A session in progress.

    Parameters
    ----------
    folder : path
        Of the store.
    """

    def __init__(self, folder: Path, campaign: Campaign) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        self.id = f"{stamp}-{_plain(provenance.machine()['host'])}-{os.getpid()}"
        self._folder, self._campaign = folder / "sessions", campaign
        self._documents: dict[str, dict[str, Any]] = {}

    def begin(self, session: str, found: Conditions, slots: int) -> None:
        """Write the file of a machine that carries out `slots` runs side by side, or now does."""
        before = {key: value for key, value in found.items() if key not in ("load", "calibration")}
        document = {
            "format": schema_files.name("session"),
            "id": session,
            "campaign": self._campaign.name,
            "timing": self._campaign.timing,
            **before,
            "memory_measured_by": MEMORY,
            "begun": provenance.utc(),
            "ended": None,
            "load_before": found["load"],
            "load_after": None,
            "calibration_before": found["calibration"],
            "calibration_after": None,
        }
        self._write(session, {**self._documents.get(session, document), "slots": slots})

    def end(self, session: str, found: Conditions) -> None:
        """Complete the file of a machine."""
        after = {
            "load_after": found["load"],
            "calibration_after": found["calibration"],
            "ended": provenance.utc(),
        }
        self._write(session, {**self._documents[session], **after})

    def _write(self, session: str, document: dict[str, Any]) -> None:
        self._documents[session] = document
        text = json.dumps(document, indent=1) + "\n"
        write_bytes(text.encode(), self._folder / f"{session}.json")


def read_some(
    folder: Path, sessions: Iterable[str]
) -> tuple[dict[str, dict[str, Any]], list[tuple[str, str]]]:
    """
    The files of some sessions of a store by id, and which cannot be read with the reason.

    Raises
    ------
    InputError
        For a file that a newer version wrote.
    """
    found: dict[str, dict[str, Any]] = {}
    lost = []
    for session in sorted({*sessions}):
        try:
            found[session] = _read(folder, session)
        except NewerFormat:
            raise
        except InputError as error:
            lost.append((session, str(error)))
    return found, lost


def _read(folder: Path, session: str) -> dict[str, Any]:
    return schema_files.read(folder / "sessions" / f"{session}.json", "session")

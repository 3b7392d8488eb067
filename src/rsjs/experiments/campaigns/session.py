"""
One `rsjs run` on a store: what its runs have in common, kept in sessions/<id>.json.

Written when it begins and again when it ends; one that was killed has no end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rsjs.experiments.campaigns import formats, provenance
from rsjs.experiments.campaigns.calibration import calibrate
from rsjs.experiments.campaigns.document import Campaign
from rsjs.experiments.campaigns.environments import Environment
from rsjs.instances.errors import InputError, described
from rsjs.instances.files import write_bytes

MEMORY = "resident memory of the process tree every 50 ms, VmHWM of each process"


class Session:
    """
    A session in progress.

    Parameters
    ----------
    folder : path
        Of the store.
    """

    def __init__(
        self,
        folder: Path,
        campaign: Campaign,
        environments: Mapping[str, Environment],
        slots: int,
    ) -> None:
        machine = provenance.machine()
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        self.id = f"{stamp}-{machine['host']}-{os.getpid()}"
        self._path = folder / "sessions" / f"{self.id}.json"
        self._exclusive = campaign.timing == "exclusive"
        self._document: dict[str, Any] = {
            "format": formats.name("session"),
            "id": self.id,
            "campaign": campaign.name,
            "timing": campaign.timing,
            "slots": slots,
            **provenance.source(),
            "environments": {name: asdict(found) for name, found in environments.items()},
            "machine": machine,
            "memory_measured_by": MEMORY,
            "begun": provenance.utc(),
            "ended": None,
            "load_before": provenance.load(),
            "load_after": None,
            "calibration_before": self._calibrated(),
            "calibration_after": None,
        }
        self._write()

    def end(self) -> None:
        """Measure the machine again and complete the file."""
        self._document |= {
            "load_after": provenance.load(),
            "calibration_after": self._calibrated(),
            "ended": provenance.utc(),
        }
        self._write()

    def _calibrated(self) -> dict[str, float | None] | None:
        """Only where seconds count: beside other runs the figure means nothing."""
        return calibrate() if self._exclusive else None

    def _write(self) -> None:
        write_bytes((json.dumps(self._document, indent=1) + "\n").encode(), self._path)


def read(folder: Path, session: str) -> dict[str, Any]:
    """The file of a session."""
    path = folder / "sessions" / f"{session}.json"
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError("", described(str(error)), "the file of a session", path) from None
    return formats.checked(document, "session", path)

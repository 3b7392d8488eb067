"""A record on its way from the machine that made it: its files by name, compressed."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

from rsjs.experiments.campaigns import records
from rsjs.experiments.campaigns.runs import Run
from rsjs.instances.errors import InputError

Parcel = dict[str, bytes]


def packed(folder: Path) -> Parcel:
    """The files of a record."""
    return {path.name: zlib.compress(path.read_bytes()) for path in sorted(folder.iterdir())}


def unpack(parcel: Parcel, folder: Path, run: Run) -> None:
    """
    Write the files of a record into an empty folder, down to the disk.

    Raises
    ------
    InputError
        If they are not as their sums say, or of another run.
    """
    for name, data in parcel.items():
        with (folder / Path(name).name).open("wb") as file:
            file.write(zlib.decompress(data))
            file.flush()
            os.fsync(file.fileno())
    records.sound(folder)
    found = json.loads((folder / "spec.json").read_text("utf-8"))["id"]
    if found != run.id:
        raise InputError("/id", found, f"{run.id}, as asked", folder / "spec.json")

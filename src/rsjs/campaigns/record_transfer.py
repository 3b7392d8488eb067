"""A record on its way from the machine that made it: its files by name, compressed."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from rsjs.campaigns import records, schema_files
from rsjs.campaigns.run import Run
from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import MOST_BYTES

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
            file.write(_whole(data, name))
            file.flush()
            os.fsync(file.fileno())
    records.sound(folder)
    found = schema_files.read(folder / "spec.json", "spec")["id"]
    if found != run.id:
        raise InputError("/id", found, f"{run.id}, as asked", folder / "spec.json")


def _whole(data: bytes, name: str) -> bytes:
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(data, MOST_BYTES)
    if not unpacking.eof:
        expected = f"whole zlib data of at most {MOST_BYTES} bytes"
        raise InputError("", described("more, or less"), expected, name)
    return found

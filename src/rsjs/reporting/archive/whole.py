"""A folder that is written whole or not at all, and the sums of its files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes

SUMS = "SHA256SUMS"


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """
    Give a folder beside `folder`, which takes its name at the end of the block.

    If the block ends with an error, or by Ctrl-C, nothing is left. InputError if there is something
    in `folder`.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("", described("something there"), "a new or empty folder", folder)
    scratch = folder.absolute().with_name(f".{folder.absolute().name}.{os.getpid()}.tmp")
    try:
        scratch.mkdir(parents=True)
        yield scratch
        scratch.replace(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_sums(folder: Path) -> dict[str, str]:
    """Write the sha256 of each file for `sha256sum -c`; return them by name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    sums = {path.relative_to(folder).as_posix(): _sum(path) for path in paths}
    write_bytes("".join(f"{sums[name]}  {name}\n" for name in sums).encode(), folder / SUMS)
    return sums


def _sum(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def date_all(folder: Path, date: str) -> None:
    """Give a folder and all in it one time, ISO 8601: packed, they are the same bytes each time."""
    seconds = datetime.fromisoformat(date).timestamp()
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            os.utime(path, (seconds, seconds))

"""What commands read and where they may write, beyond what `rsjs.instances.files` checks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rsjs.instances.files import SolutionFile
    from rsjs.instances.schema import Instance


def solution_for(instance: Instance, path: Path) -> SolutionFile:
    """The solution in a file, which must be one for this instance."""
    from rsjs.instances.errors import InputError
    from rsjs.instances.files import read_solution

    found = read_solution(path)
    if found.instance_digest != instance.digest:
        expected = f"{instance.digest}, the sha256 of {instance.name}"
        raise InputError("/instance", found.instance_digest, expected, path)
    return found


def writable(path: Path | None, *, folder: bool = False) -> None:
    """
    Refuse an output that cannot be written before hours are spent on what it would hold.

    Parameters
    ----------
    path : path or None
        A file that may exist, or with `folder` a directory; missing parents are made later.
    """
    from rsjs.instances.errors import InputError, described

    if path is None:
        return
    if path.exists() and path.is_dir() != folder:
        found, expected = ("a file", "a folder") if folder else ("a folder", "a file to write")
        raise InputError("", described(found), expected, path)
    parent = next(place for place in (path, *path.absolute().parents) if place.exists())
    if path != parent and not parent.is_dir():
        raise InputError("", described(f"{parent} is a file"), "a folder to write to", path)
    if not os.access(parent, os.W_OK):
        raise InputError("", described("no permission"), "a place that can be written", path)

"""What commands read and where they may write, beyond what `rsjs.instances.io.files` checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import read_solution, refuse_unwritable

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance
    from rsjs.instances.io.files import SolutionFile


def solution_for(instance: Instance, path: Path) -> SolutionFile:
    """The solution in a file, which must be one for this instance."""

    found = read_solution(path)
    if found.instance_digest != instance.digest:
        expected = f"{instance.digest}, the sha256 of {instance.name}"
        raise InputError("/instance", found.instance_digest, expected, path)
    return found


def writable(path: Path | None, *read: Path, folder: bool = False) -> None:
    """
    Refuse an output that cannot be written: a file, or with `folder` a directory.

    Parameters
    ----------
    read : paths
        Files that are read, whose place it must not take.
    """

    if path is not None:
        refuse_unwritable(path, folder=folder)
        if path.exists() and any(one.exists() and path.samefile(one) for one in read):
            raise InputError("", described("the file that is read"), "another file to write", path)

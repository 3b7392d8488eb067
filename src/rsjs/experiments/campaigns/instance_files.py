"""The files of instances in a store, each named by the sha256 of what it holds."""

from __future__ import annotations

from pathlib import Path

from rsjs.instances.errors import InputError
from rsjs.instances.schema import Instance, Workload


def refuse_other(found: Instance | Workload, sha256: str, path: str | Path) -> None:
    """Raise InputError if a file holds another instance than the one it is named for."""
    if found.digest != sha256:
        raise InputError("", found.digest, f"the instance of sha256 {sha256}", path)

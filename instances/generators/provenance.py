"""What made an instance: the `generator` block of its file."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any


def made_by(name: str, **parameters: Any) -> dict[str, Any]:
    """Generator, its parameters, and the version of this package (no part of the digest)."""
    return {"name": name, "parameters": parameters, "version": version("rsjs-bench")}

"""Decisions as arrays on the disk: one, replaced whole, or many, one after the other."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.documents import canonical_text
from rsjs.instances.solution import DECISION_ARRAYS, Solution


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of another one when it is whole."""
    scratch = path.with_suffix(".tmp")
    with scratch.open("wb") as file:
        yield file
    scratch.replace(path)


def write_decision(solution: Solution, path: Path) -> None:
    """Write the decision arrays, whole or not at all."""
    with replaced(path) as file:
        np.savez(file, **{name: getattr(solution, name) for name in DECISION_ARRAYS})


def read_decision(path: Path) -> Solution | None:
    """The decision arrays, if they were written."""
    if not path.exists():
        return None
    with np.load(path) as stored:
        return Solution(**{name: stored[name] for name in DECISION_ARRAYS})


def decision_digest(solution: Solution) -> str:
    """sha256 of the decision arrays."""
    arrays = {name: getattr(solution, name).tolist() for name in DECISION_ARRAYS}
    return sha256(canonical_text(arrays).encode()).hexdigest()


def append_decision(solution: Solution, path: Path) -> None:
    """Append the decision arrays to those before, as one array that begins with J."""
    own = [getattr(solution, name) for name in DECISION_ARRAYS]
    append_array(np.concatenate([[len(solution.job_node)], *own]), path)


def decisions(path: Path) -> Iterator[Solution]:
    """The decisions that were appended, as far as they are whole."""
    for array in arrays(path):
        jobs = int(array[0])
        *of_jobs, node_type = np.split(array[1:], [jobs, 2 * jobs, 3 * jobs])
        yield Solution(**dict(zip(DECISION_ARRAYS, [*of_jobs, node_type], strict=True)))


def append_array(array: NDArray[Any], path: Path) -> None:
    """Append an array to those before."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    with path.open("ab") as file:
        file.write(buffer.getbuffer())


def arrays(path: Path) -> Iterator[NDArray[Any]]:
    """The arrays that were appended, as far as they are whole."""
    if not path.exists():
        return
    with path.open("rb") as file:
        while True:
            try:
                array = np.load(file)
            except (EOFError, ValueError, OSError):  # the end, or an array broken off
                return
            yield array

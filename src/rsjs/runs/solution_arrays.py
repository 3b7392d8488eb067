"""Decisions as arrays on the disk: one, replaced whole, or many, one after the other."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.errors import InputError, told
from rsjs.instances.io.bounded_files import MOST_BYTES, opened, read_bytes
from rsjs.instances.io.serialization import canonical_text
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
    found = read_arrays(path, DECISION_ARRAYS)
    return Solution(**dict(zip(DECISION_ARRAYS, found, strict=True)))


def read_arrays(path: Path, names: Sequence[str]) -> list[NDArray[Any]]:
    """
    Arrays of a .npz file that anybody may have written.

    Raises
    ------
    InputError, OSError
        As `bounded_files.read_bytes` does.
    ValueError
        For a file that is no such archive, or lacks one of the names.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(path))) as stored:
            return [_member(stored, f"{name}.npy") for name in names]
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError) as error:
        raise ValueError(f"{path.name}: {told(error)}") from None


def _member(stored: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """An array, of which at most MOST_BYTES are unpacked."""
    with stored.open(name) as packed:
        data = packed.read(MOST_BYTES)
    return _array(io.BytesIO(data), len(data))


def _array(file: IO[bytes], size: int) -> NDArray[Any]:
    """The next array of a file of that size; a head that promises more than that is refused."""
    begin = file.tell()
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array of another format than 1.0")
    try:
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except (SyntaxError, TypeError, TokenError, RecursionError, MemoryError) as error:
        raise ValueError(told(error)) from None
    count = prod(shape)
    if not 0 <= count * max(1, dtype.itemsize) <= size - file.tell() or dtype.hasobject:
        raise ValueError(f"an array of shape {shape} of {dtype} in {size} bytes")
    file.seek(begin)
    found: NDArray[Any] = np.lib.format.read_array(file)
    return found


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
        try:
            jobs = int(array[0])
            *of_jobs, node_type = np.split(array[1:], [jobs, 2 * jobs, 3 * jobs])
            found = Solution(**dict(zip(DECISION_ARRAYS, [*of_jobs, node_type], strict=True)))
        except (IndexError, TypeError, ValueError, OverflowError):
            return  # somebody else has written to the file
        yield found


def append_array(array: NDArray[Any], path: Path) -> None:
    """Append an array to those before."""
    buffer = io.BytesIO()
    np.save(buffer, array)
    with path.open("ab") as file:
        file.write(buffer.getbuffer())


def arrays(path: Path) -> Iterator[NDArray[Any]]:
    """The arrays that were appended, as far as they are whole."""
    with suppress(InputError, OSError), opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        while True:
            try:
                array = _array(file, size)
            except (EOFError, ValueError):  # the end, or an array broken off
                return
            yield array

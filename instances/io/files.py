"""Reading and writing the files of the suite: `.json` or `.json.gz`, checked on the way in."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rsjs.core.errors import STANDARD, InputError, described, reason
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io import deserialization, serialization
from rsjs.instances.io.serialization import INSTANCE, SOLUTION, WORKLOAD, Document
from rsjs.instances.io.strict_json import Reader, read_json
from rsjs.instances.solution import Solution

T = TypeVar("T")
TAKES = {INSTANCE: "`rsjs solve`", WORKLOAD: "`rsjs simulate`", SOLUTION: "`rsjs check`"}


@dataclass(frozen=True, kw_only=True)
class SolutionFile:
    """A solution and the values that its file reports; see `serialization.of_solution`."""

    solution: Solution
    instance_digest: str
    method: str | None = None
    objective: float | None = None
    bound: float | None = None

    def refuse_other(self, instance: Instance, path: str | Path) -> None:
        """Raise InputError unless the file, read from `path`, names the digest of the instance."""
        if self.instance_digest != instance.digest:
            expected = f"{instance.digest}, the sha256 of {instance.name}"
            raise InputError("/instance", self.instance_digest, expected, path)


def read_instance(path: str | Path) -> Instance:
    """
    Read an `rsjs-instance/1` file.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    return _build(read_document(path), path, INSTANCE, deserialization.to_instance)


def read_workload(path: str | Path) -> Workload:
    """Read an `rsjs-workload/1` file; errors as in `read_instance`."""
    return _build(read_document(path), path, WORKLOAD, deserialization.to_workload)


def read_solution(path: str | Path) -> SolutionFile:
    """Read an `rsjs-solution/1` file; errors as in `read_instance`."""
    return _build(read_document(path), path, SOLUTION, _to_solution_file)


def read_any(path: str | Path) -> Instance | Workload | SolutionFile:
    """Read whichever kind of file this is."""
    document = read_document(path)
    builders: dict[str, Callable[[Document], Instance | Workload | SolutionFile]] = {
        INSTANCE: deserialization.to_instance,
        WORKLOAD: deserialization.to_workload,
        SOLUTION: _to_solution_file,
    }
    return _build(document, path, document["format"], builders[document["format"]])


def write_instance(instance: Instance, path: str | Path) -> None:
    """Write an instance; a `.gz` name compresses."""
    write_document(serialization.of_instance(instance), path)


def write_workload(workload: Workload, path: str | Path) -> None:
    """Write a workload."""
    write_document(serialization.of_workload(workload), path)


def write_solution(
    solution: Solution,
    instance_digest: str,
    path: str | Path,
    *,
    method: str | None = None,
    objective: float | None = None,
    bound: float | None = None,
) -> None:
    """Write a solution with what is claimed about it."""
    document = serialization.of_solution(
        solution, instance_digest, method=method, objective=objective, bound=bound
    )
    write_document(document, path)


def refuse_other_format(path: str | Path, form: str) -> None:
    """Refuse to replace a folder, or a file that is a JSON object of another format, or of none."""
    if Path(path).is_dir():
        raise InputError("", described("a folder"), "a file to write", path)
    try:
        document = read_json(path)
    except InputError:
        document = None
    if isinstance(document, dict) and document.get("format") != form:
        expected = f"{form} in the file to replace, or another folder"
        raise InputError("/format", described("another document"), expected, path)


def write_document(document: Document, path: str | Path) -> None:
    """Write a document in canonical form, one line, through a temporary file."""
    write_packed((serialization.canonical_text(document) + "\n").encode(), path)


def write_packed(data: bytes, path: str | Path) -> bytes:
    """Write a file, see `write_bytes`, and return its bytes: a `.gz` name compresses."""
    packed = gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data
    write_bytes(packed, path)
    return packed


def refuse_unwritable(path: str | Path, *, folder: bool = False) -> None:
    """
    Raise InputError for an output that cannot be written, before what it would hold is computed.

    Parameters
    ----------
    path : path
        A file, or with `folder` a directory; it may exist, the folder that it is in must.
    """
    path = Path(path)
    if str(path) == STANDARD:
        if folder:
            raise InputError("", described("standard output"), "a folder to write to")
        return
    if path.exists() and path.is_dir() != folder:
        found, expected = ("a file", "a folder") if folder else ("a folder", "a file to write")
        raise InputError("", described(found), expected, path)
    _refuse_special(path)
    parent = path.absolute().parent
    if not path.exists() and not parent.is_dir():
        found = f"{parent} is a file" if parent.exists() else f"no folder {parent}"
        raise InputError("", described(found), "a folder to write to", path)
    if not os.access(path if path.exists() else parent, os.W_OK):
        raise InputError("", described("no permission"), "a place that can be written", path)


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write a file whole or not at all, that of a link too; missing folders are made."""
    path = Path(path)
    try:
        if str(path) == STANDARD:
            with os.fdopen(os.dup(1), "wb") as output:
                output.write(data)
            return
        _refuse_special(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve() if path.is_symlink() else path
        scratch = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            scratch.write_bytes(data)
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    except (InputError, BrokenPipeError):
        raise
    except (OSError, ValueError, RuntimeError) as error:  # no name at all, a NUL in it, a loop
        place = "standard output" if str(path) == STANDARD else path
        raise InputError("", reason(error), "a file that can be written", place) from None


def _refuse_special(path: Path) -> None:
    """Refuse a device or a pipe: a file would take its place."""
    if path.exists() and not path.is_file() and not path.is_dir():
        found = described("a pipe, a device or a socket")
        raise InputError("", found, "a file to write", path)


def read_document(path: str | Path) -> Document:
    """Read a JSON file that fits the schema of the format it names."""
    return Reader(Path(path)).document()


def _to_solution_file(document: Document) -> SolutionFile:
    claims = {name: document.get(name) for name in ("method", "objective", "bound")}
    solution = deserialization.to_solution(document)
    return SolutionFile(solution=solution, instance_digest=document["instance"], **claims)


def _build(
    document: Document, path: str | Path, expected: str, build: Callable[[Document], T]
) -> T:
    if document["format"] != expected:
        found = document["format"]
        told = f"{expected!r}; {TAKES[found]} takes what is found"
        raise InputError("/format", found, told, path)
    try:
        return build(document)
    except InputError as error:
        raise error.at(path) from None

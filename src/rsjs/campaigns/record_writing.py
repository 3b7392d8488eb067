"""A record on its way to the disk; see `records` for what it holds."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from rsjs.campaigns import schema_files
from rsjs.campaigns.records import SUMS, Record
from rsjs.campaigns.schema_files import Document
from rsjs.instances.io.bounded_files import read_bytes

LOG_END = 2**18  # bytes kept of either end of a log


def write(record: Record, folder: Path, log: Path | None, solution: Path | None = None) -> None:
    """
    Write the record of a run into an empty folder, which is made if need be, down to the disk.

    Parameters
    ----------
    log, solution : path, optional
        What the run printed; the file of its solution, if there is one.
    """
    files: dict[str, str | bytes] = {
        "spec.json": _text(record.run.as_document()),
        "result.json": _text(_result(record)),
        "verify.json": _text(_verification(record)),
        "events.jsonl": "".join(_text(asdict(event)) for event in record.result.events).encode(),
    }
    if solution is not None and solution.is_file():
        files[solution.name] = read_bytes(solution)
    files["log.gz"] = gzip.compress(_ends(log), mtime=0)
    sums = [f"{sha256(_bytes(data)).hexdigest()}  {name}\n" for name, data in files.items()]
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {**files, SUMS: "".join(sums)}.items():
        with (folder / name).open("wb") as file:
            file.write(_bytes(data))
            file.flush()
            if record.run.isolation == "process":  # what a power failure damages of a batch is made
                os.fsync(file.fileno())  # again sooner than every run of it is waited for


def _result(record: Record) -> Document:
    result = record.result
    return {
        "format": schema_files.name("result"),
        "id": record.run.id,
        "stop": result.stop.value,
        "objective": result.objective,
        "bound": result.bound,
        "bound_source": result.bound_source,
        "bound_variant": result.bound_variant,
        "seconds": dict(result.seconds),
        "counts": dict(result.counts),
        "options": dict(result.options),
        "message": result.message,
        "peak_memory_mb": result.peak_memory_mb,
        "process": dict(record.process),
        "rsjs_version": record.rsjs_version,
        "solver_version": record.solver_version,
        "session": record.session,
        **({"figures": dict(record.figures)} if record.figures else {}),
    }


def _verification(record: Record) -> Document:
    return {
        "format": schema_files.name("verify"),
        "id": record.run.id,
        "verdict": None if record.verdict is None else asdict(record.verdict),
        "incumbents": record.incumbents,
        "incumbents_reported": record.incumbents_reported,
    }


def _text(document: Document) -> str:
    return json.dumps(_plain(document), allow_nan=False, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    """What JSON has a word for: numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):  # a scalar of numpy
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | str | None) else str(value)


def _bytes(data: str | bytes) -> bytes:
    return data.encode("utf-8", errors="replace") if isinstance(data, str) else data


def _ends(log: Path | None) -> bytes:
    if log is None or not log.is_file():
        return b""
    size = log.stat().st_size
    with log.open("rb") as file:
        if size <= 2 * LOG_END:
            return file.read()
        head = file.read(LOG_END)
        file.seek(size - LOG_END)
        return b"%s\n... %d bytes left out ...\n%s" % (head, size - 2 * LOG_END, file.read())

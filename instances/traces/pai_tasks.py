"""
The tasks of PAI jobs, summed up for each job.

    GPUs       G = sum over tasks of inst_num plan_gpu / 100, rounded up
    share      G of a single instance with less than one GPU; otherwise 1
    start, end least start_time, largest end_time
    GPU type   of a task with GPUs
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsjs.instances.streams import Floats
from rsjs.instances.traces.assembly import Columns, Index
from rsjs.instances.traces.kinds import GPU_COUNT, NUMBER, UNMATCHED, Bits
from rsjs.instances.traces.rows import Rows, flawed
from rsjs.instances.traces.text_columns import keys

WANTED = {
    "job_name": "text",
    "inst_num": "number",
    "start_time": "number",
    "end_time": "number",
    "plan_gpu": "number",
    "gpu_type": "word",
}
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class JobTasks:
    """
    (n,) one entry for each job that has tasks, in the order of `key`.

    Attributes
    ----------
    file : str
    key : uint64, increasing; see `text_columns.keys`
    line : int, of its first task
    start, end : float [s]
    gpus, share : float
    model, models : as in `Rows`
    flaw : uint32
    """

    file: str
    key: NDArray[np.uint64]
    line: Index
    start: Floats
    end: Floats
    gpus: Floats
    share: Floats
    model: Index
    models: tuple[str, ...]
    flaw: Bits

    def of(self, key: NDArray[np.uint64]) -> Index:
        """(m,) position of each job, -1 = it has no task."""
        if not len(self.key):
            return np.full(len(key), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
        return np.where(self.key[at] == key, at, -1)


@dataclass(kw_only=True, eq=False)
class TaskReader:
    """Collects the tasks, about 60 bytes each."""

    file: str = ""
    models: dict[str, int] = field(default_factory=dict)
    parts: list[Any] = field(default_factory=list)

    def add(self, columns: Columns, file: str, line: Index) -> Rows:
        """Note a block of tasks; no row comes of it (`make` of `table_rows.layout_rows`)."""
        codes, names = columns.word("gpu_type")
        position = [self.models.setdefault(name, len(self.models)) for name in names]
        plan, instances = columns.number("plan_gpu"), columns.number("inst_num")
        start, end = columns.number("start_time"), columns.number("end_time")
        on_gpu = plan > 0
        self.file = file
        self.parts.append(
            pd.DataFrame(
                {
                    "key": keys(columns.text("job_name")),
                    "line": line,
                    "start": start,
                    "end": end,
                    "instances": np.where(on_gpu, instances, 0.0),
                    "gpus": np.where(on_gpu, instances * plan / 100, 0.0),
                    "model": np.where(on_gpu, np.array([*position, -1])[codes], -1),
                    "unread": (columns.flaw & NUMBER.bit) != 0,
                    "uncounted": (on_gpu & ~(instances >= 0)) | (plan < 0),
                }
            )
        )
        return flawed(file, line[:0], UNMATCHED)

    def jobs(self) -> JobTasks | None:
        """All tasks by job; None if there is no task."""
        if not self.parts:
            return None
        found = (
            pd.concat(self.parts)
            .groupby("key", sort=True)
            .agg(
                {
                    **dict.fromkeys(("line", "start"), "min"),
                    **dict.fromkeys(("end", "model", "unread", "uncounted"), "max"),
                    **dict.fromkeys(("instances", "gpus"), "sum"),
                }
            )
        )
        column = {name: found[name].to_numpy() for name in found.columns}
        gpus = column["gpus"]
        part = (column["instances"] == 1) & (gpus < 1) & (gpus > 0)
        flaw = column["unread"] * NUMBER.bit | column["uncounted"] * GPU_COUNT.bit
        return JobTasks(
            file=self.file,
            key=found.index.to_numpy().astype(np.uint64, copy=False),
            line=column["line"],
            start=column["start"],
            end=column["end"],
            gpus=np.ceil(gpus - _ROUNDING),
            share=np.where(part, gpus, 1.0),
            model=column["model"],
            models=tuple(self.models),
            flaw=flaw.astype(np.uint32),
        )

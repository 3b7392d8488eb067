"""
The tasks of PAI jobs, summed up for each job.

    GPUs       G = sum over tasks of inst_num plan_gpu / 100, rounded up
    share      G of a single instance with less than one GPU; otherwise 1
    start, end least start_time, largest end_time
    GPU type   of a task with GPUs

A task that an earlier row has, by the names of job and task, is a duplicate and has no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.traces.columns import Columns, Index
from rsjs.instances.traces.flaws import GPU_COUNT, NUMBER, UNMATCHED, Bits
from rsjs.instances.traces.records import Rows, flawed
from rsjs.instances.traces.text_columns import keys, mixed

WANTED = {
    "job_name": "text",
    "task_name": "word",
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
    (n + 1,) an entry for each job that has tasks, in the order of `key`, and one for all others.

    Attributes
    ----------
    file : str
    key : (n,) uint64, increasing; see `text_columns.keys`
    line : (n,) int, of its first task
    start, end : float [s]
    gpus, share : float
    model, models : as in `Rows`
    flaw : uint32
    again : (d,) int
        Lines of tasks that an earlier line has.
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
    again: Index

    def of(self, key: NDArray[np.uint64]) -> Index:
        """(m,) position of each job, n = it has no task."""
        order = np.argsort(key)  # neighbours are then found near each other
        at = np.empty(len(key), dtype=np.int64)
        at[order] = np.searchsorted(self.key, key[order])
        found = self.key[np.minimum(at, len(self.key) - 1)] == key
        return np.where(found, at, len(self.key))


@dataclass(kw_only=True, eq=False)
class TaskReader:
    """Collects the tasks, about 70 bytes each, twice as many while they are summed up."""

    file: str = ""
    models: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    parts: list[dict[str, NDArray[Any]]] = field(default_factory=list)

    def add(self, columns: Columns, file: str, line: Index) -> Rows:
        """Note a block of tasks; no row comes of it (`make` of `table_rows.layout_rows`)."""
        plan, instances = columns.number("plan_gpu"), columns.number("inst_num")
        start, end = columns.time("start_time"), columns.time("end_time")
        on_gpu = plan > 0
        counted = on_gpu & (instances >= 0)
        self.file = file
        self.parts.append(
            {
                "key": keys(columns.text("job_name")),
                "task": _coded(columns.word("task_name"), self.names),
                "line": line,
                "start": start,
                "end": end,
                "instances": np.where(counted, instances, 0.0),
                "gpus": np.where(counted, instances * plan / 100, 0.0),
                "model": np.where(on_gpu, _coded(columns.word("gpu_type"), self.models), -1),
                "unread": (columns.flaw & NUMBER.bit) != 0,
                "uncounted": (on_gpu & ~counted) | (plan < 0),
            }
        )
        return flawed(file, line[:0], UNMATCHED)

    def jobs(self) -> JobTasks | None:
        """All tasks by job; None if there is no task."""
        if not self.parts:
            return None
        task = {name: np.concatenate([p[name] for p in self.parts]) for name in self.parts[0]}
        self.parts.clear()
        again = _again(task["key"], task["task"])
        order = np.argsort(task["key"])
        if len(again):
            order = order[~np.isin(order, again)]
        key = task["key"][order]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))

        def of_jobs(rule: np.ufunc, name: str) -> NDArray[Any]:
            return np.asarray(rule.reduceat(task[name][order], first))

        gpus = of_jobs(np.add, "gpus")
        part = (of_jobs(np.add, "instances") == 1) & (gpus < 1) & (gpus > 0)
        flaw = of_jobs(np.maximum, "unread") * NUMBER.bit
        flaw |= of_jobs(np.maximum, "uncounted") * GPU_COUNT.bit
        return JobTasks(
            file=self.file,
            key=key[first],
            line=of_jobs(np.minimum, "line"),
            start=np.append(of_jobs(np.fmin, "start"), np.nan),
            end=np.append(of_jobs(np.fmax, "end"), np.nan),
            gpus=np.append(np.ceil(gpus - _ROUNDING), np.nan),
            share=np.append(np.where(part, gpus, 1.0), np.nan),
            model=np.append(of_jobs(np.maximum, "model"), -1),
            models=tuple(self.models),
            flaw=np.append(flaw, 0).astype(np.uint32),
            again=task["line"][again],
        )


def _coded(words: tuple[Index, tuple[str, ...]], known: dict[str, int]) -> Index:
    """(n,) positions in the words that are known by now, -1 where there is none."""
    codes, names = words
    position = [known.setdefault(name, len(known)) for name in names]
    return np.array([*position, -1], dtype=np.int64)[codes]


def _again(key: NDArray[np.uint64], task: Index) -> Index:
    """Rows that an earlier row has, by job and task, in the order of the file."""
    pair = mixed(key, task.astype(np.uint64))
    ordered = np.sort(pair)
    if (ordered[1:] != ordered[:-1]).all():
        return np.empty(0, dtype=np.int64)
    order = np.argsort(pair, kind="stable")
    return np.sort(order[1:][pair[order[1:]] == pair[order[:-1]]])

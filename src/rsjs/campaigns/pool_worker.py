"""
The process that carries out runs one after the other: `python -m ...pool_worker STORE PARENT`.

A run goes from its instance file to its record: carried out, verified, written. The process
reads a line for each run from standard input and writes lines on how it goes to standard output.
It is a subreaper without other children, so whatever a run starts is found and ended with it. When
its parent dies it gets SIGTERM, ends the run and all its processes, and leaves no record of it.

    in    {"order": {...}}    see `Order`; the end of input ends the process
    out   {"event": "ready" | "begun" | "passed over", "data": {}}
          {"event": "line", "data": {...}}                  an event of the worker
          {"event": "ended", "data": {...}}                 its summary: the record is in the store
          {"event": "broken", "data": {"message": ...}}     the store cannot be read or written
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.campaigns import records
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import SHIPPED, Store, instance_file, refuse_other
from rsjs.core.errors import InputError
from rsjs.core.own_code import pickle_file
from rsjs.core.process import die_with_parent
from rsjs.core.report import SolveResult, Stop
from rsjs.rows.build import summary
from rsjs.runs import provenance
from rsjs.runs.kinds.base import Kind, Verified, kind
from rsjs.runs.process_tree import Family, subreaper
from rsjs.runs.supervisor import Batch, End, OnEvent, Supervisor
from rsjs.runs.task_files import INCUMBENTS, Task, all_events

MOST_PRICED = 1000  # incumbents that are priced again; of more, this many evenly spread


@dataclass(frozen=True, kw_only=True)
class Order:
    """A run, and what is needed to carry it out on this machine."""

    run: Run
    instance: str  # path of its file
    python: str  # the interpreter of the run's environment
    origin: Mapping[str, Any]  # rsjs_version, solver_version and session of the record

    def lost(self, message: str) -> Record:
        """Return the record of a run that was begun and lost."""
        unknown = dict.fromkeys(("returncode", "clock_s", "cpu_s", "load_before", "load_after"))
        known = {"end": "lost", "cores": [], "strays": 0, "whole_s": 0.0, "begun": provenance.utc()}
        result = SolveResult(stop=Stop.ERROR, message=message)
        return Record(run=self.run, result=result, process=unknown | known, **self.origin)


def perform(
    order: Order,
    work: Path,
    record: Path,
    *,
    batch: Batch,
    shipped: Path = Path(),
    on_event: OnEvent | None = None,
) -> Record | None:
    """
    Carry out a run in the empty folder `work`, and write its record; `shipped` has pickled methods.

    This process is a subreaper without other children than the worker of `batch`, which carries out
    the runs that need no process of their own. None if the run was interrupted: nothing is written.
    InputError if the file holds another instance than the run is for.
    """
    run, in_batch = order.run, order.run.isolation == "batch"
    problem_in(run, order.instance)
    if not in_batch:
        batch.end()  # whatever is beside a run counts as its own
    begin, begun, load = time.monotonic(), provenance.utc(), provenance.load()
    used = sum(os.times()[2:4])  # CPU seconds of processes that were started here and have ended
    plugins = {} if run.plugins is None else json.loads(run.plugins)
    task = Task(
        instance=order.instance,
        method=run.method,
        limits=run.limits,
        every_incumbent=True,
        output_limit_mb=run.output_limit_mb,
        kind=run.kind,
        options=run.options,
        plugins=plugins or None,
        shipped={
            name: str(file)
            for name, source in plugins.items()
            if (file := pickle_file(shipped, name, source.get("sha256", ""))).is_file()
        },
    )
    ended = Supervisor(
        folder=work,
        task=task,
        python=order.python,
        alone=True,
        on_event=on_event,
        batch=batch if in_batch else None,
    ).run()
    if ended.end is End.INTERRUPTED:
        return None
    if ended.strays or ended.result.stop is Stop.ERROR:  # may have left its worker in any state
        batch.end()
    cpu = None if in_batch else sum(os.times()[2:4]) - used
    try:
        found = verified(run, order.instance, ended.result, work)
        priced, reported = incumbents(run, order.instance, work)
    except (OSError, InputError) as error:  # a folder that cannot be read is the run's own fault
        message = f"{ended.result.message}; what it left cannot be read: {error}"
        wrong = replace(ended.result, stop=Stop.ERROR, solution=None, message=message)
        found, priced, reported = Verified(result=wrong), [], 0
    process = {
        "end": ended.end.value,
        "returncode": ended.returncode,
        "cores": ended.cores,
        "strays": ended.strays,
        "clock_s": ended.clock_seconds,
        "cpu_s": cpu,
        "whole_s": time.monotonic() - begin,
        "begun": begun,
        "load_before": load,
        "load_after": provenance.load(),
    }
    made = Record(
        run=run,
        result=found.result,
        verdict=found.verdict,
        figures=found.figures,
        process=process,
        incumbents=priced,
        incumbents_reported=reported,
        **order.origin,
    )
    _clear(record, is_file=False)
    records.write(made, record, work / "stderr.txt", work / kind(run.kind).solution_file)
    return made


@lru_cache(maxsize=4)
def _read(name: Kind, instance: str) -> Any:
    return kind(name).read(instance)


def problem_in(run: Run, instance: str) -> Any:
    """Read the file of a run's instance; InputError if it is another than the run is for."""
    problem = _read(run.kind, instance)
    refuse_other(problem, run.solved_sha256, instance)
    return problem


def verified(run: Run, instance: str, result: SolveResult, work: Path) -> Verified:
    """Verify what a worker left in its folder, and write the solution's file there."""
    own, problem = kind(run.kind), problem_in(run, instance)
    found = own.verified(problem, run.method, run.options, result, work)
    path = work / own.solution_file
    _clear(path, is_file=found.verdict is not None or own.keeps(path))
    own.save(problem, run.method, found, path)
    return found


def _clear(path: Path, *, is_file: bool) -> None:
    """Remove what a run left in the place of a folder, or of a file if it is no regular one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or not (is_file and path.is_file()):
        path.unlink(missing_ok=True)


def incumbents(run: Run, instance: str, work: Path) -> tuple[list[dict[str, Any]], int]:
    """Return seconds, claimed and checked cost of the incumbents priced; how many there were."""
    problem, own = problem_in(run, instance), kind(run.kind)
    lines = (line for line in all_events(work) if line["event"] == "incumbent")
    reported = [*zip(lines, own.incumbents(work / INCUMBENTS), strict=False)]
    chosen = np.linspace(0, len(reported) - 1, min(len(reported), MOST_PRICED)).round()
    priced = [
        {
            "seconds": line["seconds"],
            "claimed": line["value"],
            "objective": own.price(problem, solution),
        }
        for line, solution in (reported[int(k)] for k in chosen)
    ]
    return priced, len(reported)


def priced_again(run: Run, store: Store) -> float | None:
    """Return what the solution in a record costs; None if it is infeasible or not readable."""
    own, instance = kind(run.kind), instance_file(store.folder, run.solved_sha256)
    solution = store.path(run.id) / own.solution_file
    try:
        problem = problem_in(run, str(instance))
        return own.price_file(problem, run.method, run.options, solution)
    except (InputError, OSError, KeyError):
        return None


def serve(store: Store, batch: Batch) -> None:
    """Carry out the runs on standard input until it ends."""
    _tell("ready")
    for line in sys.stdin:
        document = json.loads(line)["order"]
        order = Order(**{**document, "run": Run.of_document(document["run"])})
        try:
            with store.claimed(order.run.id) as scratch:
                if scratch is None:
                    _tell("passed over")
                    continue
                _tell("begun")
                work, folder = scratch / "work", scratch / "record"
                record = perform(
                    order,
                    work,
                    folder,
                    batch=batch,
                    shipped=store.folder / SHIPPED,
                    on_event=partial(_tell, "line"),
                )
                if record is None:  # somebody interrupted this very process
                    raise SystemExit(1)
                store.commit(order.run)
            _tell("ended", summary(record))
        except (OSError, InputError) as error:
            message = str(error)
            if isinstance(error, OSError):  # writing to an open file names none
                message = f"{error.filename or store.folder}: {error.strerror}"
            _tell("broken", {"message": message})
            return


def _tell(event: str, data: Mapping[str, Any] | None = None) -> None:
    # in one piece: a signal may come between two
    print(f"{json.dumps({'event': event, 'data': data or {}})}\n", end="", flush=True)


def _leave(*_: object) -> None:
    """Unwinds through the supervisor of a run, which ends its processes."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent(int(sys.argv[2]), by=signal.SIGTERM)
    with subreaper():
        try:
            serve(Store(Path(sys.argv[1])), batch := Batch())
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends by itself
            batch.end()
        except BrokenPipeError:  # nobody listens any more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        finally:
            Family(os.getpid(), with_root=False).kill()

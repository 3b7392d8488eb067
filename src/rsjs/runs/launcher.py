"""One task in one worker process, and what it left; `supervisor` enforces its limits."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from rsjs.core.call import GRACE
from rsjs.core.errors import printable, told
from rsjs.core.report import SolveResult, Stop
from rsjs.runs.cores import claimed
from rsjs.runs.process_tree import killed_for_memory
from rsjs.runs.solution_arrays import decision_digest, read_decision
from rsjs.runs.supervisor import STARTUP, Batch, End, OnEvent, Surroundings, Watch
from rsjs.runs.task_files import EVENTS, WARM_START, Task, read_result, salvaged

STOPS = {
    End.TIME: Stop.TIME_LIMIT,
    End.MEMORY: Stop.MEMORY_LIMIT,
    End.OUTPUT: Stop.OUTPUT_LIMIT,
    End.INTERRUPTED: Stop.INTERRUPTED,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Ended:
    """
    A worker that has ended, and what it left.

    Attributes
    ----------
    result : SolveResult
    end : End
    returncode : int or None
    cores : list of int
        The cores it was pinned to; empty = none.
    strays : int
        Processes it left behind, now ended.
    clock_seconds : float or None
        Wall clock from the start of the method's clock to the end of the process.
    """

    result: SolveResult
    end: End
    returncode: int | None
    cores: list[int]
    strays: int
    clock_seconds: float | None


def carry_out(
    task: Task,
    folder: Path,
    *,
    surroundings: Surroundings | None = None,
    on_event: OnEvent | None = None,
    batch: Batch | None = None,
) -> Ended:
    """Run a task in a folder, which keeps the files of `task_files`; in a batch by its worker."""
    task.write(folder)
    begun_from, killed = _begun_from(folder), killed_for_memory()
    (folder / EVENTS).touch()
    with (folder / "stderr.txt").open("w+b") as errors, claimed(task.limits.threads) as cores:
        watch = Watch(folder, task, surroundings or Surroundings(), on_event, batch)
        end = watch.run(errors, cores)
        result = _read(folder)
        if result is None:
            message = _why(watch, end, errors, killed)
            result = _salvaged(folder, STOPS.get(end, Stop.ERROR), message)
        elif end is End.INTERRUPTED:
            result = replace(result, stop=Stop.INTERRUPTED)
        elif watch.asked and result.stop is Stop.INTERRUPTED:
            result = replace(result, stop=Stop.TIME_LIMIT)  # we did, not the user
    peak = max(result.peak_memory_mb or 0.0, watch.peak_mb)
    return Ended(
        result=replace(
            result,
            peak_memory_mb=peak or None,
            seconds={**result.seconds, "process": watch.seconds},
            options={**result.options, **begun_from},
        ),
        end=end,
        returncode=watch.returncode,
        cores=cores,
        strays=watch.strays,
        clock_seconds=watch.clock_seconds,
    )


def _why(watch: Watch, end: End, errors: IO[bytes], killed: int | None) -> str:
    """Why a worker left no result; `killed` is `killed_for_memory` before its start."""
    if end is End.TIME:
        if watch.clock_seconds is None:
            return f"ended: imports, reading and compiling took more than {STARTUP:g} s"
        return f"ended {GRACE:g} s after its time limit"
    if end is End.MEMORY:
        return f"ended at {watch.peak_mb:.0f} MB of resident memory"
    if end is End.OUTPUT:
        return f"ended at more than {watch.task.output_limit_mb or 0:g} MB of output"
    if end is End.INTERRUPTED:
        return "ended before it returned"
    return f"worker {ending(watch.returncode, killed, killed_for_memory())}: {_last_words(errors)}"


def ending(returncode: int | None, before: int | None, after: int | None) -> str:
    """
    How a process ended, as far as it is known.

    Parameters
    ----------
    returncode : -n if signal n ended it
    before, after : `killed_for_memory` before its start and after its end
    """
    if returncode is None or returncode >= 0:
        return f"ended with code {returncode}"
    name = signal.Signals(-returncode).name
    if name != "SIGKILL":
        return f"ended by {name}"
    if before is None or after is None:
        return f"ended by {name}, sent by another process or by the kernel for want of memory"
    if before == after:
        return f"ended by {name}, sent by another process: the kernel ended none for want of memory"
    return f"ended by {name} while the kernel ended {after - before} for want of memory"


def _begun_from(folder: Path) -> dict[str, str]:
    """The digest of the decision that the run was given to begin from."""
    start = read_decision(folder / WARM_START)
    return {} if start is None else {"warm_start_sha256": decision_digest(start)}


def _read(folder: Path) -> SolveResult | None:
    """The worker's result; one that makes no sense is an error, not ours."""
    try:
        return read_result(folder)
    except Exception as error:
        message = f"the result cannot be read: {told(error)}"
        return SolveResult(stop=Stop.ERROR, message=message)


def _salvaged(folder: Path, stop: Stop, message: str) -> SolveResult:
    """What the worker had made known; files that make no sense are its own fault."""
    try:
        return salvaged(folder, stop, message)
    except Exception as error:
        unread = f"{message}; what it left cannot be read: {told(error)}"
        return SolveResult(stop=stop, message=unread)


def _last_words(errors: IO[bytes]) -> str:
    """The last line on standard error, also where its file has been removed."""
    errors.seek(max(0, errors.seek(0, 2) - 10_000))
    text = errors.read().decode("utf-8", errors="replace").strip()
    last = " ".join(text.splitlines()[-1].split()) if text else "nothing on standard error"
    return printable(last[:500])

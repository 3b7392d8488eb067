"""
The process that carries out runs one after the other: `python -m ...pool_worker STORE PARENT`.

It reads a line for each run from standard input and writes lines on how it goes to standard output.
It is a subreaper without other children, so whatever a run starts is found and ended with it. When
its parent dies it gets SIGTERM, ends the run and all its processes, and leaves no record of it.

    in    {"order": {...}}            see `execute.Order`; the end of input ends the process
    out   {"event": "ready"}
          {"event": "begun" | "passed over"}
          {"event": "line", "line": {...}}        an event of the worker
          {"event": "ended", "summary": {...}}    the record is in the store
          {"event": "broken", "message": ...}     the store cannot be read or written
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from rsjs.campaigns.execute import Order, perform
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError
from rsjs.core.process import die_with_parent
from rsjs.rows.build import summary
from rsjs.runs.process_tree import Family, subreaper
from rsjs.runs.supervisor import Batch


def serve(store: Store) -> None:
    """Carry out the runs on standard input until it ends."""
    _tell("ready")
    batch = Batch()
    for line in sys.stdin:
        document = json.loads(line)["order"]
        order = Order(**{**document, "run": Run.of_document(document["run"])})
        try:
            _carry_out(order, store, batch)
        except OSError as error:
            place = error.filename or store.folder  # writing to an open file names none
            _tell("broken", message=f"{place}: {error.strerror}")
            return
        except InputError as error:
            _tell("broken", message=str(error))
            return


def _carry_out(order: Order, store: Store, batch: Batch) -> None:
    with store.claimed(order.run) as scratch:
        if scratch is None:
            _tell("passed over")
            return
        _tell("begun")
        work, folder = scratch / "work", scratch / "record"
        record = perform(
            order, work, folder, batch=batch, on_event=lambda line: _tell("line", line=line)
        )
        if record is not None:
            store.commit(order.run)
    if record is None:  # somebody interrupted this very process
        raise SystemExit(1)
    _tell("ended", summary=summary(record))


def _tell(event: str, **data: Any) -> None:
    # in one piece: a signal may come between two
    print(f"{json.dumps({'event': event, **data})}\n", end="", flush=True)


def _leave(*_: object) -> None:
    """Unwinds through the supervisor of a run, which ends its processes."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent(int(sys.argv[2]), by=signal.SIGTERM)
    with subreaper():
        try:
            serve(Store(Path(sys.argv[1])))
        except BrokenPipeError:  # nobody listens any more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        finally:
            Family(os.getpid(), with_root=False).kill()

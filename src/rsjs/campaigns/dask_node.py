"""
What happens on a node of a Dask cluster: the functions that its workers are sent.

    task -> guarded slot -> slot -> worker process of the run

Each run has processes of its own, ended with the one that started them, and a folder that is
removed; of a run only its record leaves the node, and only the instance files stay, as long as the
Dask worker does. Dask cannot interrupt a task, so the task looks whether it is still wanted: it is
not when it was cancelled, when its client has gone, or when its worker closes.
"""

from __future__ import annotations

import os
import selectors
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rsjs.campaigns import environments, pool_guard, session
from rsjs.campaigns.execute import Order
from rsjs.campaigns.method_selection import HERE
from rsjs.campaigns.record_transfer import Parcel, packed
from rsjs.campaigns.session import Conditions
from rsjs.campaigns.store import Store
from rsjs.campaigns.worker_pool import Slot
from rsjs.instances.io.files import write_bytes

POLL = 0.25  # seconds between looks whether a run is still wanted
WANTED = {"executing", "long-running"}  # states of a task as its worker sees it
ENDING = {"closing", "closed", "failed"}  # states of a worker


def conditions(
    interpreters: Mapping[str, str], methods: Mapping[str, Iterable[str]], exclusive: bool
) -> Conditions:
    """What this node has: machine, load, environments and the methods that are to run in each."""
    return session.conditions(environments.asked(interpreters, methods), exclusive=exclusive)


def keep_instance(sha256: str, content: bytes) -> Parcel:
    """Keep an instance file as long as the Dask worker lives; nothing is sent back."""
    from distributed import get_worker

    write_bytes(content, _instance(get_worker(), sha256))
    return {}


def carry_out(order: Order) -> Parcel | None:
    """
    Carry out a run in processes of its own.

    Returns
    -------
    Parcel or None
        Its record; None if the process that watches over it died, if it is no longer wanted, or if
        this worker has not been given the instance.

    Raises
    ------
    OSError
        If its folder cannot be written.
    """
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    instance = _instance(worker, order.run.solved_sha256)
    if not instance.exists():
        return None
    python = sys.executable if order.run.environment == HERE else order.python
    here = replace(order, instance=str(instance), python=python)
    with tempfile.TemporaryDirectory(prefix="rsjs-", dir=worker.local_directory) as name:
        store = Store(Path(name))
        slot = Slot(store, pool_guard.MODULE, _environment())
        try:
            slot.give(here)
            for line in _lines(slot):
                if line["event"] == "broken":
                    raise OSError(None, line["message"])
                if line["event"] == "ended":
                    return packed(store.path(order.run.id))
                if not _is_wanted(worker, key):
                    break
        finally:
            slot.end()
    return None


def _lines(slot: Slot) -> Iterator[dict[str, Any]]:
    """What a slot tells until it ends, and a line without news now and then."""
    with selectors.DefaultSelector() as selector:
        selector.register(slot.output, selectors.EVENT_READ)
        while True:
            yield {"event": "idle"}
            if selector.select(POLL):
                lines = slot.lines()
                if lines is None:
                    return
                yield from lines


def _is_wanted(worker: Any, key: str) -> bool:
    task = worker.state.tasks.get(key)
    return worker.status.name not in ENDING and task is not None and task.state in WANTED


def _instance(worker: Any, sha256: str) -> Path:
    return Path(worker.local_directory) / "rsjs-instances" / f"{sha256}.json.gz"


def _environment() -> dict[str, str]:
    """The variables of this process without those that Dask set: they change how memory is kept."""
    from dask import config

    ours = {
        name
        for part in ("pre-spawn-environ", "environ")
        for name in config.get(f"distributed.nanny.{part}", {})
    }
    return {name: value for name, value in os.environ.items() if name not in ours}

"""
Runs on the workers of a Dask cluster: one of this machine's own, or one that is running.

A run is a task for one worker that has a thread free, so Dask neither queues runs nor moves them.
Before its first run a worker is asked what it has: its versions must be those of the store, its
methods of other packages those of the plan, and its threads must fit into its machine. This process
holds the claim of each run that is under way, and commits the record that comes back; the run of a
worker that vanishes is given to another. When this process ends, in whatever way, the scheduler
forgets its tasks, and each task ends its run.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rsjs.campaigns import environments, records
from rsjs.campaigns.pool import IDLE, Dispatch, News, Slot
from rsjs.campaigns.pool_worker import Order
from rsjs.campaigns.session import Conditions, conditions, refuse_more
from rsjs.campaigns.spec import HERE
from rsjs.campaigns.store import Store, read_document
from rsjs.core.entry_points import source_text
from rsjs.core.errors import InputError, described, told
from rsjs.core.own_code import DIRECTORY, directory, relative_to
from rsjs.formulations.backends.registry import is_program
from rsjs.rows.build import summary
from rsjs.runs.process_tree import kill_if_stopped

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

INSTALL = "pip install 'rsjs-bench[dask]'"
PACKAGE = "rsjs-bench"
PATIENCE = 10.0  # seconds for a scheduler to answer
FETCHED = 300.0  # seconds for a record to come
LOST = "the Dask scheduler has gone; what is done is kept, the same command goes on from there"
ENDING = ("closing", "closed", "failed")  # states of a worker
# Ctrl-C reaches all processes of a terminal; these are ended by the one that asked for them.
LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, lambda *_: None)"
# Dask does not leave their HTTP servers out.
NO_PAGES = {f"distributed.{one}.http.routes": list[str]() for one in ("scheduler", "worker")}


@contextmanager
def own_cluster(workers: int) -> Iterator[Client]:
    """Start a scheduler and so many workers of one thread, yield a client, and end them."""
    _require()
    import dask
    from distributed import LocalCluster

    try:
        with dask.config.set(NO_PAGES):
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                security=True,  # TLS with own keys: whoever else connects could run any code
                dashboard_address=None,
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                memory_limit=0,  # a run has its own, and its memory is not the worker's
                silence_logs=logging.CRITICAL,
                preload=[LEAVE_CTRL_C],
            )
    except (OSError, RuntimeError) as error:
        raise InputError("--dispatch", described(told(error)), "a cluster that starts") from None
    with cluster, running_cluster(cluster) as client:
        yield client


@contextmanager
def running_cluster(address: str | LocalCluster) -> Iterator[Client]:
    """Yield a client of a running scheduler; InputError if none answers there."""
    _require()
    from distributed import Client
    from distributed.versions import VersionMismatchWarning

    try:
        # the versions that matter are compared before a run
        with warnings.catch_warnings(action="ignore", category=VersionMismatchWarning):
            client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = described(f"{address}: {error}")
        raise InputError("--dispatch", reason, "the address of a running Dask scheduler") from None
    with client:
        yield client


def _require() -> None:
    for package in ("distributed", "cryptography"):
        if find_spec(package) is None:
            raise InputError("--dispatch", described(f"no package {package}"), INSTALL)
    import distributed  # noqa: F401  # sets the levels that are changed here

    for name in logging.root.manager.loggerDict:
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def carry_out(order: Order, instance: bytes, folder: Path) -> dict[str, bytes] | None:
    """
    On a worker: carry out a run in a slot that ends with this task; return its record by file.

    Files of methods are relative to `folder`, that of the campaign, which the worker must have.
    None if the slot died, or if the run is no longer wanted, which Dask does not tell a task.
    """
    from dask import config
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    nanny = config.get("distributed.nanny", {})  # whose variables change how memory is kept
    of_dask = {*nanny.get("pre-spawn-environ", ()), *nanny.get("environ", ())}
    variables = {name: value for name, value in os.environ.items() if name not in of_dask}
    variables[DIRECTORY] = str(folder)
    with tempfile.TemporaryDirectory(prefix="rsjs-", dir=worker.local_directory) as name:
        file, store = Path(name, "instance.json.gz"), Store(Path(name))
        file.write_bytes(instance)
        slot = Slot(store, environment=variables)
        try:
            python = sys.executable if order.run.environment == HERE else order.python
            slot.give(replace(order, instance=str(file), python=python))
            while (lines := slot.lines(IDLE)) is not None:
                kill_if_stopped(slot.process.pid)
                if any(line["event"] == "ended" for line in lines):
                    record = store.path(order.run.id)
                    return {path.name: path.read_bytes() for path in record.iterdir()}
                task = worker.state.tasks.get(key)  # cancelled, or its client has gone
                if task is None or task.state != "executing" or worker.status.name in ENDING:
                    break
        finally:
            slot.end()
    return None


class Dask(Dispatch):
    """The dispatcher with the workers of a cluster."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def carry_out(self) -> Iterator[News]:
        """Carry out the orders that are waiting, on workers as they join and go."""
        from distributed.comm import CommClosedError

        self.sessions: dict[str, str] = {}  # of the workers that may carry out runs, by address
        # a run that a worker has, its address, and the claim on the run
        self.given: dict[Future, tuple[Order, str, ExitStack]] = {}
        self.ended: SimpleQueue[Future] = SimpleQueue()
        try:
            while self.waiting or self.given:
                yield from self.look()
                yield from self._give()
                try:
                    future = self.ended.get(timeout=IDLE)
                except Empty:
                    yield News(kind="idle")
                else:
                    yield from self._hear(future) if future in self.given else ()
            last = {at: address for address, at in self.sessions.items()}
            for address, found in self._ask([*last.values()]):  # one that is silent has no end
                self.session.end(self.sessions[address], found)
        except OSError as error:  # the client may not know yet that its connection is closed
            if self.client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise OSError(None, LOST) from None
        finally:
            for _, _, claim in self.given.values():
                claim.close()
            self.client.cancel([*self.given], force=True)

    def look(self) -> Iterator[News]:
        """Ask the workers that are new; runs of those that have gone are tried again."""
        self.threads = threads = dict(self.client.nthreads())
        self.sessions = {one: at for one, at in self.sessions.items() if one in threads}
        for future, (order, address, claim) in [*self.given.items()]:
            if address not in threads:
                del self.given[future]
                future.cancel(force=True)
                claim.close()
                yield from self.bury(order)
        hosts = Counter(urlsplit(one).hostname for one, n in threads.items() for _ in range(n))
        joined = [*self._ask([one for one in threads if one not in self.sessions])]
        for address, found in joined:
            self._refuse_other(address, found["environments"])
        for address, found in joined:
            machine, host = found["machine"], urlsplit(address).hostname
            for place, count, cores in (
                (f"threads of worker {address}", threads[address], "hardware_threads_usable"),
                (f"threads of workers at {host}", hosts[host], "hardware_threads"),
            ):
                fitting = {"cores": machine[cores], "memory_mb": machine["memory_mb"]}
                refuse_more(self.session.campaign, place, count, **fitting)
            self.sessions[address] = self.session.on(machine["host"])
            self.session.begin(self.sessions[address], found, hosts[host])

    def _ask(self, workers: list[str]) -> Iterator[tuple[str, Conditions]]:
        """What workers have; those that have gone meanwhile do not answer."""
        interpreters, exclusive = self.session.campaign.environments, self.session.exclusive
        wanted = {
            name: [*one.plugins, *filter(is_program, one.solvers)]
            for name, one in self.session.environments.items()
        }

        folder = directory()

        def there() -> Conditions:
            with relative_to(folder):
                return conditions(environments.asked(interpreters, wanted), exclusive=exclusive)

        answers = self.client.run(there, workers=workers, on_error="return")
        for address, answer in answers.items():
            if isinstance(answer, dict):
                yield address, answer
            elif not isinstance(answer, OSError):
                expected = f"{PACKAGE} as in the store"
                raise InputError(f"worker {address}", described(told(answer)), expected)

    def _refuse_other(self, address: str, found: Mapping[str, Any]) -> None:
        """Compare the environments of a worker with the store and the plan."""
        versions = read_document(self.store.folder, "store")["versions"]
        for name, planned in self.session.environments.items():
            has = {PACKAGE: found[name]["rsjs_version"], **found[name]["solvers"]}
            expected = {package: (one, "in the store") for package, one in versions[name].items()}
            for method, source in planned.plugins.items():
                there = found[name]["plugins"].get(method, {"broken": "none"})
                has[f"method {method}:"] = there.get("broken") or source_text(there)
                if "broken" not in source:
                    expected[f"method {method}:"] = source_text(source), "planned"
            for what, (version, by) in expected.items():
                if has.get(what, "none") != version:
                    other = described(f"{what} {has.get(what, 'none')}")
                    raise InputError(f"worker {address}", other, f"{what} {version} as {by}")

    def _give(self) -> Iterator[News]:
        """Give orders to workers that have a thread free."""
        while self.waiting:
            busy = Counter(address for _, address, _ in self.given.values())
            free = [address for address in self.sessions if busy[address] < self.threads[address]]
            if not free:
                return
            order, claim = self.waiting.popleft(), ExitStack()
            if claim.enter_context(self.store.claimed(order.run.id)) is None:
                claim.close()
                yield News(kind="passed over", run=order.run)
                continue
            address = min(free, key=lambda one: busy[one] / self.threads[one])
            origin = {**order.origin, "session": self.sessions[address]}
            order = replace(order, origin=origin)
            content = Path(order.instance).read_bytes()
            task = carry_out, order, content, directory()
            future = self.client.submit(*task, workers=[address], pure=False)
            self.given[future] = order, address, claim
            future.add_done_callback(self.ended.put)
            yield News(kind="begun", run=order.run)

    def _hear(self, future: Future) -> Iterator[News]:
        """Keep the record that a task returned; without one the worker or the slot has gone."""
        (order, address, claim), files = self.given[future], None
        if future.status == "finished":
            with suppress(TimeoutError, CancelledError):  # before all was here
                files = future.result(FETCHED)
        elif future.status == "error":
            error = future.exception()
            if type(error).__name__ not in ("KilledWorker", "NoValidWorkerError"):
                raise OSError(None, f"worker {address}: {told(error)}")
        if files is None and self.client.status != "running":
            raise OSError(None, LOST)  # none of its worker's making
        if files is not None:
            place = self.store.scratch(order.run.id) / "record"
            record = records.receive(files, place, order.run)
            self.store.commit(order.run)
        del self.given[future]
        claim.close()
        if files is None:
            yield from self.bury(order)
        else:
            yield News(kind="ended", run=order.run, data=summary(record))

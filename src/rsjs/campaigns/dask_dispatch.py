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

import json
import logging
import os
import sys
import tempfile
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

from rsjs.campaigns import environments, records, session
from rsjs.campaigns.execute import ATTEMPTS, Order, lost_record
from rsjs.campaigns.pool import News, Slot
from rsjs.campaigns.session import Conditions, Need, on_host
from rsjs.campaigns.spec import HERE
from rsjs.campaigns.store import Store, read_document
from rsjs.core.entry_points import source_text
from rsjs.core.errors import InputError, described, told
from rsjs.rows.build import summary
from rsjs.runs.process_tree import MARK, Family, kill_if_stopped, marked

if TYPE_CHECKING:
    from distributed import Client, Future

INSTALL = "pip install 'rsjs-bench[dask]'"
PACKAGE = "rsjs-bench"
PATIENCE = 10.0  # seconds for a scheduler to answer
FETCHED = 300.0  # seconds for a record to come
IDLE = 0.25  # seconds without news, and between looks whether a run is still wanted
LOST = "the Dask scheduler has gone; what is done is kept, the same command goes on from there"
ENDING = ("closing", "closed", "failed")  # states of a worker
# Ctrl-C reaches all processes of a terminal; these are ended by the one that asked for them.
LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, lambda *_: None)"
NO_PAGES = {f"distributed.{one}.http.routes": list[str]() for one in ("scheduler", "worker")}


@contextmanager
def own_cluster(workers: int) -> Iterator[Client]:
    """
    A client of a scheduler and so many workers of one thread, ended afterwards.

    They speak with each other by TLS with keys of their own: whoever else connects to them could
    have them run any code. Their HTTP servers, which Dask does not leave out, have no pages.
    """
    _require()
    import dask
    from distributed import Client, LocalCluster

    options = {
        "host": "127.0.0.1",
        "protocol": "tls",
        "security": True,
        "dashboard_address": None,
        "scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"},
        "memory_limit": 0,  # a run has its own, and its memory is not the worker's
        "silence_logs": logging.CRITICAL,
        "preload": [LEAVE_CTRL_C],
    }
    with ExitStack() as stack:
        try:
            with dask.config.set(NO_PAGES):
                cluster = LocalCluster(n_workers=workers, threads_per_worker=1, **options)
            stack.enter_context(cluster)
            client = stack.enter_context(Client(cluster, set_as_default=False))
        except (OSError, RuntimeError) as error:
            reason = described(told(error))
            raise InputError("--dispatch", reason, "a Dask cluster that starts") from None
        yield client


@contextmanager
def running_cluster(address: str) -> Iterator[Client]:
    """A client of a scheduler that is running; InputError if none answers there."""
    _require()
    from distributed import Client
    from distributed.versions import VersionMismatchWarning

    try:
        with warnings.catch_warnings():  # the versions that matter are compared before a run
            warnings.simplefilter("ignore", VersionMismatchWarning)
            client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        reason = described(f"{address}: {error}")
        raise InputError("--dispatch", reason, "the address of a running Dask scheduler") from None
    with client:
        yield client


def _require() -> None:
    for package in ("distributed", "cryptography"):
        if find_spec(package) is None:
            raise InputError(
                "--dispatch", described(f"no package {package}"), "pip install 'rsjs-bench[dask]'"
            )
    import distributed  # noqa: F401  # sets the levels that are changed here

    for name in logging.root.manager.loggerDict:
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def conditions(
    interpreters: Mapping[str, str], methods: Mapping[str, Iterable[str]], exclusive: bool
) -> Conditions:
    """On a worker: what its machine and environments have."""
    return session.conditions(environments.asked(interpreters, methods), exclusive=exclusive)


def carry_out(order: Order, instance: bytes) -> dict[str, bytes] | None:
    """
    On a worker: carry out a run in a slot that ends with this task; return its record by file.

    None if the slot died, or if the run is no longer wanted, which Dask does not tell a task.
    """
    from dask import config
    from distributed import get_worker

    worker = get_worker()
    key, mark = worker.get_current_task(), marked()
    nanny = config.get("distributed.nanny", {})  # whose variables change how memory is kept
    of_dask = {*nanny.get("pre-spawn-environ", ()), *nanny.get("environ", ())}
    variables = {name: value for name, value in os.environ.items() if name not in of_dask}
    with tempfile.TemporaryDirectory(prefix="rsjs-", dir=worker.local_directory) as name:
        file, store = Path(name, "instance.json.gz"), Store(Path(name))
        file.write_bytes(instance)
        slot = Slot(store, environment=variables | mark)
        try:
            python = sys.executable if order.run.environment == HERE else order.python
            slot.give(replace(order, instance=str(file), python=python))
            while (lines := slot.lines(IDLE)) is not None:
                kill_if_stopped(slot.process.pid)
                for line in lines:
                    if line["event"] == "broken":
                        raise OSError(None, line["message"])
                    if line["event"] == "ended":
                        record = store.path(order.run.id)
                        return {path.name: path.read_bytes() for path in record.iterdir()}
                task = worker.state.tasks.get(key)  # cancelled, or its client has gone
                if task is None or task.state != "executing" or worker.status.name in ENDING:
                    break
        finally:
            slot.end()
            Family(slot.process.pid, with_root=False, mark=mark[MARK]).kill()
    return None


class _Given(NamedTuple):
    """A run that a worker has, where its record goes, and the claim on it."""

    order: Order
    address: str
    scratch: Path
    claim: ExitStack


@dataclass(eq=False)
class Dask:
    """The dispatcher with the workers of a cluster."""

    client: Client
    here: ClassVar[bool] = False

    def __call__(self, orders: Sequence[Order], store: Store) -> Iterator[News]:
        """Carry out all orders."""
        from distributed.comm import CommClosedError

        self.orders, self.store, self.waiting = orders, store, deque(orders)
        self.need = Need.of(order.run for order in orders)
        self.versions = read_document(store.folder, "store")["versions"]
        self.plugins: dict[str, dict[str, Any]] = {order.run.environment: {} for order in orders}
        for order in orders:
            self.plugins[order.run.environment] |= json.loads(order.run.plugins or "{}")
        self.threads: dict[str, int] = {}  # of the workers that may carry out runs, by address
        self.found: dict[str, Conditions] = {}  # and what they have
        self.given: dict[Future, _Given] = {}
        self.ended: SimpleQueue[Future] = SimpleQueue()
        self.deaths: Counter[str] = Counter()
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
            last = {self._session(address): address for address in self.found}
            for address, found in self._ask([*last.values()]):  # one that is silent has no end
                yield News(kind="done", data={"session": self._session(address), "found": found})
        except OSError as error:  # the client may not know yet that its connection is closed
            if self.client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise OSError(None, LOST) from None
        finally:
            for given in self.given.values():
                given.claim.close()
            self.client.cancel([*self.given], force=True)

    def look(self) -> Iterator[News]:
        """Ask the workers that are new; runs of those that have gone are tried again."""
        threads = self.client.nthreads()
        for address in {*self.found} - {*threads}:
            del self.found[address], self.threads[address]
        for future, given in [*self.given.items()]:
            if given.address not in threads:
                del self.given[future]
                future.cancel(force=True)
                yield from self._bury(given)
        new = [address for address in threads if address not in self.found]
        hosts: Counter[str | None] = Counter()
        for address, n in threads.items():
            hosts[urlsplit(address).hostname] += n
        for host in {urlsplit(address).hostname for address in new}:  # before one is calibrated
            self.need.refuse_beside(f"threads of workers at {host}", hosts[host])
        for address, found in self._ask(new):
            self._refuse_other(address, found["environments"])
            self.found[address], self.threads[address] = found, threads[address]
            machine, at = found["machine"], self._session(address)
            slots = sum(n for one, n in self.threads.items() if self._session(one) == at)
            for where, count, cores in (
                (f"worker {address}", threads[address], "hardware_threads_usable"),
                (f"workers on {machine['host']}", slots, "hardware_threads"),
            ):
                has = {"cores": machine[cores], "memory_mb": machine["memory_mb"]}
                self.need.refuse(f"threads of {where}", count, **has)
            yield News(kind="joined", data={"session": at, "found": found, "slots": slots})

    def _ask(self, workers: list[str]) -> Iterator[tuple[str, Conditions]]:
        """What workers have; those that have gone meanwhile do not answer."""
        if not workers:
            return
        interpreters = {order.run.environment: order.python for order in self.orders}
        methods = {name: [*plugins] for name, plugins in self.plugins.items()}
        asked = interpreters, methods, self.need.exclusive
        answers = self.client.run(conditions, *asked, workers=workers, on_error="return")
        for address, answer in answers.items():
            if isinstance(answer, dict):
                yield address, answer
            elif not isinstance(answer, OSError):
                version = f"{PACKAGE} {metadata.version(PACKAGE)} as in the store"
                raise InputError(f"worker {address}", described(told(answer)), version)

    def _refuse_other(self, address: str, found: Mapping[str, Any]) -> None:
        """Compare the environments of a worker with the store and the plan."""
        for name, plugins in self.plugins.items():
            has = {PACKAGE: found[name]["rsjs_version"], **found[name]["solvers"]}
            for package, version in self.versions[name].items():
                _compare(address, package, has.get(package, "none"), version, "in the store")
            for method, source in plugins.items():
                there = found[name]["plugins"].get(method, {"broken": "none"})
                code = there.get("broken") or source_text(there)
                _compare(address, f"method {method}:", code, source_text(source), "planned")

    def _session(self, address: str) -> str:
        return on_host(self.orders[0].session, self.found[address]["machine"]["host"])

    def _give(self) -> Iterator[News]:
        """Give orders to workers that have a thread free."""
        while self.waiting:
            busy = Counter(given.address for given in self.given.values())
            free = [address for address, n in self.threads.items() if busy[address] < n]
            if not free:
                return
            order, claim = self.waiting.popleft(), ExitStack()
            scratch = claim.enter_context(self.store.claimed(order.run))
            if scratch is None:
                claim.close()
                yield News(kind="passed over", run=order.run)
                continue
            address = min(free, key=lambda one: busy[one] / self.threads[one])
            order = replace(order, session=self._session(address))
            content = Path(order.instance).read_bytes()
            future = self.client.submit(carry_out, order, content, workers=[address], pure=False)
            self.given[future] = _Given(order, address, scratch, claim)
            future.add_done_callback(self.ended.put)
            yield News(kind="begun", run=order.run)

    def _hear(self, future: Future) -> Iterator[News]:
        """Keep the record that a task returned; without one the worker or the slot has gone."""
        given, record = self.given[future], None
        if future.status == "finished":
            with suppress(TimeoutError, CancelledError):  # before all was here
                record = future.result(FETCHED)
        elif future.status == "error":
            error = future.exception()
            if type(error).__name__ not in ("KilledWorker", "NoValidWorkerError"):
                raise OSError(None, f"worker {given.address}: {told(error)}")
        if record is None and self.client.status != "running":
            raise OSError(None, LOST)  # none of its worker's making
        if record is not None:
            records.receive(record, given.scratch / "record", given.order.run)
        del self.given[future]
        yield from self._bury(given) if record is None else self._commit(given)

    def _bury(self, given: _Given) -> Iterator[News]:
        """A run came to no end: it is tried again, and in the end recorded as a crash."""
        run = given.order.run
        self.deaths[run.id] += 1
        if self.deaths[run.id] < ATTEMPTS:
            given.claim.close()
            self.waiting.appendleft(given.order)
            yield News(kind="lost", run=run)
        else:
            records.write(lost_record(given.order), given.scratch / "record", None)
            yield from self._commit(given)

    def _commit(self, given: _Given) -> Iterator[News]:
        run = given.order.run
        self.store.commit(run)
        given.claim.close()
        yield News(kind="ended", run=run, data=summary(records.read(self.store.path(run.id))))


def _compare(address: str, package: str, found: str, expected: str, by: str) -> None:
    if found != expected:
        text = f"{package} {expected} as {by}"
        raise InputError(f"worker {address}", described(f"{package} {found}"), text)

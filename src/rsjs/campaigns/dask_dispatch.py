"""
Runs on the workers of a Dask cluster.

A worker thread carries out one run at a time, and a run is given to a worker that has a thread
free: Dask neither queues runs nor moves them. This process holds the claim of each run that is
under way, and commits the record that comes back from the worker itself, not by the scheduler. A
run whose worker vanishes is given to another. When this process ends, in whatever way, the
scheduler forgets its tasks, and each task ends its run; see `dask_node`.

A Dask cluster to carry out runs: one of this machine's own, or one that somebody has started.

The workers of a Dask cluster: which there are, whether they may carry out runs, who has a place.

A worker is asked once what it has. Before it is given a run,

    its versions of rsjs-bench and the solvers must be those of the store,
    its methods of other packages those of the plan, down to their source,
    as many runs as it has threads, and all workers on its machine together, must fit into the
    machine: its cores, its memory, and one run at a time if the timing is exclusive.

What becomes of a task that one worker of a Dask cluster was given.
"""

from __future__ import annotations

import json
import logging
import socket
import time
import warnings
from asyncio import CancelledError
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from rsjs.campaigns import dask_node, manifest, record_transfer, record_writing, records
from rsjs.campaigns.dispatch import Dispatch, News
from rsjs.campaigns.execute import ATTEMPTS, Order, lost_record
from rsjs.campaigns.machine import Need
from rsjs.campaigns.session import Conditions, on_host
from rsjs.campaigns.store import Store
from rsjs.core.entry_points import source_text
from rsjs.core.errors import InputError, described, told
from rsjs.rows.build import summary

if TYPE_CHECKING:
    from distributed import Client, Future

INSTALL = "pip install 'rsjs-bench[dask]'"
# Ctrl-C reaches all processes of a terminal; these are ended by the one that asked for them.
LEAVE_CTRL_C = "import signal; signal.signal(signal.SIGINT, lambda *_: None)"
PATIENCE = 10.0  # seconds for a scheduler to answer
NO_PAGES: Mapping[str, list[str]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@contextmanager
def own_cluster(workers: int) -> Iterator[Client]:
    """
    A client of a scheduler and so many workers of one thread, ended afterwards.

    They speak with each other by TLS with keys of their own: whoever else connects to them could
    have them run any code. Their HTTP servers, which Dask does not leave out, have no pages.

    Raises
    ------
    InputError
        Without distributed, or if a process of the cluster does not start.
    """
    _require()
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as cluster:
        try:
            with dask.config.set(NO_PAGES):
                workers_of = cluster.enter_context(
                    LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        protocol="tls",
                        security=True,
                        dashboard_address=None,
                        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                        memory_limit=0,  # a run has its own, and its memory is not the worker's
                        silence_logs=logging.CRITICAL,
                        preload=[LEAVE_CTRL_C],
                    )
                )
            client = Client(workers_of, set_as_default=False, direct_to_workers=True)
            cluster.enter_context(client)
        except (OSError, RuntimeError) as error:
            reason = described(told(error))
            raise InputError("--dispatch", reason, "a Dask cluster that starts") from None
        yield client


@contextmanager
def running_cluster(address: str) -> Iterator[Client]:
    """
    A client of a scheduler that is running.

    Raises
    ------
    InputError
        Without distributed, or if nothing there answers as a scheduler.
    """
    _require()
    from distributed import Client
    from distributed.versions import VersionMismatchWarning

    try:
        with warnings.catch_warnings():  # the versions that matter are compared by `dask_workers`
            warnings.simplefilter("ignore", VersionMismatchWarning)
            client = Client(address, timeout=PATIENCE, set_as_default=False, direct_to_workers=True)
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


FETCHED = 300.0  # seconds for a result to come


def result_of(future: Future, address: str) -> Any:
    """
    What a task returned; None if its worker has gone, or if it was cancelled.

    Parameters
    ----------
    future : Future
        Of a task that has ended.
    address : str
        Of the worker.

    Raises
    ------
    OSError
        If it failed.
    """
    from distributed.scheduler import KilledWorker, NoValidWorkerError

    if future.status == "finished":
        with suppress(TimeoutError, CancelledError):  # the worker went before all was here
            return future.result(FETCHED)
    if future.status == "error":
        error = future.exception()
        if not isinstance(error, KilledWorker | NoValidWorkerError):
            raise OSError(None, f"worker {address}: {_told(error)}")
    return None


def _told(error: BaseException) -> str:
    if isinstance(error, OSError | InputError):
        return str(getattr(error, "strerror", None) or error)
    return f"{type(error).__name__}: {error}"


PACKAGE = "rsjs-bench"
CALIBRATED = 300.0  # seconds for a worker to be measured once more
NEAR = 2.0  # seconds for a worker to answer this process itself

Versions = Mapping[str, Mapping[str, str]]  # environment -> package -> version


@dataclass(kw_only=True)
class Worker:
    """A worker that may carry out runs: as many side by side as it has threads."""

    address: str
    threads: int
    found: Conditions
    busy: int = 0

    @property
    def host(self) -> str:
        """The machine it is on."""
        name: str = self.found["machine"]["host"]
        return name


class Workers:
    """
    The workers of a cluster.

    Parameters
    ----------
    versions : mapping
        Of the store.
    tell : callable
        Called with a future when a worker that was asked what it has has answered.

    Attributes
    ----------
    known : dict
        By address, those that may carry out runs.
    asked : dict
        Address and threads by the future of the answer.
    """

    def __init__(
        self,
        client: Client,
        orders: Sequence[Order],
        versions: Versions,
        tell: Callable[[Future], None],
    ) -> None:
        self.client, self.tell = client, tell
        self.need = Need.of(order.run for order in orders)
        self.interpreters = {order.run.environment: order.python for order in orders}
        self.versions = {name: versions[name] for name in self.interpreters}
        self.plugins: dict[str, dict[str, Mapping[str, str]]] = {n: {} for n in self.interpreters}
        for order in orders:
            self.plugins[order.run.environment] |= json.loads(order.run.plugins or "{}")
        self.session = orders[0].session
        self.known: dict[str, Worker] = {}
        self.asked: dict[Future, tuple[str, int]] = {}

    def look(self) -> None:
        """Ask those that are new, forget those that have gone."""
        threads = self.client.nthreads()
        self.known = {address: one for address, one in self.known.items() if address in threads}
        self.asked = {future: one for future, one in self.asked.items() if one[0] in threads}
        asked = {address for address, _ in self.asked.values()}
        new = [address for address in threads if address not in {*self.known, *asked}]
        if not new:
            return
        for address in new:  # before any of them is calibrated
            there = sum(threads[one] for one in threads if _host(one) == _host(address))
            self.need.refuse_beside(f"threads of workers at {_host(address)}", there)
        told = self.client.run(metadata.version, PACKAGE, workers=new, on_error="return")
        for address, version in told.items():
            if isinstance(version, metadata.PackageNotFoundError):
                version = described("none")
            if isinstance(version, str):
                self._compare(address, PACKAGE, version, metadata.version(PACKAGE))
                future = self._ask(address)
                self.asked[future] = address, threads[address]
                future.add_done_callback(self.tell)

    def _ask(self, address: str) -> Future:
        """What a worker has, in time."""
        return self.client.submit(
            dask_node.conditions,
            self.interpreters,
            {name: [*plugins] for name, plugins in self.plugins.items()},
            self.need.exclusive,
            workers=[address],
            pure=False,
        )

    def answer(self, future: Future) -> Iterator[News]:
        """Take note of what a worker has; its machine has joined."""
        address, threads = self.asked.pop(future)
        found: Conditions | None = result_of(future, address)
        if found is None:
            return  # it is asked again if it is back
        for name, expected in self.versions.items():
            has = found["environments"][name]
            versions = {PACKAGE: has["rsjs_version"], **has["solvers"]}
            for package, version in expected.items():
                self._compare(address, package, versions.get(package, "none"), version)
            for method, source in self.plugins[name].items():
                there = has["plugins"].get(method, {"broken": "none"})
                found_text = there.get("broken") or source_text(there)
                self._compare(
                    address, f"method {method}:", found_text, source_text(source), "planned"
                )
        worker = Worker(address=address, threads=threads, found=found)
        self._refuse(worker)
        self.known[address] = worker
        if self.client.direct_to_workers and not _answers(address):
            self.client.direct_to_workers = False
        slots = sum(one.threads for one in self.known.values() if one.host == worker.host)
        data = {"session": on_host(self.session, worker.host), "found": found, "slots": slots}
        yield News(kind="joined", data=data)

    def _compare(
        self, address: str, package: str, found: str, expected: str, by: str = "in the store"
    ) -> None:
        if found != expected:
            told = f"{package} {expected} as {by}"
            raise InputError(f"worker {address}", described(f"{package} {found}"), told)

    def _refuse(self, worker: Worker) -> None:
        machine, together = worker.found["machine"], worker.threads
        together += sum(one.threads for one in self.known.values() if one.host == worker.host)
        place, memory = f"threads of worker {worker.address}", machine["memory_mb"]
        usable = machine["hardware_threads_usable"]
        self.need.refuse(place, worker.threads, cores=usable, memory_mb=memory)
        place, cores = f"threads of workers on {worker.host}", machine["hardware_threads"]
        self.need.refuse(place, together, cores=cores, memory_mb=memory)

    def free(self) -> Worker | None:
        """The worker with the least to do, if it has a place."""
        least = min(self.known.values(), key=lambda one: one.busy / one.threads, default=None)
        return None if least is None or least.busy >= least.threads else least

    def part(self) -> Iterator[News]:
        """Measure each machine once more; one that does not answer is left without an end."""
        last = {worker.host: worker for worker in self.known.values()}
        answers = {host: self._ask(worker.address) for host, worker in last.items()}
        for host, future in answers.items():
            with suppress(Exception, CancelledError):
                data = {"session": on_host(self.session, host), "found": future.result(CALIBRATED)}
                yield News(kind="done", data=data)


def _host(address: str) -> str | None:
    return urlsplit(address).hostname


def _answers(address: str) -> bool:
    """Whether records can be fetched from a worker itself; else they come by the scheduler."""
    place = urlsplit(address)
    with (
        suppress(OSError, ValueError),
        socket.create_connection((place.hostname, place.port), timeout=NEAR),
    ):
        return True
    return False


IDLE = 0.25  # seconds without news
LOOK = 1.0  # seconds between looks which workers there are
LOST = "the Dask scheduler has gone; what is done is kept, the same command goes on from there"


def dask(client: Client) -> Dispatch:
    """The dispatcher with the workers of a cluster."""
    return _Dask(client)


@dataclass(frozen=True)
class _Dask:
    client: Client
    here: ClassVar[bool] = False

    def __call__(self, orders: Sequence[Order], store: Store) -> Iterator[News]:
        return _Runs(self.client, orders, store).news()


@dataclass(frozen=True, kw_only=True, eq=False)
class _Given:
    """A run that a worker has."""

    order: Order
    worker: Worker
    scratch: Path
    claim: ExitStack

    @property
    def instance(self) -> tuple[str, str]:
        """Worker and instance."""
        return self.worker.address, self.order.run.solved_sha256


class _Runs:
    """Runs that workers have, and orders that wait for one."""

    def __init__(self, client: Client, orders: Sequence[Order], store: Store) -> None:
        self.client, self.store, self.waiting = client, store, deque(orders)
        versions = manifest.read(store.folder, "store")["versions"]
        self.answered: SimpleQueue[Future] = SimpleQueue()
        self.workers = Workers(client, orders, versions, self.answered.put)
        self.given: dict[Future, _Given] = {}
        self.sent: set[tuple[str, str]] = set()  # worker and instance
        self.deaths: dict[str, int] = {}
        self.begun = False

    def news(self) -> Iterator[News]:
        from distributed.comm import CommClosedError

        try:
            yield from self._news()
        except OSError as error:  # the client may not know yet that its connection is closed
            if self.client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise OSError(None, LOST) from None
        finally:
            for given in self.given.values():
                given.claim.close()
            self.client.cancel([*self.given], force=True)

    def _news(self) -> Iterator[News]:
        looked = -LOOK
        while self.waiting or self.given:
            if time.monotonic() - looked >= LOOK:
                looked = time.monotonic()
                yield from self._look()
            yield from self._give()
            try:
                future = self.answered.get(timeout=IDLE)
            except Empty:
                yield News(kind="idle")
            else:
                yield from self._hear(future)
        yield from self.workers.part()

    def _look(self) -> Iterator[News]:
        """Which workers there are; runs of those that have gone are tried again."""
        self.workers.look()
        for future, given in [*self.given.items()]:
            if self.workers.known.get(given.worker.address) is not given.worker:
                del self.given[future]
                future.cancel(force=True)
                yield from self._bury(given)

    def _give(self) -> Iterator[News]:
        """Give orders to workers that have a place; none before all that are there have told."""
        while self.waiting and (self.begun or not self.workers.asked):
            worker = self.workers.free()
            if worker is None:
                return
            self.begun = True
            order, claim = self.waiting.popleft(), ExitStack()
            scratch = claim.enter_context(self.store.claimed(order.run))
            if scratch is None:
                claim.close()
                yield News(kind="passed over", run=order.run)
                continue
            worker.busy += 1
            self._submit(_Given(order=order, worker=worker, scratch=scratch, claim=claim))
            yield News(kind="begun", run=order.run)

    def _submit(self, given: _Given) -> None:
        """Send a run to its worker, or first the instance: who waits for the run holds no file."""
        order, submit, at = given.order, self.client.submit, [given.worker.address]
        if given.instance in self.sent:
            there = replace(order, session=on_host(order.session, given.worker.host))
            future = submit(dask_node.carry_out, there, workers=at, pure=False)
        else:
            instance = order.run.solved_sha256, Path(order.instance).read_bytes()
            future = submit(dask_node.keep_instance, *instance, workers=at, pure=False)
        self.given[future] = given
        future.add_done_callback(self.answered.put)

    def _hear(self, future: Future) -> Iterator[News]:
        if future in self.workers.asked:
            yield from self.workers.answer(future)
        elif future in self.given:
            given = self.given[future]
            parcel = result_of(future, given.worker.address)
            if parcel is None and self.client.status != "running":
                raise OSError(None, LOST)  # none of its worker's making
            if parcel:
                record_transfer.unpack(parcel, given.scratch / "record", given.order.run)
            del self.given[future]
            if parcel == {}:
                self.sent.add(given.instance)
                self._submit(given)
                return
            given.worker.busy -= 1
            if parcel is None:
                yield from self._bury(given)
            else:
                yield self._committed(given)

    def _bury(self, given: _Given) -> Iterator[News]:
        """A run came to no end: it is tried again, and in the end recorded as a crash."""
        self.sent = {place for place in self.sent if place[0] != given.worker.address}
        run = given.order.run
        deaths = self.deaths[run.id] = self.deaths.get(run.id, 0) + 1
        if deaths < ATTEMPTS:
            given.claim.close()
            self.waiting.appendleft(given.order)
            yield News(kind="lost", run=run)
            return
        there = replace(given.order, session=on_host(given.order.session, given.worker.host))
        record_writing.write(lost_record(there, ATTEMPTS), given.scratch / "record", None)
        yield self._committed(given)

    def _committed(self, given: _Given) -> News:
        run = given.order.run
        self.store.commit(run)
        given.claim.close()
        return News(kind="ended", run=run, data=summary(records.read(self.store.path(run.id))))

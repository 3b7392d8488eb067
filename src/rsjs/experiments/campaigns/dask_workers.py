"""
The workers of a Dask cluster: which there are, whether they may carry out runs, who has a place.

A worker is asked once what it has. Before it is given a run,

    its versions of rsjs-bench and the solvers must be those of the store,
    its methods of other packages those of the plan, down to their source,
    as many runs as it has threads, and all workers on its machine together, must fit into the
    machine: its cores, its memory, and one run at a time if the timing is exclusive.
"""

from __future__ import annotations

import json
import socket
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rsjs.core.entry_points import source_text
from rsjs.core.errors import InputError, described
from rsjs.experiments.campaigns import dask_node
from rsjs.experiments.campaigns.capacity import Need
from rsjs.experiments.campaigns.dask_results import result_of
from rsjs.experiments.campaigns.dispatch import News
from rsjs.experiments.campaigns.perform import Order
from rsjs.experiments.campaigns.session import Conditions, on_host

if TYPE_CHECKING:
    from distributed import Client, Future

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

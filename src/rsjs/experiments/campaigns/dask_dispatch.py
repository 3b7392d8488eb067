"""
Runs on the workers of a Dask cluster.

A worker thread carries out one run at a time, and a run is given to a worker that has a thread
free: Dask neither queues runs nor moves them. This process holds the claim of each run that is
under way, and commits the record that comes back from the worker itself, not by the scheduler. A
run whose worker vanishes is given to another. When this process ends, in whatever way, the
scheduler forgets its tasks, and each task ends its run; see `dask_node`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, ClassVar

from rsjs.experiments.campaigns import dask_node, manifest, record_transfer, record_writing, records
from rsjs.experiments.campaigns.dask_results import result_of
from rsjs.experiments.campaigns.dask_workers import Worker, Workers
from rsjs.experiments.campaigns.dispatch import Dispatch, News
from rsjs.experiments.campaigns.lost_runs import ATTEMPTS, lost_record
from rsjs.experiments.campaigns.perform import Order
from rsjs.experiments.campaigns.session import on_host
from rsjs.experiments.campaigns.statuses import summary
from rsjs.experiments.campaigns.store import Store

if TYPE_CHECKING:
    from distributed import Client, Future

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

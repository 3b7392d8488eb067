"""
Where runs are carried out, what is told of them, and the way of doing so on this machine: slots.

A dispatcher sees that every order comes to a record in the store, and tells what happens. It starts
no run that the store has, and ends what it started when it is closed. A slot is a process that
carries out one run after the other, see `pool_worker`; `dask_dispatch` has them on other machines.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from rsjs.campaigns import records
from rsjs.campaigns.pool_worker import Order
from rsjs.campaigns.run import Run
from rsjs.campaigns.session import Session
from rsjs.campaigns.store import Store
from rsjs.rows.build import summary
from rsjs.runs.process_tree import MARK, Family, kill_if_stopped, marked

PATIENCE = 5.0  # seconds for a slot to end its run
IDLE = 0.25  # seconds without news
ATTEMPTS = 2  # of a run whose supervisor dies
MOST_IDLE_DEATHS = 10  # of slots that had no run: killed by somebody, or unable to start


@dataclass(frozen=True, kw_only=True)
class News:
    """
    Event of a campaign in progress.

    begun; line, an event of its worker; ended, its record is in the store; passed over, another
    process has it; lost, its supervisor died and it is tried again; idle, nothing: for displays
    that show the time.
    """

    kind: Literal["begun", "line", "ended", "passed over", "lost", "idle"]
    run: Run | None = None  # None = idle
    # the event; the summary of a run that ended (`rows.build.summary`)
    data: dict[str, Any] = field(default_factory=dict)


class Dispatch:
    """
    A way of carrying out orders in turn, as many side by side as it has places for.

    It tells the session which machines carry out runs, and when these have nothing left to do.
    """

    def __call__(self, orders: Sequence[Order], store: Store, session: Session) -> Iterator[News]:
        """Carry out all orders."""
        self.store, self.session, self.waiting = store, session, deque(orders)
        self.deaths = Counter[str]()  # by run; "" = of slots that had none
        yield from self.carry_out()

    def carry_out(self) -> Iterator[News]:
        """Carry out the orders that are waiting."""
        raise NotImplementedError

    def bury(self, order: Order) -> Iterator[News]:
        """Try a run that came to no end again; in the end it is recorded as a crash."""
        run = order.run
        self.deaths[run.id] += 1
        if self.deaths[run.id] < ATTEMPTS:
            self.waiting.appendleft(order)
            yield News(kind="lost", run=run)
            return
        record = order.lost(f"the process that watches over it died {ATTEMPTS} times")
        with self.store.claimed(run.id) as scratch:
            if scratch is None:
                return
            records.write(record, scratch / "record", None)
            self.store.commit(run)
        yield News(kind="ended", run=run, data=summary(record))


class Slot:
    """A slot process and the order it has."""

    def __init__(
        self,
        store: Store,
        module: str = "rsjs.campaigns.pool_worker",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # all that descends from it bears the mark: this process may have children of other threads
        mark = marked()
        # a session of its own: Ctrl-C reaches this process alone
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, str(store.folder), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**(os.environ if environment is None else environment), **mark},
        )
        self._family = Family(self.process.pid, with_root=False, mark=mark[MARK])
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output = self.process.stdin, self.process.stdout
        self.order: Order | None = None
        self._rest = b""

    def fileno(self) -> int:
        """Return what tells `select` that there are lines."""
        return self._output.fileno()

    def give(self, order: Order) -> None:
        """Give the slot an order to carry out."""
        self.order = order
        document = {**asdict(order), "run": order.run.as_document()}
        with suppress(BrokenPipeError):  # it has died, which its output tells
            self._input.write(json.dumps({"order": document}).encode() + b"\n")
            self._input.flush()

    def lines(self, seconds: float | None = None) -> list[dict[str, Any]] | None:
        """Return the slot's new lines of output; None if it ended; OSError if its store fails."""
        if not select.select([self], [], [], seconds)[0]:
            return []
        data = os.read(self.fileno(), 1 << 16)
        if not data:
            return None
        *whole, self._rest = (self._rest + data).split(b"\n")
        try:
            lines: list[dict[str, Any]] = [json.loads(line) for line in whole]
        except ValueError:  # a run has written to it, or made it stumble: nothing it tells is sure
            self.process.kill()
            return []
        for line in lines:
            if line["event"] == "broken":
                raise OSError(None, line["data"]["message"])
        return lines

    def end(self) -> None:
        """End the slot with its run; kill it if it does not answer, and what it has left behind."""
        with suppress(BrokenPipeError):
            self._input.close()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._family.kill()
        self._output.close()


class Local(Dispatch):
    """The dispatcher with so many slots on this machine."""

    def __init__(self, slots: int) -> None:
        self.most = slots

    def carry_out(self) -> Iterator[News]:
        """Carry out the orders that are waiting, in slots."""
        self.slots: list[Slot] = []
        self.session.begin(self.session.id, self.session.here(), self.most)
        try:
            for _ in range(min(self.most, len(self.waiting))):
                self.open()
            while self.slots:
                ready, _, _ = select.select(self.slots, [], [], IDLE)
                for slot in self.slots:
                    kill_if_stopped(slot.process.pid)
                if not ready:
                    yield News(kind="idle")
                for slot in ready:
                    yield from self._hear(slot)
        finally:
            for slot in self.slots:
                slot.end()
            self.store.sweep()  # of slots that were ended while they removed a folder
        self.session.end(self.session.id, self.session.here())

    def open(self) -> None:
        """Start a slot."""
        self.slots.append(Slot(self.store))

    def _close(self, slot: Slot) -> None:
        self.slots.remove(slot)
        slot.end()

    def _hear(self, slot: Slot) -> Iterator[News]:
        lines = slot.lines()
        if lines is None:
            self._close(slot)
            if slot.order is not None:
                yield from self.bury(slot.order)
            else:
                self.deaths[""] += 1
                if self.deaths[""] > MOST_IDLE_DEATHS:
                    code = slot.process.returncode
                    raise OSError(None, f"slots end without a run, the last one with code {code}")
            if self.waiting:
                self.open()
            return
        for line in lines:
            if slot.order is not None and line["event"] != "ready":
                yield News(kind=line["event"], run=slot.order.run, data=line["data"])
            if line["event"] in ("ready", "ended", "passed over"):
                slot.order = None
                if not self.waiting:
                    self._close(slot)
                    return
                slot.give(self.waiting.popleft())

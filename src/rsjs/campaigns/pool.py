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
import selectors
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import IO, Any, ClassVar, Literal

import psutil

from rsjs.campaigns import records
from rsjs.campaigns.pool_worker import Order, lost_record
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store
from rsjs.rows.build import summary
from rsjs.runs.process_tree import kill_if_stopped, subreaper

PATIENCE = 5.0  # seconds for a slot to end its run
IDLE = 0.25  # seconds without news
ATTEMPTS = 2  # of a run whose supervisor dies
MOST_IDLE_DEATHS = 10  # of slots that had no run: killed by somebody, or unable to start


@dataclass(frozen=True, kw_only=True)
class News:
    """
    Something that happened.

    begun; line, an event of its worker; ended, its record is in the store; passed over, another
    process has it; lost, its supervisor died and it is tried again; idle, nothing: for displays
    that show the time; joined, another machine will carry out runs, or another number of them;
    done, it has nothing left to do.
    """

    kind: Literal["begun", "line", "ended", "passed over", "lost", "idle", "joined", "done"]
    run: Run | None = None  # None = idle, joined, done
    # the event; the summary of a run that ended (`rows.build.summary`); of a machine its `session`,
    # what was `found` (`session.conditions`) and, if it joined, its `slots`
    data: dict[str, Any] = field(default_factory=dict)


class Dispatch:
    """A way of carrying out orders in turn, as many side by side as it has places for."""

    here: ClassVar[bool]  # on this machine; else news of machines come before those of their runs
    store: Store
    waiting: deque[Order]
    deaths: Counter[str]  # by run; "" = of slots that had none

    def __call__(self, orders: Sequence[Order], store: Store) -> Iterator[News]:
        """Carry out all orders."""
        raise NotImplementedError

    def bury(self, order: Order) -> Iterator[News]:
        """Try a run that came to no end again; in the end it is recorded as a crash."""
        run = order.run
        self.deaths[run.id] += 1
        if self.deaths[run.id] < ATTEMPTS:
            self.waiting.appendleft(order)
            yield News(kind="lost", run=run)
            return
        record = lost_record(order, f"the process that watches over it died {ATTEMPTS} times")
        with self.store.claimed(run) as scratch:
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
        # a session of its own: Ctrl-C reaches this process alone
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, str(store.folder), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=environment,
        )
        self.order: Order | None = None
        self._rest = b""

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def give(self, order: Order) -> None:
        assert self.process.stdin is not None
        self.order = order
        document = {**asdict(order), "run": order.run.as_document()}
        with suppress(BrokenPipeError):  # it has died, which its output tells
            self.process.stdin.write(json.dumps({"order": document}).encode() + b"\n")
            self.process.stdin.flush()

    def lines(self, seconds: float | None = None) -> list[dict[str, Any]] | None:
        """What it told since the last look, after so many seconds at most; None if it has ended."""
        if not select.select([self.output], [], [], seconds)[0]:
            return []
        data = os.read(self.output.fileno(), 1 << 16)
        if not data:
            return None
        *whole, self._rest = (self._rest + data).split(b"\n")
        try:
            return [json.loads(line) for line in whole]
        except ValueError:  # a run has written to it, or made it stumble: nothing it tells is sure
            self.process.kill()
            return []

    def end(self) -> None:
        """End it, with its run; kill it if it does not answer."""
        with suppress(BrokenPipeError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()


class Local(Dispatch):
    """The dispatcher with so many slots on this machine."""

    here = True

    def __init__(self, slots: int) -> None:
        self.most = slots

    def __call__(self, orders: Sequence[Order], store: Store) -> Iterator[News]:
        self.store, self.waiting, self.deaths = store, deque(orders), Counter()
        self.slots: list[Slot] = []
        self.others = {child.pid for child in psutil.Process().children()}
        self.selector = selectors.DefaultSelector()
        with subreaper():  # what a slot leaves that is killed comes to us
            try:
                for _ in range(min(self.most, len(orders))):
                    self.open()
                while self.slots:
                    ready = self.selector.select(IDLE)
                    for slot in self.slots:
                        kill_if_stopped(slot.process.pid)
                    if not ready:
                        yield News(kind="idle")
                    for key, _ in ready:
                        yield from self._hear(key.data)
            finally:
                for slot in self.slots:
                    slot.end()
                self._end_strays()
                self.store.sweep()  # of slots that were ended while they removed a folder
                self.selector.close()

    def open(self) -> None:
        """Start a slot."""
        slot = Slot(self.store)
        self.slots.append(slot)
        self.selector.register(slot.output, selectors.EVENT_READ, slot)

    def _close(self, slot: Slot) -> None:
        self.selector.unregister(slot.output)
        self.slots.remove(slot)
        slot.end()
        self._end_strays()

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
            event, order = line["event"], slot.order
            if event == "broken":
                raise OSError(None, line["message"])
            if event != "ready" and order is not None:
                data = line.get("line") or line.get("summary") or {}
                yield News(kind=event, run=order.run, data=data)
            if event in ("ready", "ended", "passed over"):
                slot.order = None
                if not self.waiting:
                    self._close(slot)
                    return
                slot.give(self.waiting.popleft())

    def _end_strays(self) -> None:
        """What a slot that was killed left behind: our children that are neither slots nor old."""
        ours = {slot.process.pid for slot in self.slots} | self.others

        def strays() -> list[psutil.Process]:
            return [child for child in psutil.Process().children() if child.pid not in ours]

        while left := strays():
            for stray in left:
                with suppress(psutil.NoSuchProcess):
                    stray.kill()
            psutil.wait_procs(left, timeout=1.0)

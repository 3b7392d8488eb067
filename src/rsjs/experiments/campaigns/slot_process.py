"""A slot as its parent sees it: a process that is given orders and tells how they go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import IO, Any

from rsjs.experiments.campaigns.perform import Order
from rsjs.experiments.campaigns.store import Store

PATIENCE = 5.0  # seconds for a slot to end its run


class Slot:
    """A slot process and the order it has."""

    def __init__(
        self,
        store: Store,
        module: str = "rsjs.experiments.campaigns.slot",
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

    def lines(self) -> list[dict[str, Any]] | None:
        """What it told since the last look; None if it has ended."""
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

"""
Where runs are carried out: what a way of doing so is given, and what it tells.

A dispatcher hands every order to `perform.perform` in some process, sees that the record gets into
the store, and yields what happens. It starts no run that the store has, and ends what it started
when it is closed. `local` is the one for this machine; `dask_dispatch` carries `Order` (plain data)
and the instance file to the machines of a cluster, and the record back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from rsjs.campaigns.execute import Order
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store

Kind = Literal["begun", "line", "ended", "passed over", "lost", "idle", "joined", "done"]


@dataclass(frozen=True, kw_only=True)
class News:
    """
    Something that happened.

    Attributes
    ----------
    kind : str
        begun; line, an event of its worker; ended, its record is in the store; passed over,
        another process has it; lost, its watcher died and it is tried again; idle, nothing: for
        displays that show the time; joined, another machine will carry out runs, or another number
        of them; done, it has nothing left to do.
    run : Run or None
        None = idle, joined, done.
    data : mapping
        The event line; the summary of a run that ended (`rows.build.summary`); of a machine its
        `session`, its `conditions` (`session.conditions`) and, if it joined, its `slots`.
    """

    kind: Kind
    run: Run | None = None
    data: dict[str, Any] = field(default_factory=dict)


class Dispatch(Protocol):
    """
    A way of carrying out orders in turn, as many side by side as it has places for.

    Attributes
    ----------
    here : bool
        On this machine; else news of machines come before those of their runs.
    """

    @property
    def here(self) -> bool: ...

    def __call__(self, orders: Sequence[Order], store: Store) -> Iterator[News]: ...

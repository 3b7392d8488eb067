"""Where `rsjs run` has runs carried out, as --dispatch says."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from rsjs.cli.progress import busy
from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from rsjs.campaigns.dispatch import Dispatch
    from rsjs.campaigns.spec import Campaign

LOCAL, DASK = "local", "dask"


def slots(campaign: Campaign, where: str, jobs: int | None) -> int:
    """
    How many runs side by side this machine is to carry out; 1 if others do.

    Raises
    ------
    InputError
        If the options make no sense, alone or together.
    """
    from rsjs.campaigns.runner import slots_here

    if "://" in where:
        if jobs is not None:
            expected = "none: the workers' threads say how many runs go side by side"
            raise InputError("--jobs", jobs, expected)
        return 1
    if where not in (LOCAL, DASK):
        raise InputError("--dispatch", where, f"{LOCAL}, {DASK}, or e.g. tcp://host:8786")
    return slots_here(campaign, jobs)


@contextmanager
def dispatching(where: str, slots: int) -> Iterator[tuple[Dispatch, int]]:
    """The dispatcher, and how many runs it has places for as far as is known."""
    if where == LOCAL:
        from rsjs.campaigns.worker_pool import local

        yield local(slots), slots
        return
    from rsjs.campaigns.dask_dispatch import dask, own_cluster, running_cluster

    with ExitStack() as stack:
        with busy("connecting"):
            opened = own_cluster(slots) if where == DASK else running_cluster(where)
            client = stack.enter_context(opened)
        threads = sum(client.nthreads().values())
        if threads == 0:
            print(f"{where} has no worker yet: runs begin when one joins", file=sys.stderr)
        yield dask(client), max(1, threads)

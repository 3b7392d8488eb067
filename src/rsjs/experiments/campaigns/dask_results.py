"""What becomes of a task that one worker of a Dask cluster was given."""

from __future__ import annotations

from asyncio import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from distributed import Future

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

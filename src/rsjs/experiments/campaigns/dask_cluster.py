"""A Dask cluster to carry out runs: one of this machine's own, or one that somebody has started."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from rsjs.core.errors import InputError, described, told

if TYPE_CHECKING:
    from distributed import Client

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

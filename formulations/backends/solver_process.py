"""
A process of its own for a solver that cannot be loaded beside another one.

HiGHS from 1.15 on and OR-tools 9.15 both bring a library `libhighs.so.1`, and a process can load
only one of them, whichever comes first. So OR-tools always runs in a process of its own, which is
started when it is first needed and serves one call after another. Messages to it are

    ("call", function, arguments, names)    run "module:function" with these keyword arguments, and
                                            with one callback for each name, `stop` among them
    ("stop",)                               the running call is asked to end

and its messages are ("event", name, arguments), ("result", value) and ("error", exception). It ends
with the process that started it.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from os import getpid
from typing import Any, ParamSpec, TypeVar

from rsjs.core.process import watch_parent

POLL = 0.05  # seconds between two questions whether to stop
STOP = "stop"
MODULE = "rsjs.formulations.backends.solver_process"

P = ParamSpec("P")
T = TypeVar("T")
Events = Mapping[str, Callable[..., None]]


class SolverProcess:
    """
    A process that imports a solver and runs functions with it.

    Parameters
    ----------
    module : str
        The solver's module.
    """

    def __init__(self, module: str) -> None:
        self.module = module
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection
        self._owner = 0  # a fork must not talk to the process of its parent
        self._lock = threading.Lock()  # one call at a time, whichever thread asks

    def prepare(self) -> None:
        """Start the process and import the solver, if that is not done yet."""
        with self._lock:
            self._prepare()

    def call(
        self,
        function: str,
        arguments: Mapping[str, Any],
        events: Events | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Any:
        """
        Run a function in the process and return what it returns.

        Parameters
        ----------
        function : str
            "module:function"; it is called with `arguments`, with a callback for each event, and
            with `stop` if that is given here.
        arguments : mapping
            Keyword arguments that can be pickled.
        events : mapping
            Callbacks that run in this process. An exception in one of them ends the call and is
            raised again.
        stop : callable, optional
            Whether to ask the function to end; polled.

        Raises
        ------
        RuntimeError
            If the process dies. Exceptions of the function are raised again.
        """
        with self._lock:
            self._prepare()
            return self._run(function, arguments, events or {}, stop)

    def runs(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return a function that runs this one in the process; its arguments can be pickled."""
        name, parameters = f"{function.__module__}:{function.__name__}", signature(function)

        def run(*values: P.args, **named: P.kwargs) -> T:
            result: T = self.call(name, parameters.bind(*values, **named).arguments)
            return result

        return run

    def _prepare(self) -> None:
        if self._owner != getpid() or self._process is None or self._process.poll() is not None:
            self._start()
            self._run(f"{MODULE}:load", {"module": self.module}, {}, None)

    def _run(
        self,
        function: str,
        arguments: Mapping[str, Any],
        events: Events,
        stop: Callable[[], bool] | None,
    ) -> Any:
        names = (*events, *(() if stop is None else (STOP,)))
        try:
            self._send(("call", function, dict(arguments), names))
            value, error = self._answer(events, stop)
        except BaseException:  # Ctrl-C or a limit: nobody waits for the answer
            self._end()
            raise
        if error is not None:
            raise error
        return value

    def _answer(
        self, events: Events, stop: Callable[[], bool] | None
    ) -> tuple[Any, Exception | None]:
        """Serve events until the call ends; return its value, or the first exception."""
        asked, failed = False, None
        while True:
            if not asked and (failed is not None or (stop is not None and stop())):
                asked = True
                self._send(("stop",))
            message = self._receive()
            if message is None:
                continue
            kind, *content = message
            if kind != "event":
                return content[0], failed or (content[0] if kind == "error" else None)
            name, values = content
            try:
                if failed is None:
                    events[name](*values)
            except Exception as error:
                failed = error

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            self._connection.send(message)
        except OSError as error:
            raise self._death() from error

    def _receive(self) -> tuple[Any, ...] | None:
        """Return the next message; None if there is none yet."""
        try:
            message: tuple[Any, ...] | None
            message = self._connection.recv() if self._connection.poll(POLL) else None
        except (EOFError, OSError) as error:
            raise self._death() from error
        return message

    def _death(self) -> RuntimeError:
        return RuntimeError(f"the process of {self.module} ended with code {self._end()}")

    def _start(self) -> None:
        ours, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", MODULE, str(theirs.fileno()), str(getpid())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self._connection, self._owner = ours, getpid()

    def _end(self) -> int:
        """End the process, whatever it does, and return its exit code."""
        assert self._process is not None
        self._process.kill()
        return self._process.wait()


def load(module: str) -> None:
    """Import a module, and that of the matrices it is sent, so that no call is charged for it."""
    for name in (module, "scipy.sparse"):
        import_module(name)


class _Server:
    """The other end: runs one call after another until nobody is there to ask."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self._asked = False

    def serve(self) -> None:
        """Run calls until the other end is closed."""
        while True:
            message = self._connection.recv()
            if message[0] == "call":  # a stop that came too late is dropped
                self._asked = False
                self._send(self._run(*message[1:]))

    def stop_requested(self) -> bool:
        """Return whether the running call is asked to end."""
        if not self._asked and self._connection.poll():
            self._connection.recv()
            self._asked = True
        return self._asked

    def _run(self, function: str, arguments: dict[str, Any], names: tuple[str, ...]) -> Any:
        callbacks: dict[str, Callable[..., Any]] = {name: self._callback(name) for name in names}
        if STOP in names:
            callbacks[STOP] = self.stop_requested
        try:
            module, _, name = function.partition(":")
            return "result", getattr(import_module(module), name)(**arguments, **callbacks)
        except Exception as error:
            return "error", _portable(error)

    def _callback(self, name: str) -> Callable[..., None]:
        return lambda *values: self._send(("event", name, values))

    def _send(self, message: tuple[Any, ...]) -> None:
        with self._lock:  # solvers call back from several threads
            self._connection.send(message)


def _portable(error: Exception) -> Exception:
    """Return an exception that can be pickled, with what is known of this one."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def main() -> None:
    """Serve the process that started this one."""
    descriptor, parent = map(int, sys.argv[1:])
    watch_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear
    try:
        _Server(Connection(descriptor)).serve()
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()

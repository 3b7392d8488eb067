"""A solver's own process: events, exceptions, requests to stop, and its death."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rsjs.formulations.backends.solver_process import SolverProcess

HERE = "tests.formulations.backends.test_solver_process"


class Unsendable(Exception):
    def __init__(self, first, second):
        super().__init__(first)


def counts(*, to, on_count, stop):
    """Tell each number from 1 to `to`; return the last one told."""
    for number in range(1, to + 1):
        on_count(number)
        if stop():
            return -number
    return to


def waits(*, stop):
    """Wait until asked to end."""
    while not stop():
        time.sleep(0.01)
    return "asked"


def fails(*, error, stop):
    """Raise an exception of that name."""
    raise {
        "plain": ValueError("no such row"),
        "odd": Unsendable("lost", 2),
        "system": FileNotFoundError(errno.ENOENT, "no such file"),
    }[error]


def dies(*, stop):
    """End the process at once."""
    os._exit(3)


def solves(*, on_start):
    """Tell that it starts; do not look whether to stop."""
    on_start()
    while True:
        time.sleep(0.01)


def is_loaded(*, module, stop):
    """Whether a module is loaded."""
    return module in sys.modules


@pytest.fixture(scope="module")
def process():
    return SolverProcess("decimal")


def call(process, name, events=None, stop=lambda: False, **arguments):
    return process.call(f"{HERE}:{name}", arguments, events or {}, stop)


@pytest.mark.process
def test_events_come_in_order_and_the_result_last(process):
    numbers = []
    assert call(process, "counts", {"on_count": numbers.append}, to=5) == 5
    assert numbers == [1, 2, 3, 4, 5]
    assert call(process, "is_loaded", module="decimal")


@pytest.mark.process
def test_it_is_asked_to_stop_and_serves_the_next_call(process):
    asked = threading.Event()
    threading.Timer(0.05, asked.set).start()
    assert call(process, "waits", stop=asked.is_set) == "asked"
    assert call(process, "counts", {"on_count": lambda _: None}, to=2) == 2


@pytest.mark.process
@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [("plain", ValueError, "no such row"), ("odd", RuntimeError, "Unsendable: lost")],
)
def test_an_exception_is_raised_again(process, error, kind, text):
    with pytest.raises(kind, match=text):
        call(process, "fails", error=error)
    assert not call(process, "is_loaded", module="sndhdr")


@pytest.mark.process
def test_an_exception_of_a_callback_ends_the_call(process):
    def refuse(number):
        raise KeyError(number)

    process.prepare()
    running = process._process
    with pytest.raises(KeyError, match="1"):
        call(process, "counts", {"on_count": refuse}, to=10**9)
    assert call(process, "counts", {"on_count": lambda _: None}, to=1) == 1
    assert process._process is running


@pytest.mark.process
def test_an_error_of_the_system_is_not_taken_for_the_death_of_the_process(process):
    def full(_number):
        raise OSError(errno.ENOSPC, "No space left on device")

    process.prepare()
    running = process._process
    with pytest.raises(OSError, match="No space left"):
        call(process, "counts", {"on_count": full}, to=10**9)
    with pytest.raises(FileNotFoundError, match="no such file"):
        call(process, "fails", error="system")
    assert process._process is running
    assert running.poll() is None


@pytest.mark.process
def test_threads_take_turns(process):
    with ThreadPoolExecutor(4) as pool:
        told = [[] for _ in range(8)]
        calls = [
            pool.submit(call, process, "counts", {"on_count": numbers.append}, to=to)
            for to, numbers in enumerate(told, start=1)
        ]
    assert [each.result() for each in calls] == [*range(1, 9)]
    assert told == [[*range(1, to + 1)] for to in range(1, 9)]


@pytest.mark.process
def test_a_process_that_dies_is_told_and_replaced(process):
    with pytest.raises(RuntimeError, match="the process of decimal ended with code 3"):
        call(process, "dies")
    assert call(process, "counts", {"on_count": lambda _: None}, to=1) == 1


@pytest.mark.process
def test_an_interrupt_ends_the_process(process):
    process.prepare()
    running = process._process
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        call(process, "waits")
    assert running.poll() == -signal.SIGKILL


@pytest.mark.process
def test_it_outlives_the_thread_that_started_it():
    process = SolverProcess("decimal")
    starter = threading.Thread(target=process.prepare)
    starter.start()
    starter.join()
    started = process._process
    assert call(process, "counts", {"on_count": lambda _: None}, to=3) == 3
    assert process._process is started
    process._end()


@pytest.mark.process
def test_it_ends_in_a_call_when_the_process_that_started_it_has_ended():
    program = (
        "import os, signal\n"
        "from rsjs.formulations.backends.solver_process import SolverProcess\n"
        "end = lambda: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"SolverProcess('decimal').call('{HERE}:solves', {{}}, {{'on_start': end}})\n"
    )  # its output ends when the solver's process, which shares it, has ended, too
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL

"""Campaigns in folders of their own, and methods that do harm, installed by an entry point."""

import shutil
import sys

import pytest

from rsjs.campaigns import runner, spec
from rsjs.campaigns.pool import Local
from rsjs.campaigns.runner import Part
from rsjs.methods import all_methods

HOUR = 3600  # seconds; only what hangs lasts so long
HEAD = """
format = "rsjs-campaign/1"
name = "{name}"
shows = "a test"
timing = "shared"
{more}
[limits]
time_s = {time_s}
memory_mb = 400
output_mb = 8
threads = {threads}
[[instances]]
generator = "jahani"
sizes = {sizes}
seeds = {seeds}
[[methods]]
run = {methods}
"""

WICKED = '''
import contextlib, io, json, os, shutil, signal, subprocess, sys, time
import numpy as np
from rsjs.instances import costs
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.core.method import Method
from rsjs.core.report import Report
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.solution import Solution

MARK = os.environ.get("WICKED_MARK", "")


def decide(instance):
    nothing = Solution.empty(len(instance.jobs), instance.cluster.nodes)
    solution = select_required_nodes(instance, nothing)
    return solution, costs.terms(instance, solution).total


def spin(instance, call, report):
    report.incumbent(*decide(instance))
    while True:
        pass


def fork(instance, call, report):
    """Twice, into sessions of their own, and leaves before they can be seen."""
    sleep = f"import time; time.sleep(300) # {MARK}"
    start = f"subprocess.Popen([sys.executable, '-c', {sleep!r}], start_new_session=True)"
    subprocess.run([sys.executable, "-c", f"import subprocess, sys; {start}"])
    os._exit(7)


def hog(instance, call, report):
    report.incumbent(*decide(instance))
    np.ones(10 * 2**27)


def lie(instance, call, report):
    solution, cost = decide(instance)
    return SolveResult(stop=Stop.OPTIMAL, solution=solution, objective=cost - 1, bound=cost - 1)


def flood(instance, call, report):
    line = "x" * 2**20
    for _ in range(1024):
        print(line, flush=True)


def litter(instance, call, report):
    with open("in-the-working-folder", "w"):
        pass
    for i in range(1024):
        with open(f"part{i}", "wb") as file:
            file.write(bytes(2**20))
        time.sleep(0.01)


def raze(instance, call, report):
    """Removes its working folder, and where its record would go."""
    shutil.rmtree(os.path.dirname(os.getcwd()))
    return SolveResult(stop=Stop.ITERATIONS)


def crash(instance, call, report):
    print("before the end", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def babble(instance, call, report):
    return SolveResult(stop=Stop.OPTIMAL, counts=7)


def prattle(instance, call, report):
    return SolveResult(stop=Stop.OPTIMAL, objective="cheap", bound=[1])


def misshape(instance, call, report):
    return SolveResult(stop=Stop.OPTIMAL, solution=Solution.of([99], [-5], [77]), objective=1.0)


def betray(instance, call, report):
    """Ends the process that watches over it."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(300)


def stop(instance, call, report):
    """Stops the process that watches over it."""
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(300)


def pipes(instance, call, report):
    """Puts pipes, which nobody writes to, in the place of all that its watcher reads."""
    for name in ("result.json", "solution.npy", "incumbent.npy", "incumbents.npy", "stderr.txt"):
        with contextlib.suppress(OSError):
            os.unlink(name)
        os.mkfifo(name)
    os._exit(0)


def usurp(instance, call, report):
    """A folder, a pipe, a loop or a link in the places where its record is to stand."""
    record = "../record"
    os.makedirs(f"{record}/spec.json", exist_ok=True)
    os.symlink("/dev/null", f"{record}/result.json")
    occupy = (os.mkdir, os.mkfifo, lambda p: os.symlink(p, p), lambda p: os.symlink("/dev/zero", p))
    occupy[call.limits.seed % 4]("solution.json.gz")
    solution, cost = decide(instance)
    return SolveResult(stop=Stop.ITERATIONS, solution=solution, objective=cost)


def heads(instance, call, report):
    """An array whose head promises 10^12 numbers, and one of none."""
    report.incumbent(*decide(instance))
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<i8", "fortran_order": False, "shape": (10**12,)}
    )
    with open("incumbents.npy", "wb") as file:
        file.write(head.getvalue())
    os._exit(0)


def single(instance, call, report):
    solution, cost = decide(instance)
    bound = np.float32(cost / 2)
    return SolveResult(stop=Stop.ITERATIONS, solution=solution, objective=cost, bound=bound)


def promise(instance, call, report):
    """Reports a bound above its cost, and claims none in the end."""
    solution, cost = decide(instance)
    report.bound(2 * cost)
    return SolveResult(stop=Stop.ITERATIONS, solution=solution, objective=cost,
                       events=tuple(report.events))


def colour(instance, call, report):
    raise ValueError("\\x1b[31mred\\ud800")


def share(instance, call, report):
    """Holds memory once, in four processes."""
    hoard = np.ones(20 * 2**20)
    children = [os.fork() for _ in range(3)]
    if not all(children):
        time.sleep(300)
    time.sleep(1)
    for child in children:
        os.kill(child, signal.SIGKILL)
    return SolveResult(stop=Stop.ITERATIONS)


def close(instance, call, report):
    """Takes its permissions from its folder."""
    os.mkdir("closed")
    with open("closed/file", "w"):
        pass
    os.chmod("closed", 0)
    os.chmod(".", 0)
    return SolveResult(stop=Stop.ITERATIONS)


def branch(instance, call, report):
    """Forks, and both processes return."""
    os.fork()
    return SolveResult(stop=Stop.ITERATIONS)


def taint(instance, call, report):
    """Breaks a module for whatever runs in its process afterwards."""
    json.dumps = lambda *given, **named: "garbage"
    return SolveResult(stop=Stop.ITERATIONS)


def brag(instance, call, report):
    """Claims half of what its first decision costs, and is right in the end."""
    solution, cost = decide(instance)
    report.incumbent(solution, cost / 2)
    return SolveResult(stop=Stop.ITERATIONS, solution=solution, objective=cost)


def late(instance, call, report):
    """Has a decision in time and a better one after its limit."""
    report.incumbent(*decide(instance))
    time.sleep(call.limits.time_limit + 0.3)
    from rsjs.formulations.enumeration import run

    return run(instance, call, Report())


def __getattr__(name):
    function = name.removesuffix("_method")
    if function not in globals():
        raise AttributeError(name)
    return Method(name=function, summary="a test", kind="heuristic", run=f"wicked:{function}")
'''
HARM = [
    "spin",
    "fork",
    "hog",
    "lie",
    "flood",
    "litter",
    "raze",
    "crash",
    "babble",
    "prattle",
    "misshape",
    "betray",
    "stop",
    "pipes",
    "usurp",
    "heads",
    "single",
    "promise",
    "colour",
    "share",
    "close",
    "branch",
    "taint",
    "brag",
    "late",
]


@pytest.fixture
def wicked(tmp_path, monkeypatch):
    """Installs the methods above; the mark that their descendants bear."""
    home = tmp_path / "wicked"
    info = home / "wicked-1.dist-info"
    info.mkdir(parents=True)
    (home / "wicked.py").write_text(WICKED)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wicked\nVersion: 1\n")
    lines = [f"{name} = wicked:{name}_method" for name in HARM]
    (info / "entry_points.txt").write_text("\n".join(["[rsjs.methods]", *lines, ""]))
    mark = f"mark-{tmp_path}"
    monkeypatch.setenv("PYTHONPATH", str(home))
    monkeypatch.setenv("WICKED_MARK", mark)
    monkeypatch.syspath_prepend(str(home))
    all_methods.cache_clear()
    yield mark
    all_methods.cache_clear()
    sys.modules.pop("wicked", None)


@pytest.fixture
def campaign(tmp_path):
    """A campaign on instances of 1 node and 2 jobs, unless told otherwise."""

    def make(*methods, **changes):
        fields = {
            "name": "test",
            "more": "",
            "time_s": HOUR,
            "threads": [1],
            "sizes": '["1x2"]',
            "seeds": [1],
            "methods": str([*methods]).replace("'", '"'),
        }
        path = tmp_path / "campaign.toml"
        path.write_text(HEAD.format(**{**fields, **changes}) + changes.get("tail", ""))
        return spec.read(path)

    return make


@pytest.fixture(scope="session")
def carry_out():
    """Carries out what is left of a campaign; returns the state of its store before."""

    def run(asked, store, part=None, slots=1):
        prepared = runner.prepare(asked, store, part or Part())
        for _ in runner.carry_out(prepared, store, Local(slots)):
            pass
        return prepared

    return run


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a store that the first test of a module carries out."""
    return tmp_path_factory.mktemp("finished")


@pytest.fixture
def asked(campaign, request):
    """A campaign of the METHODS of a module."""
    return campaign(*request.module.METHODS, sizes='["2x6"]')


@pytest.fixture
def store(asked, carry_out, finished, tmp_path):
    """A copy of its finished store."""
    if not (finished / "store").exists():
        carry_out(asked, finished / "store")
    return shutil.copytree(finished / "store", tmp_path / "store")

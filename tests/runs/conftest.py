"""Methods that misbehave, installed as a package with an entry point `rsjs.methods`."""

import sys

import pytest

from rsjs.instances.generators.jahani import generate
from rsjs.methods import Request, all_methods

MODULE = """
import os, subprocess, sys, time
import numpy as np
from rsjs.instances import costs
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.core.method import Method
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.solution import Solution


def decide(instance):
    nothing = Solution.empty(len(instance.jobs), instance.cluster.nodes)
    solution = select_required_nodes(instance, nothing)
    return solution, costs.terms(instance, solution).total


def spin(instance, call, report):
    solution, cost = decide(instance)
    report.incumbent(solution, cost)
    report.bound(cost / 2)
    while True:
        time.sleep(60)


def polite(instance, call, report):
    solution, cost = decide(instance)
    while not report.stop_requested():
        time.sleep(0.01)
    return SolveResult(stop=Stop.INTERRUPTED, solution=solution, objective=cost, message="asked")


def reset(instance, call, report):
    while True:
        with report.phase("compile"):
            report.start_clock()
            time.sleep(0.01)


def ready(method, call, jobs):
    return jobs


def load(instance, call, report):
    return SolveResult(stop=Stop.ITERATIONS, counts={"ready": call.ready})


def build(instance, call, report):
    with report.phase("build"):
        while True:
            pass


def eat(instance, call, report):
    report.incumbent(*decide(instance))
    hoard = []
    while True:
        hoard.append(np.ones(10_000_000))
        time.sleep(0.02)


def fork(instance, call, report):
    sleeper = [sys.executable, "-c", "import time; time.sleep(300)", os.environ["PYTHONPATH"]]
    subprocess.Popen(sleeper, start_new_session=True)
    time.sleep(300)


def lie(instance, call, report):
    solution, cost = decide(instance)
    return SolveResult(stop=Stop.OPTIMAL, solution=solution, objective=cost - 1, bound=cost - 1)


def boast(instance, call, report):
    solution, cost = decide(instance)
    return SolveResult(stop=Stop.OPTIMAL, solution=solution, objective=cost, bound=cost + 1)


def overfill(instance, call, report):
    jobs = len(instance.jobs)
    solution = Solution.of([0] * jobs, [1] * jobs, [0] * instance.cluster.nodes)
    return SolveResult(stop=Stop.ITERATIONS, solution=solution)


def fail(instance, call, report):
    raise ValueError("two\\nlines")


def escape(instance, call, report):
    sleep = f"import time; time.sleep(300) # {os.environ['PYTHONPATH']}"
    start = f"subprocess.Popen([sys.executable, '-c', {sleep!r}], start_new_session=True)"
    subprocess.run([sys.executable, "-c", f"import subprocess, sys; {start}"])
    solution, cost = decide(instance)
    report.seconds["build"] = "long"
    return SolveResult(stop=Stop.ITERATIONS, solution=solution, objective=cost)


def vanish(instance, call, report):
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


def talk(instance, call, report):
    print("from the solver", flush=True)
    solution, cost = decide(instance)
    return SolveResult(stop=Stop.ITERATIONS, solution=solution, objective=cost)


def __getattr__(name):
    function = name.removesuffix("_method")
    if function not in globals():
        raise AttributeError(name)
    run, prepare = f"hostile:{function}", "hostile:ready" if function == "load" else ""
    return Method(name=function, summary="a test", kind="heuristic", run=run, prepare=prepare)
"""
NAMES = [
    *("spin", "polite", "load", "reset", "build", "eat", "fork"),
    *("lie", "boast", "overfill", "fail", "escape", "vanish", "talk"),
]


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Request by name for a method of the package above."""
    (tmp_path / "hostile.py").write_text(MODULE)
    info = tmp_path / "hostile-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1\n")
    lines = [f"{name} = hostile:{name}_method" for name in NAMES]
    (info / "entry_points.txt").write_text("\n".join(["[rsjs.methods]", *lines, ""]))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    all_methods.cache_clear()
    yield lambda name: Request(method=all_methods()[name])
    all_methods.cache_clear()
    sys.modules.pop("hostile", None)


@pytest.fixture(scope="session")
def tiny():
    """Two nodes, three jobs."""
    return generate(nodes=2, jobs=3, seed=1)

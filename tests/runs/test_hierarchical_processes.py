"""Controllers side by side: the same decision, one line for what fails, and nobody left behind."""

import sys
import time
from dataclasses import replace

import psutil
import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.heuristics.decomposition.hierarchical import run
from rsjs.instances.check import check
from rsjs.instances.generators import kiros
from rsjs.methods import parse
from rsjs.rows import build
from rsjs.runs import verified_run
from rsjs.runs.gap import gap

pytestmark = pytest.mark.process

PATIENCE = 600.0  # seconds; nothing here is timed, a test that hangs is ended


@pytest.fixture(scope="module")
def instance():
    return kiros.generate(nodes=3, jobs=12, seed=2, due="tight")


def within(instance, method, report=None, **limits):
    """What the controllers of this process find."""
    request = parse(method)
    call = Call(options=request.options, limits=Limits(**{"time_limit": PATIENCE, **limits}))
    call = replace(call, ready=request.serving(instance).prepare(call, len(instance.jobs)))
    return run(instance, call, report or Report(limits.get("time_limit", PATIENCE)))


def family(process):
    """The processes of controllers that a process started."""
    try:
        return [p for p in process.children(recursive=True) if "spawn_main" in f"{p.cmdline()}"]
    except psutil.NoSuchProcess:
        return []


def wait_until(done):
    """Poll until something holds."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def living(processes):
    """Those that still run."""
    return [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(
    "method",
    [
        pytest.param("first_ending_patterns@highs,controllers=3", marks=pytest.mark.solver),
        "greedy:paper,split=demand",
    ],
)
def test_the_decision_does_not_depend_on_the_number_of_processes(instance, method):
    reports = [Report(PATIENCE) for _ in range(2)]
    one, two = (
        within(instance, f"hierarchical?method={method}", report, threads=threads)
        for threads, report in enumerate(reports, start=1)
    )
    assert two.solution.same_as(one.solution)
    assert (two.stop, two.objective, two.counts) == (one.stop, one.objective, one.counts)
    assert [e.incumbent for e in reports[0].events] == [e.incumbent for e in reports[1].events]
    assert family(psutil.Process()) == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("fail", "controller 1 of 3: ValueError: two lines (and 2 more)"),
        ("vanish", "controller 1 of 3: its process ended with code 3 (and 2 more)"),
    ],
)
def test_controllers_that_fail_in_their_processes_are_named(hostile, instance, name, told):
    result = within(instance, f"hierarchical?method={name},controllers=3", threads=2)
    assert (result.stop, result.solution, result.message) == (Stop.ERROR, None, told)


class Impatient(Report):
    """Asks for the end as soon as the controllers have begun."""

    asked = False

    def stop_requested(self):
        before, self.asked = self.asked, True
        return before


def test_an_interrupt_is_heard_by_every_process(hostile, instance):
    spelling = "hierarchical?method=polite,controllers=2"
    result = within(instance, spelling, Impatient(PATIENCE), threads=2)
    assert result.stop is Stop.INTERRUPTED  # as each of them says
    assert check(instance, result.solution, objective=result.objective).feasible
    deaf = within(
        instance, "hierarchical?method=spin,controllers=2", Impatient(PATIENCE), threads=2
    )
    assert (deaf.stop, deaf.solution) == (Stop.INTERRUPTED, None)
    assert family(psutil.Process()) == []


def test_controllers_past_the_limit_are_ended(hostile, instance):
    result = within(instance, "hierarchical?method=spin,controllers=3", threads=2, time_limit=0.5)
    assert (result.stop, result.solution) == (Stop.TIME_LIMIT, None)
    assert family(psutil.Process()) == []


def test_the_launcher_ends_a_run_with_its_controllers(hostile, instance):
    seen: set[psutil.Process] = set()
    found = verified_run.run(
        instance,
        parse("hierarchical?method=eat,controllers=2"),
        Limits(time_limit=PATIENCE, threads=2, memory_limit_mb=700),
        on_event=lambda line: seen.update(family(psutil.Process())),
    )
    assert found.result.stop is Stop.MEMORY_LIMIT
    assert len(seen) == 2
    wait_until(lambda: not living(seen))


@pytest.mark.skipif(sys.platform != "linux", reason="no signal at a parent's death")
def test_controllers_die_with_their_parent(hostile, instance):
    seen: list[psutil.Process] = []

    def kill_the_worker(line):
        if line["event"] != "started":
            return
        children = psutil.Process().children()
        (worker,) = [p for p in children if "rsjs.runs.worker" in p.cmdline()]
        seen.extend(family(worker))
        worker.kill()
        wait_until(lambda: not living(seen))

    request = parse("hierarchical?method=spin,controllers=2")
    limits = Limits(time_limit=PATIENCE, threads=2)
    found = verified_run.run(instance, request, limits, on_event=kill_the_worker)
    assert found.result.stop is Stop.ERROR
    assert len(seen) == 2


@pytest.mark.solver
def test_the_loss_shows_against_the_best_bound(instance):
    limits = Limits(gap=0.0, time_limit=PATIENCE)
    spellings = ["first_ending_patterns@highs"]
    spellings += [f"hierarchical?controllers=3,method={spellings[0]}"]
    requests = [parse(spelling) for spelling in spellings]
    whole, divided = build.rows(
        [verified_run.run(instance, request, limits) for request in requests], limits
    )
    assert (whole["status"], divided["status"]) == ("ok", "ok")
    assert whole["gap_to_best"] == pytest.approx(0.0, abs=1e-9)
    assert (divided["bound"], divided["own_gap"]) == (None, None)
    assert divided["best_bound"] == whole["bound"]
    assert divided["gap_to_best"] == gap(divided["objective"], whole["bound"])
    assert divided["gap_to_best"] > 1e-3

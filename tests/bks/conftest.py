"""A tiny instance, decisions for it, claims, and stores with records that say what a test needs."""

import json

import pytest

from rsjs.bks.candidates import Candidates, CostCandidate
from rsjs.bks.entries import Bound
from rsjs.bks.exact_cost import priced
from rsjs.campaigns import records, schema_files
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run
from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.formulations.enumeration import run as enumerate_all
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import write_instance, write_solution
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.instances.transform import permuted
from rsjs.runs.kinds.base import kind

SESSION = {
    "campaign": "test",
    "timing": "shared",
    "slots": 1,
    "commit": "c0ffee",
    "dirty": False,
    "environments": {},
    "machine": {"cpu_model": "a processor"},
    "memory_measured_by": "",
    "begun": "",
    "ended": None,
    "load_before": None,
    "load_after": None,
    "calibration_before": None,
    "calibration_after": None,
}
PROCESS = {
    "end": "by itself",
    "returncode": 0,
    "cores": [],
    "strays": 0,
    "whole_s": 1.0,
    **dict.fromkeys(("clock_s", "cpu_s", "load_before", "load_after")),
}


@pytest.fixture(scope="session")
def tiny():
    """Two nodes, three jobs."""
    return generate(nodes=2, jobs=3, seed=1)


@pytest.fixture(scope="session")
def best(tiny):
    """The optimum, by enumeration."""
    found = enumerate_all(tiny, Call(), Report()).solution
    assert found is not None
    return found


@pytest.fixture(scope="session")
def optimum(tiny, best):
    """Its exact cost: prices in floats differ in the last digit between processors."""
    return priced(tiny, best)["value"]


@pytest.fixture(scope="session")
def idle(tiny):
    """Every job postponed: the dearest decision."""
    return select_required_nodes(tiny, Solution.empty(len(tiny.jobs), tiny.cluster.nodes))


def origin(k, method="a@highs", **more):
    """The k-th run, begun in minute k."""
    solver = method.partition("@")[2].partition("?")[0] or None
    return {
        "date": f"2030-01-01T00:{k:02}:00.000Z",
        "source": "campaign test",
        "run_id": f"{k:016x}",
        "method": method,
        "solver": solver,
        **more,
    }


@pytest.fixture(scope="session")
def cost(tiny):
    """A claim that a decision costs what the checker says."""

    def make(decision, k=1, method="a@highs", **more):
        value = more.pop("value", check(tiny, decision).objective)
        return CostCandidate(
            **origin(k, method, **more), value=value, read_solution=lambda: decision
        )

    return make


@pytest.fixture(scope="session")
def bound():
    """A claim of a lower bound."""

    def make(value, k=1, method="a@highs", **more):
        return Bound(**{"bound_source": "solver", **origin(k, method, **more)}, value=value)

    return make


@pytest.fixture(scope="session")
def claims(tiny):
    """Candidates on the tiny instance."""

    def make(*found, on=tiny, unsound=()):
        costs = [one for one in found if isinstance(one, CostCandidate)]
        bounds = [one for one in found if isinstance(one, Bound)]
        return Candidates(instance=on, costs=costs, bounds=bounds, unsound=unsound)

    return make


@pytest.fixture
def store(tiny, tmp_path):
    """
    The writer of a store: `store("name", {"decision": ..., "bound": ...}, ..., dirty=True)`.

    A run is a mapping with any of k, method, decision, objective, bound, bound_variant, stop and
    permutation; what it says of its decision is what the checker says.
    """

    def write(name, *runs, on=tiny, **session):
        folder = tmp_path / name
        (folder / "sessions").mkdir(parents=True)
        document = {"format": schema_files.name("session"), "id": "one", **SESSION, **session}
        (folder / "sessions" / "one.json").write_text(json.dumps(document))
        manifest = {"format": schema_files.name("store"), "campaign": "test", "versions": {}}
        (folder / "store.json").write_text(json.dumps(manifest))
        write_instance(on, folder / "instances" / f"{on.digest}.json.gz")
        for asked in runs:
            record = _record(on, asked)
            place = folder / "runs" / record.run.id[:2] / record.run.id
            place.mkdir(parents=True)
            solution, result = tmp_path / kind("instance").solution_file, record.result
            if result.solution is not None:
                claims = {"objective": result.objective, "bound": result.bound}
                digest, method = record.run.solved_sha256, record.run.method
                write_solution(result.solution, digest, solution, method=method, **claims)
            records.write(record, place, None, solution)
        return folder

    return write


def _record(instance, asked):
    k, method = asked.get("k", 1), asked.get("method", "a@highs")
    seed = asked.get("permutation", 0)
    order = permuted(instance, seed) if seed else None
    solved = order.instance if order else instance
    decision = asked.get("decision")
    if decision is not None and order is not None:
        decision = order.restricted(decision)
    claimed, value = asked.get("objective"), asked.get("bound")
    verdict = None
    if decision is not None:
        verdict = check(solved, decision, objective=claimed, bound=value)
    variant = "instance" if value is not None else None
    run = Run(
        instance=instance.name,
        instance_sha256=instance.digest,
        solved_sha256=solved.digest,
        permutation=seed,
        nodes=instance.cluster.nodes,
        jobs=len(instance.jobs),
        method=method,
        solver=origin(k, method)["solver"],
        environment="",
        limits=Limits(seed=k, memory_limit_mb=100.0),
        output_limit_mb=1.0,
        timing="shared",
        repetition=1,
    )
    result = SolveResult(
        stop=Stop(asked.get("stop", "optimal")),
        solution=decision,
        objective=claimed,
        bound=value,
        bound_source="solver" if value is not None else None,
        seconds={"total": 0.5},
        bound_variant=asked.get("bound_variant", variant),
    )
    return Record(
        run=run,
        result=result,
        verdict=verdict,
        process={**PROCESS, "begun": origin(k)["date"]},
        incumbents=[],
        incumbents_reported=0,
        rsjs_version="0",
        solver_version="1.2",
        session="one",
    )

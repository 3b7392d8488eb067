"""Best-known values of workloads: schedules that replay, bounds with certificates."""

import json
from dataclasses import replace

import pytest

from rsjs import rsjs_verify
from rsjs.bks import schedules, storage
from rsjs.bks.candidates import Candidates, CostCandidate, contributed
from rsjs.bks.entries import Bound
from rsjs.bks.merge import update
from rsjs.bks.verify import verify
from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.instances.io.files import write_workload
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.library.sets import WORKLOAD, draw
from rsjs.instances.transform import redrawn
from rsjs.simulation import event_log
from rsjs.simulation.bounds import workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy

ORIGIN = {"date": "2026-11-27T00:00:00.000Z", "source": "test"}
KNOWN = Options(epochs="known")


@pytest.fixture(scope="module")
def workload():
    arguments = {"nodes": 2, "jobs": 8, "seed": 1, "gap_seconds": 9000.0, "law": "exp"}
    made = draw(WORKLOAD, {"generator": "sts", **arguments})
    assert made.digest == sts.workload(**arguments).digest
    return made


def _log(workload, method, options=None):
    return event_log.of(simulate(workload, policy(method, workload, options), options))


def _cost(workload, log, run):
    value = log.end["totals"]["cost"]
    origin = ORIGIN | {"run_id": run * 16, "method": log.run["policy"], "value": value}
    return CostCandidate(**origin, read_solution=lambda: log)


def _bound(workload, run, factor=1.0):
    found = workload_bound(workload)
    document = found.certificate(workload, Options())
    document["bound"] *= factor
    origin = ORIGIN | {"run_id": run * 16, "method": "references"}
    bound = Bound(**origin, value=found.value * factor, bound_source="lagrangian")
    return bound, {run * 16: schedules.packed(document["format"], canonical_text(document))}


@pytest.fixture
def folder(workload, tmp_path):
    """What is known of a workload from a policy, one that knows all epochs, and a bound."""
    bound, certificates = _bound(workload, "c")
    logs = _log(workload, "queue:edf"), _log(workload, "queue:greedy", KNOWN)
    found = Candidates(
        instance=workload,
        costs=[_cost(workload, log, run) for log, run in zip(logs, "ab", strict=True)],
        bounds=[bound],
        certificates=certificates,
    )
    update(tmp_path, {workload.digest: found})
    return tmp_path


def _rewrite(folder, change):
    path = folder / "workload.jsonl"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")


def test_the_least_cost_is_that_of_a_schedule_whatever_it_was_told(workload, folder):
    (entry,) = storage.read(folder).values()
    greedy = simulate(workload, policy("queue:greedy", workload, KNOWN), KNOWN).totals
    assert (entry.cost.value, entry.cost.method) == (greedy.cost, "queue:greedy")
    assert entry.cost.terms["energy"] == greedy.energy
    assert (entry.family, entry.instance_document, entry.status) == ("workload", None, "open")
    assert schedules.to_log(entry.solution).run["options"]["epochs"] == "known"
    assert storage.values(folder)[workload.digest].bound == entry.bound.value <= entry.cost.value


def test_what_is_stored_is_verified(folder):
    found = verify(folder)
    assert (found.findings, found.solutions) == ([], 1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda d: d["ub_data"][0].update(value=d["ub_data"][0]["value"] - 1e-3),
            "/ub_data/-1/value",
        ),
        (lambda d: d["solution"].update(packed="AAAA"), "/solution: has sha256"),
        (lambda d: d.pop("certificate"), "/certificate: found none, expected one of the bound"),
        (lambda d: d["certificate"].update(packed="AAAA"), "/certificate/packed"),
        (lambda d: d["certificate"].update(format="x"), "/certificate: found another document"),
        (
            lambda d: d["lb_data"][0].update(value=d["lb_data"][0]["value"] + 1e-3),
            "/certificate: proves",
        ),
        (lambda d: d["made_by"]["parameters"].update(seed=2), "/sha256"),
    ],
)
def test_what_is_changed_is_found(folder, change, told):
    _rewrite(folder, change)
    assert any(told in line for line in verify(folder).findings)


def test_a_better_bound_brings_its_certificate_and_one_above_a_cost_is_refused(workload, folder):
    (before,) = storage.read(folder).values()
    bound, certificates = _bound(workload, "d", 1 + 1e-12)
    better = Candidates(instance=workload, bounds=[bound], certificates=certificates)
    update(folder, {workload.digest: better})
    (after,) = storage.read(folder).values()
    assert after.certificate == certificates["d" * 16] != before.certificate
    above, certificates = _bound(workload, "e", 2.0)
    wrong = Candidates(instance=workload, bounds=[above], certificates=certificates)
    (told,) = update(folder, {workload.digest: wrong}).contradictions
    assert "references" in str(told)
    assert "queue:greedy" in str(told)
    assert [*storage.read(folder).values()] == [after]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"variant": "no_preemption"}, "/certificate/variant: found 'no_preemption'"),
        ({"energy": "node"}, "/certificate/energy: found 'node'"),
        ({"prices": {"K80": {"1": [0.0]}}}, "/certificate/prices"),
        ({"prices": None}, "/certificate/prices"),
        ({}, "/certificate: found a proof of"),
        (None, "/certificate: found none, expected one of the bound of a workload"),
    ],
)
def test_a_bound_without_a_proof_of_it_is_refused(workload, folder, change, told):
    (before,) = storage.read(folder).values()
    bound, certificates = _bound(workload, "d", 1 + 1e-4)  # below the least cost
    if change:
        text = schedules.unpacked(certificates["d" * 16], rsjs_verify.BOUND, "")
        changed = canonical_text(json.loads(text) | change)
        certificates["d" * 16] = schedules.packed(rsjs_verify.BOUND, changed)
    given = {} if change is None else certificates
    false = Candidates(instance=workload, bounds=[bound], certificates=given)
    (reason,) = update(folder, {workload.digest: false}).refused
    assert f"on {workload.name}: {told}" in reason
    assert [*storage.read(folder).values()] == [before]


def test_a_log_from_elsewhere_counts_if_it_replays_under_the_default_options(workload, tmp_path):
    other = redrawn(workload, 1)  # which no generator makes
    write_workload(other, tmp_path / "w.json")
    for options in (Options(), Options(energy="node")):
        outcome = simulate(other, policy("queue:edf", other, options), options)
        event_log.write(outcome, tmp_path / "log.jsonl")
        given = tmp_path / "w.json", tmp_path / "log.jsonl", "who", ORIGIN["date"]
        if options.energy == "node":
            with pytest.raises(InputError, match=r"/options: .*expected the default options"):
                contributed(*given)
        else:
            update(tmp_path / "known", {other.digest: contributed(*given)})
    (entry,) = storage.read(tmp_path / "known").values()
    assert (entry.family, entry.instance_document["format"]) == ("other", "rsjs-workload/1")
    assert verify(tmp_path / "known").findings == []


def test_logs_that_do_not_hold_are_not_taken(workload, tmp_path):
    log = _log(workload, "queue:edf")
    end = {**log.end, "totals": {**log.end["totals"], "cost": 1.0}}
    false = replace(log, end=end)
    candidates = Candidates(instance=workload, costs=[_cost(workload, false, "a")])
    found = update(tmp_path / "known", {workload.digest: candidates})
    assert "/totals" in found.refused[0]
    assert not found.after

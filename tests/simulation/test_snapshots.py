"""Snapshots: decisions of simulations as instances, the same ones wherever they come from."""

from dataclasses import replace
from itertools import product

import pytest

import rsjs
from rsjs.bks.exact_cost import priced
from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Report
from rsjs.formulations import enumeration
from rsjs.instances import decision_points
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import of_instance
from rsjs.instances.transform import rigid, with_change_costs
from rsjs.methods import parse
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.snapshots import Moments, points, snapshots, states, use

FAMILIES = {
    "jahani": jahani.workload(nodes=2, jobs=12, seed=1, law="exp", gap_seconds=300),
    "kiros": kiros.workload(nodes=2, jobs=12, seed=1, law="exp", gap_seconds=1500),
    "andreas": andreas.workload(nodes=2, jobs=12, seed=1, law="exp", gap_seconds=1500),
    "sts": sts.workload(nodes=2, jobs=12, seed=1, law="exp", gap_seconds=6000, sharing="paper"),
}
EXACT = {"jahani": "jahani_patterns@highs", "sts": "rsjs_nodes@highs"}
EXACT_CHARGED = {"jahani": "jahani_literal@highs", "sts": "rsjs_nodes@highs"}
MOST = 4  # jobs of an instance that is enumerated


@pytest.fixture(scope="module")
def outcome():
    """The run of a policy that asks for switches and leaves jobs waiting."""
    workload = sts.workload(nodes=3, jobs=30, seed=1, law="high", sharing="paper")
    return rsjs.simulate(workload, "sts:fallback", boot=0.1, seed=7)


def used(instance):
    return use(instance.cluster, instance.current)


def test_a_snapshot_is_the_state_of_its_decision(outcome):
    log = event_log.of(outcome)
    [state] = states(outcome.workload, log, [9])
    [instance] = rsjs.snapshots(outcome, hours=[state.now])
    assert instance.current.same_as(state.current)
    assert instance.now == pytest.approx(state.now, abs=1e-6)
    assert instance.jobs.epochs_done == pytest.approx(state.epochs_done, abs=1e-6)
    assert instance.jobs.id == state.instance.jobs.id
    assert (instance.jobs.release <= instance.now).all()
    origin = instance.generator["parameters"]
    assert (origin["policy"], origin["decision"]) == ("sts:fallback", 9)
    assert origin["options"] == {"boot": 0.1, "seed": 7}
    assert origin["workload"]["sha256"] == outcome.workload.digest


def test_a_stored_log_and_a_record_make_the_same_instances(tmp_path, outcome):
    digests = [instance.digest for instance in rsjs.snapshots(outcome, number=8)]
    rsjs.save(outcome, tmp_path / "log.jsonl.gz")
    log, moments = event_log.read(tmp_path / "log.jsonl.gz"), Moments(number=8)
    stored = snapshots(outcome.workload, log, moments)
    assert [instance.digest for instance in stored] == digests
    assert len({instance.name for instance in stored}) == 8
    for point, instance in zip(points(outcome.workload, log, moments), stored, strict=True):
        again = decision_points.of_record(point.record()).instance(outcome.workload)
        assert again.digest == instance.digest == to_instance(of_instance(again)).digest


def test_numbers_are_spread_evenly_and_uses_are_the_nearest(outcome):
    count = outcome.totals.decisions
    spread = rsjs.snapshots(outcome, number=4)
    numbers = [instance.generator["parameters"]["decision"] for instance in spread]
    assert numbers == [(2 * k + 1) * count // 8 for k in range(4)]
    every = rsjs.snapshots(outcome, number=count)
    asked = [0.4, 0.6, 0.6, 0.8]
    found = sorted(rsjs.snapshots(outcome, use=asked), key=used)
    for share, instance in zip(asked, found, strict=True):
        nearest = sorted(abs(used(other) - share) for other in every)
        assert abs(used(instance) - share) in nearest[: asked.count(share)]
    [most] = rsjs.snapshots(outcome, use=[1.0])
    full = [len(other.jobs) for other in every if used(other) == used(most)]
    assert len(most.jobs) == max(full)


@pytest.mark.parametrize(
    ("moments", "told"),
    [
        ({}, "/at: found no moments, expected one of hours, number and use"),
        ({"number": 2, "use": [0.5]}, "/at: found number and use"),
        ({"number": 0}, "/number: found 0"),
        ({"number": 10**6}, "/at: found 1000000 moments, expected at most"),
        ({"hours": []}, "/hours: found"),
        ({"hours": [-1.0]}, r"/hours: found -1.0, expected 0 to .* h, first and last decision"),
        ({"use": [1.1]}, "/use: found 1.1, expected a share"),
        ({"use": [float("nan")]}, "/use: found nan"),
    ],
)
def test_moments_that_there_are_not_are_refused(outcome, moments, told):
    with pytest.raises(InputError, match=told):
        rsjs.snapshots(outcome, **moments)


def test_a_use_that_is_not_reached_is_refused(make):
    workload = make(types={"A4": [1.0, 2.0, 3.0, 4.0]}, hours=[{"A": [1.0]}] * 2, release=[0, 0.5])
    outcome = rsjs.simulate(workload, "queue:greedy")
    with pytest.raises(InputError, match=r"/use: found 0.9, expected a use .* nearest one is 0.25"):
        rsjs.snapshots(outcome, use=[0.9])
    assert len(rsjs.snapshots(outcome, use=[0.25] * 2)) == 2
    with pytest.raises(InputError, match=r"/use: found 0.25, expected .* nearest one left is 0$"):
        rsjs.snapshots(outcome, use=[0.25] * 3)


def test_a_decision_is_not_before_the_release_of_its_jobs_in_any_digit(make):
    release = 0.1 + 0.2  # which is more than 0.3
    workload = make(types={"A4": [1.0] * 4}, hours=[{"A": [9.0]}] * 2, release=[0, release])
    [instance] = rsjs.snapshots(rsjs.simulate(workload, "queue:greedy"), hours=[0.3])
    assert (instance.now, len(instance.jobs)) == (release, 2)


def test_a_run_that_failed_has_no_snapshots(make, scripted):
    workload = make(types={"A4": [1.0] * 4}, hours=[{"A": [9.0]}] * 2, release=[0, 1])
    outcome = simulate(workload, scripted({"j0": (0, 1)}, {"j0": (0, 9)}))
    told = r"/status: found infeasible: scripted at 1 h: .*, expected a run that came to its end"
    with pytest.raises(InputError, match=told):
        rsjs.snapshots(outcome, number=1)


def test_a_log_that_does_not_replay_is_refused_with_the_line(outcome):
    log = event_log.of(outcome)
    third = {**log.events[2], "energy": log.events[2]["energy"] + 1}
    changed = replace(log, events=[*log.events[:2], third, *log.events[3:]])
    with pytest.raises(InputError, match=r"line 4/energy: found .*, expected .* at .* h"):
        snapshots(outcome.workload, changed, Moments(number=3))


def tiny(family, rigid_jobs):
    """Two snapshots with few jobs, some of which run."""
    workload = rigid(FAMILIES[family]) if rigid_jobs else FAMILIES[family]
    outcome = rsjs.simulate(workload, "queue:greedy")
    every = rsjs.snapshots(outcome, number=outcome.totals.decisions)
    chosen = [one for one in every if 3 <= len(one.jobs) <= MOST and used(one) > 0]
    assert any(one.jobs.epochs_done.any() for one in chosen)
    return [chosen[len(chosen) // 3], chosen[-len(chosen) // 3]]


def answer(method, instance):
    """What a method says, in this process."""
    call = Call(limits=Limits(gap=0.0, time_limit=600.0))
    return parse(method)(instance, call, Report(600.0))


@pytest.mark.slow
@pytest.mark.solver
@pytest.mark.parametrize(
    ("family", "rigid_jobs", "charged"),
    # jahani_literal takes half a minute on elastic jobs
    [case for case in product(FAMILIES, *[[False, True]] * 2) if case != ("jahani", False, True)],
)
def test_methods_checker_and_verifier_agree_with_enumeration(family, rigid_jobs, charged):
    for instance in tiny(family, rigid_jobs)[: 1 if charged else 2]:
        method = EXACT.get(family, "first_ending_patterns@highs")
        if charged:
            instance = with_change_costs(instance, migration=1.0, start=0.2)
            method = EXACT_CHARGED.get(family, "first_ending_nodes@highs")
        optimum = priced(instance, enumeration.best(instance))["value"]  # by both checkers
        exact = answer(method, instance)
        costs = [priced(instance, exact.solution)["value"], exact.bound]
        assert costs == pytest.approx([optimum] * 2, rel=1e-6)
        for heuristic in ("greedy:paper", "local_search"):
            cost = priced(instance, answer(heuristic, instance).solution)["value"]
            assert cost >= optimum * (1 - 1e-9)

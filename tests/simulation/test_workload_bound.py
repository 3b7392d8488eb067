"""The Lagrangian bound of a workload: by hand, and below the best schedule there is."""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.core.errors import InputError
from rsjs.heuristics.hindsight.lagrangian import priced, refined
from rsjs.instances.generators import sts
from rsjs.instances.io import json_schema
from rsjs.instances.io.serialization import of_workload
from rsjs.simulation.bounds import (
    WorkloadBound,
    capacity_free_bound,
    capacity_free_bounds,
    hindsight,
    workload_bound,
)
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy
from tests.simulation.offline_optimum import offline_optimum

ABOVE = 1 + 1e-9
VARIANTS = ["free", "one_mode", "no_preemption"]


def _two(make, **changed):
    """Two jobs at once, 2 h on one GPU at 1 $/h, due after 2 h, 10 $ for each hour late."""
    given = {"types": {"A1": [1.0]}, "hours": [{"A": [2.0]}] * 2, "due": [2, 2], "weight": [10, 10]}
    return make(**given | changed)


def test_of_two_jobs_on_a_gpu_one_waits_for_the_other(make):
    """The optimum is 4 + 20; that both run at half speed and are late together costs as much."""
    assert 23.5 < workload_bound(_two(make)).value <= 24.0


def test_with_room_for_both_it_is_the_capacity_free_bound(make):
    workload = _two(make, nodes=[["A1"]] * 2)
    assert workload_bound(workload).value == pytest.approx(4.0) == capacity_free_bound(workload)


def test_a_node_is_of_one_type_at_a_time(make):
    changed = {"types": {"A1": [1.0], "B1": [1.0]}, "hours": [{"A": [2.0]}, {"B": [2.0]}]}
    either = _two(make, nodes=[["A1", "B1"]], **changed)
    assert 23.5 < workload_bound(either).value <= 24.0
    both = _two(make, nodes=[["A1"], ["B1"]], **changed)
    assert workload_bound(both).value == pytest.approx(4.0)


def test_gpus_of_two_nodes_do_not_add_up_to_one_mode(make):
    """Three GPUs each, on nodes of two and of four."""
    changed = {"types": {"A2": [1, 2], "A4": [1, 2, 3, 4]}, "hours": [{"A": [9, 9, 2.0]}] * 2}
    of_six = _two(make, nodes=[["A2"], ["A4"]], **changed)
    assert 27.5 < workload_bound(of_six).value < 12 + 20
    of_eight = _two(make, nodes=[["A4"], ["A4"]], **changed)
    assert workload_bound(of_eight).value == pytest.approx(12.0)


def test_halves_of_a_gpu_are_room_for_two(make):
    assert workload_bound(_two(make, inflation=1.0)).value == pytest.approx(2.0)


def test_a_second_node_that_costs_more_is_paid_for(make):
    """Both due at once: one runs on the node of 1 $/h, the other on that of 3 $/h."""
    types = {"A1": [1.0], "A dear": [3.0]}
    workload = _two(make, types=types, nodes=[["A1"], ["A dear"]], weight=[100, 100])
    assert capacity_free_bound(workload) == pytest.approx(4.0)
    assert 7.99 < workload_bound(workload).value <= 8.0


def test_a_mode_costs_what_nodes_with_as_many_gpus_in_use_charge_at_least(make):
    """Three GPUs: 5 $/h alone, at least 3/4 of 6 $/h beside others; one GPU costs 1 $/h."""
    of_three = make(types={"A4": [1.0, 3.0, 5.0, 6.0]}, hours=[{"A": [9, 9, 1.0]}], release=[0])
    assert capacity_free_bound(of_three) == pytest.approx(4.5)
    assert 4.5 * (1 - 1e-8) <= workload_bound(of_three).value <= 5.0


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 2)
def test_below_the_best_schedule_and_that_below_policies(seed, make):
    workload = tiny(Random(seed), make)
    bounds = [workload_bound(workload, variant=variant).value for variant in VARIANTS]
    best = [offline_optimum(workload, variant) for variant in VARIANTS]
    assert capacity_free_bound(workload) <= bounds[0] * ABOVE + 1e-9
    assert all(bound <= optimum * ABOVE for bound, optimum in zip(bounds, best, strict=True))
    assert best[0] <= best[1] * ABOVE
    assert best[1] <= best[2] * ABOVE
    assert best[0] <= simulate(workload, policy("queue:greedy", workload)).totals.cost * ABOVE
    assert best[2] <= simulate(workload, policy("queue:edf", workload)).totals.cost * ABOVE


def tiny(rng, make):
    """One to three jobs on two nodes with three GPUs, or on one node with two."""
    jobs = rng.randint(1, 3)
    release = sorted(rng.randint(0, 4) / 2 for _ in range(jobs))
    hours = []
    for _ in range(jobs):
        slow = rng.randint(2, 8) / 4
        fast = {"A": [slow, slow * rng.choice([0.5, 0.75])]}
        hours.append(rng.choice([fast, {"B": [slow]}, fast | {"B": [slow]}]))
    return make(
        types={"A2": [1.0, rng.choice([1.0, 1.5, 2.0])], "B1": [rng.choice([0.5, 2.0])]},
        nodes=[["A2"], ["B1"]],
        hours=hours,
        release=release,
        due=[at + rng.randint(0, 4) for at in release],
        weight=[rng.choice([0.5, 5, 50]) for _ in range(jobs)],
        law=[[1, 1], [2, 1], [3, 1]],
        realised=[rng.randint(1, 3) for _ in range(jobs)],
    )


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 2)
def test_any_prices_give_a_bound_and_halved_buckets_the_same(seed, make):
    rng = np.random.default_rng(seed)
    workload = tiny(Random(seed), make)
    jobs, nodes = hindsight(workload, Options())
    edges = np.linspace(workload.jobs.release[0], 9.0, 8)
    prices = rng.choice([0, 0.1, 2, 40], (2, len(nodes.sizes), 7)) * rng.random(7)
    last = -np.inf
    for variant in VARIANTS:
        value = priced(jobs, nodes, edges, prices, variant).value
        assert last <= value + 1e-9 * abs(value)
        assert value <= offline_optimum(workload, variant) * ABOVE
        halved = priced(jobs, nodes, *refined(edges, prices), variant).value
        assert halved == pytest.approx(value, rel=1e-9)
        last = value


@pytest.mark.parametrize("mix", ["km", "a100"])
def test_without_prices_each_job_runs_alone_and_slopes_are_supergradients(mix):
    workload = sts.workload(nodes=4, jobs=20, seed=1, mix=mix, sharing="paper", gap_seconds=2000)
    jobs, nodes = hindsight(workload, Options())
    edges = np.linspace(workload.jobs.release[0], 60.0, 13)
    zero = np.zeros((len(workload.cluster.gpu_types), len(nodes.sizes), 12))
    free = priced(jobs, nodes, edges, zero)
    assert free.job_cost == pytest.approx(capacity_free_bounds(workload, Options()), rel=1e-12)
    rng = np.random.default_rng(1)
    for variant in VARIANTS * 2:
        first, second = rng.random((2, *zero.shape)) * rng.choice([0.01, 1.0, 50.0])
        low, high = (priced(jobs, nodes, edges, prices, variant) for prices in (first, second))
        assert high.value <= low.value + (low.slope * (second - first)).sum() + 1e-7


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(energy="node", boot=0.2),
        Options(energy="gpu", checkpoint="epoch", deviation=0.2, seed=3),
        Options(energy="base:0.5", deviation=0.1, denominator="real"),
    ],
    ids=lambda options: options.energy,
)
def test_it_holds_under_every_option(options):
    workload = sts.workload(nodes=2, jobs=24, seed=1, mix="a100", sharing="paper", gap_seconds=250)
    free, bound = capacity_free_bound(workload, options), workload_bound(workload, options).value
    assert free * 1.001 < bound
    assert bound < simulate(workload, policy("queue:pedf", workload), options).totals.cost


def test_a_variant_that_there_is_not_is_refused(make):
    with pytest.raises(
        InputError, match=r"/variant: found 'rigid', expected one of free, one_mode"
    ):
        workload_bound(_two(make), variant="rigid")


@pytest.mark.parametrize("hours", [0.0, -1.0, float("inf"), float("nan"), 1e-9])
def test_lengths_that_make_no_buckets_are_refused(make, hours):
    with pytest.raises(InputError, match=r"/hours: found .*, expected (buckets of > 0|>= )"):
        workload_bound(_two(make), hours=hours)


def test_without_preemption_the_job_that_is_due_later_waits_for_the_whole_run(make):
    """Jobs of 4 h at 0 and of 1 h at 1, due at once; the first may stop for the second, or not."""
    hours = [{"A": [4.0]}, {"A": [1.0]}]
    workload = make(hours=hours, release=[0, 1], due=[5, 2], weight=[1, 10])
    assert 4.99 < workload_bound(workload).value <= 5.0
    assert 4.99 < workload_bound(workload, variant="one_mode").value <= 5.0
    assert 5.0 < workload_bound(workload, variant="no_preemption").value <= 5 + 3


def test_in_one_mode_a_job_that_changes_half_way_is_fast_or_slow(make):
    """On one GPU 4 h for 4 $, on two 3 h for 6 $; due after 3.5 h: half and half costs 5 $."""
    workload = make(types={"A2": [1.0, 2.0]}, hours=[{"A": [4.0, 3.0]}], due=[3.5], weight=[10])
    for variant, cost in zip(VARIANTS, (5.0, 6.0, 6.0), strict=True):
        assert workload_bound(workload, variant=variant).value == pytest.approx(cost)


@pytest.mark.parametrize("spelling", ["queue:edf", "queue:fifo", "queue:priority", "edf:code"])
def test_runs_without_preemptions_and_moves_are_above_the_bound_without_them(spelling):
    workload = sts.workload(nodes=3, jobs=30, seed=2, mix="km", gap_seconds=9000)
    bounds = [workload_bound(workload, variant=variant).value for variant in VARIANTS]
    assert bounds == sorted(bounds)
    for options in (Options(), Options(boot=0.2, checkpoint="epoch")):
        totals = simulate(workload, policy(spelling, workload), options).totals
        assert totals.preemptions == totals.moves == 0
        assert bounds[2] < totals.cost


def _proved(workload, certificate):
    """What the verifier makes of a workload and a certificate, as read from files."""
    texts = (json.dumps(document) for document in (of_workload(workload), certificate))
    whole, told = (rsjs_verify.parsed(text) for text in texts)
    fitting = rsjs_verify.fit(told, rsjs_verify.THE_BOUND)
    return float(rsjs_verify.bound_of(rsjs_verify.Workload(whole), fitting))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 4)
def test_the_verifier_comes_to_the_same_bound(seed, make):
    rng = np.random.default_rng(seed)
    workload = tiny(Random(seed), make)
    options = Options(energy=["curve", "gpu", "node", "base:0.25"][seed % 4])
    jobs, nodes = hindsight(workload, options)
    edges = np.linspace(workload.jobs.release[0], 9.0, 8)
    prices = rng.choice([0, 0.1, 2, 40], (2, len(nodes.sizes), 7)) * rng.random(7)
    variant = VARIANTS[seed % 3]
    value = priced(jobs, nodes, edges, prices, variant).value
    bound = WorkloadBound(
        value=max(0.0, value),
        edges=edges,
        sizes=nodes.sizes,
        prices=prices,
        evaluations=1,
        variant=variant,
    )
    certificate = bound.certificate(workload, options)
    assert _proved(workload, certificate) == pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("energy", "variant"),
    [("curve", "free"), ("base:0.5", "one_mode"), ("curve", "no_preemption")],
)
def test_certificates_are_verified_with_shares_and_fit_their_schema(energy, variant):
    workload = sts.workload(nodes=3, jobs=20, seed=1, sharing="paper", gap_seconds=1500)
    options = Options(energy=energy, boot=0.1, checkpoint="epoch")
    found = workload_bound(workload, options, variant=variant)
    certificate = found.certificate(workload, options)
    json_schema.fit(certificate, json_schema.schema_text("bound"), None)
    assert _proved(workload, certificate) == pytest.approx(found.value, rel=2e-9)
    assert found.certificate(workload, Options(deviation=0.1)) is None


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("workload", "0" * 64, "/workload: found 0000"),  # of another workload
        ("prices", {"A": {"1": [1, -1]}}, "/prices/A/1/1: found -1, expected a number from 0"),
        ("prices", {"A": {"1": [1]}}, "/prices/A/1: found an array of 1, expected 2 prices"),
        ("prices", {"A": {"x": [1, 1]}}, "/prices/A/x: found x, expected a number of GPUs"),
        ("prices", {"B": {"1": [1, 1]}}, "/prices: found B, expected one of A"),
        ("edges", [0, 2, 2], "/edges/2: found 2, expected > 2, increasing edges"),
        ("energy", "nodes", "/energy: found nodes, expected an accounting"),
        ("variant", "rigid", "/variant: found rigid, expected free or one_mode or no_preemption"),
        ("energy", "base:.", "/energy: found base:., expected an accounting"),
        ("energy", "base:0.5.5", "/energy: found base:0.5.5, expected an accounting"),
        ("energy", "base:2", "/energy: found base:2, expected a share of at most 1"),
        ("bound", 25.0, ""),  # more than the prices prove
    ],
)
def test_the_verifier_refuses(make, tmp_path, capsys, key, value, told):
    workload = _two(make)
    certificate = _certificate(workload, 23.9)
    files = tmp_path / "workload.json", tmp_path / "bound.json"
    files[0].write_text(json.dumps(of_workload(workload)))
    for document, code in ((certificate, 0), (certificate | {key: value}, 2 if told else 1)):
        files[1].write_text(json.dumps(document))
        assert rsjs_verify.main(["--bound", *map(str, files)]) == code
    out, error = capsys.readouterr()
    assert told in error
    assert error.count("\n") == (1 if told else 0)
    assert ("WRONG" in out) == (not told)
    files[1].write_text(json.dumps(of_workload(workload)))
    assert rsjs_verify.main(["--bound", *map(str, files)]) == 2
    assert "/format: found rsjs-workload/1, expected rsjs-bound/1" in capsys.readouterr().err


def _certificate(workload, bound=0.0):
    return {
        **{"format": "rsjs-bound/1", "workload": workload.digest, "energy": "curve"},
        **{"bound": bound, "edges": [0, 2, 4], "prices": {"A": {"1": [10, 0]}}},
    }


def test_the_verifier_stops_at_prices_that_take_too_long(make, monkeypatch):
    workload = _two(make)
    document, certificate = of_workload(workload), _certificate(workload)
    assert rsjs_verify.verify_bound(document, certificate) > 0
    monkeypatch.setattr(rsjs_verify, "MOST_TERMS", 3)
    with pytest.raises(rsjs_verify.Refused, match="/prices: found over 3 terms, expected fewer"):
        rsjs_verify.verify_bound(document, certificate)


def test_hours_and_edges_count_as_terms(make, monkeypatch):
    workload = _two(make)
    edges = [0, *(2 + i / 100 for i in range(200)), 5]
    certificate = _certificate(workload) | {"edges": edges, "prices": {}}
    for variant in ("free", "no_preemption"):
        monkeypatch.setattr(rsjs_verify, "MOST_TERMS", 100)
        with pytest.raises(rsjs_verify.Refused, match="/prices: found over 100 terms"):
            rsjs_verify.verify_bound(of_workload(workload), certificate | {"variant": variant})


def test_a_claim_is_at_most_what_is_proved_to_the_last_digit(make):
    workload = _two(make)
    proved = rsjs_verify.verify_bound(of_workload(workload), _certificate(workload))
    claim = float(proved) * (1 + 1e-12)
    with pytest.raises(rsjs_verify.Refused, match="/bound"):
        rsjs_verify.verify_bound(of_workload(workload), _certificate(workload, claim))


def test_the_verifier_refuses_workloads_that_charge_changes(make):
    document = json.loads(json.dumps(of_workload(_two(make))))
    document["objective"]["start"] = 1
    with pytest.raises(rsjs_verify.Refused, match="/objective/start: found 1, expected 0"):
        rsjs_verify.verify_bound(document, _certificate(_two(make)))


def test_times_far_from_0_have_edges_that_differ(make):
    far = {"release": [1e15, 1e15], "due": [1e15, 1e15]}
    workload = _two(make, **far, hours=[{"A": [0.01]}, {"A": [0.01]}])
    found = workload_bound(workload)
    assert (np.diff(found.edges) > 0).all()
    assert found.value >= 0


def test_the_verifier_refuses_rates_that_have_no_inverse(make):
    workload = _two(make, hours=[{"A": [5e-324]}, {"A": [2.0]}])
    with pytest.raises(rsjs_verify.Refused, match="/jobs/0/hours_per_epoch: found 5e-324"):
        rsjs_verify.verify_bound(of_workload(workload), _certificate(workload))


WITHOUT = object()  # a key that is left out


@pytest.mark.parametrize(
    ("file", "at", "value", "told"),
    [
        ("workload", "/realised", WITHOUT, "found no key 'realised', expected this key"),
        ("workload", "/realised/epochs", [1], "/realised/epochs: found an array of 1, expected 2"),
        (
            "workload",
            "/realised/epochs/1",
            2,
            "/realised/epochs/1: found 2, expected an epoch that",
        ),
        (
            "workload",
            "/realised/epochs/0",
            0,
            "/realised/epochs/0: found 0, expected a number from",
        ),
        ("workload", "/realised/epochs/0", 0.5, "/realised/epochs/0: found 0.5, expected a number"),
        (
            "workload",
            "/jobs/0/memory_gb",
            99,
            "/jobs/0: found j0, expected a job that may run some",
        ),
        (
            "workload",
            "/jobs/1/hours_per_epoch",
            {},
            "/jobs/1: found j1, expected a job that may run",
        ),
        (
            "workload",
            "/jobs/0/release",
            1.5,
            "/jobs/1/release: found 0, expected a release no earl",
        ),
        (
            "workload",
            "/jobs/1/release",
            1e16,
            "/jobs/1/release: found 1e+16, expected a number from -1e",
        ),
        (
            "workload",
            "/jobs/1/epochs_done",
            0.5,
            "/jobs/1/epochs_done: found 0.5, expected 0 in a w",
        ),
        ("workload", "/jobs/1/due", 3, "/workload: found"),  # another workload
        (
            "workload",
            "/format",
            "rsjs-instance/1",
            "/realised: found an unknown key",
        ),
        ("bound", "/format", "rsjs-bound/2", "/format: found rsjs-bound/2, expected rsjs-bound/1"),
        ("bound", "/workload", WITHOUT, "found no key 'workload', expected this key"),
        (
            "bound",
            "/variant",
            None,
            "/variant: found None, expected free or one_mode or no_preemption",
        ),
        ("bound", "/solver", "highs", "/solver: found an unknown key, expected known keys only"),
        ("bound", "/edges", [0], "/edges: found an array of 1, expected an array of at least 2"),
        ("bound", "/edges/2", float("inf"), "found Infinity, expected a finite number"),
        ("bound", "/prices/A/1/0", float("nan"), "found NaN, expected a finite number"),
        ("bound", "/prices/A/1/0", "10", "/prices/A/1/0: found 10, expected a number from 0"),
        ("bound", "/prices/A/1/0", 1e300, "/prices/A/1/0: found 1"),
        ("bound", "/prices/A/0", [1, 0], "/prices/A/0: found 0, expected a number of GPUs"),
        ("bound", "/bound", -1, "/bound: found -1, expected a number from 0"),
    ],
)
def test_files_that_make_no_sense_are_refused_in_one_line(
    make, tmp_path, capsys, file, at, value, told
):
    workload = _two(make)
    documents = {
        "workload": of_workload(workload),
        "bound": _certificate(workload, 23.9),
    }
    *path, last = (int(step) if step.isdigit() else step for step in at[1:].split("/"))
    inner = documents[file]
    for step in path:
        inner = inner[str(step) if isinstance(inner, dict) else step]
    if value is WITHOUT:
        del inner[last]
    else:
        inner[last if isinstance(inner, list) else str(last)] = value
    files = [tmp_path / f"{name}.json" for name in documents]
    for path, document in zip(files, documents.values(), strict=True):
        path.write_text(json.dumps(document))
    assert rsjs_verify.main(["--bound", *map(str, files)]) == 2
    out, error = capsys.readouterr()
    assert told in error
    assert (out, error.count("\n")) == ("", 1)


def test_prices_before_the_first_job_and_jobs_after_the_last_price_prove_the_least_costs(make):
    """A release after the horizon is no error: the job pays no prices, the nodes earn them."""
    workload = _two(make, release=[0, 90], due=[2, 92])
    jobs, nodes = hindsight(workload, Options())
    edges = np.array([0.0, 2.0, 4.0])
    for variant in VARIANTS:
        value = priced(jobs, nodes, edges, np.full((1, 1, 2), 0.25), variant).value
        assert value == pytest.approx(2 + 2 * 0.25 + 2 - 4 * 0.25)


def test_on_a_crowded_cluster_it_is_near_the_best_schedule_known():
    workload = sts.workload(nodes=10, jobs=100, seed=1, mix="km", gap_seconds=8000)
    assert 2200.5 < workload_bound(workload).value < 2212.1  # the best schedule known

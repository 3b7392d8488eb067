"""The verifier and the checker in floating point are two programs with one verdict."""

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.core.errors import InputError
from rsjs.core.method import ENERGY, EXPECTATION, OPEN_NODES, TARDINESS_AT
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.files import read_instance
from rsjs.instances.open_nodes import required_nodes
from rsjs.instances.solution import DECISION_ARRAYS, Solution
from rsjs.instances.transform import subinstance

ANY = st.randoms(use_true_random=False)
CONSTRAINTS = {
    *("instance", "shape", "range", "allowed_type", "postponed", "one_configuration"),
    *("node_on", "node_size", "memory", "admissible", "capacity", "open_nodes"),
    *("claimed_objective", "claimed_bound"),
}
GENERATED = {
    "jahani": jahani.generate(nodes=2, jobs=6, seed=1),
    "kiros": kiros.generate(nodes=2, jobs=6, seed=1),
    "andreas": andreas.generate(nodes=2, jobs=6, seed=1),
    "sts": sts.generate(nodes=2, jobs=6, seed=1),
    "sts shared": sts.generate(nodes=2, jobs=6, seed=1, mix="kma", sharing="paper"),
    "part": subinstance(
        sts.generate(nodes=9, jobs=9, seed=1, mix="kma"), [1, 4], [2], "free"
    ).instance,
    "sts contention": sts.generate(nodes=3, jobs=8, seed=2, mix="kma", sharing="contention"),
}
# a on one K80 (4 h), b on half a K80 beside it (0.4 h per epoch, 2.6 h at worst), c on 2 P (4 h)
ALL_RUN = Solution.of([0, 0, 2], [1, 0, 2], [0, -1, 1], [-1, 1, -1])


@pytest.mark.parametrize(
    ("objective", "tardiness", "energy", "postponement"),
    [
        # 2 (1 + 4 - 4) + 0.5 (1 + 2.6 - 2) + (1 + 4 - 0.5); 1.2 x 2.6 + 0.8 x 4
        # after H: 100 (2 (2 + 12 - 4) + 0.5 (2 + 2.6 - 2) + (2 + 4 - 0.5))
        ({}, "73/10", "158/25", 2680),
        # t* = 2.6: a is in time, b 1.6 h late, c 3.1 h; 2.6 (1.2 + 0.8)
        ({"tardiness_at": "next_event", "energy": "next_event"}, "39/10", "26/5", 2680),
        # b: E[W] = 5.5, so 4 epochs are left: 1.6 h
        ({"expectation": "mean"}, "34/5", "128/25", 2630),
        # b: 0.5, 2.5 or 6.5 epochs are left with probabilities 1/4, 1/4, 1/2
        ({"expectation": "expected"}, "69/10", "128/25", 2630),
    ],
    ids=["worst case", "next event", "mean", "expected"],
)
def test_terms_are_the_fractions_found_by_hand(
    example, verdicts, objective, tardiness, energy, postponement
):
    instance = to_instance(example(mu=0.1, **objective))
    _, running = verdicts(instance, ALL_RUN)
    assert running.terms == {
        "tardiness": Fraction(tardiness),
        "postponement": 0,
        "energy": Fraction(energy),
        "idle": Fraction(2, 10),
    }
    assert running.objective == sum(running.terms.values())
    _, waiting = verdicts(instance, Solution.empty(3, 3))
    assert waiting.terms["postponement"] == waiting.objective == postponement


@given(rng=ANY)
def test_both_agree_on_feasible_decisions_and_claims(
    random_document, random_decision, verdicts, rng
):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    verdict, _ = verdicts(instance, solution)
    assert verdict.feasible
    cost = verdict.objective
    wrong = cost + 1e-5 * max(1, cost)
    assert verdicts(instance, solution, objective=cost, bound=cost)[0].feasible
    for claim in ("objective", "bound"):
        _, refuted = verdicts(instance, solution, **{claim: wrong})
        assert [one.constraint for one in refuted.violations] == [f"claimed_{claim}"]


def _corrupt(solution, rng, nodes):
    arrays = {name: getattr(solution, name).copy() for name in DECISION_ARRAYS}
    for _ in range(rng.randint(1, 3)):
        array = arrays[rng.choice(DECISION_ARRAYS)]
        array[rng.randrange(len(array))] = rng.randint(-1, rng.choice([1, 3, 9]))
    if rng.random() < 0.3:  # a crowd on one node
        arrays["job_node"][:] = rng.randrange(nodes)
    if rng.random() < 0.1:
        name = rng.choice(DECISION_ARRAYS)
        arrays[name] = arrays[name][:-1]
    return Solution(**arrays)


def _is_flat(name):
    """Whether prices are flat and nothing is shared, as proportional energy needs."""
    try:
        replace(GENERATED[name], objective=replace(FAMILIES["sts"], energy="proportional"))
    except InputError:
        return False
    return True


OBJECTIVES = list(
    AllPairs(
        [*map(sorted, (ENERGY, TARDINESS_AT, OPEN_NODES, EXPECTATION)), list(GENERATED)],
        filter_func=lambda row: len(row) < 5 or row[0] != "proportional" or _is_flat(row[4]),
    )
)


@pytest.mark.parametrize(
    ("energy", "tardiness_at", "open_nodes", "expectation", "name"), OBJECTIVES
)
def test_both_agree_on_every_generator_under_every_objective(
    random_decision, verdicts, energy, tardiness_at, open_nodes, expectation, name
):
    terms = {"energy": energy, "tardiness_at": tardiness_at, "open_nodes": open_nodes}
    objective = replace(FAMILIES["sts"], **terms, expectation=expectation, mu=0.25)
    instance, rng = replace(GENERATED[name], objective=objective), Random(7)
    solution = random_decision(instance, rng)
    verdicts(instance, solution)
    verdicts(instance, _corrupt(solution, rng, instance.cluster.nodes))


@given(rng=ANY)
def test_both_agree_on_corrupt_decisions(random_document, random_decision, verdicts, rng):
    _corrupted(random_document, random_decision, verdicts, rng)


def _corrupted(random_document, random_decision, verdicts, rng):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    if rng.random() < 0.9:
        solution = _corrupt(solution, rng, instance.cluster.nodes)
    digest = "0" * 64 if rng.random() < 0.2 else None
    claim = rng.choice([None, 1e9])
    verdict, _ = verdicts(instance, solution, digest, objective=claim, bound=claim)
    return {one.constraint for one in verdict.violations}


@pytest.mark.slow
def test_every_constraint_is_found_violated_by_both(random_document, random_decision, verdicts):
    missing = set(CONSTRAINTS)
    for seed in range(1000):
        missing -= _corrupted(random_document, random_decision, verdicts, Random(seed))
        if not missing:
            break
    assert not missing


@given(rng=ANY)
def test_both_agree_on_decisions_that_take_too_few_or_too_many_nodes(
    random_document, random_decision, verdicts, rng
):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    node = rng.randrange(instance.cluster.nodes)
    arrays = {name: getattr(solution, name).copy() for name in DECISION_ARRAYS}
    on_it = arrays["job_node"] == node
    arrays["job_node"][on_it], arrays["job_level"][on_it] = -1, -1
    arrays["job_gpus"][on_it] = 0
    off = np.flatnonzero(instance.cluster.allowed[node])[0] if rng.random() < 0.5 else -1
    arrays["node_type"][node] = off
    verdicts(instance, Solution(**arrays))


def test_a_matching_that_sends_jobs_on_to_other_nodes_is_found(example, verdicts):
    # jobs b run on a VM only, c on a box: the first jobs must make room for the later ones
    document = example(open_nodes="rsjs_eq_feasible")
    a, b, c = document["jobs"]
    crowd = [a, b, c, b | {"id": "b2"}, c | {"id": "c2"}, c | {"id": "c3"}]
    for jobs, nodes in ((crowd, 3), ([b, b | {"id": "b2"}, b | {"id": "b3"}], 2), ([c], 1)):
        document["jobs"] = jobs
        instance = to_instance(document)
        assert required_nodes(instance) == nodes
        for verdict in verdicts(instance, Solution.empty(len(jobs), 3)):
            assert verdict.violations[0].expected == f"{nodes} (rsjs_eq_feasible)"


def test_room_is_made_among_a_thousand_nodes(example, verdicts):
    # ten jobs that run anywhere come first, on the nodes that the last ones need
    document = example(open_nodes="rsjs_eq_feasible")
    size = 1000
    document["cluster"]["gpu_types"] = [
        {"name": f"g{i}", "memory_gb": 1, "units": 1, "levels": []} for i in range(2)
    ]
    document["cluster"]["node_types"] = [
        {"name": f"v{i}", "gpu_type": f"g{i}", "gpus": 1, "cost": [0, 1]} for i in range(2)
    ]
    document["cluster"]["nodes"] = [{"count": size, "types": [f"v{i}"]} for i in range(2)]
    both = {"g0": [1], "g1": [1]}
    document["laws"] = {}
    job = document["jobs"][2] | {"hours_per_epoch": both}
    only = [job | {"id": f"only {i}", "hours_per_epoch": {"g0": [1]}} for i in range(size)]
    document["jobs"] = [*(job | {"id": f"{i}"} for i in range(10)), *only]
    instance = to_instance(document)
    for verdict in verdicts(instance, Solution.empty(size + 10, 2 * size)):
        assert verdict.violations[0].expected == f"{size + 10} (rsjs_eq_feasible)"


@given(rng=ANY)
def test_the_matching_is_as_large_as_that_of_the_suite(random_document, rng):
    document = random_document(rng)
    document["objective"]["open_nodes"] = "rsjs_eq_feasible"
    subject = rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(document)))
    assert rsjs_verify.most_nodes_with_a_job(subject) == required_nodes(to_instance(document))


@given(rng=ANY)
def test_a_file_has_the_same_digest_however_it_is_written(random_document, tmp_path_factory, rng):
    document = random_document(rng)
    expected = to_instance(document).digest
    for job in document["jobs"]:
        gpu = next(iter(job["hours_per_epoch"]))
        size = max(v["gpus"] for v in document["cluster"]["node_types"])
        row = job["hours_per_epoch"][gpu]
        row += [None] * rng.randint(0, size - len(row))
        job |= rng.choice([{}, {"meta": {}}])
    document["cluster"]["nodes"][0].setdefault("names", [])
    if "generator" in document:
        document["generator"]["version"] = "another"
    text = json.dumps(document, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
    for written, other in (('"H": 1,', '"H": 1.0,'), ('"rho": 100', '"rho": 1e2')):
        text = text.replace(written, other)
    path = tmp_path_factory.getbasetemp() / "spelled.json"
    path.write_text(text, "utf-8")
    assert read_instance(path).digest == expected
    assert rsjs_verify.Instance(rsjs_verify.parsed(text)).digest == expected


def test_both_take_a_job_at_the_rounded_mean_of_its_law_for_one_that_has_passed_it(
    example, verdicts
):
    document = example(expectation="mean")
    document["laws"]["short"] = [[1, 2], [2, 1]]  # E[W] = 4/3, and no double is
    document["jobs"][1] |= {"epochs_max": 2, "epochs_done": 1.3333333333333333}
    verdict, exact = verdicts(to_instance(document), ALL_RUN)
    assert float(exact.objective) == pytest.approx(verdict.objective, rel=1e-12)

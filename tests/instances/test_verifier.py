"""The single-file verifier and `rsjs check --exact` are two programs with one verdict."""

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from allpairspy import AllPairs
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances import rsjs_verify
from rsjs.instances.documents import canonical_text, of_instance, of_solution, to_instance
from rsjs.instances.errors import InputError
from rsjs.instances.exact import check_exact
from rsjs.instances.files import read_exact, read_instance
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.method import ENERGY, EXPECTATION, OPEN_NODES, TARDINESS_AT
from rsjs.instances.packing import gpus_for_shares
from rsjs.instances.required_nodes import required_nodes
from rsjs.instances.schema import FAMILIES
from rsjs.instances.solution import DECISION_ARRAYS, Solution
from rsjs.instances.subinstance import subinstance

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


@pytest.fixture(scope="module")
def agree(tmp_path_factory):
    """The verdict on which both programs agree: constraints, places and exact costs."""
    path = tmp_path_factory.mktemp("agree") / "document.json"

    def exactly(document):
        path.write_text(canonical_text(document))
        return read_exact(path), rsjs_verify.parsed(rsjs_verify.text_of(path))

    def test(instance, solution, digest=None, **claims):
        ours, its_own = exactly(of_instance(instance))
        decision, its_decision = exactly(of_solution(solution, digest or instance.digest, **claims))
        twin = check_exact(ours, decision, instance_digest=instance.digest)
        subject = rsjs_verify.Instance(its_own)
        assert subject.digest == instance.digest
        fitted = rsjs_verify.fit(its_decision, rsjs_verify.THE_SOLUTION)
        verdict = rsjs_verify.verify(subject, fitted)
        assert [(one.constraint, one.where) for one in verdict.violations] == [
            (one.constraint, one.where) for one in twin.violations
        ]
        assert (verdict.terms, verdict.objective) == (twin.terms, twin.objective)
        return verdict

    return test


@given(rng=ANY)
def test_both_agree_on_feasible_decisions_and_claims(random_document, random_decision, agree, rng):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    verdict = agree(instance, solution)
    assert not verdict.violations
    cost = float(verdict.objective)
    wrong = cost + 1e-5 * max(1, cost)
    assert not agree(instance, solution, objective=cost, bound=cost).violations
    assert [one.constraint for one in agree(instance, solution, objective=wrong).violations] == [
        "claimed_objective"
    ]
    [violation] = agree(instance, solution, bound=wrong).violations
    assert violation.constraint == "claimed_bound"


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
    random_decision, agree, energy, tardiness_at, open_nodes, expectation, name
):
    terms = {"energy": energy, "tardiness_at": tardiness_at, "open_nodes": open_nodes}
    objective = replace(FAMILIES["sts"], **terms, expectation=expectation, mu=0.25)
    instance, rng = replace(GENERATED[name], objective=objective), Random(7)
    solution = random_decision(instance, rng)
    agree(instance, solution)
    agree(instance, _corrupt(solution, rng, instance.cluster.nodes))


@given(rng=ANY)
def test_both_agree_on_corrupt_decisions(random_document, random_decision, agree, rng):
    _corrupted(random_document, random_decision, agree, rng)


def _corrupted(random_document, random_decision, agree, rng):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    if rng.random() < 0.9:
        solution = _corrupt(solution, rng, instance.cluster.nodes)
    digest = "0" * 64 if rng.random() < 0.2 else None
    claim = rng.choice([None, 1e9])
    verdict = agree(instance, solution, digest, objective=claim, bound=claim)
    return {one.constraint for one in verdict.violations}


@pytest.mark.slow
def test_every_constraint_is_found_violated_by_both(random_document, random_decision, agree):
    missing = set(CONSTRAINTS)
    for seed in range(1000):
        missing -= _corrupted(random_document, random_decision, agree, Random(seed))
        if not missing:
            break
    assert not missing


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


@given(st.lists(st.integers(1, 29), max_size=9), st.sampled_from([4, 20, 30]))
def test_shares_are_packed_as_the_suite_packs_them(parts, size):
    parts = [part % size or 1 for part in parts]
    assert rsjs_verify.fewest_bins(Counter(parts), size) == gpus_for_shares(parts, size)


@given(rng=ANY)
def test_the_matching_is_as_large_as_that_of_the_suite(random_document, rng):
    document = random_document(rng)
    document["objective"]["open_nodes"] = "rsjs_eq_feasible"
    subject = rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(document)))
    assert rsjs_verify.most_nodes_with_a_job(subject) == required_nodes(to_instance(document))

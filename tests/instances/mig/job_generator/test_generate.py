"""Sets of jobs from a configuration: streams by field, nesting, identity."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.io import serialization
from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig import jobs as job_documents
from rsjs.instances.mig.job_generator.generate import generate

BEYOND = {"dist": "lognormal", "mu": 1000, "sigma": 1}
COLUMNS = (
    "arrival",
    "priority",
    "run_length",
    "memory",
    "cuda_cores",
    "interruptible",
    "migratable",
    "deadline",
    "job_class",
)
DIGEST = "d272e7b4094cb12640b184e27b7bdf46cadb6e0e48979f9de8cf0e97fa61512a"


def differing(one, two):
    """Columns in which two sets differ."""
    found = {c for c in COLUMNS if not np.array_equal(getattr(one, c), getattr(two, c))}
    return found | {name for name in one.extra if one.extra[name] != two.extra[name]}


def test_a_set_is_known_by_its_digest(day, read):
    assert generate(read(day), 1).digest == DIGEST
    assert generate(read(day), 2).digest != DIGEST
    assert generate(read(day | {"seeds": [5], "x-note": "other"}), 1).digest == DIGEST


@pytest.mark.parametrize(
    ("field", "law", "changed"),
    [
        ("priority", 3, {"priority"}),
        ("cuda_cores", 7, {"cuda_cores"}),
        ("interruptible", {"prob": 0.1}, {"interruptible"}),
        ("migratable", {"prob": 0.1}, {"migratable"}),
        ("deadline", {"kind": "after_arrival", "value": 9}, {"deadline"}),
        ("memory", {"model": "fixed", "value": 5}, {"memory"}),
        ("extra_fields", {"team": {"labels": ["z"]}, "cost": 0.5}, {"team"}),
        ("run_length", 4, {"run_length", "memory", "deadline"}),  # memory per unit, relative slack
    ],
)
def test_another_law_of_one_field_leaves_the_others(day, read, field, law, changed):
    before = generate(read(deepcopy(day)), 1)
    day["classes"][0][field] = law
    assert differing(before, generate(read(day), 1)) == changed


def test_other_arrivals_leave_what_does_not_depend_on_time(day, read):
    before = generate(read(deepcopy(day)), 1)
    day["arrivals"] = {"process": "fixed", "interval": 1}
    assert differing(before, generate(read(day), 1)) == {"arrival", "deadline"}


def test_the_jobs_of_a_smaller_set_are_the_first_of_a_larger_one(day, read):
    few, many = generate(read(day | {"count": 7}), 3), generate(read(day | {"count": 300}), 3)
    assert job_documents.document(few)["jobs"] == job_documents.document(many)["jobs"][:7]


def test_a_horizon_ends_the_same_jobs_by_time(day, read):
    many = generate(read(day), 1)
    del day["count"]
    until = generate(read(day | {"horizon": float(many.arrival[20])}), 1)
    assert until.arrival.tolist() == many.arrival[:21].tolist()


def test_classes_come_by_weight_and_have_their_own_laws(day, read):
    jobs = generate(read(day | {"count": 3000}), 1)
    train = jobs.job_class == 0
    assert train.mean() == pytest.approx(2 / 3, abs=0.03)
    assert {*jobs.run_length[~train]} == {3}
    assert {*jobs.run_length[train]} == {*range(1, 11)}
    assert not jobs.migratable[~train].any()
    assert np.isinf(jobs.deadline[~train]).all()
    slack = (jobs.deadline - jobs.arrival)[train] / jobs.run_length[train]
    assert slack.min() > 1.9999
    assert slack.max() < 4.0001
    assert {jobs.extra["team"][j] for j in np.flatnonzero(train)} == {"a", "b"}
    assert {jobs.extra["team"][j] for j in np.flatnonzero(~train)} == {None}


def test_the_experiment_of_the_paper_can_be_expressed():
    config = mig_config("section4.json")
    assert config.seeds[:5] == (2, 3, 5, 7, 11)
    assert (len(config.seeds), config.seeds[-1]) == (100, 541)
    jobs = generate(config, 541)
    assert len(jobs) == 50
    assert 1 <= jobs.memory.min() <= jobs.memory.max() <= 1990
    assert {*jobs.deadline} == {250}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"run_length": {"dist": "normal", "mean": 2, "sd": 3}}, "/classes/0/run_length: found"),
        ({"run_length": {"dist": "const", "value": 2.5, "round": "none"}}, "found 2.5"),
        ({"run_length": 1e14}, "/classes/0/run_length: found"),  # time units in all
        ({"cuda_cores": -1}, "/classes/0/cuda_cores: found -1,"),
        ({"memory": {"model": "fixed", "value": 1e300}}, "/classes/0/memory: found 1e+300"),
        ({"memory": {"model": "iid", "value": BEYOND}}, "/classes/0/memory: found inf"),
        ({"deadline": {"kind": "absolute", "value": 1e16}}, "/classes/0/deadline/value: found"),
    ],
)
def test_a_law_that_draws_what_its_field_cannot_hold_is_an_error(day, read, change, message):
    day["classes"][0] |= change
    with pytest.raises(InputError) as caught:
        generate(read(day), 1)
    assert message in str(caught.value)


def test_arrivals_too_late_to_tell_apart_are_an_error_of_their_process(day, read):
    with pytest.raises(InputError, match=r"^/arrivals: found .*e\+301, expected arrivals"):
        generate(read(day | {"arrivals": {"process": "poisson", "rate": 1e-300}}), 1)


def test_integers_may_be_written_with_a_point(day, read):
    plain, pointed = read(day | {"count": 3}), read(day | {"count": 3.0, "seeds": [1.0, 2.0]})
    assert pointed.seeds == (1, 2)
    assert generate(pointed, 1).name == "day-s1"
    assert np.array_equal(generate(pointed, 1).memory, generate(plain, 1).memory)
    assert read(day | {"seeds": {"range": [4.0, 5.0]}}).seeds == (4, 5)
    assert read(day | {"seeds": {"first_primes": 2.0}}).seeds == (2, 3)


@given(st.integers(0, 2**63 - 1), st.integers(1, 30))
def test_documents_and_digests_survive_the_way_there_and_back(made, seed, count):
    jobs = made(seed, count)
    document = job_documents.document(jobs)
    assert serialization.digest(document) == jobs.digest
    assert serialization.canonical_text(document) == job_documents.text_and_digest(jobs)[0]
    assert job_documents.document(job_documents.to_jobs(document)) == document

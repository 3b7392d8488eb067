"""Parts have the prices and names of the whole; permuted instances cost what the original does."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, sts
from rsjs.instances.io import serialization
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import of_instance
from rsjs.instances.transform import permuted, rigid, subinstance


@pytest.mark.parametrize("expectation", ["worst_case", "mean", "expected"])
def test_postponed_jobs_cost_what_they_cost_in_the_whole(expectation):
    """Wherever the part goes: into a copy, another process, a file."""
    instance = sts.generate(nodes=9, jobs=30, seed=1, mix="kma")
    instance = replace(instance, objective=replace(instance.objective, expectation=expectation))
    part = subinstance(instance, range(0, 30, 2), [2], "free").instance
    whole = costs.cost_tables(instance).postponement[::2]
    pickled, read = pickle.loads(pickle.dumps(part)), to_instance(of_instance(part))
    for copy in (part, replace(part), pickled, read):
        assert np.array_equal(costs.cost_tables(copy).postponement, whole)
        assert copy.digest == part.digest
    alone = replace(part, jobs=instance.jobs.taken(np.arange(0, 30, 2)))
    assert (costs.cost_tables(alone).postponement < whole).any()
    assert alone.digest != part.digest


def test_nodes_and_jobs_keep_their_names():
    instance = sts.generate(nodes=9, jobs=30, seed=1, mix="kma")
    part = subinstance(instance, [3, 7], [8, 2], "free")
    names = instance.cluster.node_names
    assert part.instance.cluster.node_names == (names[2], names[8])
    assert part.instance.jobs.id == (instance.jobs.id[3], instance.jobs.id[7])


@settings(max_examples=settings().max_examples // 2)
@given(rng=st.randoms(use_true_random=False))
def test_a_decision_cut_out_and_put_back_is_the_same(random_document, random_decision, rng):
    instance = to_instance(random_document(rng))
    decision = random_decision(instance, rng)
    nodes = rng.sample(range(instance.cluster.nodes), rng.randint(1, instance.cluster.nodes))
    jobs = np.flatnonzero(np.isin(decision.job_node, nodes))
    assume(jobs.size)
    part = subinstance(instance, jobs.tolist(), nodes, "free")
    assert part.merged(decision, part.restricted(decision)).same_as(decision)


randoms = st.randoms(use_true_random=False)


@given(rng=randoms, seed=st.integers(1, 2**32))
def test_a_decision_costs_the_same_in_either_order(random_document, random_decision, rng, seed):
    instance = to_instance(random_document(rng))
    decision = random_decision(instance, rng)
    other = permuted(instance, seed)
    counterpart = other.restricted(decision)
    found, expected = check(other.instance, counterpart), check(instance, decision)
    assert (found.feasible, found.counts) == (expected.feasible, expected.counts)
    assert found.terms == pytest.approx(expected.terms, rel=1e-12, abs=1e-12)
    assert other.restored(counterpart).same_as(decision)


@given(rng=randoms, seed=st.integers(1, 50))
def test_a_permuted_instance_is_whole_and_can_be_written(random_document, rng, seed):
    instance = to_instance(random_document(rng))
    made = permuted(instance, seed).instance
    assert to_instance(serialization.of_instance(made)).digest == made.digest
    assert sorted(made.jobs.id) == sorted(instance.jobs.id)
    assert sorted(made.cluster.node_names) == sorted(instance.cluster.node_names)
    names = dict(zip(instance.cluster.node_names, instance.cluster.allowed.tolist(), strict=True))
    assert [names[name] for name in made.cluster.node_names] == made.cluster.allowed.tolist()


def test_the_placement_before_the_decision_is_permuted_too():
    document = serialization.of_instance(jahani.generate(nodes=3, jobs=4, seed=1))
    document["current"] = {
        "job_node": [2, -1, 0, 2],
        "job_gpus": [1, 0, 1, 1],
        "job_level": [-1] * 4,
        "node_type": [0, -1, 1],
    }
    other = permuted(to_instance(document), 5)
    current = other.instance.current
    home = [current.job_node[i] for i in np.argsort(other.jobs)]
    assert [-1 if n < 0 else other.nodes[n] for n in home] == [2, -1, 0, 2]
    assert [current.node_type[i] for i in np.argsort(other.nodes)] == [0, -1, 1]


def test_an_order_is_the_same_on_every_machine():
    instance = sts.generate(nodes=4, jobs=6, seed=1, mix="kma", sharing="paper")
    other = permuted(instance, 1).instance
    assert other.name == f"{instance.name}-p1"
    assert other.digest.startswith("0f5ba9c375b9ff4f")
    assert permuted(instance, 2).instance.digest != other.digest


@pytest.mark.parametrize("make", [jahani.workload, sts.workload])
def test_rigid_jobs_run_on_one_number_of_gpus_that_they_admitted(make):
    elastic = make(nodes=3, jobs=40, seed=1, law="exp")
    made = rigid(elastic)
    before, after = elastic.submitted(), made.submitted()
    runs = np.isfinite(after.hours_per_epoch)
    gpus = runs.any(axis=1)
    assert (gpus.sum(axis=1) == 1).all()
    assert {*gpus.argmax(axis=1).tolist()} == {1, 2, 4, 8} & {*range(elastic.cluster.largest + 1)}
    assert (after.hours_per_epoch[runs] == before.hours_per_epoch[runs]).all()
    assert not after.has_sharing
    fastest = [each.hours_per_epoch.min(axis=(1, 2)) for each in (before, after)]
    slack = [each.jobs.due - each.jobs.release for each in (before, after)]
    assert slack[1] / fastest[1] == pytest.approx(slack[0] / fastest[0], rel=1e-4)
    assert made.generator["parameters"]["rigid"]
    assert made.digest == rigid(elastic).digest != elastic.digest


def test_a_job_that_runs_on_three_gpus_only_cannot_be_made_rigid():
    elastic = jahani.workload(nodes=2, jobs=3, seed=1, law="exp")
    hours = elastic.jobs.hours_per_epoch.copy()
    hours[1, :, [1, 2, 4, 8]] = np.inf
    other = replace(elastic, jobs=replace(elastic.jobs, hours_per_epoch=hours))
    with pytest.raises(InputError, match="/jobs/1: found 'j2', expected a job that runs on 1, 2"):
        rigid(other)

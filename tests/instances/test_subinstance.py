"""A part of an instance has the prices and the names of the whole."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rsjs.instances import costs
from rsjs.instances.generators import sts
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import of_instance
from rsjs.instances.transform import subinstance


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

"""Each term of the objective, against sums done by hand and against brute force."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution

VM, BOX, OFF = 0, 1, -1
# a on one K80 of node 0 (4 h), b on half a K80 there (2 x 0.2 x 6.5 = 2.6 h), c on node 2 (4 h)
ALL_RUN = Solution.of([0, 0, 2], [1, 0, 2], [VM, OFF, BOX], [-1, 1, -1])
NONE_RUN = Solution.empty(3, 3)


def _terms(document, solution=ALL_RUN):
    return costs.terms(to_instance(document), solution)


def test_tardiness_counts_from_now_to_the_jobs_own_end(example):
    # 2 (1 + 4 - 4) + 0.5 (1 + 2.6 - 2) + 1 (1 + 4 - 0.5)
    assert _terms(example()).tardiness == pytest.approx(2 + 0.8 + 4.5)


def test_tardiness_at_the_next_event_counts_to_the_first_end_of_the_cluster(example):
    # t* = 2.6: a is in time at 3.6, b is 1.6 h late, c 3.1 h
    assert _terms(example(tardiness_at="next_event")).tardiness == pytest.approx(0.8 + 3.1)


def test_postponed_jobs_pay_rho_times_their_tardiness_after_h_on_the_slowest_configuration(example):
    # M: a a quarter of a K80 = 12 h; b half a K80 = 2.6 h (the quarter is too small); c = 4 h
    expected = 100 * (2 * (2 + 12 - 4) + 0.5 * (2 + 2.6 - 2) + 1 * (2 + 4 - 0.5))
    terms = _terms(example(), NONE_RUN)
    assert terms.postponement == pytest.approx(expected)
    assert (terms.tardiness, terms.energy, terms.idle) == (0, 0, 0)


def test_the_slowest_configuration_is_looked_for_on_types_that_some_node_may_take(example):
    document = example()
    document["jobs"].pop(1)  # b runs on K80 only
    document["cluster"]["nodes"][0]["types"] = ["box"]  # no K80 any more
    assert costs.cost_tables(to_instance(document)).longest.tolist() == [5, 4]


def test_the_slowest_configuration_has_no_more_gpus_than_a_node_that_may_be(example):
    document = example()
    document["jobs"] = [document["jobs"][2] | {"hours_per_epoch": {"P": [1, 0.5], "K80": [9, 99]}}]
    small = {"name": "small", "gpu_type": "K80", "gpus": 1, "cost": [0, 1]}
    document["cluster"]["node_types"].append(small)
    document["cluster"]["nodes"][0]["types"] = ["small"]
    assert costs.cost_tables(to_instance(document)).longest.tolist() == [36]


@pytest.mark.parametrize(
    ("kind", "solution", "energy"),
    [
        ("first_ending", ALL_RUN, 1.2 * 2.6 + 0.8 * 4),  # each node until its first job ends
        ("next_event", ALL_RUN, 2.6 * (1.2 + 0.8)),  # all used nodes until the first job ends
        (
            "first_ending",
            Solution.of([2, -1, -1], [1, 0, 0], [OFF, OFF, BOX]),
            0.5 * 5,
        ),  # GPUs used
    ],
)
def test_nodes_are_charged_for_the_gpus_in_use_until_a_job_ends(example, kind, solution, energy):
    assert _terms(example(energy=kind), solution).energy == pytest.approx(energy)


def test_nodes_without_a_job_have_no_price_and_no_first_ending(example):
    instance = to_instance(example())
    placement = costs.execution(instance, ALL_RUN)
    assert costs.first_endings(instance, placement).tolist() == pytest.approx([2.6, 0, 4])
    assert costs.node_prices(instance, ALL_RUN, placement).tolist() == [1.2, 0, 0.8]


def test_proportional_charges_each_job_its_share_of_the_node_until_it_ends(example):
    document = example(energy="proportional")
    document["cluster"]["node_types"][1]["cost"] = [0, 0.8, 0.8]
    for job in document["jobs"]:
        job.pop("inflation", None)
    dedicated = Solution.of([0, 0, 2], [2, 1, 2], [VM, OFF, BOX])
    expected = 2 / 4 * 1.2 * 2.5 + 1 / 4 * 1.2 * 1.3 + 2 / 2 * 0.8 * 4
    assert _terms(document, dedicated).energy == pytest.approx(expected)


def test_idle_gpus_of_selected_nodes_cost_mu_each(example):
    spare = replace(ALL_RUN, node_type=np.array([VM, BOX, BOX]))
    # 4 - 2 on node 0 (one dedicated, one holds the share), 2 on node 1, none on node 2
    assert _terms(example(mu=0.5), spare).idle == pytest.approx(0.5 * (2 + 2))


def test_the_total_is_the_sum_of_the_terms(example):
    terms = _terms(example(mu=1))
    assert terms.total == pytest.approx(sum(terms.as_dict().values()))
    assert terms.total == pytest.approx(7.3 + 6.32 + 2)
    assert terms.postponement == 0


@given(rng=st.randoms(use_true_random=False))
def test_terms_of_random_decisions_are_brute_force_sums(random_document, random_decision, rng):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    table, cluster, objective = costs.cost_tables(instance), instance.cluster, instance.objective
    loads = {n: [] for n in np.flatnonzero(solution.node_type >= 0).tolist()}
    postponement = tardiness = 0.0
    for j, node in enumerate(solution.job_node.tolist()):
        if node < 0:
            postponement += table.postponement[j]
            continue
        gpu = cluster.gpu_of_type[solution.node_type[node]]
        k, level = solution.job_gpus[j], solution.job_level[j]
        at, late = table.hours[j, gpu, k], table.tardiness[j, gpu, k]
        if level >= 0:
            at, late = table.shared_hours[j, gpu, level], table.shared_tardiness[j, gpu, level]
        loads[node].append((at, k, level, j))
        tardiness += late
    ends = [at for load in loads.values() for at, *_ in load]
    if objective.tardiness_at == "next_event":
        jobs = instance.jobs
        tardiness = sum(
            jobs.weight[j] * max(0, instance.now + min(ends) - jobs.due[j])
            for load in loads.values()
            for *_, j in load
        )
    energy, idle = 0.0, 0
    for node, load in loads.items():
        kind = cluster.node_types[solution.node_type[node]]
        gpu = cluster.gpu_types[cluster.gpu_of_type[solution.node_type[node]]]
        shares = [gpu.levels[level].units for _, _, level, _ in load if level >= 0]
        used = sum(k for _, k, _, _ in load) + gpus_for_shares(shares, gpu.units)
        idle += kind.gpus - used
        hours = {"first_ending": min([at for at, *_ in load], default=0)}
        hours["next_event"] = min(ends, default=0)
        hours["proportional"] = sum(k / kind.gpus * at for at, k, _, _ in load)
        energy += kind.cost[used] * hours[objective.energy]
    assert costs.terms(instance, solution).as_dict() == pytest.approx(
        {
            "tardiness": tardiness,
            "postponement": postponement,
            "energy": energy,
            "idle": objective.mu * idle,
        }
    )


@given(rng=st.randoms(use_true_random=False))
def test_equal_instances_cost_the_same_whatever_was_priced_before(
    random_document, random_decision, rng
):
    document = random_document(rng)
    first = to_instance(document)
    decision = random_decision(first, rng)
    expected = costs.terms(first, decision)
    copies = (to_instance(document), replace(first), deepcopy(first))
    for other in (*copies, pickle.loads(pickle.dumps(first))):
        assert other.digest == first.digest
        cheaper = replace(other, H=0.0, rho=other.rho / 2)  # shares its jobs and cluster
        costs.terms(cheaper, decision)
        assert costs.terms(other, decision) == expected

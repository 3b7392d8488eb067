"""The float and the exact verdict agree on random instances and decisions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.instances.check import check
from rsjs.instances.documents import of_instance, of_solution, to_instance
from rsjs.instances.exact import check_exact
from rsjs.instances.files import read_exact, read_solution
from rsjs.instances.required_nodes import required_nodes
from rsjs.instances.solution import DECISION_ARRAYS, Solution

ANY = st.randoms(use_true_random=False)


def _agree(instance, solution, exactly, **claims):
    verdict = check(instance, solution, instance_digest=instance.digest, **claims)
    twin = check_exact(
        exactly(of_instance(instance)),
        exactly(of_solution(solution, instance.digest, **claims)),
        instance_digest=instance.digest,
    )
    assert verdict.feasible is twin.feasible
    assert [(v.constraint, v.where) for v in verdict.violations] == [
        (v.constraint, v.where) for v in twin.violations
    ]
    assert (verdict.terms is None) is (twin.terms is None)
    for name, term in (verdict.terms or {}).items():
        assert term == pytest.approx(float(twin.terms[name]), rel=1e-9, abs=1e-9)
    return verdict


@given(rng=ANY)
def test_on_feasible_decisions(random_document, random_decision, exactly, rng):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    verdict = _agree(instance, solution, exactly)
    assert verdict.feasible
    _agree(instance, solution, exactly, objective=verdict.objective, bound=verdict.objective)
    wrong = verdict.objective + 1e-5 * max(1, verdict.objective)
    assert not _agree(instance, solution, exactly, objective=wrong).feasible
    assert not _agree(instance, solution, exactly, bound=wrong).feasible


@settings(max_examples=settings().max_examples // 2)
@given(rng=ANY)
def test_on_corrupt_decisions(random_document, random_decision, exactly, rng):
    instance = to_instance(random_document(rng))
    solution = random_decision(instance, rng)
    arrays = {name: getattr(solution, name).copy() for name in DECISION_ARRAYS}
    for _ in range(rng.randint(1, 3)):
        array = arrays[rng.choice(DECISION_ARRAYS)]
        array[rng.randrange(len(array))] = rng.randint(-1, rng.choice([1, 3, 9]))
    if rng.random() < 0.3:  # a crowd on one node
        arrays["job_node"][:] = rng.randrange(instance.cluster.nodes)
    _agree(instance, Solution(**arrays), exactly)


@settings(max_examples=settings().max_examples // 2)
@given(rng=ANY)
def test_on_decisions_that_take_too_few_or_too_many_nodes(
    random_document, random_decision, exactly, rng
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
    _agree(instance, Solution(**arrays), exactly)


def test_a_matching_that_sends_jobs_on_to_other_nodes_is_found(example, exactly):
    # jobs b run on a VM only, c on a box: the first jobs must make room for the later ones
    document = example(open_nodes="rsjs_eq_feasible")
    a, b, c = document["jobs"]
    crowd = [a, b, c, b | {"id": "b2"}, c | {"id": "c2"}, c | {"id": "c3"}]
    for jobs, nodes in ((crowd, 3), ([b, b | {"id": "b2"}, b | {"id": "b3"}], 2), ([c], 1)):
        document["jobs"] = jobs
        instance = to_instance(document)
        assert required_nodes(instance) == nodes
        verdict = _agree(instance, Solution.empty(len(jobs), 3), exactly)
        assert verdict.violations[0].expected == f"{nodes} (rsjs_eq_feasible)"


def test_room_is_made_among_a_thousand_nodes(example, exactly):
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
    assert required_nodes(instance) == size + 10
    _agree(instance, Solution.empty(size + 10, 2 * size), exactly)


def test_whole_numbers_may_be_written_with_a_point(example, exactly, tmp_path):
    document = example()
    solution = Solution.of([0, -1, 2], [1, 0, 2], [0, -1, 1])
    expected = check(to_instance(document), solution).objective
    written = of_solution(solution, "0" * 64)
    path = tmp_path / "solution.json"
    path.write_text(str(written).replace("'", '"').replace("None", "null").replace("2]", "2.0]"))
    assert read_solution(path).solution.same_as(solution)
    twin = check_exact(exactly(document), read_exact(path))
    assert float(twin.objective) == pytest.approx(expected)

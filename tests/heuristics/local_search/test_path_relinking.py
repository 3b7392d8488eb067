"""Steps and paths between schedules, the elite pool, and path relinking as a method."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call
from rsjs.core.report import Report
from rsjs.heuristics.common.stopping import Iterations, Stopping
from rsjs.heuristics.local_search import kernels_costs, kernels_search
from rsjs.heuristics.local_search.arrays import (
    solution_arrays,
    tables,
    to_solution,
    without_empty_nodes,
)
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.heuristics.local_search.path_relinking import (
    ElitePool,
    Relinking,
    link_pairs,
    modes,
)
from rsjs.heuristics.registry import METHODS
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators.kiros import generate
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from rsjs.methods import parse


def distance(instance, one, other):
    return int((modes(instance, one) != modes(instance, other)).sum())


def steps(instance, now, guide):
    """All feasible schedules in which one job has the guide's configuration, by definition."""
    cluster = instance.cluster
    for j in range(len(instance.jobs)):
        same = modes(instance, now)[j] == modes(instance, guide)[j]
        if same or now.job_level[j] >= 0 or guide.job_level[j] >= 0:
            continue
        arrays = [now.job_node, now.job_gpus, now.node_type]
        node, gpus, kind = (np.array(array) for array in arrays)
        node[j], gpus[j] = -1, guide.job_gpus[j]
        kind[np.bincount(node[node >= 0], minlength=cluster.nodes) == 0] = -1
        if guide.job_node[j] < 0:
            yield without_empty_nodes(instance, Solution.of(node, gpus, kind, now.job_level))
            continue
        gpu = cluster.gpu_of_type[guide.node_type[guide.job_node[j]]]
        for n in range(cluster.nodes):
            types = [kind[n]] if kind[n] >= 0 else np.flatnonzero(cluster.allowed[n])
            for v in types:
                if cluster.gpu_of_type[v] != gpu:
                    continue
                at, of = node.copy(), kind.copy()
                at[j], of[n] = n, v
                found = Solution.of(at, gpus, of, now.job_level)
                violations = check(instance, found).violations
                if all(violation.constraint == "open_nodes" for violation in violations):
                    yield without_empty_nodes(instance, found)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_each_step_is_the_cheapest_one_feasible_and_costs_what_is_claimed(
    random_document, random_decision, rng
):
    document = random_document(rng)
    document["objective"]["open_nodes"] = rng.choice(["free", "jahani_eq"])
    instance = to_instance(document)
    now, guide = (without_empty_nodes(instance, random_decision(instance, rng)) for _ in range(2))
    found = tables(instance)
    state, step = solution_arrays(instance, found, now, 1), kernels_search.no_step()
    cost = kernels_costs.refresh(found, state)
    assert cost == pytest.approx(costs.terms(instance, now).total, rel=1e-9, abs=1e-9)
    while True:
        options = [costs.terms(instance, other).total for other in steps(instance, now, guide)]
        made = kernels_search.make_step(found, state, modes(instance, guide), step)
        assert made == bool(options)
        if not made:
            break
        claimed, before = cost + step.change[0], now
        cost, now = kernels_costs.refresh(found, state), to_solution(instance, found, state)
        verdict = check(instance, now)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        assert verdict.objective == pytest.approx(min(options), rel=1e-9, abs=1e-9)
        assert claimed == pytest.approx(min(options), rel=1e-9, abs=1e-9)
        assert cost == pytest.approx(min(options), rel=1e-9, abs=1e-9)
        assert distance(instance, now, guide) == distance(instance, before, guide) - 1


def test_a_path_finds_what_is_good_in_both(make):
    """Each schedule has one of two jobs on the GPU that suits it."""
    hours = [{"A": [1], "B": [9]}, {"A": [9], "B": [1]}]
    instance = make({"A1": 1, "B1": 1}, hours, groups=[(2, ["A1", "B1"])], due=[2, 2])
    first = Solution.of([0, 1], [1, 1], [0, 0])
    second = Solution.of([0, 1], [1, 1], [1, 1])
    found = Relinking(instance).path(first, modes(instance, second), 1, Stopping())
    assert found is not None
    assert found[0] == 2  # one hour on each node at 1 $/h, nothing late
    assert found[1].node_type.tolist() == [0, 1]
    assert costs.terms(instance, first).total == costs.terms(instance, second).total == 17


def test_a_path_that_may_be_followed_to_the_end_reaches_the_guide(make):
    hours = [{"A": [3, 2]}, {"A": [3, 2]}, {"A": [3, 2]}]
    instance = make({"A2": 1}, hours, groups=[(2, ["A2"])], due=[1, 1, 1])
    start = Solution.of([0, -1, 1], [1, 0, 2], [0, 0])
    guide = Solution.of([1, 1, 0], [1, 1, 2], [0, 0])
    path = Relinking(instance)
    found = path.path(start, modes(instance, guide), 9, Stopping())
    assert path.steps == distance(instance, start, guide) == 1
    assert found is not None
    assert distance(instance, found[1], guide) == 0
    assert path.path(start, modes(instance, start), 9, Stopping()) is None


def test_a_step_without_room_is_not_made(make):
    """Both jobs on the one GPU: the guide's job fits only once the other one has left."""
    instance = make({"A1": 1}, [{"A": [1]}, {"A": [1]}], due=[0, 0], weight=[1, 2])
    start, guide = Solution.of([0, -1], [1, 0], [0]), Solution.of([-1, 0], [0, 1], [0])
    path = Relinking(instance)
    found = path.path(start, modes(instance, guide), 2, Stopping())
    assert found is not None
    assert path.steps == 2
    assert found[1].same_as(guide)
    stays = Solution.of([0, 0], [1, 1], [0])
    path.path(start, modes(instance, stays), 2, Stopping())
    assert path.steps == 2


def test_a_path_ends_when_asked_to(make):
    instance = generate(nodes=4, jobs=12, seed=1)
    nothing = Solution.empty(12, 4)
    start = Solution.of([0, 1, 2, 3] + [-1] * 8, [1] * 4 + [0] * 8, [0, 0, 0, 0])
    path = Relinking(instance)
    path.path(start, modes(instance, nothing), 4, Stopping())
    assert path.steps == 4

    class Now(Stopping):
        def __call__(self, best, *, iterations=1, evaluations=1):
            return True

    path.path(start, modes(instance, nothing), 4, Now() | Iterations(9))
    assert path.steps == 5


def test_the_pool_keeps_good_schedules_that_differ(make):
    hours = [{"A": [3, 2]}] * 4
    instance = make({"A2": 1}, hours, groups=[(4, ["A2"])], due=[9] * 4)

    def of(*gpus):
        runs = [g > 0 for g in gpus]
        nodes = [n if run else -1 for n, run in enumerate(runs)]
        return Solution.of(nodes, gpus, [0 if run else -1 for run in runs])

    pool = ElitePool(instance, 2, 2)
    assert pool.add((5.0, of(1, 1, 1, 1)))
    assert not pool.add((5.0, of(1, 1, 1, 2)))  # alike, and no better
    assert pool.add((4.0, of(1, 1, 1, 2)))  # alike and better: takes its place
    assert [member.cost for member in pool.members] == [4.0]
    assert pool.add((6.0, of(2, 2, 1, 2)))
    assert not pool.add((7.0, of(2, 2, 2, 0)))  # full
    assert pool.add((3.0, of(2, 1, 1, 2)))  # alike to both
    assert [member.cost for member in pool.members] == [3.0]
    assert pool.members[0].distance(modes(instance, of(0, 1, 1, 2))) == 1


@pytest.mark.parametrize(("seed", "family"), [(1, "kiros"), (2, "gpuscheduler")])
def test_it_is_no_worse_than_its_elite_schedules(seed, family):
    instance = replace(generate(nodes=4, jobs=20, seed=seed), objective=FAMILIES[family])
    elite = parse("local_search?jobs=all")(instance, Call(), Report())
    found = parse("path_relinking")(instance, Call(), Report())
    assert found.counts["iterations"] > 20
    assert found.objective <= elite.objective
    assert check(instance, found.solution, objective=found.objective).feasible


def test_iterations_are_paths():
    instance = generate(nodes=4, jobs=20, seed=1)
    some = parse("path_relinking?iterations=3")(instance, Call(), Report())
    assert some.counts["iterations"] == 3


def test_a_warm_start_is_linked_to_schedules_of_the_randomized_greedy():
    instance = generate(nodes=4, jobs=20, seed=1)
    start = Solution.empty(20, 4)
    result = METHODS["path_relinking"].load()(instance, Call(warm_start=start), Report())
    assert result.counts["starts"] == 10
    assert result.objective < costs.terms(instance, start).total


class NoPath:
    """A relinking that finds no step from anywhere, and remembers what it was asked for."""

    def __init__(self):
        self.asked: list[tuple[list[int], list[int]]] = []

    def path(self, start, guide, most, stop):
        self.asked.append((start.job_gpus.tolist(), list(guide)))


def test_each_schedule_is_linked_to_each_other_one_the_best_first(make):
    instance = make({"A2": 1}, [{"A": [3, 2]}] * 3, groups=[(3, ["A2"])], due=[9] * 3)
    gpus = [2, 2, 1], [1, 1, 2], [1, 2, 1]
    schedules = [Solution.of(range(3), counts, [0] * 3) for counts in gpus]
    pool = ElitePool(instance, 3, 1)
    for cost, found in zip((7.0, 5.0, 6.0), schedules, strict=True):
        assert pool.add((cost, found))
    none = NoPath()
    assert link_pairs(None, none, pool, Report(), Stopping(), Stopping()) == 6
    codes = [modes(instance, found).tolist() for found in schedules]
    assert none.asked == [(list(gpus[a]), codes[b]) for a, b in permutations([1, 2, 0], 2)]


def test_local_search_follows_each_path(monkeypatch):
    plain, begun = Descent.improve, []

    def counted(self, start, stop):
        begun.append(start)
        return plain(self, start, stop)

    monkeypatch.setattr(Descent, "improve", counted)
    request = parse("path_relinking?iterations=8")
    result = request(generate(nodes=4, jobs=20, seed=1), Call(), Report())
    assert result.counts["iterations"] == 8
    assert len(begun) == result.counts["starts"] + 8

"""Column types to nodes: packings are feasible; what fits by the exact rows is packed whole."""

from itertools import combinations_with_replacement, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.formulations.modes.gpu_sharing import Weights, fill, fillings, weights_suffice
from rsjs.formulations.rsjs.aggregated import capacity_rows
from rsjs.formulations.rsjs.aggregated.capacity_rows import pack, split_rows, superadditive_rows
from rsjs.formulations.rsjs.aggregated.model import (
    AggregatedModel,
    column_types_of_jobs,
    extract,
    warm_start,
)
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeType
from rsjs.instances.generators.sts import generate
from tests.by_hand import nodes_of
from tests.formulations.agreement import served

SUFFICE = [  # sizes, units of a GPU, rooms: beside a leader's share, and whole GPUs
    ((1, 2), 4, (2, 3, 4), 4),
    ((2, 3), 20, (17, 18, 20), 3),
    ((2, 4), 10, (6, 8, 10), 3),
]
OTHER = ((7, 11), 30, (19, 23, 30), 3)


def packable(sizes, rooms):
    """All counts by size that fit, by enumeration of what each room takes."""
    found = {tuple(0 for _ in sizes)}
    for room in rooms:
        taken = [
            counts
            for counts in product(*(range(room // u + 1) for u in sizes))
            if sum(u * c for u, c in zip(sizes, counts, strict=True)) <= room
        ]
        found = {tuple(map(sum, zip(a, b, strict=True))) for a, b in product(found, taken)}
    return found


def meets(sizes, counts, rooms, weights):
    return all(
        sum(row.of_share[u] * c for u, c in zip(sizes, counts, strict=True))
        <= sum(row.room[r] for r in rooms)
        for row in weights
    )


@pytest.mark.parametrize(("sizes", "units", "rooms", "most"), SUFFICE)
def test_these_shares_fit_if_and_only_if_their_weights_do(sizes, units, rooms, most):
    assert weights_suffice(sizes, units)
    weights = Weights.of(sizes, units)
    for free in combinations_with_replacement(rooms, most):
        fit = packable(sizes, free)
        for counts in product(*(range(sum(free) // u + 2) for u in sizes)):
            assert meets(sizes, counts, free, weights) == (counts in fit), (free, counts)


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "units", "rooms", "most"), SUFFICE)
def test_they_are_filled_in_without_one_left_over(sizes, units, rooms, most):
    weights = Weights.of(sizes, units)
    for free in combinations_with_replacement(rooms, most):
        for counts in packable(sizes, free):
            filled = list(fill(free, dict(zip(sizes, counts, strict=True)), weights))
            taken = [sum(u * c for u, c in filling.items()) for filling in filled]
            assert all(units <= room for units, room in zip(taken, free, strict=False))
            assert tuple(sum(f[u] for f in filled) for u in sizes) == counts, free


def test_shares_of_other_sizes_that_fit_meet_their_weights():
    sizes, units, rooms, most = OTHER
    assert not weights_suffice(sizes, units)
    weights = Weights.of(sizes, units)
    for free in combinations_with_replacement(rooms, most):
        assert all(meets(sizes, counts, free, weights) for counts in packable(sizes, free))


def test_the_weights_of_a100_shares_are_units_number_and_number_of_the_large():
    rows = Weights.of((2, 3), 20)
    assert [row.of_share for row in rows] == [{2: 2, 3: 3}, {2: 1, 3: 1}, {2: 0, 3: 1}]
    assert [row.whole for row in rows] == [20, 10, 6]
    assert [row.room[17] for row in rows] == [17, 8, 5]


def test_fillings_leave_no_room_for_a_share_that_is_left():
    assert fillings((3, 2), (2, 4), 7) == ((1, 2), (2, 0), (0, 3))
    assert fillings((3, 2), (0, 1), 7) == ((0, 1),)


def test_shares_that_cannot_all_fit_fill_the_gpu():
    (filling,) = fill([20], {2: 10, 3: 10}, Weights.of((2, 3), 20))
    assert filling == {3: 6, 2: 1}


def test_rows_without_shares_are_floors_of_gpus():
    gpu = GpuType(name="G", memory_gb=8.0)
    node = NodeType(name="v", gpu_type="G", cost=(0.0, 1.0, 2.0, 3.0))
    cluster = Cluster(gpu_types=(gpu,), node_types=(node,), groups=nodes_of(["v"]))
    rows = superadditive_rows(cluster).by_type
    # mode 1: follower, leader of 1, 2, 3 GPUs; mode 2: follower, leader of 2, 3; mode 3: leader
    assert rows.tolist() == [[1, 0, -1, -2, 2, 0, -1, 0], [0, 0, 0, -1, 1, 0, 0, 0]]
    splits = split_rows(cluster)
    assert splits.by_type.tolist() == [[1, 0, -1, 0, 0, 0, -1, 0], [0, 0, 0, -1, 1, 0, 0, 0]]
    assert splits.splits.tolist() == [[-2], [1]]


def random_types(data, rng):
    """A column type the job may have for each job, or none."""
    jobs = len(data.instance.jobs)
    usable = [np.flatnonzero(np.isfinite(data.costs[:, j])) for j in range(jobs)]
    return np.array([rng.choice([-1, *types]) for types in usable])


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_any_roles_are_packed_into_a_feasible_decision(random_document, rng):
    instance = served(random_document, rng, open_nodes="free")
    data = AggregatedModel.of(instance, "rows")
    numbers = np.random.default_rng(rng.randrange(2**32))
    column_type, worth = random_types(data, numbers), numbers.normal(size=len(instance.jobs))
    decision = pack(instance, data.types, column_type, worth)
    assert check(instance, decision).feasible
    runs = decision.job_node >= 0
    assert (column_type[runs] >= 0).all()
    assert (data.types.gpus[data.types.mode[column_type[runs]]] == decision.job_gpus[runs]).all()


@pytest.mark.parametrize(("seed", "sharing"), [(0, "none"), (1, "paper")])
def test_so_are_the_roles_of_many_jobs(seed, sharing):
    instance = generate(nodes=20, jobs=120, seed=seed, mix="kma", sharing=sharing)
    data, numbers = AggregatedModel.of(instance, "rows"), np.random.default_rng(seed)
    chosen = random_types(data, numbers)
    decision = pack(instance, data.types, chosen, numbers.normal(size=len(instance.jobs)))
    assert check(instance, decision).feasible
    assert (decision.job_node >= 0).sum() > 20


def test_best_fit_packs_followers_where_the_program_finds_nothing(monkeypatch):
    instance = generate(nodes=20, jobs=120, seed=0, mix="kma", sharing="none")
    data, numbers = AggregatedModel.of(instance, "rows"), np.random.default_rng(0)
    chosen, worth = random_types(data, numbers), numbers.normal(size=len(instance.jobs))
    best = pack(instance, data.types, chosen, worth)
    monkeypatch.setattr(capacity_rows, "milp", lambda *_, **__: SimpleNamespace(x=None))
    decision = pack(instance, data.types, chosen, worth)
    assert check(instance, decision).feasible
    assert (decision.job_node >= 0).sum() > 0.9 * (best.job_node >= 0).sum()


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_the_roles_of_a_decision_are_packed_whole(random_document, random_decision, rng):
    instance = served(random_document, rng, open_nodes="free")
    data = AggregatedModel.of(instance, "splits")
    types = column_types_of_jobs(data, random_decision(instance, rng))
    column_type = np.full(len(instance.jobs), -1)
    column_type[list(types)] = list(types.values())
    decision = pack(instance, data.types, column_type, np.zeros(len(column_type)))
    assert set(np.flatnonzero(decision.job_node >= 0).tolist()) == set(types)


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_vector_with_splits_is_packed_whole_without_a_program(
    random_document, random_decision, rng
):
    instance = served(random_document, rng, open_nodes="free")
    data = AggregatedModel.of(instance, "splits")
    x = warm_start(data, random_decision(instance, rng))
    with pytest.MonkeyPatch.context() as patched:
        patched.delattr(capacity_rows, "milp")
        decision = extract(data, x)
    assert check(instance, decision).feasible
    chosen = data.job[np.flatnonzero(x[: len(data.job)])]
    assert (decision.job_node[chosen] >= 0).all()


def test_the_least_worth_are_left_out():
    """Three leaders of one class for its nodes, one or two."""
    instance = generate(nodes=3, jobs=4, seed=1)
    data = AggregatedModel.of(instance, "rows")
    nodes = int(instance.cluster.class_sizes[data.types.node_class[0]])
    assert nodes < 4
    leads = data.types.leads & (data.types.group == 0)
    column_type = np.array(
        [np.flatnonzero(np.isfinite(costs) & leads)[0] for costs in data.costs.T]
    )
    decision = pack(instance, data.types, column_type, np.array([2.0, 1.0, 4.0, 3.0]))
    assert np.flatnonzero(decision.job_node >= 0).tolist() == sorted([2, 3, 0, 1][:nodes])

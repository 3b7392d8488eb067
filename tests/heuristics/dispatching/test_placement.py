"""Best fit on nodes and on shared GPUs, by hand and against the checker's capacity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics.dispatching.placement import FreeCapacity, kinds_by_gpu_type
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel

SHARES = {"A": (4, (1, 2)), "B": (20, (2, 3))}


def cluster_of(*nodes):
    """Nodes by the types that each may take: "A4" has 4 GPUs of type A."""
    names = sorted({name for node in nodes for name in node})
    return Cluster(
        gpu_types=tuple(
            GpuType(
                name=gpu,
                memory_gb=16,
                units=units,
                levels=tuple(ShareLevel(units=u, max_memory_gb=8) for u in levels),
            )
            for gpu, (units, levels) in SHARES.items()
        ),
        node_types=tuple(
            NodeType(
                name=name, gpu_type=name[0], cost=tuple(float(k) for k in range(int(name[1:]) + 1))
            )
            for name in names
        ),
        groups=tuple(NodeGroup(count=1, types=node) for node in nodes),
    )


def rooms_of(cluster, **options):
    return FreeCapacity(kinds_by_gpu_type(cluster), **options)


def test_an_open_node_comes_before_a_closed_one_and_the_fullest_of_them_first():
    rooms = rooms_of(cluster_of(("A2",), ("A8",), ("A4",)))
    assert rooms.place(0, 5, 0) == (1, -1)  # the only one large enough
    assert rooms.place(0, 2, 0) == (1, -1)  # open, though node 0 fits exactly
    assert rooms.place(0, 2, 0) == (0, -1)  # the smallest closed one
    assert rooms.place(0, 3, 0) == (2, -1)
    assert rooms.place(0, 1, 0) == (1, -1)  # 1 idle on both open nodes: the first
    assert rooms.idle == [0, 0, 1]
    assert rooms.place(0, 2, 0) == (-1, -1)
    assert rooms.place(1, 1, 0) == (-1, -1)  # no node has the GPU
    assert not rooms.full
    assert rooms.place(0, 1, 0) == (2, -1)
    assert rooms.full


def test_of_all_nodes_a_small_closed_one_comes_before_an_open_one_with_more_idle_gpus():
    rooms = rooms_of(cluster_of(("A2",), ("A8",), ("A4",)), fit="all")
    jobs = ((5, 1), (2, 0), (3, 1), (4, 2), (1, -1))  # GPUs, node: 0 and 1 fit exactly
    assert [rooms.place(0, count, 0)[0] for count, _ in jobs] == [node for _, node in jobs]
    rooms = rooms_of(cluster_of(("A2",), ("A4",)), fit="all")
    assert [rooms.place(0, count, 0)[0] for count in (2, 2, 1, 1)] == [0, 1, 1, 1]
    assert rooms.full


def test_a_share_goes_where_least_is_left_then_to_a_gpu_of_its_own():
    rooms = rooms_of(cluster_of(("A2",), ("A1",)))
    assert rooms.place(0, 0, 2) == (1, 0)
    assert rooms.place(0, 1, 0) == (0, -1)
    assert rooms.place(0, 0, 2) == (1, 0)  # fills it
    assert rooms.place(0, 0, 1) == (0, 1)
    assert rooms.gpu_left == [0, 3]
    assert (rooms.gpu_jobs, rooms.idle) == ([2, 1], [0, 0])
    assert rooms.place(0, 0, 2) == (0, 1)
    assert rooms.place(0, 0, 2) == (-1, -1)
    assert not rooms.full
    assert rooms.place(0, 0, 1) == (0, 1)
    assert rooms.full


def test_a_node_of_one_job_takes_no_other():
    rooms = rooms_of(cluster_of(("A4",), ("A4",)), alone=True)
    assert [rooms.place(0, *job)[0] for job in ((1, 0), (0, 1), (1, 0))] == [0, 1, -1]
    assert rooms.full


def test_a_node_opens_as_the_largest_type_with_the_gpu():
    rooms = rooms_of(cluster_of(("A2", "A4", "B1"), ("A1", "B1")))
    assert rooms.place(1, 1, 0) == (0, -1)
    assert rooms.place(0, 1, 0) == (1, -1)
    names = ["A1", "A2", "A4", "B1"]
    assert [names[v] for v in rooms.node_types()] == ["B1", "A1"]


def test_beside_running_jobs_there_is_what_they_leave():
    rooms = rooms_of(cluster_of(("A4",)))
    rooms.occupy(0, 0, 2, [1, 2, 2])  # 2 of 4 GPUs dedicated, 5 quarters on 2 others
    assert rooms.idle == [0]
    assert [rooms.place(0, 0, units)[0] for units in (2, 1, 1)] == [0, 0, -1]


@pytest.mark.parametrize(("gpu", "fit"), [(0, "open"), (1, "all")])
@given(rng=st.randoms(use_true_random=False))
def test_whatever_is_placed_fits(gpu, fit, rng):
    cluster = cluster_of(("A4", "B2"), ("A2", "B4"), ("A1", "B8"))
    rooms, (units, levels) = rooms_of(cluster, fit=fit), list(SHARES.values())[gpu]
    dedicated, shares = [0, 0, 0], [[], [], []]
    for _ in range(rng.randint(1, 90)):
        count, share = rng.choice([0, 0, 0, 1, 2, 3]), rng.choice(levels)
        node, shared = rooms.place(gpu, count, share)
        assert (shared >= 0) == (node >= 0 and count == 0)
        if node < 0:
            continue
        dedicated[node] += count
        shares[node] += [share] * (count == 0)
    for node, v in enumerate(rooms.node_types()):
        if v >= 0:
            used = dedicated[node] + gpus_for_shares(shares[node], units)
            assert used <= cluster.node_types[v].gpus - rooms.idle[node]
        else:
            assert dedicated[node] == 0
    assert rooms.full == (
        -1 not in rooms.node_kind and not any(rooms.idle) and not any(rooms.gpu_left)
    )

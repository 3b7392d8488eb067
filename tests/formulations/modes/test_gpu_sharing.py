"""Rows on shares: their least number of GPUs is that of the packing."""

from collections import Counter
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from rsjs.formulations.modes.gpu_sharing import Shares
from rsjs.instances.bin_packing import filled_gpus, gpus_for_shares
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType

SETS = [
    # units of a GPU, sizes of shares, patterns
    (4, (1, 2), 1),  # Table IV: K80, M60
    (20, (2, 3), 1),  # Table IV: A100
    (20, (2,), 1),
    (20, (3,), 1),  # does not divide the GPU: six, and two units are lost
    (12, (2, 4), 1),
    (12, (4, 6), 3),  # 6 + 6, 6 + 4, 4 + 4 + 4
    (30, (7, 11, 13), 6),
    (10, (2, 3, 5), 7),
]


def shares_of(units, sizes):
    cluster = Cluster(
        gpu_types=(GpuType(name="gpu", memory_gb=8.0, units=units),),
        node_types=(NodeType(name="node", gpu_type="gpu", cost=(0.0, 1.0)),),
        groups=(NodeGroup(count=1, types=("node",)),),
    )
    taken = np.array(sizes)
    return Shares.of(cluster, SimpleNamespace(units=taken, gpu_type=np.zeros_like(taken)))


@pytest.mark.parametrize(("units", "sizes", "patterns"), SETS)
def test_the_fewest_gpus_are_those_of_the_packing(units, sizes, patterns):
    shares = shares_of(units, sizes)
    assert shares.patterns.tolist() == [patterns]
    for counts in product(range(6), repeat=len(sizes)):
        load = [size for size, count in zip(sizes, counts, strict=True) for _ in range(count)]
        if load:
            assert len(shares.filled(0, load)) == gpus_for_shares(load, units)


@pytest.mark.parametrize(("units", "sizes", "patterns"), SETS)
def test_shares_are_placed_on_fewest_gpus_without_overfilling_one(units, sizes, patterns):
    shares = shares_of(units, sizes)
    for counts in product([0, 1, 4, 7], repeat=len(sizes)):
        load = [size for size, count in zip(sizes, counts, strict=True) for _ in range(count)]
        if not load:
            continue
        filled = Counter[int]()
        for gpu, size in zip(shares.packed(0, load), load, strict=True):
            filled[gpu] += size
        assert max(filled.values()) <= units
        least = gpus_for_shares(load, units)
        assert max(filled) < least
        on = filled_gpus(load, units)
        assert max(map(sum, on)) <= units
        assert sorted(size for shares in on for size in shares) == sorted(load)


def test_a_gpu_without_shares_has_no_rows():
    shares = shares_of(4, ())
    assert (shares.rows.tolist(), shares.patterns.tolist()) == ([0], [0])


def test_too_many_ways_to_fill_a_gpu_are_refused_in_one_line():
    with pytest.raises(ValueError, match="shares of gpu fill a GPU in more than 1000 ways"):
        shares_of(59, tuple(range(3, 20)))


def test_many_shares_of_many_sizes_are_packed_at_once():
    sizes = tuple(range(9, 16))
    shares = shares_of(60, sizes)
    load = [*sizes] * 5
    filled = shares.filled(0, load)
    assert len(filled) == gpus_for_shares(load, 60)
    room = shares.room[0][:, list(filled)].sum(axis=1)
    assert (room >= 5).all()
    assert shares.filled(0, []) == ()

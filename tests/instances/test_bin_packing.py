"""GPUs that shares fit on, by checker and verifier, against a search over all fillings."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances.bin_packing import filled_gpus, gpus_for_shares
from rsjs.rsjs_verify import fewest_bins


def _table(sizes, units, most):
    """Counts of each size -> least GPUs, from all smaller counts."""
    ranges = [range(min(n, units // size) + 1) for size, n in zip(sizes, most, strict=True)]
    fillings = [
        filling
        for filling in product(*ranges)
        if 0 < sum(n * size for n, size in zip(filling, sizes, strict=True)) <= units
    ]
    least = {(0,) * len(sizes): 0}
    for counts in product(*(range(n + 1) for n in most)):
        if any(counts):
            rests = (tuple(a - b for a, b in zip(counts, f, strict=True)) for f in fillings)
            least[counts] = 1 + min(least[rest] for rest in rests if min(rest) >= 0)
    return least


def _check_filled(shares, units, least):
    filled = filled_gpus(shares, units)
    assert len(filled) == least
    assert all(sum(gpu) <= units and gpu == sorted(gpu, reverse=True) for gpu in filled)
    assert sorted(share for gpu in filled for share in gpu) == sorted(shares)


def _shares(sizes, counts):
    return [size for size, n in zip(sizes, counts, strict=True) for _ in range(n)]


@pytest.mark.parametrize(
    ("sizes", "units", "most"),
    [
        ((1, 2), 4, (30, 30)),  # quarters and halves of a K80 or M60
        ((2, 3), 20, (40, 40)),  # 10 % and 15 % of an A100
        ((1, 2, 3), 6, (9, 9, 9)),  # 2 does not divide 3
        ((2, 4, 8), 16, (8, 8, 8)),  # each divides the next
        ((3, 4), 20, (24, 24)),
        ((7, 11, 13), 30, (9, 9, 9)),
    ],
    ids=str,
)
def test_all_counts_fit_as_a_search_over_all_fillings_says(sizes, units, most):
    for counts, least in _table(sizes, units, most).items():
        assert gpus_for_shares(_shares(sizes, counts), units) == least, counts
        if sum(counts) % 7 == 0:
            _check_filled(_shares(sizes, counts), units, least)


@given(st.integers(2, 60), st.data())
def test_any_set_of_levels_fits_as_a_search_says(units, data):
    sizes = data.draw(st.lists(st.integers(1, units - 1), min_size=1, max_size=4, unique=True))
    most = data.draw(st.tuples(*(st.integers(0, 4) for _ in sizes)))
    least = _table(sizes, units, most)[most]
    shares = data.draw(st.permutations(_shares(sizes, most)))
    assert gpus_for_shares(shares, units) == least
    assert fewest_bins(Counter(shares), units) == least
    _check_filled(shares, units, least)


@pytest.mark.parametrize(
    ("shares", "units", "least"),
    [
        ([3] * 481, 20, 81),  # six 3/20 on a GPU, though 20 / 3 > 6
        ([1] * 3000 + [2] * 500, 4, 1000),
        ([11] * 100, 20, 100),  # more than half a GPU each
        ([7, 11, 13] * 15, 30, 17),
        (list(range(1, 21)) * 6, 60, 21),  # thousands of ways to fill a GPU
        ([9] * 11 + [7] * 26 + [5] * 59, 24, 24),  # for hours if tried share by share
    ],
    ids=["A100", "K80", "halves and more", "odd", "many sizes", "heterogeneous"],
)
def test_crowds_of_shares_are_packed_too(shares, units, least):
    assert gpus_for_shares(shares, units) == least
    assert fewest_bins(Counter(shares), units) == least
    _check_filled(shares, units, least)


def test_no_share_needs_no_gpu():
    assert gpus_for_shares([], 4) == 0
    assert filled_gpus([], 4) == []
    assert fewest_bins(Counter(), 4) == 0

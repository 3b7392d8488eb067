"""Table IV of Filippini 2024 and the inflation of jobs that share a GPU."""

import csv

import numpy as np
import pytest
from scipy import stats

from rsjs.instances.catalogue import gpu_shares

GPUS = tuple(gpu_shares.TABLE_IV)


def test_table_iv_is_the_printed_one(shared):
    with (shared / "data/catalogue/colocation_paper_table_IV.csv").open() as file:
        rows = list(csv.DictReader(file))
    names = ("memory_threshold_gb", "fraction", "b_max")
    printed = [tuple(float(row[name]) for name in names) for row in rows]
    ours = [
        (share.max_memory_gb, share.units / gpu_shares.UNITS[gpu], share.most)
        for gpu in GPUS
        for share in gpu_shares.TABLE_IV[gpu]
    ]
    assert ours == printed
    assert [row["gpu"] for row in rows] == [gpu for gpu in GPUS for _ in gpu_shares.TABLE_IV[gpu]]


def test_a_full_gpu_of_shares_has_the_memory_of_a_board():
    for gpu in GPUS:
        made = gpu_shares.shared_gpu_type(gpu)
        for level in made.levels:
            assert made.units // level.units * level.max_memory_gb <= made.memory_gb


def test_paper_inflation_is_uniform_from_1_01_to_b_max():
    drawn = gpu_shares.paper("test", 1, 4000, GPUS)
    assert drawn.shape == (4000, 3, 2)
    for i, gpu in enumerate(GPUS):
        for level, share in enumerate(gpu_shares.TABLE_IV[gpu]):
            law = stats.uniform(1.01, share.most - 1.01)
            assert stats.kstest(drawn[:, i, level], law.cdf).pvalue > 0.001
    flat = drawn.reshape(4000, 6)
    assert np.abs(np.corrcoef(flat.T) - np.eye(6)).max() < 0.06  # each level draws its own


def test_gpu_types_do_not_change_each_others_inflation():
    both, one = (gpu_shares.paper("test", 1, 50, gpus) for gpus in (("K80", "A100"), ("A100",)))
    assert np.array_equal(both[:, 1], one[:, 0])


@pytest.mark.parametrize(
    ("network", "gpu", "busy", "inflation"),
    [
        # (114 - 30) W of (150 - 30) W; four and two jobs take turns
        ("AlexNet", "K80", 84 / 120, [4 * 0.7, 2 * 0.7]),
        ("MobileNetV2", "M60", 101 / 135, [4 * 101 / 135, 2 * 101 / 135]),
        # ten and six jobs, u = 7 and 4.2: Lucid's fit
        ("AlexNet", "A100", 0.7, [1 + 0.026 * 7 + 0.514 * 6, 1 + 0.026 * 4.2 + 0.514 * 3.2]),
    ],
)
def test_contention_follows_the_utilisation_of_a_full_gpu(network, gpu, busy, inflation):
    assert gpu_shares.utilisation(network, gpu) == pytest.approx(busy)
    assert gpu_shares.contention([network], [gpu])[0, 0] == pytest.approx(inflation, rel=1e-5)


def test_contention_is_never_below_2_percent_on_old_boards_nor_below_1_elsewhere():
    for gpu in GPUS:
        for network in ("AlexNet", "ResNet-50", "VGG16", "MobileNetV2", "LSTM"):
            drawn = gpu_shares.contention([network], [gpu])
            assert (drawn >= (1.02 if gpu in gpu_shares.TIME_SLICED else 1.0)).all()
            assert 0 < gpu_shares.utilisation(network, gpu) <= 1


def test_a_pair_on_a_k80_is_near_what_gavel_measured():
    halves = gpu_shares.contention(["AlexNet", "ResNet-50", "VGG16", "MobileNetV2"], ["K80"])[
        :, 0, 1
    ]
    assert 1.36 <= halves.min() <= halves.max() <= 2.74  # 5 % and 95 % quantiles of 589 pairs

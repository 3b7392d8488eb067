"""Random instances of Filippini 2024 against the numbers that the paper prints."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.catalogue import epoch_models, gpus
from rsjs.instances.epoch_distribution import FIXED
from rsjs.instances.generators import sts
from rsjs.instances.generators.sts import MIXES, SIZES

LIMITS = {"K80": (6, 12), "M60": (4, 8), "A100": (8, 12)}  # GB, Table IV


def made(nodes=10, jobs=400, seed=1, **kind):
    return sts.generate(nodes=nodes, jobs=jobs, seed=seed, **kind)


def network_of(jobs):
    return [name.split(" (")[0] for name in jobs.application]


def full_hours(instance):
    """(J, T, G + 1) hours of all epochs, nan where not admissible."""
    hours = instance.hours_per_epoch * instance.jobs.epochs_max[:, None, None]
    return np.where(np.isfinite(hours), hours, np.nan)


@pytest.mark.parametrize("mix", MIXES)
def test_sizes_and_gpu_types_come_in_equal_numbers(mix):
    for nodes in (1, 2, 5, 10, 100):
        cluster = made(nodes, 10, mix=mix).cluster
        assert cluster.nodes == nodes
        assert all(len(group.types) == 1 for group in cluster.groups)
        assert {(v.gpu_type, v.gpus) for v in cluster.node_types} == {
            (gpu, size) for gpu in MIXES[mix] for size in SIZES
        }
        counts = {group.types[0]: group.count for group in cluster.groups}
        by_kind = [counts.get(f"{size} x {gpu}", 0) for size in SIZES for gpu in MIXES[mix]]
        assert by_kind == sorted(by_kind, reverse=True)  # larger nodes first
        assert by_kind[0] - by_kind[-1] <= 1


@pytest.mark.parametrize("mix", MIXES)
def test_from_one_node_of_each_gpu_type_on_the_jobs_do_not_depend_on_the_nodes(mix):
    few, many = (made(nodes, 40, mix=mix).jobs for nodes in (len(MIXES[mix]), 100))
    for field in ("due", "weight", "hours_per_epoch", "memory_gb"):
        assert np.array_equal(getattr(few, field), getattr(many, field))


def test_jobs_are_networks_batches_and_frameworks_in_equal_parts():
    jobs = made(jobs=4000).jobs
    drawn = [
        (*name.rstrip(")").split(" ("), meta["batch"])
        for name, meta in zip(jobs.application, jobs.meta, strict=True)
    ]
    counts = Counter(drawn)
    assert {network for network, _, _ in counts} == {"AlexNet", "ResNet-50", "VGG16", "MobileNetV2"}
    assert {framework for _, framework, _ in counts} == {"PyTorch", "TensorFlow"}
    assert {batch for _, _, batch in counts} == {16, 32, 64}
    assert len(counts) == 24
    assert stats.chisquare([*counts.values()]).pvalue > 0.001
    assert (jobs.epochs_max == 100).all()
    memory = [gpus.memory_gb(network, batch) for network, _, batch in drawn]
    assert jobs.memory_gb == pytest.approx(memory, rel=1e-5)


@pytest.mark.parametrize("scaling", ["weak", "strong"])
@pytest.mark.parametrize("samples", [130_000, 13_000])
def test_times_are_those_of_the_catalogue(scaling, samples):
    instance = made(3, 30, mix="kma", speedup=scaling, samples=samples)
    jobs = instance.jobs
    for j, network in enumerate(network_of(jobs)):
        for i, gpu in enumerate(instance.cluster.gpu_types):
            for k in (1, 3, 8):
                seconds = gpus.seconds_per_epoch(
                    network,
                    gpu.name,
                    k,
                    jobs.meta[j]["batch"],
                    samples,
                    scaling,
                    jobs.application[j].rstrip(")").split(" (")[1],
                    prefix_minimum=True,
                )
                assert jobs.hours_per_epoch[j, i, k] == pytest.approx(seconds / 3600, rel=1e-5)


def test_the_speed_up_p05_is_the_square_root_of_the_gpus():
    weak, power = (made(jobs=40, speedup=name).jobs.hours_per_epoch for name in ("weak", "p0.5"))
    assert np.array_equal(power[:, :, 1], weak[:, :, 1])
    k = np.arange(1, 9)
    assert power[:, :, 1:] == pytest.approx(power[:, :, 1:2] / k**0.5, rel=1e-5)


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize(("sharing", "later"), [("none", 1), ("paper", 1.2), ("contention", 1.2)])
def test_due_dates_are_uniform_on_interval_31(mix, sharing, later):
    instance = made(jobs=2000, mix=mix, sharing=sharing)
    hours = full_hours(instance)
    low, most = np.nanmin(hours, axis=(1, 2)), np.nanmax(hours, axis=(1, 2))
    high = later * np.minimum(3 * low, most)
    share = (instance.jobs.due - low) / (high - low)
    assert share.min() >= -1e-4
    assert share.max() <= 1 + 1e-4
    assert stats.kstest(share, "uniform").pvalue > 0.001


def test_due_dates_take_only_configurations_that_are_present():
    one = made(1, 40, mix="km")  # one node: 8 K80
    assert one.cluster.largest_of_gpu.tolist() == [8, 0]
    assert np.isinf(one.jobs.hours_per_epoch[:, 1]).all()
    low = np.nanmin(full_hours(one), axis=(1, 2))
    assert (one.jobs.due >= low * (1 - 1e-5)).all()
    assert (one.jobs.due <= 3 * low * (1 + 1e-5)).all()


def test_weights_are_the_printed_dollars_per_second():
    weight = made(jobs=4000).jobs.weight / 3600
    assert 0.0254 <= weight.min() < 0.0255
    assert 0.0443 < weight.max() <= 0.0444


def test_variants_change_only_their_own_numbers():
    base = made(jobs=40)
    for kind, changed in (
        ({"laws": "strong"}, {"law"}),
        ({"laws": "fixed"}, {"law"}),
        ({"sharing": "paper"}, {"due", "inflation"}),
        ({"sharing": "contention"}, {"due", "inflation"}),
        ({"speedup": "strong"}, {"due", "hours_per_epoch"}),
        ({"samples": 13_000}, {"due", "hours_per_epoch", "meta"}),
    ):
        other = made(jobs=40, **kind)
        differ = {
            name
            for name in vars(base.jobs)
            if not np.array_equal(getattr(base.jobs, name), getattr(other.jobs, name))
        }
        assert differ == changed, kind
    paper, contention = (made(jobs=40, sharing=name).jobs for name in ("paper", "contention"))
    assert np.array_equal(paper.due, contention.due)
    light = made(jobs=40, samples=13_000).jobs
    assert light.due == pytest.approx(base.jobs.due / 10, rel=2e-5)


@pytest.mark.parametrize("sharing", ["paper", "contention"])
def test_memory_decides_the_share_levels_of_a_job(sharing):
    instance = made(jobs=400, mix="kma", sharing=sharing)
    jobs = instance.jobs
    for i, gpu in enumerate(instance.cluster.gpu_types):
        for level, limit in enumerate(LIMITS[gpu.name]):
            allowed = np.isfinite(jobs.inflation[:, i, level])
            assert np.array_equal(allowed, jobs.memory_gb <= limit)
            assert np.array_equal(
                allowed, np.isfinite(instance.shared_hours_per_epoch[:, i, level])
            )
            assert allowed.any()
    assert instance.has_sharing


def test_without_sharing_no_gpu_is_divided():
    instance = made(jobs=4)
    assert not instance.has_sharing
    assert all(gpu.units == 1 for gpu in instance.cluster.gpu_types)


@pytest.mark.parametrize("laws", epoch_models.VARIANTS)
def test_each_network_has_its_law(laws):
    instance = made(jobs=40, laws=laws)
    assert set(instance.laws) == {f"{name}-{laws}" for name in epoch_models.networks()}
    for network, law in zip(network_of(instance.jobs), instance.jobs.law, strict=True):
        assert law == f"{network.removesuffix('-50')}-{laws}"
        assert np.array_equal(
            instance.laws[law].weights,
            epoch_models.epoch_distribution(law.split("-")[0], laws).weights,
        )


def test_fixed_laws_run_all_epochs():
    stream = sts.workload(nodes=2, jobs=20, seed=1, laws="fixed")
    assert set(stream.jobs.law) == {FIXED}
    assert not stream.laws
    assert (stream.realised_epochs == 100).all()


def test_realised_epochs_are_drawn_from_the_law_of_the_job():
    stream = sts.workload(nodes=2, jobs=4000, seed=1)
    for name, law in stream.laws.items():
        own = stream.realised_epochs[[j for j, used in enumerate(stream.jobs.law) if used == name]]
        assert len(own) > 800
        below = [(own <= epoch).mean() for epoch in law.epochs]
        distance = np.abs(below - (1 - law.survival(law.epochs))).max()
        assert distance < 1.95 / len(own) ** 0.5  # Kolmogorov-Smirnov at 0.001


def test_realised_epochs_are_paired_between_laws():
    runs = {
        laws: sts.workload(nodes=2, jobs=400, seed=1, laws=laws).realised_epochs
        for laws in epoch_models.VARIANTS
    }
    for other in ("mild", "strong"):
        assert stats.spearmanr(runs["base"], runs[other]).statistic > 0.9


def test_a_load_counts_the_shortest_time_on_one_gpu_and_all_epochs():
    stream = sts.workload(nodes=10, jobs=10, seed=1, law="high")
    alone = np.nanmin(100 * stream.jobs.hours_per_epoch[:, :, 1], axis=1)
    rate = 0.4 * 10 * 8 * (1 / alone).mean()
    exp = sts.workload(nodes=10, jobs=10, seed=1, gap_seconds=10 * 3600 / rate)
    assert stream.jobs.release == pytest.approx(exp.jobs.release, rel=1e-4)


def test_a_law_from_a_file_is_that_of_every_job(tmp_path):
    file = tmp_path / "early.csv"
    file.write_text("epoch,weight\n10,3\n100,1\n")
    instance = sts.generate(nodes=2, jobs=3, seed=1, laws=str(file))
    assert set(instance.jobs.law) == {"early"}
    assert instance.laws["early"].epochs.tolist() == [10, 100]
    assert "130k-early-N2" in instance.name


def test_a_law_beyond_the_last_epoch_is_refused(tmp_path):
    file = tmp_path / "long.csv"
    file.write_text("epoch,weight\n101,1\n")
    with pytest.raises(InputError, match=r"long.csv: found 101, expected epochs up to 100"):
        sts.generate(nodes=2, jobs=3, seed=1, laws=str(file))

"""Random instances of Jahani 2019: what is drawn and paired."""

import numpy as np
import pytest
from allpairspy import AllPairs
from scipy import stats

from rsjs.instances.catalogue import gpus as catalogue
from rsjs.instances.catalogue import node_types
from rsjs.instances.generators import jahani
from rsjs.instances.generators.job_times import NETWORKS, SPEED

CATALOGUES = tuple(node_types.MEMBERS)
TIMES = ("synthetic", "networks")


def made(nodes=10, jobs=40, seed=0, **kind):
    return jahani.generate(nodes=nodes, jobs=jobs, seed=seed, **kind)


def due_window(subject):
    """Earliest and latest base due date after submission, from the instance alone."""
    hours = subject.hours_per_epoch * subject.jobs.epochs_max[:, None, None]
    return hours.min(axis=(1, 2)), np.where(np.isfinite(hours), hours, 0).max(axis=(1, 2))


def test_an_instance_has_the_papers_constants():
    subject = made()
    assert (subject.objective.energy, subject.objective.mu) == ("proportional", 1)
    (group,) = subject.cluster.groups
    assert (group.count, group.types) == (10, node_types.MEMBERS["table2"])


@pytest.mark.parametrize("times", TIMES)
def test_catalogues_are_paired(times):
    base = made(times=times, catalogue="azure")
    for name in CATALOGUES:
        other = made(times=times, catalogue=name)
        assert np.array_equal(base.jobs.weight, other.jobs.weight)
        assert np.array_equal(base.jobs.memory_gb, other.jobs.memory_gb)
        for i, gpu in enumerate(other.cluster.gpu_types):
            if gpu.name in ("K80", "M60"):
                at = [g.name for g in base.cluster.gpu_types].index(gpu.name)
                ours, theirs = base.jobs.hours_per_epoch[:, at], other.jobs.hours_per_epoch[:, i]
                assert np.array_equal(ours[:, 1:5], theirs[:, 1:5])


def test_times_go_up_to_the_largest_node_with_the_gpu_type():
    largest = {"K80": 4, "M60": 4, "P600": 8, "GTX1080Ti": 8}
    for name, expected in (("table2", largest), ("kiros", dict.fromkeys(largest, 8))):
        for times in TIMES:
            subject = made(catalogue=name, times=times)
            for i, gpu in enumerate(subject.cluster.gpu_types):
                finite = np.isfinite(subject.jobs.hours_per_epoch[:, i]).sum(axis=1)
                assert set(finite.tolist()) == {expected[gpu.name]}


@pytest.mark.parametrize(("name", "times", "due"), [*AllPairs([CATALOGUES, TIMES, [*jahani.DUE]])])
def test_due_dates_and_weights_are_in_their_ranges(name, times, due):
    subject = made(nodes=100, jobs=400, catalogue=name, times=times, due=due)
    low, high = due_window(subject)
    late = 2 * high if due == "base" else np.maximum(1.5 * low, high / 2)
    near = 1e-5  # rounding to 6 digits
    assert (subject.jobs.due >= low * (1 - near)).all()
    assert (subject.jobs.due <= late * (1 + near)).all()
    share = (subject.jobs.due - low) / (late - low)
    assert stats.kstest(share, "uniform").pvalue > 0.001
    assert ((subject.jobs.weight >= 0.36) & (subject.jobs.weight <= 1.08)).all()
    assert stats.kstest((subject.jobs.weight - 0.36) / 0.72, "uniform").pvalue > 0.001


def test_synthetic_times_follow_their_law():
    subject = made(nodes=1, jobs=4000)
    jobs = subject.jobs
    assert set(jobs.application) == {"synthetic"}
    assert (jobs.epochs_max == 1).all()
    assert (jobs.memory_gb == 0).all()
    gpus = [gpu.name for gpu in subject.cluster.gpu_types]
    one = jobs.hours_per_epoch[:, :, 1]
    alpha = -np.log(jobs.hours_per_epoch[:, :, 4] / one) / np.log(4)
    assert (alpha > 0.7 - 1e-4).all()
    assert (alpha < 0.95 + 1e-4).all()
    assert np.ptp(alpha, axis=1).max() < 1e-4  # one exponent per job
    for i, gpu in enumerate(gpus):
        ratio = np.log(one[:, gpus.index("K80")] / one[:, i])
        noise = 0 if gpu == "K80" else 0.12 * 2**0.5
        assert ratio.mean() == pytest.approx(np.log(SPEED[gpu]), abs=0.01)
        assert ratio.std() == pytest.approx(noise, rel=0.05)
    k80 = np.log(one[:, gpus.index("K80")])
    centre, width = np.log(0.3 * 20) / 2, np.log(20 / 0.3)
    assert k80.mean() == pytest.approx(centre, abs=0.07)
    assert k80.std() == pytest.approx((width**2 / 12 + 0.12**2) ** 0.5, rel=0.03)


def test_network_jobs_take_their_times_and_memory_from_the_catalogue():
    subject = made(nodes=100, jobs=400, times="networks")
    jobs = subject.jobs
    assert {name.split(" (")[0] for name in jobs.application} == set(NETWORKS)
    assert {name.split(" (")[1] for name in jobs.application} == {"PyTorch)", "TensorFlow)"}
    assert sorted(set(jobs.epochs_max.tolist())) == list(range(1, 13))
    for j in range(0, 400, 17):
        network, framework = jobs.application[j].rstrip(")").split(" (")
        batch = jobs.meta[j]["batch"]
        assert jobs.meta[j]["samples"] == 130_000
        assert batch in catalogue.batches(network)
        assert jobs.memory_gb[j] == pytest.approx(catalogue.memory_gb(network, batch), rel=1e-5)
        for i, gpu in enumerate(subject.cluster.gpu_types):
            for k in range(1, subject.cluster.largest_of_gpu[i] + 1):
                expected = catalogue.seconds_per_epoch(
                    network, gpu.name, k, batch, framework=framework, prefix_minimum=True
                )
                assert jobs.hours_per_epoch[j, i, k] == pytest.approx(expected / 3600, rel=1e-5)


def test_every_network_job_fits_a_k80_and_few_fit_a_p600():
    subject = made(nodes=100, jobs=400, times="networks")
    gpus = [gpu.name for gpu in subject.cluster.gpu_types]
    runs = np.isfinite(subject.hours_per_epoch).any(axis=2)
    assert runs[:, gpus.index("K80")].all()
    p600 = {
        (subject.jobs.application[j].split()[0], subject.jobs.meta[j]["batch"])
        for j in np.flatnonzero(runs[:, gpus.index("P600")])
    }
    assert p600 == {("AlexNet", 16)}
    assert 0 < runs[:, gpus.index("M60")].sum() < 400


def test_a_gpu_type_without_a_speed_is_told(monkeypatch):
    monkeypatch.delitem(SPEED, "M60")
    with pytest.raises(ValueError, match="/times: found synthetic, which has no speed of M60"):
        made()

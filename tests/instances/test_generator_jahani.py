"""Random instances of Jahani 2019: what is drawn, nested and paired; digests that stay."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rsjs.instances import catalogue, node_catalogues
from rsjs.instances.errors import InputError
from rsjs.instances.files import read_instance, read_workload, write_instance, write_workload
from rsjs.instances.generators import jahani
from rsjs.instances.generators.job_pool import NETWORKS, SPEED

CATALOGUES = tuple(node_catalogues.MEMBERS)
TIMES = ("synthetic", "networks")

GOLDEN = {
    "jahani-table2-base-at0-synthetic-N10-J40-s0": (
        {},
        "d4769f38c2e8a0687149545ceec19ed588e86ceeae3a3f8b4d4519746e915a04",
    ),
    "jahani-table2-tight-at0-synthetic-N10-J40-s0": (
        {"due": "tight"},
        "295762c386a6955ad0b840aa49d79af29c8dfa8abb09e9debd706e7185cb0a15",
    ),
    "jahani-azure-base-at0-synthetic-N10-J40-s0": (
        {"catalogue": "azure"},
        "4c37fdf02c16d7d335de8f2b252214c2fc8c83f75eb3abc6eb4f56ec4f0379aa",
    ),
    "jahani-server2-11usd-base-at0-synthetic-N10-J40-s1": (
        {"catalogue": "server2-11usd", "seed": 1},
        "fd73d5c8d6e58e84be59e3b64f1f5f3608574009449a0f5ea20917fbba982fba",
    ),
    "jahani-no-server2-tight-at0-synthetic-N10-J40-s2": (
        {"catalogue": "no-server2", "due": "tight", "seed": 2},
        "185ea5013ea071bd64772b579d074e9e8a8e5a83eaade7fe142bbe7c75c1202c",
    ),
    "jahani-kiros-base-at0-synthetic-N10-J40-s3": (
        {"catalogue": "kiros", "seed": 3},
        "e28fef830ff3d69ba9f2e29a1b32e56eca045b426f69b23fe17d78d610f635a4",
    ),
    "jahani-table2-base-at0-networks-N10-J40-s0": (
        {"times": "networks"},
        "1aad2273f54616dbf485def8207945183b37484c9909f1b6466963063d12d5e1",
    ),
    "jahani-azure-tight-at0-networks-N10-J40-s7": (
        {"times": "networks", "catalogue": "azure", "due": "tight", "seed": 7},
        "f1904fcf8c5a6ae531917b4ba8a4295ff5fd798dd483584637ab3a3749243c87",
    ),
    "jahani-kiros-base-at0-networks-N25-J250-s1": (
        {"times": "networks", "catalogue": "kiros", "nodes": 25, "jobs": 250, "seed": 1},
        "1589884ce79f9cdc3555e9605e737709c0f23602ece75cb1abde067361712b39",
    ),
    "jahani-table2-base-at0-synthetic-N1-J1-s0": (
        {"nodes": 1, "jobs": 1},
        "d91788722ee94c7c8882e9c62cb1dd4f1c14c7848c57231cd3007bfcd4a8e327",
    ),
    "jahani-server2-11usd-tight-at0-synthetic-N100-J400-s2": (
        {"nodes": 100, "jobs": 400, "catalogue": "server2-11usd", "due": "tight", "seed": 2},
        "de6dbbbe5534a74cf026b8e9f265fe2fbf77115c607f9b1cc46b233edb1876f4",
    ),
    "jahani-table2-base-exp30-synthetic-N10-J40-s0": (
        {"gap_seconds": 30.0},
        "620b761485b3fbf72b733b4eb482dfd327ddb3d4d3036356196b04b1ea3af609",
    ),
    "jahani-table2-base-poisson45-networks-N10-J40-s4": (
        {"gap_seconds": 45.0, "law": "integer_poisson", "times": "networks", "seed": 4},
        "8c5c168fc34206bf70ce0af9be96a4e2e1a30c60074eb2f747a3666707ad4e6b",
    ),
    "jahani-azure-base-constant300-synthetic-N1-J4-s0": (
        {"gap_seconds": 300.0, "law": "constant", "catalogue": "azure", "nodes": 1, "jobs": 4},
        "343debcd19f864e2f1b2752d3d65801e9360e95cf7c46502b414d890734e8448",
    ),
}


def made(nodes=10, jobs=40, seed=0, **kind):
    arrives = {"law", "gap_seconds"} & kind.keys()
    return (jahani.workload if arrives else jahani.generate)(
        nodes=nodes, jobs=jobs, seed=seed, **kind
    )


def due_window(subject):
    """Earliest and latest base due date after submission, from the instance alone."""
    hours = subject.hours_per_epoch * subject.jobs.epochs_max[:, None, None]
    return hours.min(axis=(1, 2)), np.where(np.isfinite(hours), hours, 0).max(axis=(1, 2))


@pytest.mark.parametrize("name", GOLDEN)
def test_generated_instances_are_the_ones_they_always_were(name):
    kind, digest = GOLDEN[name]
    subject = made(**kind)
    assert subject.name == name
    assert subject.digest == digest


def test_an_instance_has_the_papers_constants():
    subject = made()
    assert (subject.H, subject.rho, subject.objective.mu, subject.now) == (1, 100, 1, 0)
    assert subject.objective.energy == "proportional"
    assert subject.jobs.id[:2] == ("j1", "j2")
    (group,) = subject.cluster.groups
    assert group.count == 10
    assert group.types == node_catalogues.MEMBERS["table2"]


def test_the_generator_block_is_enough_to_make_the_instance_again():
    for subject in (made(times="networks", due="tight"), made(law="exp", gap_seconds=45.0)):
        again = made(**subject.generator["parameters"])
        assert again.digest == subject.digest
        assert subject.generator["name"] == "jahani"
        assert subject.generator["version"]


@pytest.mark.parametrize("times", TIMES)
def test_the_jobs_of_a_small_instance_are_the_first_of_a_large_one(times):
    small, large = made(jobs=40, times=times).jobs, made(nodes=100, jobs=400, times=times).jobs
    for field in ("due", "weight", "memory_gb", "epochs_max", "hours_per_epoch"):
        assert np.array_equal(getattr(small, field), getattr(large, field)[:40]), field
    assert small.application == large.application[:40]


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


def test_only_the_price_differs_between_table2_and_server2_at_11_usd():
    one, other = made(jobs=400), made(jobs=400, catalogue="server2-11usd")
    assert np.array_equal(one.jobs.due, other.jobs.due)
    assert np.array_equal(one.jobs.hours_per_epoch, other.jobs.hours_per_epoch)
    assert one.digest != other.digest


def test_times_go_up_to_the_largest_node_with_the_gpu_type():
    largest = {"K80": 4, "M60": 4, "P600": 8, "GTX1080Ti": 8}
    for name, expected in (("table2", largest), ("kiros", dict.fromkeys(largest, 8))):
        for times in TIMES:
            subject = made(catalogue=name, times=times)
            for i, gpu in enumerate(subject.cluster.gpu_types):
                finite = np.isfinite(subject.jobs.hours_per_epoch[:, i]).sum(axis=1)
                assert set(finite.tolist()) == {expected[gpu.name]}


@pytest.mark.parametrize("name", CATALOGUES)
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("due", jahani.DUE)
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


@pytest.mark.parametrize("times", TIMES)
def test_a_workload_submits_the_same_jobs_over_time(times):
    at0, stream = made(jobs=100, times=times), made(jobs=100, times=times, gap_seconds=45)
    assert stream.name == f"jahani-table2-base-exp45-{times}-N10-J100-s0"
    for field in ("weight", "memory_gb", "epochs_max", "hours_per_epoch"):
        assert np.array_equal(getattr(at0.jobs, field), getattr(stream.jobs, field)), field
    assert stream.jobs.due - stream.jobs.release == pytest.approx(at0.jobs.due, rel=1e-4)
    assert np.array_equal(stream.realised_epochs, stream.jobs.epochs_max)
    assert stream.jobs.release[0] == 0


@pytest.mark.parametrize("times", TIMES)
def test_all_numbers_have_six_significant_decimals(times):
    jobs = made(jobs=50, times=times, gap_seconds=30).jobs
    for field in ("release", "due", "weight", "memory_gb", "hours_per_epoch"):
        for value in getattr(jobs, field).ravel().tolist():
            assert value == float(f"{value:.6g}"), field


def test_files_read_back_the_same(tmp_path):
    instance, stream = made(times="networks"), made(gap_seconds=300, law="constant")
    write_instance(instance, tmp_path / "i.json.gz")
    write_workload(stream, tmp_path / "w.json")
    assert read_instance(tmp_path / "i.json.gz").digest == instance.digest
    assert read_workload(tmp_path / "w.json").digest == stream.digest


def test_a_thousand_nodes_and_one_job_both_work():
    assert len(made(nodes=1000, jobs=4000).jobs) == 4000
    assert len(made(nodes=1, jobs=1, law="integer_poisson").jobs) == 1


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        ({"nodes": 0}, "/nodes"),  # no node
        ({"nodes": 2.5}, "/nodes"),  # half a node
        ({"jobs": 0}, "/jobs"),  # no job
        ({"jobs": "40"}, "/jobs"),  # text
        ({"seed": -1}, "/seed"),  # seeds count from 0
        ({"catalogue": "aws"}, "/catalogue"),  # unknown
        ({"catalogue": ["azure"]}, "/catalogue"),  # not a name
        ({"due": "loose"}, "/due"),  # unknown
        ({"times": "measured"}, "/times"),  # unknown
        ({"law": "uniform"}, "/law"),  # unknown arrivals
        ({"gap_seconds": 0}, "/gap_seconds"),  # no stream
    ],
)
def test_bad_arguments_are_refused_by_name(bad, pointer):
    with pytest.raises(InputError) as error:
        made(**bad)
    assert error.value.pointer == pointer

"""Random instances of clusters with many GPU types and large nodes."""

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.catalogue import gpus
from rsjs.instances.generators import heterogeneous
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.files import read_instance, write_instance

VARIANTS = {
    "default": ({}, "dfde7c223247d013"),
    "right-sizing": (
        {"gpus": "24", "types": 10, "classes": 5, "scaling": "power", "load": 3, "rho": 1},
        "2e0aada99a790186",
    ),
    "rack": (
        {"gpus": "mixed", "types": 8, "scaling": "random", "counts": "powers"},
        "db0686195d6b4920",
    ),
    "fixed": (
        {"kind": "first_ending", "classes": 5, "prices": "used", "counts": "rigid", "due": "tight"},
        "0f87782ab9297d72",
    ),
    "shares": (
        {"kind": "first_ending", "gpus": "2", "shares": "16", "scaling": "linear", "due": "base"},
        "98680906b7b050fe",
    ),
}
each = pytest.mark.parametrize(("kind", "digest"), VARIANTS.values(), ids=VARIANTS)


def made(nodes=5, jobs=20, seed=1, **kind):
    return heterogeneous.generate(nodes=nodes, jobs=jobs, seed=seed, **kind)


@each
def test_instances_are_the_ones_they_always_were(kind, digest, tmp_path):
    instance = made(**kind)
    assert instance.digest.startswith(digest)
    again = heterogeneous.generate(**instance.generator["parameters"])
    assert (again.digest, again.name) == (instance.digest, instance.name)
    write_instance(instance, tmp_path / "i.json.gz")
    assert read_instance(tmp_path / "i.json.gz").digest == instance.digest


@each
def test_sizes_nest_and_a_workload_has_the_same_jobs(kind, digest):
    small, large = made(**kind), made(nodes=10, jobs=40, **kind)
    stream = heterogeneous.workload(nodes=5, jobs=20, seed=1, **kind)
    for field in ("weight", "memory_gb", "epochs_max", "hours_per_epoch", "inflation"):
        drawn = getattr(small.jobs, field)
        assert np.array_equal(drawn, getattr(large.jobs, field)[:20]), field
        assert np.array_equal(drawn, getattr(stream.jobs, field)), field
    assert np.array_equal(small.jobs.due, large.jobs.due[:20])
    assert np.array_equal(stream.realised_epochs, stream.jobs.epochs_max)
    assert len(made(nodes=1, jobs=1, **kind).jobs) == 1


@each
def test_numbers_have_six_significant_decimals_and_times_never_grow(kind, digest):
    instance = made(**kind)
    jobs = instance.jobs
    for array in (jobs.due, jobs.weight, jobs.hours_per_epoch, instance.cluster.cost_of_type):
        values = array[np.isfinite(array)].tolist()
        assert values == [float(f"{value:.6g}") for value in values]
    for of_mode in jobs.hours_per_epoch.reshape(-1, jobs.hours_per_epoch.shape[2]):
        assert (np.diff(of_mode[np.isfinite(of_mode)]) <= 0).all()


def test_the_objective_is_that_of_the_kind():
    assert made().objective == FAMILIES["jahani"]
    assert made(kind="first_ending", rho=7).objective == FAMILIES["kiros"]
    assert made(rho=7).rho == 7


def test_classes_divide_the_types_and_the_nodes():
    one, three = made(nodes=8, types=5).cluster, made(nodes=8, types=5, classes=3).cluster
    assert [len(group.types) for group in one.groups] == [5]
    assert [group.count for group in three.groups] == [3, 3, 2]
    assert [group.types for group in three.groups] == [
        ("8 x A100", "8 x P100"),
        ("8 x V100", "8 x K80"),
        ("8 x T4",),
    ]
    mixed = made(gpus="mixed", types=8).cluster
    assert mixed.gpus_of_type.tolist() == [8, 16, 24, 72] * 2


def test_prices_are_concave_in_the_gpus_in_use():
    used, flat = (made(kind="first_ending", prices=prices).cluster for prices in ("used", "flat"))
    steps = np.diff(used.cost_of_type, axis=1)
    assert (np.diff(steps, axis=1) <= 1e-3).all()
    assert np.array_equal(used.cost_of_type[:, -1], flat.cost_of_type[:, -1])
    assert used.cost_of_type[:, 1] == pytest.approx(flat.cost_of_type[:, 1] * 0.3, rel=1e-5)


def test_jobs_admit_powers_of_two_or_one_number():
    powers = np.isfinite(made(gpus="72", counts="powers").jobs.hours_per_epoch).any(axis=(0, 1))
    assert np.flatnonzero(powers).tolist() == [1, 2, 4, 8, 16, 32, 64]
    rigid = np.isfinite(made(jobs=40, counts="rigid").jobs.hours_per_epoch).any(axis=1)
    assert (rigid.sum(axis=1) == 1).all()
    assert np.flatnonzero(rigid.any(axis=0)).tolist() == [1, 2, 4, 8]


def test_median_due_dates_are_nearer_than_the_median_time():
    instance = made(jobs=100)
    hours = instance.hours_per_epoch * instance.jobs.epochs_max[:, None, None]
    share = instance.jobs.due / [np.median(of_job[np.isfinite(of_job)]) for of_job in hours]
    assert (share >= 0.5 - 1e-5).all()
    assert (share <= 1 + 1e-5).all()


def test_load_multiplies_times_and_seeds_draw_prices():
    one, three = made(scaling="power"), made(scaling="power", load=3)
    of_one, of_three = one.jobs.hours_per_epoch, three.jobs.hours_per_epoch
    known = np.isfinite(of_one)
    assert of_three[known] == pytest.approx(3 * of_one[known], rel=1e-5)
    full = [made(seed=seed).cluster.cost_of_type[:, -1] for seed in (1, 2)]
    assert np.ptp(full[1] / full[0]) > 0.01


def test_shares_have_memory_in_proportion_and_slow_down_a_little():
    instance = made(kind="first_ending", gpus="2", shares="24")
    (level, *_) = instance.cluster.gpu_types[0].levels
    assert (instance.cluster.gpu_types[0].units, level.units) == (24, 5)
    assert level.max_memory_gb == pytest.approx(80 * 5 / 24, rel=1e-5)
    assert instance.jobs.inflation.min() >= 1.01
    assert instance.jobs.inflation.max() <= 1.17
    assert instance.jobs.inflation.shape == (20, 5, 4)


def test_the_spread_of_speeds_is_that_of_the_catalogue():
    measured = [
        np.log(
            gpus.seconds_per_epoch(network, "K80", 1, 32)
            / gpus.seconds_per_epoch(network, gpu, 1, 32)
            / heterogeneous.peak_rate(gpu)
        )
        for network in gpus.networks()
        for gpu in heterogeneous.MEASURED
        if gpu != "K80"
    ]
    assert np.std(measured) == pytest.approx(heterogeneous.SPREAD, abs=0.005)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"nodes": 0}, "/nodes: found 0"),  # no node
        ({"seed": -1}, "/seed: found -1"),  # seeds count from 0
        ({"kind": "minlp"}, "/kind: .* proportional, first_ending"),
        ({"gpus": "7"}, "/gpus: found '7', expected one of 2, 4, 8, 16, 24, 72, mixed"),
        ({"types": 9}, "/types: found 9, expected at most 8 with scaling = networks"),
        ({"types": 11, "scaling": "power"}, "/types: found 11, expected at most 10"),
        ({"classes": 6}, "/classes: found 6, expected at most the 5 GPU types"),
        ({"prices": "spot"}, "/prices: .* flat, used"),
        ({"scaling": "weak"}, "/scaling: .* networks, power, linear, random"),
        ({"counts": "odd"}, "/counts: .* any, powers, rigid"),
        ({"due": "past"}, "/due: .* median, base, tight"),
        ({"shares": "16"}, "/shares: found '16', expected none with kind = proportional"),
        ({"prices": "used"}, "/prices: found 'used', expected flat with kind = proportional"),
        ({"load": 0}, "/load: found 0"),  # no work
        ({"rho": 0.5}, "/rho: found 0.5, expected >= 1"),  # postponement would be cheap
    ],
)
def test_bad_arguments_are_refused_by_name(bad, told):
    with pytest.raises(InputError, match=told):
        made(**bad)


def test_loads_of_arrivals_are_refused():
    with pytest.raises(InputError, match="/law: found 'high', expected one of exp, "):
        heterogeneous.workload(nodes=5, jobs=20, seed=1, law="high")

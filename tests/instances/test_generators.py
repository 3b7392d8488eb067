"""What the generators of STS, Kiros and ANDREAS have in common; digests that stay."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rsjs.instances import arrivals
from rsjs.instances.errors import InputError
from rsjs.instances.files import read_instance, read_workload, write_instance, write_workload
from rsjs.instances.generators import andreas, kiros, sts
from rsjs.instances.schema import FAMILIES

GENERATORS = {"sts": sts, "kiros": kiros, "andreas": andreas}
GAPS = {"sts": 50_000, "kiros": 30_000, "andreas": 30_000}
VARIANTS = [
    ("sts", {}),
    ("sts", {"mix": "kma", "sharing": "paper"}),
    ("sts", {"sharing": "contention", "speedup": "strong", "laws": "mild"}),
    ("sts", {"mix": "a100", "speedup": "p0.5", "samples": 13_000, "laws": "fixed"}),
    ("kiros", {}),
    ("kiros", {"times": "networks", "due": "tight", "catalogue": "azure"}),
    ("andreas", {}),
    ("andreas", {"scenario": 2}),
]
IDS = [f"{family}-{'-'.join(map(str, kind.values()))}" for family, kind in VARIANTS]
each = pytest.mark.parametrize(("family", "kind"), VARIANTS, ids=IDS)

GOLDEN = {
    "sts-km-none-at0-weak-130k-base-N10-J40-s0": (
        "sts",
        {},
        "a9fdfe4c320c5899433f6d5be9e7ffbf4675e7f86734ba979e25e34d2877a533",
    ),
    "sts-kma-paper-at0-weak-130k-base-N100-J400-s1": (
        "sts",
        {"mix": "kma", "sharing": "paper", "nodes": 100, "jobs": 400, "seed": 1},
        "386ead82ee12c9720bd46f08830947ea6968b42eabefdaa29c6e85e0a90779f0",
    ),
    "sts-a100-paper-at0-weak-130k-strong-N10-J40-s2": (
        "sts",
        {"mix": "a100", "sharing": "paper", "laws": "strong", "seed": 2},
        "72e75b49d325ca934d39e42900b38e3170c1ab8b5b5388fa07c540540bf7d167",
    ),
    "sts-km-contention-at0-strong-130k-mild-N10-J40-s3": (
        "sts",
        {"sharing": "contention", "speedup": "strong", "laws": "mild", "seed": 3},
        "cc6f98596560f7ae1ca5faddd70bb7b619fe235d240fd2e0b05841e6dc207f43",
    ),
    "sts-kma-none-at0-p0.5-13k-fixed-N10-J40-s0": (
        "sts",
        {"mix": "kma", "speedup": "p0.5", "samples": 13000, "laws": "fixed"},
        "430e941af3eb6b8efaa00abadd43154f37f98a99cbd986b6e0a54cb036a4f958",
    ),
    "sts-km-none-at0-weak-130k-base-N1-J1-s0": (
        "sts",
        {"nodes": 1, "jobs": 1},
        "9f07f3afeef9562890eae5cb64d34180e85dc396a9e6903d65e6c1800d2580d1",
    ),
    "sts-km-none-exp50000-weak-130k-base-N10-J40-s0": (
        "sts",
        {"law": "exp"},
        "7284c686911f594a1658f4ce1cbf8077693c88ca0a14e06d37d63c378edc2f42",
    ),
    "sts-kma-paper-high-weak-130k-base-N10-J40-s0": (
        "sts",
        {"law": "high", "mix": "kma", "sharing": "paper"},
        "1f1b9c87ad364f1bfa26f956b95012e875bfce49ef15174c2b11b0599e5dc91e",
    ),
    "sts-km-none-low-weak-1234-base-N10-J40-s4": (
        "sts",
        {"law": "low", "samples": 1234, "seed": 4},
        "f0c8c0f1441e826b625f99fb50fef049fb97de40721adda60c1385f43bbb3c9a",
    ),
    "kiros-kiros-base-at0-synthetic-N10-J40-s0": (
        "kiros",
        {},
        "6798ea2d5fb4813aa05d7fa41ae73d6e49e052bc7df2c30748f80c4259583e83",
    ),
    "kiros-azure-tight-at0-networks-N10-J40-s7": (
        "kiros",
        {"times": "networks", "due": "tight", "catalogue": "azure", "seed": 7},
        "4585e6c0e81b6c9994b3607ea182a6acd4e2aba811ff16db427f7692cd9f3d8b",
    ),
    "kiros-kiros-base-at0-synthetic-N100-J400-s1": (
        "kiros",
        {"nodes": 100, "jobs": 400, "seed": 1},
        "40f655d38fc3809af7e567d570828ce3dfa405a8f4bd09ed6769b46e864457b5",
    ),
    "kiros-kiros-base-exp30000-synthetic-N10-J40-s0": (
        "kiros",
        {"law": "exp"},
        "9cef9879bced25478f8c44e38b425a4fdc7959dba09cdbeefc54bf8d178dd0fc",
    ),
    "kiros-kiros-base-poisson1000-networks-N10-J40-s0": (
        "kiros",
        {"law": "integer_poisson", "gap_seconds": 1000.0, "times": "networks"},
        "b8fd5a0f462061dca9ad38ecb7f18dd586e5e37a87dded96c72ba2d975f82033",
    ),
    "andreas-scenario1-at0-N10-J40-s0": (
        "andreas",
        {},
        "0744a0b457603e97f52bf6c2ab25f32971015bc1dd5a39a96d52ef975d24795b",
    ),
    "andreas-scenario2-at0-N100-J400-s1": (
        "andreas",
        {"scenario": 2, "nodes": 100, "jobs": 400, "seed": 1},
        "a22bb80553696558a3b15ff877f2fd143852ef446db7093b0ebccb625734e20e",
    ),
    "andreas-scenario1-mixed-N10-J40-s0": (
        "andreas",
        {"law": "mixed"},
        "c6a3272e738827df56118bdf517fbdf52a5d0c14425122a866b792ed27e967a8",
    ),
    "andreas-scenario2-constant1200-N10-J40-s0": (
        "andreas",
        {"law": "constant", "gap_seconds": 1200.0, "scenario": 2},
        "4817fce674133591c81bfcd5d8ebced7f9f7af81084a4816c9c5c0127a15d876",
    ),
}


def made(family, kind, nodes=10, jobs=40, seed=0, **arrival):
    build = GENERATORS[family].workload if arrival else GENERATORS[family].generate
    return build(nodes=nodes, jobs=jobs, seed=seed, **kind, **arrival)


@pytest.mark.parametrize("name", GOLDEN)
def test_generated_instances_are_the_ones_they_always_were(name):
    family, kind, digest = GOLDEN[name]
    build = GENERATORS[family].generate if "-at0-" in name else GENERATORS[family].workload
    subject = build(**{"nodes": 10, "jobs": 40, "seed": 0, **kind})
    assert subject.name == name
    assert subject.digest == digest


@each
def test_the_objective_and_its_constants_are_the_familys(family, kind):
    subject = made(family, kind)
    assert subject.objective == FAMILIES[family]
    assert (subject.H, subject.rho, subject.now) == (1, 100, 0)
    assert subject.cluster.nodes == 10
    assert subject.jobs.id[:2] == ("j1", "j2")


@each
def test_the_generator_block_is_enough_to_make_it_again(family, kind):
    for arrival in ({}, {"law": "exp"}, {"law": "mixed"}, {"law": "constant", "gap_seconds": 60}):
        subject = made(family, kind, **arrival)
        build = GENERATORS[family].workload if arrival else GENERATORS[family].generate
        again = build(**subject.generator["parameters"])
        assert again.digest == subject.digest
        assert again.name == subject.name
        assert subject.generator["name"] == family


@each
def test_the_jobs_of_a_small_instance_are_the_first_of_a_large_one(family, kind):
    small, large = made(family, kind), made(family, kind, nodes=100, jobs=400)
    for field in ("due", "weight", "memory_gb", "epochs_max", "hours_per_epoch", "inflation"):
        assert np.array_equal(getattr(small.jobs, field), getattr(large.jobs, field)[:40]), field
    assert small.jobs.application == large.jobs.application[:40]
    assert small.jobs.law == large.jobs.law[:40]


@each
@pytest.mark.parametrize("law", [*arrivals.LAWS, *arrivals.LOADS])
def test_the_first_jobs_of_a_longer_stream_are_those_of_a_shorter_one(family, kind, law):
    short, long = made(family, kind, law=law), made(family, kind, jobs=100, law=law)
    assert np.array_equal(short.jobs.release, long.jobs.release[:40])
    assert np.array_equal(short.jobs.due, long.jobs.due[:40])
    assert np.array_equal(short.realised_epochs, long.realised_epochs[:40])


@each
def test_a_workload_submits_the_same_jobs_over_time(family, kind):
    at0, stream = made(family, kind), made(family, kind, law="exp")
    for field in ("weight", "memory_gb", "epochs_max", "hours_per_epoch", "inflation"):
        assert np.array_equal(getattr(at0.jobs, field), getattr(stream.jobs, field)), field
    assert stream.jobs.due - stream.jobs.release == pytest.approx(at0.jobs.due, abs=1e-3)
    assert stream.name == at0.name.replace("-at0", f"-exp{GAPS[family]}")
    assert stream.jobs.release[0] == 0


@each
def test_gaps_are_divided_by_the_number_of_nodes(family, kind):
    few, many = (made(family, kind, nodes=nodes, law="exp") for nodes in (10, 40))
    assert few.jobs.release == pytest.approx(4 * many.jobs.release, rel=2e-5)
    constant = made(family, kind, law="constant", gap_seconds=36_000).jobs.release
    assert constant == pytest.approx(np.arange(40), abs=1e-9)


@each
def test_all_numbers_have_six_significant_decimals(family, kind):
    subject = made(family, kind, law="high")
    values = [getattr(subject.jobs, field) for field in ("release", "due", "weight", "memory_gb")]
    values += [subject.jobs.hours_per_epoch, subject.jobs.inflation, subject.cluster.cost_of_type]
    for value in np.concatenate([array.ravel() for array in values]).tolist():
        assert value == float(f"{value:.6g}")


@each
def test_files_read_back_the_same(family, kind, tmp_path):
    instance, stream = made(family, kind), made(family, kind, law="low")
    write_instance(instance, tmp_path / "i.json.gz")
    write_workload(stream, tmp_path / "w.json")
    assert read_instance(tmp_path / "i.json.gz").digest == instance.digest
    assert read_workload(tmp_path / "w.json").digest == stream.digest


@each
def test_one_node_and_one_job_both_work(family, kind):
    assert len(made(family, kind, nodes=1, jobs=1).jobs) == 1
    for law in (*arrivals.LAWS, *arrivals.LOADS):
        assert made(family, kind, nodes=1, jobs=3, law=law).cluster.nodes == 1


@each
def test_numpy_integers_are_integers(family, kind, tmp_path):
    n = np.int64(3)
    write_instance(made(family, kind, nodes=n, jobs=n, seed=n), tmp_path / "i.json")
    assert read_instance(tmp_path / "i.json").digest == made(family, kind, 3, 3, 3).digest


@each
def test_weights_and_due_dates_are_uniform_between_their_ends(family, kind):
    subject = made(family, kind, nodes=10, jobs=1000)
    low, high = GENERATORS[family].WEIGHT
    assert stats.kstest((subject.jobs.weight - low) / (high - low), "uniform").pvalue > 0.001
    hours = subject.hours_per_epoch * subject.jobs.epochs_max[:, None, None]
    assert (subject.jobs.due >= hours.min(axis=(1, 2)) * (1 - 1e-5)).all()


def test_families_draw_other_jobs():
    drawn = [made(family, {}).jobs.weight for family in GENERATORS]
    share = [
        (weight - GENERATORS[family].WEIGHT[0]) / np.ptp(GENERATORS[family].WEIGHT)
        for family, weight in zip(GENERATORS, drawn, strict=True)
    ]
    assert np.abs(np.diff(share, axis=0)).max(axis=1).min() > 0.1


@pytest.mark.parametrize("family", GENERATORS)
@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"nodes": 0}, "/nodes: found 0"),  # no node
        ({"nodes": 2.5}, "/nodes: found 2.5"),  # half a node
        ({"jobs": 0}, "/jobs: found 0"),  # no job
        ({"jobs": "40"}, "/jobs: found '40'"),  # text
        ({"seed": -1}, "/seed: found -1"),  # seeds count from 0
        ({"law": "uniform"}, "/law: found 'uniform', expected one of exp, .*, mixed"),
        ({"law": "exp", "gap_seconds": 0}, "/gap_seconds: found 0"),  # no stream
        ({"law": "exp", "gap_seconds": "30"}, "/gap_seconds: found '30'"),  # text
        ({"law": "exp", "gap_seconds": float("nan")}, "/gap_seconds: found nan"),
        ({"law": "high", "gap_seconds": 30.0}, "/gap_seconds: found 30.0, expected none: the"),
    ],
)
def test_bad_arguments_are_refused_by_name(family, bad, told):
    with pytest.raises(InputError, match=told):
        made(family, {}, **bad)


@pytest.mark.parametrize(
    ("family", "bad", "told"),
    [
        ("sts", {"mix": "k"}, "/mix: found 'k', expected one of km, a100, kma"),
        ("sts", {"mix": ["km"]}, "/mix"),  # not a name
        ("sts", {"sharing": "all"}, "/sharing: .* none, paper, contention"),
        ("sts", {"speedup": "p0.7"}, "/speedup: .* weak, strong, p0.5"),
        ("sts", {"samples": 0}, "/samples: found 0"),
        ("sts", {"laws": "none"}, "/laws: .* base, mild, strong, fixed"),
        ("kiros", {"catalogue": "aws"}, "/catalogue: found 'aws'"),
        ("kiros", {"due": "thrice"}, "/due: .* base, tight"),
        ("kiros", {"times": "measured"}, "/times: found 'measured'"),
        ("andreas", {"scenario": 3}, "/scenario: found 3, expected one of 1, 2"),
        ("andreas", {"scenario": "1"}, "/scenario: found '1'"),
    ],
)
def test_bad_options_are_refused_with_the_known_ones(family, bad, told):
    with pytest.raises(InputError, match=told):
        made(family, bad)

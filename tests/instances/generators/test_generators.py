"""What the generators of Jahani, STS, Kiros and ANDREAS have in common; digests that stay."""

import numpy as np
import pytest
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.generators import andreas, arrivals, jahani, kiros, sts
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.files import read_instance, read_workload, write_instance, write_workload

GENERATORS = {"jahani": jahani, "sts": sts, "kiros": kiros, "andreas": andreas}
WEIGHTS = {
    "jahani": jahani.WEIGHT,
    "sts": sts.WEIGHT,
    "kiros": jahani.WEIGHT,
    "andreas": andreas.WEIGHT,
}
GAPS = {"jahani": 30, "sts": 50_000, "kiros": 30_000, "andreas": 30_000}
VARIANTS = [
    ("jahani", {}),
    ("jahani", {"times": "networks", "due": "tight", "catalogue": "azure"}),
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

# First digits of digests: of each variant at time 0, and over time by one law each. Those of other
# options are in the library (library/test_sets.py).
GOLDEN = {
    "jahani-table2-base-at0-synthetic-N10-J40-s0": "d4769f38c2e8a068",
    "jahani-table2-base-exp30-synthetic-N10-J40-s1": "ca3e98719872126a",
    "jahani-azure-tight-at0-networks-N10-J40-s0": "62a66b0271470855",
    "jahani-azure-tight-poisson30-networks-N10-J40-s1": "28ec93c1998c30d5",
    "sts-km-none-at0-weak-130k-base-N10-J40-s0": "a9fdfe4c320c5899",
    "sts-km-none-constant50000-weak-130k-base-N10-J40-s1": "460eb3d67ef4dc45",
    "sts-kma-paper-at0-weak-130k-base-N10-J40-s0": "931784737a28ac79",
    "sts-kma-paper-high-weak-130k-base-N10-J40-s1": "962a0a641eee8654",
    "sts-km-contention-at0-strong-130k-mild-N10-J40-s0": "268d1db914fa64f1",
    "sts-km-contention-low-strong-130k-mild-N10-J40-s1": "777ef0cb97fc15c6",
    "sts-a100-none-at0-p0.5-13k-fixed-N10-J40-s0": "094d54613e115e49",
    "sts-a100-none-mixed-p0.5-13k-fixed-N10-J40-s1": "6ba3c3a2dc219979",
    "kiros-kiros-base-at0-synthetic-N10-J40-s0": "6798ea2d5fb4813a",
    "kiros-kiros-base-exp30000-synthetic-N10-J40-s1": "94629c113faa11e1",
    "kiros-azure-tight-at0-networks-N10-J40-s0": "945efeab026bd0a8",
    "kiros-azure-tight-poisson30000-networks-N10-J40-s1": "abe3ad8e8c08bdc3",
    "andreas-scenario1-at0-N10-J40-s0": "0744a0b457603e97",
    "andreas-scenario1-constant30000-N10-J40-s1": "5b28d6f07e50feb4",
    "andreas-scenario2-at0-N10-J40-s0": "b58e1f9a7b29e10e",
    "andreas-scenario2-high-N10-J40-s1": "d4ac80e152519452",
}


def made(family, kind, nodes=10, jobs=40, seed=0, **arrival):
    over_time = {"law", "gap_seconds"} & {*kind, *arrival}
    build = GENERATORS[family].workload if over_time else GENERATORS[family].generate
    return build(**{"nodes": nodes, "jobs": jobs, "seed": seed, **kind, **arrival})


def laws(family):
    return [*arrivals.PROCESSES, *(() if family == "jahani" else arrivals.LOADS)]


@each
def test_generated_instances_are_the_ones_they_always_were(family, kind):
    law = laws(family)[VARIANTS.index((family, kind)) % len(laws(family))]
    for subject in (made(family, kind), made(family, kind, seed=1, law=law)):
        assert subject.digest.startswith(GOLDEN[subject.name])


@each
def test_the_objective_and_its_constants_are_the_familys(family, kind):
    subject = made(family, kind)
    assert subject.objective == FAMILIES[family]
    assert (subject.H, subject.rho, subject.now) == (1, 100, 0)
    assert (subject.cluster.nodes, subject.jobs.id[:2]) == (10, ("j1", "j2"))


@each
def test_the_generator_block_is_enough_to_make_it_again(family, kind):
    for arrival in ({}, {"law": laws(family)[-1]}, {"law": "constant", "gap_seconds": 60}):
        subject = made(family, kind, **arrival)
        again = made(family, subject.generator["parameters"])
        assert (again.digest, again.name) == (subject.digest, subject.name)
        assert subject.generator["name"] == family
        assert subject.generator["version"]


@each
def test_the_jobs_of_a_small_instance_are_the_first_of_a_large_one(family, kind):
    small, large = made(family, kind), made(family, kind, nodes=100, jobs=100)
    for field in ("due", "weight", "memory_gb", "epochs_max", "hours_per_epoch", "inflation"):
        assert np.array_equal(getattr(small.jobs, field), getattr(large.jobs, field)[:40]), field
    assert small.jobs.application == large.jobs.application[:40]
    assert small.jobs.law == large.jobs.law[:40]


@pytest.mark.parametrize(("family", "law"), [(f, law) for f in GENERATORS for law in laws(f)])
def test_the_first_jobs_of_a_longer_stream_are_those_of_a_shorter_one(family, law):
    short, long = made(family, {}, law=law), made(family, {}, jobs=100, law=law)
    assert np.array_equal(short.jobs.release, long.jobs.release[:40])
    assert np.array_equal(short.jobs.due, long.jobs.due[:40])
    assert np.array_equal(short.realised_epochs, long.realised_epochs[:40])
    assert made(family, {}, nodes=1, jobs=3, law=law).cluster.nodes == 1


@each
def test_a_workload_submits_the_same_jobs_over_time(family, kind):
    at0, stream = made(family, kind), made(family, kind, law="exp")
    for field in ("weight", "memory_gb", "epochs_max", "hours_per_epoch", "inflation"):
        assert np.array_equal(getattr(at0.jobs, field), getattr(stream.jobs, field)), field
    assert stream.jobs.due - stream.jobs.release == pytest.approx(at0.jobs.due, abs=1e-3)
    assert stream.name == at0.name.replace("-at0", f"-exp{GAPS[family]}")
    assert stream.jobs.release[0] == 0


@pytest.mark.parametrize("family", ["sts", "kiros", "andreas"])
def test_gaps_are_divided_by_the_number_of_nodes(family):
    few, many = (made(family, {}, nodes=nodes, law="exp") for nodes in (10, 40))
    assert few.jobs.release == pytest.approx(4 * many.jobs.release, rel=2e-5)
    constant = made(family, {}, law="constant", gap_seconds=36_000).jobs.release
    assert constant == pytest.approx(np.arange(40), abs=1e-9)


@each
def test_all_numbers_have_six_significant_decimals(family, kind):
    subject = made(family, kind, law=laws(family)[-1])
    values = [getattr(subject.jobs, field) for field in ("release", "due", "weight", "memory_gb")]
    values += [subject.jobs.hours_per_epoch, subject.jobs.inflation, subject.cluster.cost_of_type]
    for value in np.concatenate([array.ravel() for array in values]).tolist():
        assert value == float(f"{value:.6g}")


@each
def test_files_read_back_the_same(family, kind, tmp_path):
    n = np.int64(3)  # integers of numpy are integers
    instance, stream = made(family, kind, n, n, n), made(family, kind, law=laws(family)[-1])
    write_instance(instance, tmp_path / "i.json.gz")
    write_workload(stream, tmp_path / "w.json")
    assert read_instance(tmp_path / "i.json.gz").digest == made(family, kind, 3, 3, 3).digest
    assert read_workload(tmp_path / "w.json").digest == stream.digest
    assert len(made(family, kind, nodes=1, jobs=1).jobs) == 1


@each
def test_weights_and_due_dates_are_uniform_between_their_ends(family, kind):
    subject = made(family, kind, nodes=10, jobs=1000)
    low, high = WEIGHTS[family]
    share = (subject.jobs.weight - low) / (high - low)
    assert (abs(share - 0.5) <= 0.5 + 1e-5).all()
    assert stats.kstest(share, "uniform").pvalue > 0.001
    hours = subject.hours_per_epoch * subject.jobs.epochs_max[:, None, None]
    assert (subject.jobs.due >= hours.min(axis=(1, 2)) * (1 - 1e-5)).all()


def test_families_draw_other_jobs():
    drawn = [made(family, {}).jobs.weight for family in GENERATORS]
    share = [
        (weight - WEIGHTS[family][0]) / np.ptp(WEIGHTS[family])
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
        ({"law": "uniform"}, "/law: found 'uniform', expected one of exp, "),
        ({"law": "exp", "gap_seconds": 0}, "/gap_seconds: found 0"),  # no stream
        ({"law": "exp", "gap_seconds": "30"}, "/gap_seconds: found '30'"),  # text
        ({"law": "exp", "gap_seconds": float("nan")}, "/gap_seconds: found nan"),
        ({"law": "exp", "gap_seconds": 1e12}, "/gap_seconds: found 1000000000000"),
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
        (
            "sts",
            {"law": "high", "gap_seconds": 30.0},
            "/gap_seconds: found 30.0, expected none: the",
        ),
        ("kiros", {"law": "uniform"}, "/law: found 'uniform', expected one of exp, .*, mixed"),
        ("jahani", {"catalogue": "aws"}, "/catalogue: found 'aws'"),
        ("jahani", {"catalogue": ["azure"]}, "/catalogue"),  # not a name
        ("jahani", {"due": "loose"}, "/due: found 'loose'"),
        ("jahani", {"times": "measured"}, "/times: found 'measured'"),
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

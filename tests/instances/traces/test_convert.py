"""Workloads of traces keep what is recorded, and say what was left out."""

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.generators import jahani, sts
from rsjs.instances.io.files import read_workload, write_workload
from rsjs.instances.traces import convert as conversion
from rsjs.instances.traces.convert import ConversionOptions, convert
from rsjs.instances.traces.imputation import build_cluster, gpus_of, parse_nodes, stand_ins
from rsjs.instances.traces.quality_report import inspect

NODES = "V100:8:2,P100:4:3"
LOG = "cluster_log.csv"
RUN_TIMES = [3600, 8640, 100, 90_000]


@pytest.fixture
def made(opened):
    """Convert the small trace of a format; failed jobs are kept."""

    def make(name="helios", change=None, nodes=NODES, **options):
        shapes = parse_nodes(nodes) if nodes else None
        report = inspect(opened(name, change), nodes=shapes, gpus=options.pop("gpus", None))
        return convert(report, ConversionOptions(**{"keep": ["failed"], **options}))

    return make


@pytest.mark.parametrize("rules", ["sts", "jahani"])
def test_the_recorded_run_time_is_that_on_the_recorded_gpus(format_name, made, rules):
    own = None if format_name in ("openb", "pai", "spot") else NODES
    laws = "fixed" if rules == "jahani" else "base"
    workload, chosen = made(format_name, nodes=own, rules=rules, laws=laws)
    jobs, rows = workload.jobs, chosen.rows
    known = stand_ins({}, "P100" if format_name == "philly" else "V100")
    names = [gpu.name for gpu in workload.cluster.gpu_types]
    for j in range(4):
        model = rows.models[rows.model[j]] if rows.model[j] >= 0 else ""
        gpu = names.index(gpus_of(model, known)[0])
        hours = jobs.hours_per_epoch[j, gpu, int(rows.gpus[j])] * workload.realised_epochs[j]
        assert hours == pytest.approx(RUN_TIMES[j] / 3600, rel=3e-16)
    assert jobs.release.tolist() == [0, 0.027778, 2, 2]
    assert [meta["gpus"] for meta in jobs.meta] == [1, 4, 2, 1]


def test_times_on_other_gpus_have_the_ratios_of_the_catalogue(made):
    from rsjs.instances.catalogue.gpus import seconds_per_epoch

    workload, _ = made(laws="fixed")
    jobs = workload.jobs
    for j, (network, meta) in enumerate(zip(jobs.application, jobs.meta, strict=True)):
        per_epoch = {
            (gpu, k): seconds_per_epoch(network, gpu, k, meta["batch"], prefix_minimum=True)
            for gpu, most in (("V100", 8), ("P100", 4))
            for k in range(1, most + 1)
        }
        recorded = per_epoch["V100", meta["gpus"]]
        names = [gpu.name for gpu in workload.cluster.gpu_types]
        for (gpu, k), seconds in per_epoch.items():
            hours = jobs.hours_per_epoch[j, names.index(gpu), k] * 100
            assert hours == pytest.approx(RUN_TIMES[j] / 3600 * seconds / recorded, rel=1e-5)


def test_networks_follow_the_gpu_hours(made):
    jobs = made()[0].jobs
    classes = [("AlexNet", "LSTM"), ("MobileNetV2", "EfficientNet-B0"), ("AlexNet", "LSTM")]
    classes.append(("ResNet-50", "VGG16"))  # 1, 9.6, 0.06 and 25 GPU-hours
    assert all(network in own for network, own in zip(jobs.application, classes, strict=True))


def test_a_job_that_runs_on_without_a_run_time_is_left_out_and_told(made):
    change = {"cluster_job_log": ('"end_time": "2020-06-09 19:41:01"', '"end_time": null')}
    workload, chosen = made("philly", change, keep=["failed", "running"])
    assert (len(workload.jobs), chosen.dropped) == (3, {"no-duration": 1})


@pytest.mark.parametrize("name", ["gavel", "spot"])
def test_a_job_without_a_recorded_start_has_done_its_part_since_it_was_submitted(name, made):
    own = None if name == "spot" else NODES
    workload, chosen = made(name, nodes=own, laws="fixed")
    hours = chosen.rows.duration[0] / 3600
    instance, _ = made(name, nodes=own, laws="fixed", at=hours / 2)
    assert instance.jobs.id[0] == workload.jobs.id[0]
    half = workload.realised_epochs[0] / 2
    assert instance.jobs.epochs_done[0] == pytest.approx(half, rel=1e-4)


def test_networks_and_batches_of_gavel_are_those_recorded(made):
    jobs = made("gavel")[0].jobs
    assert jobs.application == ("ResNet-50", "LSTM", "AlexNet", "ResNet-50")
    assert [meta["batch"] for meta in jobs.meta if meta["batch"] != 32][:2] == [64, 5]
    assert jobs.meta[3]["batch"] == 16


@pytest.mark.parametrize(
    ("rules", "laws", "least", "most", "weight"),
    [("sts", "base", 1, 3, sts.WEIGHT), ("jahani", "fixed", 1, np.inf, jahani.WEIGHT)],
)
def test_due_dates_and_weights_follow_the_rules(made, rules, laws, least, most, weight):
    workload, _ = made(rules=rules, laws=laws)
    jobs = workload.jobs
    hours = jobs.hours_per_epoch * 100 if laws == "fixed" else None
    if hours is None:
        hours = jobs.hours_per_epoch * workload.realised_epochs[:, None, None]
    fastest = hours.min(axis=(1, 2))
    slack = jobs.due - jobs.release
    assert (slack >= least * fastest - 1e-6).all()
    assert (slack <= most * fastest + 1e-6).all()
    assert ((jobs.weight >= weight[0]) & (jobs.weight <= weight[1])).all()
    assert workload.objective.expectation == ("expected" if rules == "sts" else "worst_case")


def test_a_job_that_asks_for_gpu_types_runs_on_no_other(made):
    workload, _ = made("openb", nodes=None)
    assert [gpu.name for gpu in workload.cluster.gpu_types] == ["P100", "V100", "T4"]
    runs = np.isfinite(workload.jobs.hours_per_epoch).any(axis=2).tolist()
    assert runs == [[True] * 3, [False, True, False], [False, False, True], [True, False, False]]


def test_a_recorded_share_may_be_taken_and_costs_no_time(made):
    workload, _ = made("openb", nodes=None, sharing="recorded")
    assert [len(gpu.levels) for gpu in workload.cluster.gpu_types] == [3, 3, 3]
    factor = workload.jobs.inflation
    assert np.isinf(factor[:3]).all()
    assert (factor[3] == 1).all()
    assert workload.jobs.memory_gb[3] <= 4  # a quarter of a P100
    assert not np.isfinite(made("openb", nodes=None)[0].jobs.inflation).any()


FLAWED = (LOG, ("7001,u,vc,4", "7001,u,vc,0"))


def test_what_is_dropped_is_counted_once(made):
    workload, chosen = made(change=dict([FLAWED]), keep=[], drop=["no-gpu", "failed"])
    assert chosen.dropped == {"no-gpu": 1}  # it failed too
    assert workload.jobs.id == ("7000", "7002", "7003")
    assert workload.generator["parameters"]["dropped"] == {"no-gpu": 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": []}, "/drop: found 1 no-gpu, 1 failed"),
        ({"keep": [], "drop": ["no-gpu"]}, "found 1 failed at line 3, expected"),
        ({"keep": ["failed"]}, "found 1 no-gpu at line 3, expected"),
        ({"keep": ["no-gpu"]}, "/keep: found 'no-gpu'"),
        ({"drop": ["truncated"]}, "/drop: found 'truncated'"),
        ({"drop": ["all"]}, "/drop: found 'all'"),
        ({"drop": ["no-gpu"], "after": 5}, "no row without a flaw"),
        ({"drop": ["no-gpu"], "after": -1}, "/after"),
        ({"drop": ["no-gpu"], "jobs": 0}, "/jobs"),
        ({"drop": ["no-gpu"], "rules": "kiros"}, "/rules"),
        ({"drop": ["no-gpu"], "rules": "jahani"}, "/laws: found 'base', expected fixed"),
        ({"drop": ["no-gpu"], "sharing": "all"}, "/sharing"),
        ({"drop": ["no-gpu"], "nodes": None}, "/cluster: found None"),
        ({"drop": ["no-gpu"], "nodes": "V100"}, "/cluster: found 'V100'"),
        ({"drop": ["no-gpu"], "nodes": "H800:8:1"}, "/cluster: found 'H800'"),
        ({"drop": ["no-gpu"], "gpus": {"": "H800"}}, "/gpus: found 'H800'"),
    ],
)
def test_rows_that_nobody_named_are_no_workload(made, options, message):
    with pytest.raises(InputError, match=message):
        made(change=dict([FLAWED]), **options)


def test_jobs_out_of_order_are_put_in_order_if_kept(made):
    moved = {
        LOG: (
            "7001,u,vc,4,4,1,FAILED,2020-06-09 18:42:41",
            "7001,u,vc,4,4,1,FAILED,2020-06-09 10:41:01",
        )
    }
    with pytest.raises(InputError, match="1 unsorted"):
        made(change=moved, keep=["failed", "inconsistent"])
    workload, _ = made(change=moved, keep=["failed", "unsorted"])
    assert workload.jobs.id == ("7001", "7000", "7002", "7003")
    assert workload.jobs.release.tolist() == [0, 8, 10, 10]


def test_the_first_of_duplicates_stays(made):
    workload, chosen = made(change={LOG: ("7003,", "7002,")}, drop=["duplicate"])
    assert workload.jobs.id == ("7000", "7001", "7002")
    assert workload.jobs.meta[2]["gpus"] == 2
    assert chosen.dropped == {"duplicate": 1}


def test_a_part_of_the_trace_may_be_taken(made):
    assert made(jobs=2)[0].jobs.id == ("7000", "7001")
    workload, chosen = made(after=0.02)
    assert (workload.jobs.id, workload.jobs.release[0]) == (("7001", "7002", "7003"), 0)
    assert (len(chosen.rows), chosen.left) == (3, 1)
    assert made(after=0.02, jobs=1)[1].left == 3


def test_the_first_jobs_stay_when_few_rows_are_held(made, monkeypatch):
    monkeypatch.setattr(conversion, "_SPARE", 0)
    assert made(jobs=2)[0].jobs.id == ("7000", "7001")
    monkeypatch.setattr(conversion, "MAX_JOBS", 3)
    with pytest.raises(InputError, match="/jobs"):
        made()


def test_more_jobs_leave_the_first_as_they_are(made):
    two, four = made(jobs=2)[0].jobs, made()[0].jobs
    assert two.due.tolist() == four.due[:2].tolist()
    assert two.application == four.application[:2]


def test_a_workload_of_a_trace_never_changes(made, tmp_path):
    workload, _ = made()
    assert workload.digest[:16] == "b8caa7ab541e08ba"
    write_workload(workload, tmp_path / "workload.json.gz")
    assert read_workload(tmp_path / "workload.json.gz").digest == workload.digest
    assert made(seed=2)[0].digest != workload.digest
    assert workload.name == "trace-helios-sts-base-none-N5-J4-s1"


def test_the_file_says_what_it_was_made_of(made):
    workload, _ = made("openb", nodes=None)
    made_of = workload.generator["parameters"]
    assert made_of["format"] == "openb"
    gpus = {"P100": ["P100"], "T4": ["T4"], "V100M16|V100M32": ["V100"]}
    assert made_of["gpus"] == {**gpus, "not recorded": ["V100"]}
    assert {len(file["sha256"]) for file in made_of["files"].values()} == {64}
    assert made_of["files"]["pod list"]["name"] == "pods.csv"


def test_clusters_have_prices_by_power_and_types_in_the_order_of_the_catalogue():
    nodes = parse_nodes("V100:8:2,K80:4:1,V100:4:3")
    cluster = build_cluster(nodes, {}, shared=False, flat=False)
    assert [node.name for node in cluster.node_types] == ["4 x K80", "8 x V100", "4 x V100"]
    assert [group.count for group in cluster.groups] == [1, 2, 3]
    steps = np.diff(cluster.node_types[1].cost[1:])
    assert steps == pytest.approx([steps[0]] * 7, rel=1e-4)
    flat = build_cluster(nodes, {}, shared=False, flat=True)
    assert set(flat.node_types[1].cost[1:]) == {cluster.node_types[1].cost[-1]}

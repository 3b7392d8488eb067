"""Jobs and nodes of a user's own: columns of any names, units and zones, and what is wrong."""

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.instances.traces.convert import ConversionOptions, convert, imputed
from rsjs.instances.traces.imputation import parse_nodes
from rsjs.instances.traces.own_tables import open_tables, parse_columns
from rsjs.instances.traces.quality_report import inspect

JOBS = """job;when;n;elapsed;type
a;2024-01-01T10:00:00Z;2;90;V100
b;2024-01-01T11:00:00Z;1;30;P100
c;2024-01-01T11:30:00Z;4;600;V100
"""
COLUMNS = "id=job,submit=when,gpus=n,duration=elapsed:min,gpu=type"
NODES = "gpu,gpus,count\nV100,4,3\nP100,2,1\n"
CLUSTER = "V100:8:2"


@pytest.fixture
def opened(tmp_path):
    """Inspect tables written from texts."""

    def make(jobs=JOBS, columns=COLUMNS, nodes=NODES, cluster=None):
        (tmp_path / "jobs.csv").write_text(jobs)
        path = None
        if nodes is not None:
            path = tmp_path / "nodes.csv"
            path.write_text(nodes)
        trace = open_tables(tmp_path / "jobs.csv", path, parse_columns(columns))
        return inspect(trace, nodes=parse_nodes(cluster) if cluster else None)

    return make


def made(report, **options):
    return convert(report, ConversionOptions(**{"laws": "fixed", **options}))[0]


def test_columns_of_any_names_and_units_become_a_workload(opened):
    workload = made(opened())
    assert isinstance(workload, Workload)
    assert workload.jobs.id == ("a", "b", "c")
    assert workload.jobs.release.tolist() == [0.0, 1.0, 1.5]
    names = [gpu.name for gpu in workload.cluster.gpu_types]
    hours = workload.jobs.hours_per_epoch * workload.realised_epochs[:, None, None]
    for j, (gpu, k, recorded) in enumerate((("V100", 2, 1.5), ("P100", 1, 0.5), ("V100", 4, 10))):
        assert hours[j, names.index(gpu), k] == pytest.approx(recorded, rel=1e-15)
    assert workload.cluster.nodes == 4


def test_rigid_jobs_run_on_the_recorded_number_of_gpus_only(opened):
    workload = made(opened(), rigid=True)
    counts = [
        {int(k) for k in np.flatnonzero(np.isfinite(hours).any(axis=0))}
        for hours in workload.jobs.hours_per_epoch
    ]
    assert counts == [{2}, {1}, {4}]
    assert workload.generator["parameters"]["rigid"] is True


def test_rigid_shares_have_one_level(opened):
    jobs = "submit,gpus,duration,share\n0,1,60,0.3\n1,1,60,1\n"
    for rigid, levels in ((True, [[1], []]), (False, [[1, 2], []])):
        report = opened(jobs, columns="", nodes=None, cluster=CLUSTER)
        workload = made(report, rigid=rigid, sharing="recorded")
        shares = np.isfinite(workload.jobs.inflation[:, 0])
        assert [np.flatnonzero(row).tolist() for row in shares] == levels


def test_a_queue_without_submissions_is_an_instance_with_what_was_recorded(opened):
    jobs = "gpus,duration,due,weight,memory\n2,5400,3600,0.5,3\n1,1800,7200,,\n"
    report = opened(jobs, columns="", nodes=None, cluster=CLUSTER)
    instance, selection = convert(report, ConversionOptions(laws="fixed"))
    assert isinstance(instance, Instance)
    assert instance.jobs.id == ("line2", "line3")
    assert instance.jobs.due.tolist() == [1.0, 2.0]
    assert instance.jobs.weight[0] == 0.5
    assert instance.jobs.memory_gb[0] == 3.0
    assert check(instance, Solution.empty(2, instance.cluster.nodes)).feasible
    rules = imputed(selection.rows, ConversionOptions(laws="fixed"))
    assert "due" not in rules
    assert {"weight", "memory", "gpu", "application", "epochs"} <= {*rules}


def test_an_instance_at_a_moment_has_the_jobs_that_wait_or_run(opened):
    jobs = (
        "submit,start,gpus,duration\n0,0,1,3600\n0,1800,1,7200\n1800,7200,1,3600\n9000,9000,1,60\n"
    )
    report = opened(jobs, columns="", nodes=None, cluster=CLUSTER)
    instance = made(report, at=1.5)  # 5400 s
    assert instance.jobs.id == ("line3", "line4")
    assert instance.jobs.epochs_done.tolist() == [50.0, 0.0]
    assert instance.now == 1.5
    with pytest.raises(InputError, match=r"^/at: found no job that waits or runs at hour 4"):
        made(report, at=4.0)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("gpu", "/columns: found 'gpu', expected ROLE=COLUMN"),
        ("gpus=n,gpus=n", "expected gpus once"),
        ("gpus=n,length=elapsed", "found 'length', expected one of the roles id, submit"),
        ("gpus=n,duration=runtime", "found duration=runtime, a column that stands 0 times"),
        ("gpus=n,duration=elapsed:y", "expected one of the units s, ms, min, h, d"),
        ("gpus=n:h,duration=elapsed", "found 'gpus=n:h', expected no unit"),
        ("duration=elapsed", "no column for gpus among job, when, n, elapsed, type"),
        ("gpus=n", "no column for duration, or start and end among job"),
        ("gpus=n,duration=elapsed,node_gpus=size", "node_gpus=size, a column that stands 0 times"),
    ],
)
def test_columns_that_make_no_sense_are_refused_by_name(opened, columns, said):
    with pytest.raises(InputError) as caught:
        opened(columns=columns)
    assert said in str(caught.value)


def test_a_column_twice_is_refused(opened):
    with pytest.raises(InputError, match=r"gpus=gpus, a column that stands 2 times"):
        opened("gpus,gpus,duration\n1,1,60\n", columns="")


def kinds(report):
    return {
        kind["kind"]: [place["line"] for place in kind["first"]]
        for kind in report.as_document()["kinds"]
    }


def test_what_is_wrong_is_counted_by_kind_with_lines_and_nothing_is_dropped_silently(opened):
    jobs = (
        "id,submit,gpus,duration,memory,weight\n"
        "a,2024-01-01 10:00:00,1,60,1,1\n"
        "b,2024-01-01 10:01:00+02:00,1,60,1,1\n"
        "c,2024-01-01 10:02:00,1,-60,1,1\n"
        "d,2024-01-01 10:03:00,1,0,1,1\n"
        "e,2024-01-01 10:04:00,16,60,1,1\n"
        "f,2024-01-01 10:05:00,1.5,60,1,1\n"
        "g,2024-01-01 10:06:00,1,60,80,1\n"
        "h,2024-01-01 10:07:00,1,60,1,-1\n"
        "i,yesterday,1,60,1,1\n"
        "j,2024-01-01 10:09:00,1,soon,1,1\n"
        "a,2024-01-01 10:10:00,1,60,1,1\n"
        "k,2024-01-01 10:11:00,1,60,1\n"
        "l,,1,60,1,1\n"
    )
    report = opened(jobs, columns="", nodes=None, cluster="V100:8:1")
    assert kinds(report) == {
        "time-zone": [3],
        "negative-duration": [4],
        "no-duration": [5],
        "too-large": [6, 8],
        "gpu-count": [7],
        "negative": [9],
        "time": [10],
        "number": [11],
        "duplicate": [12],
        "fields": [13],
        "no-submission": [14],
    }
    with pytest.raises(InputError, match=r"1 time-zone.*2 too-large.*expected each kind in --drop"):
        made(report)
    assert made(report, drop=[*kinds(report)]).jobs.id == ("a",)


def test_milliseconds_read_as_seconds_look_odd(opened):
    lines = [f"{60 * i},1,{3_600_000 + i}" for i in range(50)]
    jobs = "submit,gpus,duration\n" + "\n".join(lines) + "\n"
    report = opened(jobs, columns="", nodes=None, cluster=CLUSTER)
    assert any("check the unit" in remark for remark in report.remarks)
    report = opened(jobs, columns="duration=duration:ms", nodes=None, cluster=CLUSTER)
    assert report.remarks == []


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ("gpu,gpus,count\nV100,4.5,1\n", r"/2/gpus: found 4.5, expected a whole number 0 to 1024"),
        ("gpu,gpus,count\nV100,4,-1\n", r"/2/count: found -1, expected a whole number"),
        ("gpu,count\nV100,4\n", r"no column for node_gpus among gpu, count"),
        ("", r"expected a header"),
    ],
)
def test_a_list_of_nodes_that_is_none_is_refused(opened, nodes, said):
    with pytest.raises(InputError, match=said):
        opened(nodes=nodes)

"""Jobs and nodes of a user's own: columns of any names, units and zones, and what is wrong."""

import gzip

import numpy as np
import pandas as pd
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.instances.traces.convert import ConversionOptions, convert, imputed, options_of_own
from rsjs.instances.traces.imputation import parse_nodes
from rsjs.instances.traces.own_tables import (
    inspect_tables,
    open_frames,
    open_tables,
    parse_columns,
)
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
        data = jobs if isinstance(jobs, bytes) else jobs.encode()
        (tmp_path / "jobs.csv").write_bytes(data)
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
    rules = imputed(selection.rows, report, ConversionOptions(laws="fixed"))
    assert "due" not in rules
    assert {"weight", "memory", "gpu", "application", "epochs"} <= {*rules}
    assert rules["weight"].endswith("; 1 of 2 jobs")
    assert instance.generator["parameters"]["imputed"] == rules


def test_an_instance_at_a_moment_has_the_jobs_that_wait_or_run(opened):
    jobs = (
        "submit,start,gpus,duration\n0,0,1,3600\n0,1800,1,7200\n1800,7200,1,3600\n9000,9000,1,60\n"
    )
    report = opened(jobs, columns="", nodes=None, cluster=CLUSTER)
    instance = made(report, at=1.5)  # 5400 s
    assert instance.jobs.id == ("line3", "line4")
    assert instance.jobs.epochs_done.tolist() == [50.0, 0.0]
    assert instance.now == 1.5
    with pytest.raises(
        InputError, match=r"^/at: found no job that waits or runs at 4 h after the first submission"
    ):
        made(report, at=4.0)


def test_a_job_without_a_start_waits_whatever_its_run_time(opened):
    jobs = "submit,start,end,gpus,duration\n0,,,1,60\n0,0,,1,3600\n0,,3000,1,60\n0,0,9000,1,9000\n"
    report = opened(jobs + "60,,,1,9000\n9000,,,1,60\n", "", None, CLUSTER)
    instance = made(report, at=1.0)
    assert instance.jobs.id == ("line2", "line5", "line6")
    assert instance.jobs.epochs_done.tolist() == [0.0, 40.0, 0.0]
    origin = instance.generator["parameters"]
    assert (origin["ended_before_at"], origin["submitted_after_at"]) == (2, 1)
    assert origin["imputed"]["weight"].endswith("; 3 of 3 jobs")
    assert "ended_before_at" not in made(report).generator["parameters"]


def test_ends_are_in_the_form_of_submissions(opened):
    jobs = "submit,end,gpus,duration\n2024-01-01 10:00:00,5,1,60\n"
    with pytest.raises(InputError, match=r"found end=end, numbers, expected dates without"):
        opened(jobs, "", None, CLUSTER)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("gpu", "/columns: found 'gpu', expected ROLE=COLUMN"),
        ("gpus=n,gpus=n", "expected gpus once"),
        ("gpus=n,length=elapsed", "found 'length', expected one of the roles id, submit"),
        ("gpus=n,duration=runtime", "found duration=runtime, no column"),
        ("gpus=n,duration=elapsed:y", "expected one of the units s, ms, min, h, d"),
        ("gpus=n:h,duration=elapsed", "found 'gpus=n:h', expected no unit"),
        ("duration=elapsed", "no column for gpus among job, when, n, elapsed, type"),
        ("submit=when", "no column for gpus and duration, or start and end among job"),
        ("gpus=n,submit=when,due=elapsed,duration=elapsed", "found due=elapsed, numbers, expected"),
        ("gpus=n,due=when,duration=elapsed", "found due=when, dates, expected submit=COLUMN"),
        ("gpus=n", "no column for duration, or start and end among job"),
        ("gpus=n,duration=elapsed,node_gpus=size", "node_gpus=size, no column"),
    ],
)
def test_columns_that_make_no_sense_are_refused_by_name(opened, columns, said):
    with pytest.raises(InputError) as caught:
        opened(columns=columns)
    assert said in str(caught.value)


def test_a_column_twice_is_refused(opened):
    with pytest.raises(InputError, match=r"gpus=gpus, which stands 2 times"):
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
    with pytest.raises(InputError, match=r"1 time-zone.*2 too-large.*expected each kind in drop"):
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


def test_ten_minutes_in_milliseconds_over_three_months_look_odd(opened):
    # seven days would be no odd run time by itself
    lines = [f"{7200 * i},1,{600_000 + i}" for i in range(1000)]
    jobs = "submit,gpus,duration\n" + "\n".join(lines) + "\n"
    [remark] = opened(jobs, columns="", nodes=None, cluster="V100:4:1").remarks
    assert remark == "83.5 GPUs busy on average, of 4: check the units of times"
    assert opened(jobs, "duration=duration:ms", None, "V100:4:1").remarks == []


def test_gpus_and_memory_must_fit_on_one_node(opened):
    jobs = "gpus,duration,memory\n8,60,36\n2,60,36\n8,60,10\n8,60,\n"
    report = opened(jobs, columns="", nodes=None, cluster="V100:8:1,A100:2:1")
    assert kinds(report) == {"too-large": [2]}
    assert made(report, drop=["too-large"]).jobs.memory_gb[0] == 36.0


def test_applications_and_gpu_types_that_others_stand_for_are_told(opened):
    jobs = "gpus,duration,application,gpu\n1,60,bert,A10\n1,60,ResNet-50,V100\n1,60,,V100\n"
    report = opened(jobs, columns="", nodes=None, cluster=CLUSTER)
    rules = convert(report, ConversionOptions(laws="fixed"))[0].generator["parameters"]["imputed"]
    assert "instead of bert; 2 of 3 jobs" in rules["application"]
    assert rules["gpu A10"] == "V100 for A10; 1 of 3 jobs"
    assert "gpu V100" not in rules


@pytest.mark.parametrize(
    "jobs",
    [
        "submit,gpus,duration,memory\n0,1,60,16000\n9,1,60,8000\n",  # MB
        "submit,gpus,duration,share\n0,1,60,50\n9,1,60,25\n",  # percent
        "submit,gpus,duration,due\n1000,1,60,60\n2000,1,60,90\n",  # from the submission on
        "submit,gpus,duration\n01.02.2024 10:00,1,60\n02.02.2024 10:00,1,60\n",  # not ISO 8601
        "submit,gpus,duration\n0,1,1:30:00\n9,1,1:20:00\n",
    ],
)
def test_a_column_in_another_unit_is_odd_as_a_whole(opened, jobs):
    [remark] = opened(jobs, columns="", nodes=None, cluster=CLUSTER).remarks
    assert remark.startswith("2 of 2 rows are ")
    assert remark.endswith("check column and unit")


def test_shares_in_percent_and_memory_in_mib_are_converted(opened):
    jobs = "submit,gpus,duration,share,memory\n0,1,60,25,2048\n"
    report = opened(jobs, "share=share:percent,memory=memory:MiB", None, CLUSTER)
    workload, _ = convert(report, options_of_own(report, ConversionOptions(laws="fixed")))
    assert workload.jobs.memory_gb.tolist() == [2 * 1.073741824]
    assert np.flatnonzero(np.isfinite(workload.jobs.inflation[0, 0])).tolist() == [0, 1, 2]


PLAIN = "id,submit,gpus,duration\na,0,1,60\nb,9,2,90\n"


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.replace(",", ";").encode(),
        PLAIN.replace(",", "\t").encode(),
        PLAIN.replace("a,0", '"a","0"').encode(),
        PLAIN.replace("id", '"id"').replace("submit", '"submit"').encode(),
        PLAIN.replace("\nb", "\n\n\nb").encode(),
        PLAIN[:-1].encode(),
        gzip.compress(PLAIN.encode(), mtime=0),  # as the name of a test it has no time
    ],
)
def test_a_table_reads_as_it_is_meant_however_it_is_written(opened, data):
    report = opened(data, columns="", nodes=None, cluster=CLUSTER)
    assert not report.has_errors
    workload = made(report)
    assert workload.jobs.id == ("a", "b")
    assert workload.jobs.release.tolist() == [0.0, 0.0025]


def test_a_comma_in_quotes_separates_no_columns_and_utf_16_is_refused(opened):
    report = opened(PLAIN.replace("id", '"job, user"'), "", None, CLUSTER)
    assert made(report).jobs.id == ("line2", "line3")
    with pytest.raises(InputError, match=r"jobs.csv: found UTF-16, expected UTF-8"):
        opened(PLAIN.encode("utf-16"), "", None, CLUSTER)


def test_names_in_another_encoding_stay_different(opened):
    report = opened(PLAIN.replace("a,0", "\xe4,0").encode("latin-1"), "", None, CLUSTER)
    assert not report.has_errors
    assert len({*made(report).jobs.id}) == 2


@pytest.mark.parametrize("zone", ["Z", " UTC", "+00:00", "+00"])
def test_time_zones_are_read_and_others_than_most_are_flaws(opened, zone):
    rows = [f"2024-01-01 1{i}:00:00{zone},1,60" for i in range(3)]
    rows += ["2024-01-01 14:00:00,1,60", "2024-01-01 15:00:00 CET,1,60"]
    report = opened("submit,gpus,duration\n" + "\n".join(rows), "", None, CLUSTER)
    assert kinds(report) == {"time-zone": [5, 6]}
    assert made(report, drop=["time-zone"]).jobs.release.tolist() == [0.0, 1.0, 2.0]


def test_dates_beyond_the_calendar_are_flaws(opened):
    dates = ["2024-01-01", "1800-01-01", "9999-12-31", "2024-02-30", "2024-01-01"]
    jobs = "submit,gpus,duration\n" + "".join(f"{date} 10:00:00,1,60\n" for date in dates)
    assert kinds(opened(jobs, "", None, CLUSTER)) == {"time": [3, 4, 5]}


def test_a_share_of_several_gpus_is_a_flaw_and_a_weight_of_0_is_odd(opened):
    jobs = "gpus,duration,share,weight\n2,60,0.5,1\n1,60,0.5,0\n2,60,1,1\n"
    report = opened(jobs, "", None, CLUSTER)
    assert kinds(report) == {"share": [2]}
    assert report.remarks == ["1 rows have weight 0: they may be late for nothing"]


def test_jobs_without_a_name_have_that_of_their_line(opened):
    jobs = "id,gpus,duration\n007,1,60\n,1,60\n,1,60\n"
    report = opened(jobs, "", None, CLUSTER)
    assert not report.has_errors
    assert made(report).jobs.id == ("007", "line3", "line4")
    frame = pd.DataFrame({"id": [7, None], "gpus": [1.0, 1.0], "duration": [60, 0.5]})
    report = inspect_tables(open_frames(frame), nodes=parse_nodes(CLUSTER))
    assert made(report).jobs.id == ("7", "row1")


def test_one_bad_first_entry_does_not_make_numbers_of_dates(opened):
    jobs = "submit,gpus,duration\n5,1,60\n2024-01-01 10:00:00,1,60\n2024-01-01 11:00:00,1,60\n"
    assert kinds(opened(jobs, "", None, CLUSTER)) == {"time": [2]}


@pytest.mark.parametrize(
    ("at", "jobs"),
    [
        ("2024-01-01T11:15:00Z", ("a", "b")),
        ("2024-01-01 12:20:00+01:00", ("a", "b")),
        (2.0, ("a", "b", "c")),
    ],
)
def test_a_moment_is_a_date_as_in_the_table_or_hours(opened, at, jobs):
    assert made(opened(), at=at).jobs.id == jobs


@pytest.mark.parametrize("at", ["2024-01-01 11:15:00", "yesterday", ""])
def test_a_moment_of_another_form_is_refused(opened, at):
    with pytest.raises(InputError, match=r"^/at: found .*, expected a date with a time zone"):
        made(opened(), at=at)
    with pytest.raises(InputError, match=r"expected hours from the first submission"):
        made(opened(PLAIN, "", None, CLUSTER), at=at)


@pytest.mark.parametrize(
    ("nodes", "gpus", "said"),
    [
        (None, {}, "/cluster: found None, expected the nodes: a list of nodes, or"),
        ("gpu,gpus\nB200,4\nV100,4\n", {}, "/gpus: found nodes with the GPU type B200, expected"),
        ("gpu,gpus\nB200,4\nV100,4\n", {"B200": "A100"}, ""),
    ],
)
def test_nodes_that_must_be_known_are_asked_for(tmp_path, nodes, gpus, said):
    (tmp_path / "jobs.csv").write_text(PLAIN)
    path = tmp_path / "nodes.csv" if nodes else None
    if nodes:
        path.write_text(nodes)
    tables = open_tables(tmp_path / "jobs.csv", path)
    if said:
        with pytest.raises(InputError) as caught:
            inspect_tables(tables, gpus=gpus)
        assert said in str(caught.value)
    else:
        assert not inspect_tables(tables, gpus=gpus).has_errors


def test_gpu_types_of_jobs_without_times_are_named(opened):
    report = opened("gpus,duration,gpu\n1,60,B200\n1,60,V100\n", "", None, CLUSTER)
    assert kinds(report) == {"gpu-model": [2]}
    assert "GPU types without times: B200 (1 rows)" in report.remarks[0]


FRAME = pd.DataFrame(
    {
        "job": ["a", "b", "c\nd"],
        "when": pd.to_datetime(["2024-01-01 10:00", "2024-01-01 11:00", "2024-01-01 11:30"]),
        "n": [2, 1, 4],
        "elapsed": pd.to_timedelta([90, 30, 600], unit="min"),
        "type": pd.Categorical(["V100", "P100", "V100"]),
        "note": [None, {"a": 1}, np.zeros(3)],
    },
    index=[7, 7, 9],
)
FRAME_COLUMNS = {"id": "job", "submit": "when", "gpus": "n", "duration": "elapsed", "gpu": "type"}
NODE_FRAME = pd.DataFrame({"gpu": ["V100", "P100"], "gpus": [4, 2], "count": [3, 1]})


@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_data_frames_become_what_their_csv_does(opened, zone):
    frame = FRAME.assign(when=FRAME["when"].dt.tz_localize(zone))
    workload = made(inspect_tables(open_frames(frame, NODE_FRAME, FRAME_COLUMNS)))
    same = made(opened(JOBS if zone else JOBS.replace("Z", "")))
    assert workload.jobs.id == ("a", "b", "c d")
    assert np.array_equal(workload.jobs.release, same.jobs.release)
    assert np.array_equal(workload.jobs.hours_per_epoch, same.jobs.hours_per_epoch)
    assert workload.cluster == same.cluster


def test_rows_of_data_frames_are_counted_from_0(opened):
    frame = FRAME.assign(n=[2, 0, 1.5]).drop(columns="job")
    columns = {role: column for role, column in FRAME_COLUMNS.items() if role != "id"}
    report = inspect_tables(open_frames(frame, NODE_FRAME, columns))
    assert kinds(report) == {"no-gpu": [1], "gpu-count": [2]}
    with pytest.raises(InputError, match=r"found 1 no-gpu, 1 gpu-count at row 1, 2, expected each"):
        made(report)
    assert made(report, drop=["no-gpu", "gpu-count"]).jobs.id == ("row0",)
    with pytest.raises(InputError, match=r"nodes: /1/gpus: found 2.5, expected a whole number"):
        inspect_tables(open_frames(FRAME, NODE_FRAME.assign(gpus=[4, 2.5]), FRAME_COLUMNS))

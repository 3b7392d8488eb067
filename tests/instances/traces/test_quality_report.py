"""What is wrong in a trace is counted by kind, with its line: one flaw in a clean trace each."""

import pytest

from rsjs.instances.traces.flaws import KINDS
from rsjs.instances.traces.imputation import parse_nodes
from rsjs.instances.traces.quality_report import inspect
from rsjs.instances.traces.registry import open_trace

CLEAN = {name: {"failed": 1} for name in ("openb", "pai", "philly", "helios")}
LOG, PODS, TASK, JOB = "cluster_log.csv", "pods.csv", "task.csv", "job.csv"
SPOT, PHILLY, GAVEL = "job_info_df.csv", "cluster_job_log", "a.trace"
DATE = "2020-06-09 18:42:41"  # submission of the second job
SUBMITTED = f'"submitted_time": "{DATE}"'

DAMAGE = [  # format, file, old text, new text, kind, lines
    # fields
    ("helios", LOG, "7001,u,", "7001,u,u,", "fields", [3]),  # one too many
    ("helios", LOG, "7001,u,", "7001,", "fields", [3]),  # one too few
    ("helios", LOG, "7001,u,", '7001,"u,', "fields", [3]),  # a quote that is not closed
    ("helios", LOG, "7001,u,", "\x00,u,", "fields", [3]),  # bytes of nothing
    ("gavel", GAVEL, "LM (", "LM\t(", "fields", [2]),
    ("pai", TASK, "job2,worker,", "job2,", "fields", [3]),
    ("philly", PHILLY, '"attempts": [', '"attempts": [[', "fields", [2]),  # no valid JSON
    ("philly", PHILLY, '"status"', '"state"', "fields", [2]),  # a key missing
    # times
    ("helios", LOG, DATE, f"{DATE}+08:00", "time-zone", [3]),
    ("helios", LOG, DATE, f"{DATE} PST", "time-zone", [3]),
    ("helios", LOG, DATE, "2020-02-30 18:42:41", "time", [3]),
    ("helios", LOG, DATE, "yesterday", "time", [3]),
    ("helios", LOG, DATE, "", "no-submission", [3]),
    ("helios", LOG, DATE, "None", "no-submission", [3]),
    ("philly", PHILLY, SUBMITTED, '"submitted_time": null', "no-submission", None),
    ("philly", PHILLY, SUBMITTED, SUBMITTED.replace(DATE, "None"), "no-submission", None),
    ("philly", PHILLY, SUBMITTED, SUBMITTED.replace(DATE, f"{DATE} PDT"), "time-zone", None),
    ("openb", PODS, "Failed,100,", "Failed,,", "no-submission", [3]),
    ("openb", PODS, "Failed,100,", "Failed,1OO,", "number", [3]),
    ("openb", PODS, "Failed,100,", "Failed,inf,", "number", [3]),
    ("openb", PODS, "Failed,100,", "Failed,1e300,", "number", [3]),
    ("openb", PODS, "Failed,100,", "Failed,-1e16,", "number", [3]),
    ("spot", SPOT, ",7200,", ",1e18,", "number", [4]),
    ("pai", TASK, "0.0,3600.0,600", "0.0,1e300,600", "number", [1]),
    ("helios", LOG, "COMPLETED,2020-06-09 20", "COMPLETED,2019-06-09 20", "unsorted", [4]),
    # run times
    ("openb", PODS, ",8800,160", ",159,160", "negative-duration", [3]),
    ("openb", PODS, ",8800,160", ",160,160", "no-duration", [3]),
    ("openb", PODS, ",8800,160", ",8800,99", "early-start", [3]),
    ("openb", PODS, ",8800,160", ",8800000000,160", "too-long", [3]),  # milliseconds
    ("openb", PODS, ",8800,160", ",8800,", "pending", [3]),
    ("openb", PODS, "LS,Succeeded,0", "LS,Running,0", "running", [2]),
    ("helios", LOG, ",8640,60", ",-8640,60", "negative-duration", [3]),
    ("helios", LOG, ",8640,60", ",144,60", "inconsistent", [3]),  # minutes
    ("helios", LOG, ",8640,60", ",,60", "no-duration", [3]),
    ("helios", LOG, "COMPLETED", "CANCELLED", "killed", [2]),
    ("helios", LOG, "COMPLETED", "TIMEOUT", "failed", [2, 3]),
    ("spot", SPOT, "100,8640,", "100,0,", "no-duration", [3]),
    ("pai", JOB, "Terminated", "Running", "running", [1]),
    ("pai", TASK, "0.0,3600.0,600", ",,600", "no-duration", [1]),
    ("gavel", GAVEL, "LM (", "MLP (", "no-duration", [2]),  # no throughput known
    ("philly", PHILLY, '"end_time": "2020-06-09 19:41:01"', '"end_time": null', "running", [2]),
    # states
    ("helios", LOG, "COMPLETED", "Completed", "state", [2]),
    ("helios", LOG, "COMPLETED", "", "state", [2]),
    ("helios", LOG, "COMPLETED", " COMPLETED ", "", []),
    ("openb", PODS, "Succeeded", "Unknown", "state", [2]),
    ("pai", JOB, "Terminated", "Interrupted", "state", [1]),
    ("philly", PHILLY, '"status": "Pass"', '"status": "Passed"', "state", [2]),
    # GPUs
    ("spot", SPOT, "20,2,2,", "20,-2,-2,", "gpu-count", [3]),
    ("spot", SPOT, "20,2,2,", "20,0.5,8,", "gpu-count", [3]),
    ("spot", SPOT, "20,2,2,", "20,1e200,1e200,", "gpu-count", [3]),
    ("helios", LOG, "vc,4,", "vc,1e30,", "gpu-count", [3]),
    ("philly", PHILLY, '"gpus": [', '"gpus": "gpu0", "x": [', "fields", [2]),
    ("helios", LOG, "vc,4,", "vc,0,", "no-gpu", [3]),
    ("helios", LOG, "vc,4,", "vc,1000,", "too-large", [3]),
    ("helios", LOG, "vc,4,", "vc,-1,", "gpu-count", [3]),
    ("helios", LOG, "vc,4,", "vc,,", "gpu-count", [3]),
    ("helios", LOG, "vc,4,", "vc,1.5,", "gpu-count", [3]),
    ("helios", LOG, "vc,4,", "vc,four,", "number", [3]),
    ("openb", PODS, "1,250,", "1,0.25,", "", []),  # a tiny share is no flaw ...
    ("openb", PODS, "1,250,", "1,2500,", "share", [5]),
    ("openb", PODS, "1,250,", "1,0,", "share", [5]),
    ("openb", PODS, "2,1000,T4", "8,1000,T4", "too-large", [4]),  # nodes with T4 have 4
    ("openb", PODS, "2,1000,T4", "2,1000,H800", "gpu-model", [4]),
    ("spot", SPOT, "13,A10,20,1", "13,GPU-series-1,20,1", "gpu-model", [2]),
    ("pai", TASK, "job1,worker,4.0", "job1,worker,", "gpu-count", [2]),
    ("pai", TASK, "job1,worker,4.0", "job1,worker,x", "number", [2]),
    ("pai", JOB, "job1,inst1", "jobX,inst1", "unmatched", [2, 2]),  # a job, two tasks of another
    # names
    ("helios", LOG, "7003,", "7001,", "duplicate", [5]),
    ("pai", JOB, "job3,", "job2,", "duplicate", [4]),
    ("pai", TASK, "job1,ps,", "job1,worker,", "duplicate", [5]),  # a task, not a job
    ("philly", PHILLY, "application_3", "application_1", "duplicate", None),
]


@pytest.mark.parametrize(("name", "file", "old", "new", "kind", "lines"), DAMAGE)
def test_a_flaw_is_found_on_its_line(opened, name, file, old, new, kind, lines):
    report = inspect(opened(name, {file: (old, new)}))
    counts = report.tally.flaws
    expected = CLEAN.get(name, {})
    assert report.tally.rows >= 4
    if not kind:
        assert counts == expected
        return
    assert counts.get(kind, 0) > expected.get(kind, 0) or (kind, lines) == ("failed", [2, 3])
    places = report.tally.places[kind]
    if lines is not None:
        assert [place.line for place in places] == lines
    error = next(each.error for each in KINDS if each.name == kind)
    assert report.has_errors == any(each.error and counts.get(each.name) for each in KINDS)
    assert report.has_errors or not error


def test_a_clean_trace_has_no_errors(format_name, opened):
    report = inspect(opened(format_name))
    assert report.tally.flaws == CLEAN.get(format_name, {})
    assert not report.has_errors
    assert report.tally.rows == report.tally.usable == 4


@pytest.mark.parametrize("format_name", ["openb", "helios", "spot"], indirect=True)
def test_missing_columns_are_told_and_no_row_is_read(opened, format_name):
    file, header, columns = {
        "openb": (PODS, ",gpu_milli,gpu_spec,", "gpu_spec"),
        "helios": (LOG, ",submit_time,", "submit_time"),
        "spot": (SPOT, ",gpu_request,", "gpu_request"),
    }[format_name]
    report = inspect(opened(format_name, {file: (header, header.replace(columns, "x"))}))
    assert report.has_errors
    assert report.tally.flaws == {"missing-column": 1}
    [place] = report.tally.places["missing-column"]
    assert (place.line, place.id) == (1, columns)
    assert report.tally.rows == 0


def test_the_multigpu_pods_of_openb_lack_columns_and_are_no_machine_spec_of_pai(tmp_path):
    path = tmp_path / "openb_pod_list_multigpu20.csv"
    path.write_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli\nopenb-pod-0,12000,16384,1,460\n")
    trace = open_trace([path])
    assert trace.format.name == "openb"
    assert {"creation_time", "scheduled_time"} <= {*trace.missing["pod list"]}


def test_the_load_is_gpus_by_run_time_over_the_span(opened):
    report = inspect(opened("openb"))
    work = {"": 3600, "V100M16|V100M32": 4 * 8640, "T4": 200, "P100": 0.25 * 90_000}
    assert {load.model: load.gpu_hours * 3600 for load in report.loads} == pytest.approx(work)
    assert [load.busy for load in report.loads] == pytest.approx(
        sorted((amount / 7200 for amount in work.values()), reverse=True)
    )
    found = {load.model: load.capacity for load in report.loads}
    assert found == {"": 22, "V100M16|V100M32": 16, "T4": 4, "P100": 2}
    assert report.tally.gpus == {0: 1, 1: 1, 2: 1, 4: 1}


def test_jobs_that_stand_twice_have_no_part_in_the_load_twice(opened):
    report = inspect(opened("helios"))
    again = inspect(opened("helios", {LOG: ("7003,", "7002,")}))
    assert [place.id for place in again.tally.places["duplicate"]] == ["7002"]
    assert (report.tally.usable, again.tally.usable) == (4, 3)
    assert report.loads[0].gpu_hours - again.loads[0].gpu_hours == pytest.approx(25)


def test_a_task_that_stands_twice_counts_once(opened, write):
    plain = inspect(opened("pai"))
    path = write("pai")[1]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[1], lines[0]]) + "\n")
    report = inspect(open_trace([path.with_name(JOB), path]))
    assert [place.line for place in report.tally.places["duplicate"]] == [6, 7]
    assert report.loads == inspect(open_trace([path.with_name(JOB), write("pai")[1]])).loads
    assert report.tally.usable == plain.tally.usable == 4


def test_a_job_that_never_started_has_no_load(opened):
    report = inspect(opened("helios", {LOG: ("vc,4,4,1,FAILED", "vc,,4,1,PENDING")}))
    assert (report.tally.flaws, report.tally.usable) == ({"pending": 1}, 3)
    assert report.loads[0].gpu_hours == pytest.approx(1 + 200 / 3600 + 25)


def test_gaps_are_told_the_longest_first(opened):
    line = "COMPLETED,{0} 20:41:01,{0} 20:41:01,{0} 20:42:41"
    dates = line.format("2020-06-09"), line.format("2020-06-12")
    assert inspect(opened("helios", {LOG: dates})).gaps == [(3, 71)]


def test_odd_units_of_the_whole_trace_are_remarked(opened, write):
    assert inspect(opened("spot")).remarks == []
    file = write("spot")[0]
    header, *lines = file.read_text().splitlines()
    jobs = [line.split(",") for line in lines]
    for factor in (1e-4, 1e3):  # days instead of seconds, and milliseconds
        rows = [[*job[:7], str(float(job[7]) * factor), job[8]] for job in jobs]
        file.write_text("\n".join([header, *map(",".join, rows)]))
        [remark] = inspect(open_trace([file])).remarks
        assert remark.endswith("check the unit")


def test_the_users_nodes_and_stand_ins_count(opened):
    change = {SPOT: ("13,A10,20,1", "13,H800,20,1")}
    assert inspect(opened("spot", change)).tally.flaws["gpu-model"] == 1
    report = inspect(opened("spot", change), gpus={"H800": "A100"})
    assert report.tally.flaws == {}
    report = inspect(opened("helios"), nodes=parse_nodes("V100:2:3"))
    assert report.tally.flaws == {"failed": 1, "too-large": 1}
    report = inspect(opened("helios"), nodes=parse_nodes("V100:2:3,P100:4:1"))
    assert report.tally.flaws == {"failed": 1}  # without a type it may run on both


def test_size_and_capacity_are_of_the_nodes_of_the_recorded_type(opened):
    """V100 stands for A10: nodes of V100 count only where there are none of A10."""
    nodes = "node_info_df.csv"
    for change, large, capacity in (
        (("0,A10,4,128", "0,A10,1,128\n2,V100,8,1"), {"too-large": 1}, 1),
        (("0,A10,4,128", "2,V100,8,1"), {}, 8),
        (("0,A10,4,128\n", ""), {"gpu-model": 2}, None),
    ):
        report = inspect(opened("spot", {nodes: change}))
        assert report.tally.flaws == large
        assert {load.capacity for load in report.loads if load.model == "A10"} <= {capacity}


def test_the_median_run_time_is_exact(opened):
    assert inspect(opened("helios")).median_run_time == (3600 + 8640) / 2

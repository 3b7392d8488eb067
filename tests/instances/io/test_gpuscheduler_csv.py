"""The CSV files of the authors' program: read, written, refused."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.cluster import NodeGroup
from rsjs.instances.generators import jahani
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io import gpuscheduler_csv
from rsjs.instances.io.files import read_any, write_instance, write_workload

JOBS, TIMES, NODES = gpuscheduler_csv.JOBS, gpuscheduler_csv.TIMES, gpuscheduler_csv.NODES
FILES = {
    JOBS: """Application,Images,Epochs,Batchsize,Jobs,UniqueJobsID,SubmissionTime,Deadline,\
Tardinessweight,MinExecTime,MaxExecTime
vgg16,13000,20,32,j7,JJ1,0.0,7200.0,0.001,3600.0,7200.0
"alex, net",50000,3,256,j1,JJ2,0.0,1000.5,0.0042,900.1,1800.2
""",
    TIMES: """UniqueJobsID,VMtype,GPUtype,nGPUs,max_nGPUs,cost,ExecutionTime
JJ1,NC6,K80,1,1,0.56,7200.0
JJ1,NC12,K80,1,2,1.13,7200.0
JJ1,NC12,K80,2,2,1.13,3600.0
JJ2,NC6,K80,1,1,0.56,1800.2
JJ2,NC12,K80,1,2,1.13,1800.2
JJ2,NV6,M60,1,1,0.62,900.1
""",
    NODES: "Nodes\nn1\nnode two\n",
}
ONLINE = "online_azure4_N10_J100_exp120000_s1"
PEER_JOBS = {"oneshot_azure4_N10_J40_s1": (10, 40), ONLINE: (10, 100)}


@pytest.fixture
def folder(tmp_path):
    """A small case, one file per key of FILES."""
    case = tmp_path / "small case"
    case.mkdir()
    for name, text in FILES.items():
        (case / name).write_text(text)
    return case


def change(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")


def test_seconds_become_hours_and_the_rest_is_kept(folder):
    instance = gpuscheduler_csv.read_any(folder)
    jobs = instance.jobs
    assert instance.name == "small case"
    assert (instance.now, instance.H, instance.rho) == (0, 0, 100)
    assert (instance.objective.energy, instance.objective.tardiness_at) == ("next_event",) * 2
    assert (jobs.id, jobs.application) == (("JJ1", "JJ2"), ("vgg16", "alex, net"))
    assert jobs.due.tolist() == [2.0, 1000.5 / 3600]
    assert jobs.weight.tolist() == [0.001 * 3600, 0.0042 * 3600]
    assert jobs.hours_per_epoch[0].tolist() == [[np.inf, 2, 1], [np.inf] * 3]
    assert jobs.hours_per_epoch[1, 1, 1] == 900.1 / 3600
    assert jobs.meta[1] == {
        "Images": 50000,
        "Epochs": 3,
        "Batchsize": 256,
        "Jobs": "j1",
        "MinExecTime": 900.1,
        "MaxExecTime": 1800.2,
    }
    assert [(v.name, v.cost) for v in instance.cluster.node_types] == [
        ("NC6", (0, 0.56)),
        ("NC12", (0, 1.13, 1.13)),
        ("NV6", (0, 0.62)),
    ]
    assert instance.cluster.node_names == ("n1", "node two")
    assert instance.cluster.allowed.all()
    # every time is admissible, though memory is not known
    assert np.array_equal(instance.hours_per_epoch, jobs.hours_per_epoch)


@pytest.mark.parametrize("case", PEER_JOBS)
def test_cases_of_the_authors_program_survive_the_round_trip(case, shared, tmp_path):
    source = shared / "data/peer" / case
    subject = gpuscheduler_csv.read_any(source)
    assert isinstance(subject, Workload if case.startswith("online") else Instance)
    assert (subject.cluster.nodes, len(subject.jobs)) == PEER_JOBS[case]
    gpuscheduler_csv.write(subject, tmp_path / case)
    assert gpuscheduler_csv.read_any(tmp_path / case).digest == subject.digest
    for name in FILES:
        with (source / name).open() as one, (tmp_path / case / name).open() as other:
            before, after = list(csv.reader(one)), list(csv.reader(other))
        assert len(before) == len(after)
        for line, again in zip(before, after, strict=True):
            assert [as_number(entry) for entry in again] == [
                pytest.approx(number, rel=1e-12) if isinstance(number, float) else number
                for number in map(as_number, line)
            ]


def as_number(text):
    try:
        return float(text)
    except ValueError:
        return text


def test_times_given_by_the_peer_are_the_times_read(shared):
    folder = shared / "data/peer/oneshot_azure8_N25_J100_s1"
    instance = gpuscheduler_csv.read_any(folder)
    position = {name: j for j, name in enumerate(instance.jobs.id)}
    gpus = [gpu.name for gpu in instance.cluster.gpu_types]
    with (folder / TIMES).open() as file:
        for row in csv.DictReader(file):
            at = position[row["UniqueJobsID"]], gpus.index(row["GPUtype"]), int(row["nGPUs"])
            assert instance.hours_per_epoch[at] == float(row["ExecutionTime"]) / 3600


def test_json_in_between_changes_nothing(folder, tmp_path):
    instance = gpuscheduler_csv.read_any(folder)
    write_instance(instance, tmp_path / "x.json")
    gpuscheduler_csv.write(read_any(tmp_path / "x.json"), tmp_path / folder.name / "again")
    again = gpuscheduler_csv.read_any(tmp_path / folder.name / "again")
    assert replace(again, name=instance.name).digest == instance.digest


def test_jobs_submitted_over_time_are_a_workload(folder, tmp_path):
    change(folder, JOBS, "JJ2,0.0", "JJ2,60.0")
    workload = gpuscheduler_csv.read_any(folder)
    assert isinstance(workload, Workload)
    assert workload.jobs.release.tolist() == [0, 1 / 60]
    assert workload.realised_epochs.tolist() == [1, 1]
    write_workload(workload, tmp_path / "w.json")
    assert read_any(tmp_path / "w.json").digest == workload.digest


def test_one_submission_time_other_than_zero_is_now(folder):
    change(folder, JOBS, "JJ1,0.0", "JJ1,7200")
    change(folder, JOBS, "JJ2,0.0", "JJ2,7200.0")
    assert gpuscheduler_csv.read_any(folder).now == 2


@pytest.mark.parametrize("times", ["synthetic", "networks"])
@pytest.mark.parametrize("arrivals", [{}, {"gap_seconds": 45.0}])
def test_generated_cases_can_be_written_for_the_authors_program(times, arrivals, tmp_path):
    make = jahani.workload if arrivals else jahani.generate
    subject = make(nodes=3, jobs=20, seed=5, times=times, **arrivals)
    gpuscheduler_csv.write(subject, tmp_path)
    again = gpuscheduler_csv.read_any(tmp_path)
    assert again.jobs.id == subject.jobs.id
    assert again.cluster.node_types == subject.cluster.node_types
    for field in ("due", "release", "weight"):
        assert getattr(again.jobs, field) == pytest.approx(getattr(subject.jobs, field), rel=1e-12)
    if isinstance(subject, Instance):
        hours = subject.hours_per_epoch * subject.jobs.epochs_max[:, None, None]
        order = [gpu.name for gpu in again.cluster.gpu_types]
        for i, gpu in enumerate(subject.cluster.gpu_types):
            found = again.hours_per_epoch[:, order.index(gpu.name)]
            finite = np.isfinite(hours[:, i])
            assert np.array_equal(np.isfinite(found), finite)
            assert found[finite] == pytest.approx(hours[:, i][finite], rel=1e-12)


def test_the_order_of_vm_types_survives_though_the_first_job_lacks_some(folder, tmp_path):
    lines = FILES[TIMES].splitlines()
    (folder / TIMES).write_text("\n".join([lines[0], lines[6], *lines[4:6], *lines[1:4]]) + "\n")
    instance = gpuscheduler_csv.read_any(folder)
    assert [v.name for v in instance.cluster.node_types] == ["NV6", "NC6", "NC12"]
    gpuscheduler_csv.write(instance, tmp_path / "again" / folder.name)
    assert gpuscheduler_csv.read_any(tmp_path / "again" / folder.name).digest == instance.digest


def test_a_time_on_one_vm_type_holds_on_all_with_that_gpu_type(folder):
    change(folder, TIMES, "JJ2,NC6,K80,1,1,0.56,1800.2\n", "")
    assert gpuscheduler_csv.read_any(folder).hours_per_epoch[1, 0, 1] == 1800.2 / 3600


def test_a_byte_order_mark_windows_lines_and_blank_lines_are_harmless(folder):
    expected = gpuscheduler_csv.read_any(folder).digest
    for name in FILES:
        text = (folder / name).read_text().replace("\n", "\r\n") + "\r\n"
        (folder / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert gpuscheduler_csv.read_any(folder).digest == expected


BAD = [
    # file, text replaced, by what, pointer, part of the message
    (JOBS, "7200.0,0.001", "soon,0.001", "/2/Deadline", "'soon'"),  # text
    (JOBS, "7200.0,0.001", "7200.0,nan", "/2/Tardinessweight", "'nan'"),  # not a number
    (JOBS, "7200.0,0.001", "7200.0,-0.001", "/2/Tardinessweight", "'-0.001'"),  # negative
    (JOBS, "7200.0,0.001", "7_200.0,0.001", "/2/Deadline", "'7_200.0'"),  # only Python reads it
    (JOBS, "7200.0,0.001", ",0.001", "/2/Deadline", "''"),  # empty
    (JOBS, "JJ1,0.0", "JJ1,-1", "/2/SubmissionTime", "'-1'"),  # before the start
    (JOBS, "JJ1,0.0", "JJ1,9", "/3/SubmissionTime", ">= 9.0"),  # not sorted
    (JOBS, "13000", "many", "/2/Images", "'many'"),  # kept in meta, yet a number
    (JOBS, ",JJ2,", ",JJ1,", "/3/UniqueJobsID", "'JJ1'"),  # an id twice
    (JOBS, ",JJ2,", ",,", "/3/UniqueJobsID", "a name"),  # no id
    (JOBS, ",900.1,1800.2", "", "/3", "9 columns"),  # a short line
    (TIMES, "JJ1,NC6,K80,1,1", "JJ9,NC6,K80,1,1", "/2/UniqueJobsID", "'JJ9'"),  # no such job
    (TIMES, "NC12,K80,2,2,1.13,3600.0", "NC12,K80,1,2,1.13,7200.0", "/4/nGPUs", "one row"),  # twice
    (TIMES, "JJ2,NC6,K80,1,1,0.56", "JJ2,NC6,K80,1,1,0.6", "/5/cost", "0.56"),  # two prices
    (TIMES, "JJ2,NC6,K80,1,1", "JJ2,NC6,M60,1,1", "/5/GPUtype", "'K80'"),  # two GPU types
    (TIMES, "JJ2,NC6,K80,1,1", "JJ2,NC6,K80,1,2", "/5/max_nGPUs", "found 2"),  # two sizes
    (TIMES, "K80,1,2,1.13,1800.2", "K80,1,2,1.13,1800", "/6/ExecutionTime", "1800.2"),  # by VM type
    (TIMES, "NC12,K80,2,2", "NC12,K80,3,2", "/4/nGPUs", "1 to 2"),  # more than the VM has
    (TIMES, "NC12,K80,2,2", "NC12,K80,0,2", "/4/nGPUs", "1 to 2"),  # no GPU
    (TIMES, "NC12,K80,2,2", "NC12,K80,1.5,2", "/4/nGPUs", "whole number"),  # half a GPU
    (TIMES, "JJ1,NC6,K80,1,1", "JJ1,NC6,K80,1,9999", "/2/max_nGPUs", "1 to 1024"),  # beyond schema
    (TIMES, "1.13,3600.0", "1.13,0", "/4/ExecutionTime", "> 0"),  # no time at all
    (TIMES, "1.13,3600.0", "1.13,NaN", "/4/ExecutionTime", "'NaN'"),  # pandas writes those
    (TIMES, "1.13,3600.0", "1.13", "/4", "6 columns"),  # a short line
    (TIMES, "0.56,7200.0", "-0.56,7200.0", "/2/cost", "'-0.56'"),  # we are not paid
    (TIMES, "NV6", "", "/7/VMtype", "a name"),  # no name
    (NODES, "node two", "n1", "/3/Nodes", "'n1'"),  # a node twice
    (NODES, "Nodes\nn1\nnode two\n", "Nodes\n", "", "no line"),  # no node
    (NODES, "Nodes\nn1\nnode two\n", "", "", "no line"),  # nothing
]


@pytest.mark.parametrize(("name", "old", "new", "pointer", "told"), BAD)
def test_bad_entries_are_refused_with_file_line_and_value(folder, name, old, new, pointer, told):
    change(folder, name, old, new)
    with pytest.raises(InputError) as error:
        gpuscheduler_csv.read_any(folder)
    assert (error.value.file, error.value.pointer) == (folder / name, pointer)
    assert told in str(error.value)


def test_a_job_without_times_is_named(folder):
    text = (folder / TIMES).read_text()
    (folder / TIMES).write_text("".join(text.splitlines(keepends=True)[:4]))
    with pytest.raises(InputError, match=r"Lof_Selectjobs.csv: /3/UniqueJobsID: found 'JJ2'"):
        gpuscheduler_csv.read_any(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_and_text_other_than_utf8_are_named(folder, name):
    (folder / name).write_bytes(b"caf\xe9\n" + (folder / name).read_bytes())
    with pytest.raises(InputError, match=rf"{name}: found byte 0xe9 at offset 3"):
        gpuscheduler_csv.read_any(folder)
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{name}: found No such file"):
        gpuscheduler_csv.read_any(folder)


def test_what_the_files_cannot_say_is_not_written(folder, tmp_path):
    instance = gpuscheduler_csv.read_any(folder)
    cluster, early = instance.cluster, np.full(2, -1.0)
    nc6, nc12, nv6 = cluster.node_types
    groups = NodeGroup(count=2, types=("NC6",)), NodeGroup(count=1, types=("NC6", "NC12", "NV6"))
    by_use = nc6, replace(nc12, cost=(0, 1, 2)), nv6
    for pointer, change in (
        ("/cluster/nodes", {"cluster": replace(cluster, groups=groups)}),  # physical nodes
        ("/cluster/node_types/1/cost", {"cluster": replace(cluster, node_types=by_use)}),
        ("/jobs/0/release", {"now": 1.0}),  # the program decides at the submission
        ("/jobs/0/release", {"now": -1.0, "jobs": replace(instance.jobs, release=early)}),  # from 0
    ):
        with pytest.raises(InputError) as error:
            gpuscheduler_csv.write(replace(instance, **change), tmp_path / "out")
        assert error.value.pointer == pointer
        assert not (tmp_path / "out").exists()


def test_numbers_that_overflow_in_hours_are_refused(folder):
    change(folder, JOBS, "7200.0,0.001", "7200.0,1e308")
    with pytest.raises(InputError, match="/jobs/0/weight: found inf"):
        gpuscheduler_csv.read_any(folder)

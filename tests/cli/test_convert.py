"""The authors' CSV triple becomes a file and back."""

from rsjs.instances.io.files import read_instance, read_workload
from rsjs.instances.io.gpuscheduler_csv import read_any

TRIPLE = {"Lof_Selectjobs.csv", "SelectJobs_times.csv", "tNodes.csv"}


def test_a_file_becomes_csv_and_csv_becomes_a_file(rsjs, folder, tmp_path):
    output = rsjs("convert", folder / "small.json", "-o", tmp_path / "csv").output
    assert "CSV files of instance jahani-" in output
    assert {path.name for path in (tmp_path / "csv").iterdir()} == TRIPLE
    back = rsjs("convert", tmp_path / "csv", "-o", tmp_path / "i.json.gz", "--json").json
    instance = read_instance(tmp_path / "i.json.gz")
    assert (back["kind"], back["jobs"], back["sha256"]) == ("instance", 8, instance.digest)
    assert instance.digest == read_any(tmp_path / "csv").digest
    assert instance.objective.energy == "next_event"  # the program's own objective


def test_jobs_submitted_at_different_times_are_a_workload(rsjs, folder, tmp_path):
    assert rsjs("convert", folder / "workload.json", "-o", tmp_path / "csv").code == 0
    made = rsjs("convert", tmp_path / "csv", "-o", tmp_path / "w.json", "--json")
    assert made.json["kind"] == "workload"
    assert len(read_workload(tmp_path / "w.json").jobs) == 8

"""Excerpts of the published traces beside the repository."""

import csv
from collections import Counter

import numpy as np
import pytest

from rsjs.instances.traces.quality_report import inspect
from rsjs.instances.traces.registry import open_trace


@pytest.fixture(scope="session")
def traces(shared):
    """The folder of excerpts."""
    return shared / "data" / "traces"


def test_openb(traces):
    pods = traces / "openb_pod_list_default.head600.csv"
    report = inspect(open_trace([pods, traces / "openb_node_list_gpu_node.head200.csv"]))
    with pods.open(newline="") as file:
        rows = list(csv.DictReader(file))
    phases = Counter(row["pod_phase"] for row in rows)
    assert report.tally.rows == len(rows) == 600
    ends = {phase.lower(): phases[phase] for phase in ("Pending", "Running", "Failed")}
    assert report.tally.flaws == {"no-gpu": sum(row["num_gpu"] == "0" for row in rows), **ends}
    work = sum(
        int(row["num_gpu"])
        * (int(row["gpu_milli"]) / 1000 if row["num_gpu"] == "1" else 1)
        * (int(row["deletion_time"]) - int(row["scheduled_time"]))
        for row in rows
        if row["num_gpu"] != "0" and row["scheduled_time"]
    )
    assert sum(load.gpu_hours for load in report.loads) == pytest.approx(work / 3600)
    assert sum(group.count for group in report.nodes) == 200
    assert report.tally.gpus[8] == 4


def test_openb_with_pods_of_cpus_only(traces):
    report = inspect(open_trace([traces / "openb_pod_list_gpushare40.head300.csv"]))
    assert report.tally.rows == report.tally.flaws["no-gpu"] == 300
    assert report.loads == []


def test_gavel(traces):
    trace = open_trace([traces / "gavel_msr_6214e9.head300.trace"])
    assert trace.format.name == "gavel"
    report = inspect(trace)
    assert report.tally.rows == 300
    assert report.tally.gpus + Counter([1, 2]) == {1: 269, 2: 14, 4: 16, 8: 1}
    assert report.tally.flaws == {"too-long": 2}
    [rows] = trace.rows()
    assert (rows.submit[:2].tolist(), len(rows.applications)) == ([0, 266564], 26)
    assert np.isfinite(rows.duration).all()


def test_helios(traces):
    report = inspect(open_trace([traces / "helios_cluster_log.head3.csv"]))
    assert report.tally.flaws == {"failed": 1, "killed": 1}
    assert report.loads[0].gpu_hours * 3600 == pytest.approx(36848 + 4 * 249 + 675233)

"""Excerpts of the published traces beside the repository."""

import csv
from collections import Counter

import numpy as np
import pytest

import rsjs
from rsjs.instances.traces.convert import ConversionOptions, convert
from rsjs.instances.traces.imputation import parse_nodes
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


OPENB = "openb_pod_list_default.head600.csv", "V100:8:4,P100:2:20,T4:2:40"
GAVEL = "gavel_msr_6214e9.head300.trace", "V100:8:6"
HELIOS = "helios_cluster_log.head3.csv", "V100:8:1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("excerpt", "rigid", "digests"),
    [
        (OPENB, False, ["4f32fbb26459", "6d07cbfaf7da"]),
        (OPENB, True, ["6f76195459df", "c286544efb31"]),
        (GAVEL, False, ["a33da1c30bf7", "fad85fc68bf5"]),
        (GAVEL, True, ["1335f867a081", "90ddc7beb20e"]),
        (HELIOS, False, ["f2a9502fbe35", "7c15ce6c5868"]),
        (HELIOS, True, ["4dcf1c717fcc", "0c37192ae413"]),
    ],
)
def test_the_recipe_of_decision_points_has_the_same_digests(traces, excerpt, rigid, digests):
    file, cluster = excerpt
    report = inspect(open_trace([traces / file]), nodes=parse_nodes(cluster))
    drop, keep = ["no-gpu", "pending", "too-long"], ["running", "failed", "killed"]
    workload, _ = convert(report, ConversionOptions(drop=drop, keep=keep, rigid=rigid))
    points = rsjs.snapshots(rsjs.simulate(workload, "queue:greedy"), number=2)
    assert [point.digest[:12] for point in points] == digests

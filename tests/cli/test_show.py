"""What `show` tells is what is in the file."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.describe import describe, job_modes
from rsjs.instances.instance import FAMILIES, Instance
from rsjs.instances.io.files import write_instance, write_solution
from rsjs.instances.solution import Solution
from tests.by_hand import jobs_of, nodes_of


def by_hand():
    """Two nodes of 1 to 2 GPUs for 4 $/h; job a: 10, 6 h; job b: 2 h, half a GPU 3 h."""
    hours = np.full((2, 1, 3), np.inf)
    hours[0, 0, 1:] = 10, 6
    hours[1, 0, 1] = 2
    inflation = np.full((2, 1, 1), np.inf)
    inflation[1] = 1.5
    gpu = GpuType(name="g", memory_gb=8, units=2, levels=(ShareLevel(units=1, max_memory_gb=8),))
    types = tuple(NodeType(name=f"v{s}", gpu_type="g", cost=(0.0, *(2.0 * s,) * s)) for s in (1, 2))
    return Instance(
        name="by hand",
        cluster=Cluster(gpu_types=(gpu,), node_types=types, groups=nodes_of(["v1", "v2"], ["v2"])),
        jobs=jobs_of(
            hours,
            due=np.array([3.0, 20.0]),
            id=("a", "b"),
            application=("x", "y"),
            inflation=inflation,
        ),
        H=1.0,
        rho=100.0,
        objective=FAMILIES["andreas"],
    )


def test_load_is_that_of_the_fastest_and_of_the_cheapest_configuration():
    found = describe(by_hand())
    assert found["gpus"] == {"least": 3, "most": 4}
    # a on 2 GPUs for 6 h and b on 1 for 2 h; a on 1 GPU for 10 h and b on half a one for 3 h
    assert found["load"]["fastest"] == {"gpu_hours": 14.0, "hours_per_gpu": 3.5, "cost": 28.0}
    assert found["load"]["cheapest"] == {"gpu_hours": 11.5, "hours_per_gpu": 2.875, "cost": 23.0}


def test_due_dates_are_set_against_the_fastest_time():
    due = describe(by_hand())["due"]
    assert due["slack_over_fastest"] == pytest.approx([0.5, 2.875, 5.25, 7.625, 10.0])
    assert (due["overdue"], due["late_in_any_case"], due["free_to_postpone"]) == (0, 1, 1)
    assert describe(replace(by_hand(), now=5.0))["due"]["overdue"] == 1


def test_configurations_of_types_that_no_node_may_take_do_not_count():
    instance = by_hand()
    groups = (NodeGroup(count=2, types=("v1",)),)
    small = replace(instance, cluster=replace(instance.cluster, groups=groups))
    assert job_modes(small)[0].tolist() == [[10.0, np.inf], [2.0, 3.0]]
    assert describe(small)["gpus"] == {"least": 2, "most": 2}


def test_a_generated_instance_is_described(rsjs, folder):
    found = rsjs("show", folder / "small.json", "--json").json
    assert found["kind"] == "instance"
    assert (found["jobs"], found["nodes"], found["families"]) == (8, 2, ["jahani"])
    assert found["gpus"] == {"least": 2, "most": 16}
    assert found["due"]["late_in_any_case"] == 0  # V-A: never due before the fastest time
    text = rsjs("show", folder / "small.json").out
    size = ("jobs            8\n", "nodes           2\n", "rho             100\n")
    for part in (found["name"], found["sha256"], "In-house server 2", *size):
        assert part in text


def test_a_workload_is_described_with_its_arrivals(rsjs, folder):
    found = rsjs("show", folder / "workload.json", "--json").json
    assert found["kind"] == "workload"
    arrivals = found["arrivals"]
    assert arrivals["mean_gap_seconds"] == pytest.approx(arrivals["last"] * 3600 / 7)
    assert (
        0
        < arrivals["offered_load"] * arrivals["last"] * 16
        <= (found["load"]["fastest"]["gpu_hours"] * (1 + 1e-9))
    )
    assert "offered_load" in rsjs("show", folder / "workload.json").out


def test_a_solution_by_itself_is_described(rsjs, folder):
    found = rsjs("show", folder / "idle.json", "--json").json
    assert (found["kind"], found["method"], found["postponed"]) == ("solution", "by hand", 8)
    assert "by hand" in rsjs("show", folder / "idle.json").out


def test_the_picture_says_which_job_sits_where(rsjs, tmp_path):
    instance = by_hand()
    write_instance(instance, tmp_path / "i.json")
    decision = Solution.of([1, 0], [2, 0], [0, 1], [-1, 0])
    write_solution(decision, instance.digest, tmp_path / "s.json")
    shown = rsjs("show", tmp_path / "i.json", tmp_path / "s.json", "-o", tmp_path / "p.svg")
    assert shown.code == 0
    lines = [line for line in shown.out.splitlines() if line.strip().startswith(("n1 ", "n2 "))]
    assert ["b" in line and "a" not in line for line in lines] == [True, False]
    assert "late       a" in shown.out
    assert "<svg" in (tmp_path / "p.svg").read_text()
    document = rsjs("show", tmp_path / "i.json", tmp_path / "s.json", "--json").json
    nodes = {node["node"]: node["jobs"] for node in document["solution"]["occupancy"]}
    assert [(job["job"], job["width"]) for job in nodes["n1"]] == [("b", 0.5)]
    assert [(job["job"], job["width"]) for job in nodes["n2"]] == [("a", 2)]
    assert document["solution"]["late"] == ["a"]


def test_what_cannot_be_drawn_is_not_drawn(rsjs, folder, tmp_path):
    instance = by_hand()
    write_instance(instance, tmp_path / "i.json")
    write_solution(Solution.of([0, 0], [2, 1], [0, 1]), instance.digest, tmp_path / "s.json")
    shown = rsjs("show", tmp_path / "i.json", tmp_path / "s.json")
    assert shown.code == 1
    assert "node_size" in shown.out
    drawn = rsjs("show", tmp_path / "i.json", tmp_path / "s.json", "-o", tmp_path / "p.png")
    assert drawn.code == 2
    assert not (tmp_path / "p.png").exists()

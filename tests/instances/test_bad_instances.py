"""Files that make no sense: one line with file, JSON pointer, value and expectation."""

import json

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.io import deserialization, files, serialization

GONE = "(gone)"
NODES, TYPES, GPUS = "/cluster/nodes", "/cluster/node_types", "/cluster/gpu_types"
FORMATS = "expected one of rsjs-instance/1, rsjs-workload/1, rsjs-solution/1"
ENERGY = "expected one of proportional, first_ending, next_event"
NOWHERE = "with no admissible configuration, expected a time and enough memory on some node type"
# {pointer: new value}, what is told; after its pointer where that is another (^ = the parent)
INSTANCES = [
    # keys
    ({"/colour": 1}, "found unknown key 'colour', expected known keys only"),
    ({"/jobs/1/a~1b~0": 1}, "found unknown key 'a/b~', expected known keys only"),
    ({"/generator": {"x": 1}}, "/generator/x: found unknown key 'x', expected known keys only"),
    ({"/H": GONE}, "found no key 'H', expected this key"),
    ({f"{TYPES}/0/cost": GONE}, "found no key 'cost', expected this key"),
    # another format, another kind of file
    ({"/format": "rsjs-instance/2"}, f"found 'rsjs-instance/2', {FORMATS}"),
    ({"/format": GONE}, "found no key 'format', expected this key"),
    ({"/format": ["rsjs-instance/1"]}, f"found ['rsjs-instance/1'], {FORMATS}"),
    # wrong types
    ({"/now": "1"}, "found '1', expected a number"),
    ({"/now": True}, "found True, expected a number"),
    ({"/name": 5}, "found 5, expected a string"),
    ({"/jobs": {}}, "found an object of 0, expected an array"),
    ({"/jobs/0": [1, 2]}, "found an array of 2, expected an object"),
    ({"/jobs/0/id": 0}, "found 0, expected a string"),
    ({"/jobs/0/epochs_max": 2.5}, "found 2.5, expected an integer"),
    ({"/jobs/0/hours_per_epoch": [1]}, "found an array of 1, expected an object"),
    ({"/jobs/0/meta": 3}, "found 3, expected an object"),
    ({"/laws/short": {"2": 1}}, "found an object of 1, expected an array"),
    ({"/laws/short/0": [2]}, "found an array of 1, expected at least 2 entries"),
    ({"/laws/short/0": [2, 1, 1]}, "found an array of 3, expected at most 2 entries"),
    ({"/laws/short/0/1": 0.5}, "found 0.5, expected an integer"),
    # numbers out of range
    ({"/H": -1}, "found -1, expected a number >= 0"),
    ({"/rho": 1e16}, "found 1e+16, expected a number from 0 to 1e+15"),
    ({"/now": -1e300}, "found -1e+300, expected a number from -1e+15 to 1e+15"),
    ({"/now": 10**30}, "found 1e+30, expected a number from -1e+15 to 1e+15"),
    ({"/objective/mu": -1}, "found -1, expected a number >= 0"),
    ({"/jobs/0/weight": -2}, "found -2, expected a number >= 0"),
    ({"/jobs/0/due": 1e200}, "found 1e+200, expected a number from -1e+15 to 1e+15"),
    ({"/jobs/0/memory_gb": -4}, "found -4, expected a number >= 0"),
    ({"/jobs/0/slowest_hours_per_epoch": -4}, "found -4, expected a number >= 0"),
    ({"/jobs/0/epochs_max": 0}, "found 0, expected a number >= 1"),
    ({"/jobs/0/epochs_max": 10**30}, f"found {10**30}, expected a number <= 1000000000"),
    ({"/jobs/0/epochs_done": -0.5}, "found -0.5, expected a number >= 0"),
    ({"/jobs/0/hours_per_epoch/K80/0": 0}, "found 0, expected a number > 0"),
    ({"/jobs/0/hours_per_epoch/P/1": -3}, "found -3, expected a number > 0"),
    ({"/jobs/0/hours_per_epoch/P": []}, "found an array of 0, expected at least 1 entry"),
    ({"/jobs/0/inflation/K80/1": 0.9}, "found 0.9, expected a number >= 1"),
    # releases in the future
    ({"/jobs/1/release": 1.5}, "found 1.5, expected <= now = 1"),
    ({"/now": 0.75}, "/jobs/2/release: found 1.0, expected <= now = 0.75"),
    # nothing there, or the same twice
    ({"/name": ""}, "found '', expected at least 1 character"),
    ({"/jobs": []}, "found an array of 0, expected at least 1 entry"),
    ({NODES: []}, "found an array of 0, expected at least 1 entry"),
    ({GPUS: []}, "found an array of 0, expected at least 1 entry"),
    ({TYPES: []}, "found an array of 0, expected at least 1 entry"),
    ({f"{NODES}/0/types": []}, "found an array of 0, expected at least 1 entry"),
    ({"/jobs/1/id": "a"}, "found 'a', expected a name that no other entry has"),
    ({f"{GPUS}/1/name": "K80"}, "found 'K80', expected a name that no other entry has"),
    ({f"{TYPES}/1/name": "vm"}, "found 'vm', expected a name that no other entry has"),
    ({f"{NODES}/0/types/1": "vm"}, "found 'vm', expected a name that no other entry has"),
    # nodes
    ({f"{TYPES}/0/gpus": 0}, "found 0, expected a number >= 1"),
    ({f"{TYPES}/0/gpus": 3}, "^/cost: found 5 prices, expected 4 prices, for 0 to 3 GPUs in use"),
    ({f"{TYPES}/0/cost/0": 0.1}, "found 0.1, expected 0 $/h with no GPU in use"),
    ({f"{TYPES}/1/cost/2": 0.4}, "found 0.4, expected >= 0.5"),
    ({f"{TYPES}/1/cost/1": -1}, "found -1, expected a number >= 0"),
    ({f"{TYPES}/0/gpu_type": "V100"}, "found 'V100', expected one of K80, P"),
    ({f"{NODES}/1/types/0": "vn"}, "found 'vn', expected one of box, vm"),
    ({f"{NODES}/0/count": 0}, "found 0, expected a number >= 1"),
    ({f"{NODES}/0/count": 10**9}, "found 1000000000, expected a number <= 1000000"),
    ({f"{NODES}/0/count": 10**6}, "/cluster/nodes: found 1000001 nodes, expected at most 1000000"),
    ({f"{NODES}/0/names": ["u"]}, "found 1 names, expected 2 names"),
    ({f"{NODES}/0/names": ["u", "u"]}, f"{NODES}: found 'u', expected node names that differ"),
    ({f"{NODES}/1/names": ["n2"]}, f"{NODES}: found 'n2', expected node names that differ"),
    ({f"{NODES}/1/names": [""]}, f"{NODES}/1/names/0: found '', expected at least 1 character"),
    # share levels
    ({f"{GPUS}/0/levels/0/units": 0}, "found 0, expected a number >= 1"),
    ({f"{GPUS}/0/levels/1/units": 4}, "found 4, expected 1 to 3, of 4 units"),
    ({f"{GPUS}/0/units": 61}, "^/levels: found 61, expected a denominator <= 60"),
    ({f"{GPUS}/0/units": 0}, "found 0, expected a number >= 1"),
    ({f"{GPUS}/0/units": 10001}, "found 10001, expected a number <= 10000"),
    ({f"{GPUS}/1/memory_gb": -1}, "found -1, expected a number >= 0"),
    # laws
    ({"/laws/short": []}, "found an array of 0, expected at least 1 entry"),
    ({"/laws/m": [[2, 0], [4, 0]]}, "found no mass, expected a law with a positive sum of weights"),
    ({"/laws/short/0/1": -1}, "found -1, expected a number >= 0"),
    ({"/laws/short/0/0": 0}, "found 0, expected a number >= 1"),
    ({"/laws/a~1b": [[9, 1], [9, 1]]}, "found [9, 9], expected strictly increasing epochs >= 1"),
    (
        {"/laws/fixed": [[10, 1]]},
        "found 'fixed', expected another name: 'fixed' is all mass on epochs_max",
    ),
    ({"/jobs/1/law": "long"}, "found 'long', expected one of fixed, short"),
    ({"/jobs/1/epochs_max": 7}, "found 7, expected >= 8, the last epoch of law 'short'"),
    ({"/jobs/0/epochs_done": 10}, "found 10.0, expected in [0, epochs_max)"),
    (
        {"/jobs/1/epochs_max": 12, "/jobs/1/epochs_done": 8.25},
        "found 8.25, expected < 8, the last epoch of law 'short'",
    ),
    # times and shares of GPUs that are not there
    ({"/jobs/0/hours_per_epoch/V100": [1]}, "^: found 'V100', expected one of K80, P"),
    ({"/jobs/0/inflation/V100": [1]}, "^: found 'V100', expected one of K80, P"),
    ({"/jobs/0/inflation/P": [1]}, "found 1 entries, expected at most 0"),
    ({"/jobs/0/inflation/K80": [3, 2, 1]}, "found 3 entries, expected at most 2"),
    ({"/jobs/0/hours_per_epoch/K80": [1] * 5}, "found 5 entries, expected at most 4"),
    # jobs that fit nowhere: too big, no time, times on absent or too large nodes only
    ({"/jobs/0/memory_gb": 25}, f"^: found job 'a' {NOWHERE}"),
    ({"/jobs/2/hours_per_epoch": {}}, f"/jobs/2: found job 'c' {NOWHERE}"),
    ({"/jobs/2/hours_per_epoch": {"P": [None]}}, f"/jobs/2: found job 'c' {NOWHERE}"),
    ({f"{NODES}/0/types": ["box"]}, f"/jobs/1: found job 'b' {NOWHERE}"),
    ({"/jobs/2/hours_per_epoch/P": [None, None, 1]}, f"/jobs/2: found job 'c' {NOWHERE}"),
    # objectives
    ({"/objective/energy": "kWh"}, f"found 'kWh', {ENERGY}"),
    (
        {"/objective/energy": "proportional"},
        "/cluster/node_types/1/cost: found [0.0, 0.5, 0.8], "
        "expected one price for every number of GPUs in use: energy is proportional",
    ),
    (
        {"/objective/energy": "proportional", f"{TYPES}/1/cost": [0, 1, 1]},
        "/objective/energy: found jobs that may share a GPU, "
        "expected dedicated GPUs only: energy is proportional",
    ),
    # the placement before
    ({"/current": {}}, "found no key 'job_node', expected this key"),
    ({"/current/job_node": [0, 0]}, "found 2 entries, expected 3 entries"),
    ({"/current/node_type": [0] * 4}, "found 4 entries, expected 3 entries"),
    ({"/current/job_node/2": 3}, "found 3, expected -1 to 2"),
    ({"/current/job_gpus/1": -1}, "found -1, expected 0 to 4"),
    ({"/current/job_gpus/1": 5}, "found 5, expected 0 to 4"),
    ({"/current/job_level/0": 2}, "found 2, expected -1 to 1"),
    ({"/current/node_type/0": 2}, "found 2, expected -1 to 1"),
    ({"/current/node_type/0": -2}, "found -2, expected a number >= -1"),
    ({"/current/job_gpus/0": 1.5}, "found 1.5, expected an integer"),
]
WORKLOADS = [
    ({"/jobs/2/release": 0.25}, "found 0.25, expected a release no earlier than the job before"),
    ({"/jobs/1/epochs_done": 1}, "found 1.0, expected 0 in a workload"),
    ({"/realised/epochs": [10, 4]}, "found 2 entries, expected 3 entries"),
    ({"/realised/epochs/1": 3}, "found 3, expected an epoch that law 'short' can take"),
    ({"/realised/epochs/0": 9}, "found 9, expected an epoch that law 'fixed' can take"),
    (
        {"/laws/short/1/1": 0},
        "/realised/epochs/1: found 4, expected an epoch that law 'short' can take",
    ),
    ({"/realised/epochs/0": 0}, "found 0, expected a number >= 1"),
    ({"/realised": GONE}, "found no key 'realised', expected this key"),
    ({"/now": 3}, "found unknown key 'now', expected known keys only"),
    ({"/jobs/0/memory_gb": 25}, f"^: found job 'a' {NOWHERE}"),
]
SOLUTIONS = [
    ({"/instance": "c0ffee"}, "found 'c0ffee', expected text like ^[0-9a-f]{64}$"),
    ({"/instance": GONE}, "found no key 'instance', expected this key"),
    ({"/objective": "1"}, "found '1', expected null or a number"),
    ({"/job_node/1": -2}, "found -2, expected a number >= -1"),
    ({"/job_gpus": 3}, "found 3, expected an array"),
    ({"/job_level/0": 0.5}, "found 0.5, expected an integer"),
    ({"/node_type/0": "vm"}, "found 'vm', expected an integer"),
    ({"/nodes": []}, "found unknown key 'nodes', expected known keys only"),
]


@pytest.mark.parametrize(("edits", "message"), INSTANCES)
def test_an_instance_is_refused(example, refused, edits, message):
    document = example()
    if any(place.startswith("/current/") for place in edits):
        document["current"] = {"job_node": [0, -1, 2], "job_gpus": [1, 0, 2]}
        document["current"] |= {"job_level": [-1] * 3, "node_type": [0, -1, 1]}
    refused(document, edits, files.read_instance, message)


@pytest.mark.parametrize("edits", [{"/laws/ODD": [[3, 0]]}, {"/jobs/0/law": "ODD"}, {"/ODD": 1}])
def test_names_with_line_breaks_and_control_characters_stay_on_one_line(
    example, edited, tmp_path, edits
):
    odd, shown = "two\nlines\u2028\x1b[31m", r"two\nlines\u2028\x1b[31m"
    edits = json.loads(json.dumps(edits).replace("ODD", json.dumps(odd)[1:-1]))
    path = tmp_path / "a\nb.json"
    path.write_text(json.dumps(edited(example(), edits)))
    with pytest.raises(InputError) as caught:
        files.read_instance(path)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).isprintable()
    assert r"a\nb.json: /" in str(caught.value)
    assert shown in str(caught.value)


def test_long_names_and_values_are_cut(example, tmp_path):
    document = example()
    document["laws"]["x" * 10_000] = [[3, 0]]
    document["jobs"][0]["law"] = "y" * 10_000
    (tmp_path / "i.json").write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        files.read_instance(tmp_path / "i.json")
    assert len(str(caught.value)) < 700 + len(str(tmp_path))


@pytest.mark.parametrize(("edits", "message"), WORKLOADS)
def test_a_workload_is_refused(example, refused, edits, message):
    document = example() | {"format": serialization.WORKLOAD, "realised": {"epochs": [10, 4, 4]}}
    del document["now"]
    document["jobs"][1]["epochs_done"] = 0
    deserialization.to_workload(document)
    refused(document, edits, files.read_workload, message)


@pytest.mark.parametrize(("edits", "message"), SOLUTIONS)
def test_a_solution_is_refused(refused, edits, message):
    document = {"format": serialization.SOLUTION, "instance": "0" * 64, "node_type": [0, 0]}
    document |= {"job_node": [0, 1], "job_gpus": [1, 1], "job_level": [-1, -1]}
    deserialization.to_solution(document)
    refused(document, edits, files.read_solution, message)


def test_one_kind_of_file_is_not_taken_for_another(example, refused):
    solution = {"format": serialization.SOLUTION, "instance": "0" * 64, "node_type": []}
    solution |= {"job_node": [], "job_gpus": [], "job_level": []}
    for document, read, expected in (
        (solution, files.read_instance, "'rsjs-instance/1'; `rsjs check`"),
        (solution, files.read_workload, "'rsjs-workload/1'; `rsjs check`"),
        (example(), files.read_solution, "'rsjs-solution/1'; `rsjs solve`"),
    ):
        message = f"/format: found {document['format']!r}, expected {expected} takes what is found"
        refused(document, {}, read, message)

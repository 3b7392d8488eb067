"""Workloads and solutions that make no sense, and one kind of file taken for another."""

from __future__ import annotations

import pytest

from rsjs.instances import documents, files

GONE = "(gone)"
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
    (
        {"/jobs/0/memory_gb": 25},
        "/jobs/0: found job 'a' with no admissible configuration, "
        "expected a time and enough memory on some node type",
    ),
]
SOLUTIONS = [
    (
        {"/instance": "c0ffee"},
        "found 'c0ffee', expected text like ^[0-9a-f]{64}$",
    ),
    ({"/instance": GONE}, "found no key 'instance', expected this key"),
    ({"/objective": "1"}, "found '1', expected null or a number"),
    ({"/job_node/1": -2}, "found -2, expected a number >= -1"),
    ({"/job_gpus": 3}, "found 3, expected an array"),
    ({"/job_level/0": 0.5}, "found 0.5, expected an integer"),
    ({"/node_type/0": "vm"}, "found 'vm', expected an integer"),
    ({"/nodes": []}, "found unknown key 'nodes', expected known keys only"),
]


@pytest.mark.parametrize(("edits", "message"), WORKLOADS)
def test_a_workload_is_refused(example, refused, edits, message):
    document = example() | {"format": documents.WORKLOAD, "realised": {"epochs": [10, 4, 4]}}
    del document["now"]
    document["jobs"][1]["epochs_done"] = 0
    documents.to_workload(document)
    refused(document, edits, files.read_workload, message)


@pytest.mark.parametrize(("edits", "message"), SOLUTIONS)
def test_a_solution_is_refused(refused, edits, message):
    document = {"format": documents.SOLUTION, "instance": "0" * 64, "node_type": [0, 0]}
    document |= {"job_node": [0, 1], "job_gpus": [1, 1], "job_level": [-1, -1]}
    documents.to_solution(document)
    refused(document, edits, files.read_solution, message)


def test_one_kind_of_file_is_not_taken_for_another(example, refused):
    solution = {"format": documents.SOLUTION, "instance": "0" * 64, "node_type": []}
    solution |= {"job_node": [], "job_gpus": [], "job_level": []}
    for document, read, expected in (
        (solution, files.read_instance, "'rsjs-instance/1'"),
        (solution, files.read_workload, "'rsjs-workload/1'"),
        (example(), files.read_solution, "'rsjs-solution/1'"),
    ):
        message = f"/format: found {document['format']!r}, expected {expected}"
        refused(document, {}, read, message)

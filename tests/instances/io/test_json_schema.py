"""The published JSON Schemas: valid themselves, closed, and true of everything that is written."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.core import method
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io import deserialization, json_schema, serialization

PACKAGES = ["rsjs.instances", "rsjs.campaigns"]
KINDS = ["instance", "workload", "solution"]
FREE = {"meta", "parameters"}  # kept, not interpreted
MAPS = {"hours_per_epoch", "inflation", "laws"}  # from names that the file itself defines


def schema_of(kind):
    return json.loads(json_schema.schema_text(kind))


def _objects(schema, name=""):
    """Each part of a schema that describes an object, with the key it stands under."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield name, schema
        for key, part in schema.items():
            yield from _objects(part, key)
    elif isinstance(schema, list):
        for part in schema:
            yield from _objects(part, name)


@pytest.fixture(scope="module")
def validates():
    validators = {kind: jsonschema_rs.Draft202012Validator(schema_of(kind)) for kind in KINDS}

    def test(kind, document):
        # canonical: what stands in the file; without the library's own reader
        validators[kind].validate(json.loads(serialization.canonical_text(document)))

    return test


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_valid_2020_12(kind):
    schema = schema_of(kind)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["format"] == {"const": f"rsjs-{kind}/1"}


def test_every_published_schema_is_valid():
    found = [file for name in PACKAGES for file in Path(files(name)).rglob("*.schema.json")]
    assert len(found) > 20
    for file in found:
        jsonschema_rs.meta.validate(json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize("kind", KINDS)
def test_objects_are_closed_to_unknown_keys(kind):
    seen = set()
    for name, part in _objects(schema_of(kind)):
        seen.add(name)
        if name in MAPS:
            assert part["additionalProperties"]["type"] == "array"
        elif name not in FREE:
            assert part["additionalProperties"] is False, name
    assert seen >= (MAPS | FREE if kind != "solution" else set())


@pytest.mark.parametrize("kind", ["instance", "workload"])
@pytest.mark.parametrize("name", ["energy", "tardiness_at", "open_nodes", "expectation"])
def test_the_kinds_of_objective_are_those_that_methods_declare(kind, name):
    listed = schema_of(kind)["$defs"]["objective"]["properties"][name]["enum"]
    assert len(listed) == len(set(listed))
    assert set(listed) == getattr(method, name.upper())
    assert {getattr(objective, name) for objective in FAMILIES.values()} <= set(listed)


def test_instances_and_workloads_share_their_definitions():
    instance, workload = schema_of("instance"), schema_of("workload")
    for name, part in workload["$defs"].items():
        assert instance["$defs"][name] == part
    assert set(instance["$defs"]) - set(workload["$defs"]) == {"decision"}


@given(rng=st.randoms(use_true_random=False))
def test_every_written_document_validates(random_document, random_decision, validates, rng):
    document = random_document(rng)
    instance = deserialization.to_instance(document)
    validates("instance", serialization.of_instance(instance))
    solution = random_decision(instance, rng)
    claims = {"method": "greedy:code", "objective": 1.5, "bound": None}
    validates("solution", serialization.of_solution(solution, instance.digest, **claims))
    jobs = document["jobs"]
    for job in jobs:
        job["epochs_done"] = 0
        job["release"] = 0
    laws = document["laws"]
    last = [max([e for e, w in laws.get(job["law"], []) if w], default=None) for job in jobs]
    epochs = [end or job["epochs_max"] for end, job in zip(last, jobs, strict=True)]
    stream = document | {"format": serialization.WORKLOAD, "realised": {"epochs": epochs}}
    del stream["now"]
    validates("workload", serialization.of_workload(deserialization.to_workload(stream)))


def test_keys_left_out_have_the_defaults_of_the_schema():
    definitions = schema_of("instance")["$defs"]
    jobs = definitions["job"]["properties"]
    assert {
        name: part["default"] for name, part in jobs.items() if "default" in part
    } == deserialization.JOB_DEFAULTS
    gpus = definitions["cluster"]["properties"]["gpu_types"]["items"]["properties"]
    assert {
        name: part["default"] for name, part in gpus.items() if "default" in part
    } == deserialization.GPU_DEFAULTS
    short = {
        "format": "rsjs-instance/1",
        "name": "short",
        "cluster": {
            "gpu_types": [{"name": "V100", "memory_gb": 16}],
            "node_types": [{"name": "v", "gpu_type": "V100", "gpus": 2, "cost": [0, 1, 2]}],
            "nodes": [{"count": 1, "types": ["v"]}],
        },
        "jobs": [{"id": "a", "due": 3, "weight": 1, "hours_per_epoch": {"V100": [4, 2.5]}}],
        "H": 1,
        "rho": 100,
        "objective": {
            "energy": "first_ending",
            "tardiness_at": "completion",
            "open_nodes": "free",
            "expectation": "mean",
            "mu": 1,
        },
    }
    instance = deserialization.to_instance(short)
    whole = serialization.of_instance(instance)
    assert whole["jobs"][0].items() >= deserialization.JOB_DEFAULTS.items()
    assert deserialization.to_instance(whole).digest == instance.digest
    assert rsjs_verify.Instance(rsjs_verify.parsed(json.dumps(short))).digest == instance.digest

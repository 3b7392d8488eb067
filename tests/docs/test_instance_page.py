"""The instance that docs/reference/files.md shows key by key."""

import json
from pathlib import Path

import pytest

from rsjs.formulations import enumeration
from rsjs.instances.check import check
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.deserialization import GPU_DEFAULTS, JOB_DEFAULTS
from rsjs.instances.io.files import read_instance
from tests.docs.shown import blocks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "files.md"
SCHEMA = json.loads((ROOT / "instances" / "data" / "instance.schema.json").read_text())


@pytest.fixture(scope="module")
def text():
    [block] = [block for block in blocks(PAGE) if block.marks.get("file") == "five-jobs.json"]
    return block.text


@pytest.fixture
def instance(text, tmp_path):
    path = tmp_path / "five-jobs.json"
    path.write_text(text)
    return read_instance(path)


def test_it_is_read_and_solved_to_a_verified_optimum(instance):
    assert (instance.cluster.nodes, len(instance.jobs)) == (3, 5)
    assert instance.objective == FAMILIES["andreas"]
    verdict = check(instance, enumeration.best(instance))
    assert verdict.feasible
    assert verdict.objective == pytest.approx(18.5)


def test_what_it_leaves_out_has_a_default(text):
    document = json.loads(text)
    for entries, defaults in (
        (document["jobs"], JOB_DEFAULTS),
        (document["cluster"]["gpu_types"], GPU_DEFAULTS),
    ):
        assert not [
            entry for entry in entries if any(entry.get(k) == v for k, v in defaults.items())
        ]
        assert any(defaults.keys() - entry.keys() for entry in entries)


def test_every_key_of_the_schema_is_explained():
    rows = [line for line in PAGE.read_text("utf-8").split("\n") if line.startswith("| `")]
    told = " ".join(rows)
    parts = SCHEMA["$defs"]
    keys = SCHEMA["properties"].keys() - {"cluster", "jobs"}
    keys |= parts["cluster"]["properties"].keys() | parts["job"]["properties"].keys()
    for part in ("gpu_types", "node_types", "nodes"):
        keys |= parts["cluster"]["properties"][part]["items"]["properties"].keys()
    assert not {key for key in keys if f"`{key}`" not in told}

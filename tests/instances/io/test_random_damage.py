"""Whatever is done to a valid file, reading it ends in an instance or in an InputError."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances import costs
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io import deserialization, files, serialization
from rsjs.instances.solution import Solution

ANY = st.randoms(use_true_random=False)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 2, 7, 10**6, 10**9, 2**63, 10**30, 10**400]),
    st.sampled_from([0.5, 1e-9, 1e-320, 1e15, 1e300, 2.0, float("nan"), float("inf")]),
    st.sampled_from(["", "a", "fixed", "K80", "vm", "rsjs-workload/1", "\ud800", "two\nlines"]),
    st.floats(),
    st.text(max_size=3),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """What comes of a file with these bytes: what is read, or None after a proper error."""
    folder = tmp_path_factory.mktemp("damage")

    def read(data, suffix=".json"):
        path = folder / f"x{suffix}"
        path.write_bytes(data)
        try:
            return files.read_any(path)
        except InputError as error:
            message = str(error)
        assert message.startswith(f"{path}: ")
        assert " found " in message
        assert ", expected " in message
        assert message.isprintable()
        assert len(message) < 1000
        return None

    return read


@given(rng=ANY, values=st.lists(JSON, min_size=1, max_size=3))
def test_damaged_documents(random_document, damage, outcome, verdicts, rng, values):
    document = random_document(rng)
    if rng.random() < 0.2:  # as a workload
        document |= {"format": serialization.WORKLOAD, "realised": {"epochs": [1]}}
        del document["now"]
    for value in values:
        damage(document, rng, value)
    instance = outcome(json.dumps(document).encode())
    if isinstance(instance, Instance) and instance.cluster.nodes < 1000:
        nothing = Solution.empty(len(instance.jobs), instance.cluster.nodes)
        verdicts(instance, nothing)
        assert (
            deserialization.to_instance(serialization.of_instance(instance)).digest
            == instance.digest
        )
        assert costs.cost_tables(instance).postponement.min() >= 0
    elif instance is not None:
        assert isinstance(instance, Workload | Instance)


@given(rng=ANY, count=st.integers(1, 4), suffix=st.sampled_from([".json", ".json.gz"]))
def test_damaged_bytes(random_document, outcome, tmp_path_factory, rng, count, suffix):
    path = tmp_path_factory.getbasetemp() / f"whole{suffix}"
    files.write_document(random_document(rng), path)
    data = bytearray(path.read_bytes())
    for _ in range(count):
        at = rng.randrange(len(data))
        piece = bytes(
            rng.choice(b'{}[]",:0123456789-+.eE\\u\x00\xff') for _ in range(rng.randint(0, 3))
        )
        data[at : at + rng.randint(0, 4)] = piece
    read = outcome(bytes(data), suffix)
    assert read is None or len(read.digest) == 64


@given(JSON)
def test_any_json_at_all(outcome, value):
    assert outcome(json.dumps(value).encode()) is None


@given(st.binary(max_size=64), st.sampled_from([".json", ".json.gz"]))
def test_any_bytes_at_all(outcome, data, suffix):
    assert outcome(data, suffix) is None

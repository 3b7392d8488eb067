"""What is written reads back exactly, in one canonical form, whole or not at all."""

import errno
import gzip
import hashlib
import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.io import deserialization, files, serialization
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import canonical_text, digest, of_instance
from rsjs.instances.solution import Solution

ANY = st.randoms(use_true_random=False)
DECISION = Solution.of([0, -1, 2], [0, 0, 2], [0, -1, 1], [1, -1, -1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@pytest.fixture
def workload(example):
    """The example as a workload, as a document."""
    document = example() | {"format": serialization.WORKLOAD, "realised": {"epochs": [10, 4, 4]}}
    document.pop("now")
    document["jobs"][1]["epochs_done"] = 0
    return document


@given(rng=ANY, suffix=st.sampled_from([".json", ".json.gz"]))
def test_an_instance_comes_back_the_same(random_document, folder, rng, suffix):
    instance = to_instance(random_document(rng))
    path = folder / f"instance{suffix}"
    files.write_instance(instance, path)
    again = files.read_instance(path)
    assert again.digest == instance.digest
    assert of_instance(again) == of_instance(instance)
    first = path.read_bytes()
    files.write_instance(again, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_a_workload_comes_back_the_same(workload, tmp_path, suffix):
    stream = deserialization.to_workload(workload)
    files.write_workload(stream, tmp_path / f"w{suffix}")
    again = files.read_workload(tmp_path / f"w{suffix}")
    assert (again.digest, again.realised_epochs.tolist()) == (stream.digest, [10, 4, 4])
    assert serialization.of_workload(again) == serialization.of_workload(stream)


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
@pytest.mark.parametrize(
    "claims", [{}, {"method": "greedy:code", "objective": 13.62, "bound": 0.1 + 0.2}], ids=str
)
def test_a_solution_comes_back_with_what_is_claimed(tmp_path, suffix, claims):
    path = tmp_path / f"s{suffix}"
    files.write_solution(DECISION, "0" * 64, path, **claims)
    again = files.read_solution(path)
    assert again.solution.same_as(DECISION)
    assert again.instance_digest == "0" * 64
    nothing = {"method": None, "objective": None, "bound": None}
    assert {name: getattr(again, name) for name in nothing} == nothing | claims


def test_any_kind_of_file_is_read_for_what_it_is(example, workload, tmp_path):
    files.write_instance(to_instance(example()), tmp_path / "i.json")
    files.write_workload(deserialization.to_workload(workload), tmp_path / "w.json")
    files.write_solution(DECISION, "0" * 64, tmp_path / "s.json")
    kinds = [type(files.read_any(tmp_path / f"{name}.json")).__name__ for name in "iws"]
    assert kinds == ["Instance", "Workload", "SolutionFile"]


def test_the_written_form_is_one_line_of_sorted_keys_and_shortest_numbers(example, tmp_path):
    document = example(mu=0.1 + 0.2)
    document |= {"name": 'Pav"ía', "rho": 1e14, "H": 0.1, "now": 4.0}
    files.write_instance(to_instance(document), tmp_path / "i.json")
    text = (tmp_path / "i.json").read_text("utf-8")
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    assert r'"name":"Pav\"ía"' in text
    assert '"mu":0.30000000000000004' in text
    assert '"H":0.1,' in text
    assert '"now":4,' in text
    assert '"release":0.5' in text
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n" == (
        text.replace("í", "\\u00ed")
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3.0, "3"),
        (-0.0, "0"),
        (1e14, "100000000000000"),
        (2**53 + 2.0, "9007199254740994"),
        (1e22, "10000000000000000000000"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
        (5e-324, "5e-324"),
        (True, "true"),
        (7, "7"),
    ],
)
def test_numbers_have_one_spelling(number, text):
    assert canonical_text({"x": [number]}) == f'{{"x":[{text}]}}'
    assert json.loads(text) == number


def test_numbers_of_numpy_are_numbers():
    document = {"a": np.int64(3), "b": np.float64(2), "c": np.array([1, 0.5]), "d": np.bool_(True)}
    assert canonical_text(document) == '{"a":3,"b":2,"c":[1,0.5],"d":true}'


@pytest.mark.parametrize("name", ["nan", "inf", "-inf"])
def test_what_is_no_number_is_not_written(tmp_path, name):
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.write_document({"x": float(name)}, tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_the_digest_is_the_sha256_of_the_canonical_form(example, tmp_path):
    instance = to_instance(example())
    files.write_instance(instance, tmp_path / "i.json")
    text = (tmp_path / "i.json").read_bytes().removesuffix(b"\n")
    assert instance.digest == hashlib.sha256(text).hexdigest()


def test_the_digest_leaves_out_the_version_of_the_generator_and_nothing_else(example):
    plain = to_instance(example()).digest
    made = {"name": "jahani", "parameters": {"seed": 1}}
    digests = [
        to_instance(example() | {"generator": generator}).digest
        for generator in (made | {"version": "1"}, made | {"version": "2"}, made)
    ]
    assert len(set(digests)) == 1
    assert digests[0] != plain
    assert to_instance(example() | {"generator": made | {"name": "kiros"}}).digest != digests[0]
    assert to_instance(example() | {"generator": {"version": "1"}}).digest == plain


def test_the_digest_does_not_depend_on_spelling(example):
    document = example()
    text = json.dumps(document, indent=3)  # other spaces, order of keys, nulls that say nothing
    shuffled = json.loads(text.replace('"now": 1', '"now": 1.0').replace("0.5", "5e-1"))
    shuffled["jobs"][0]["hours_per_epoch"]["P"] += [None]
    shuffled["jobs"][0]["meta"] = {}
    shuffled["cluster"]["nodes"][0]["names"] = []
    reordered = dict(reversed(shuffled.items()))
    assert to_instance(reordered).digest == to_instance(document).digest
    assert digest({"b": 1, "a": 2.0}) == digest({"a": 2, "b": 1})


@given(rng=ANY)
def test_every_change_changes_the_digest(random_document, rng):
    document = random_document(rng)
    before = to_instance(document).digest
    document["jobs"][rng.randrange(len(document["jobs"]))]["due"] += 1e-9
    assert to_instance(document).digest != before


def test_compressed_files_are_equal_byte_for_byte(example, tmp_path):
    for name in ("a.json.gz", "b.json.gz"):
        files.write_instance(to_instance(example()), tmp_path / name)
    first, second = ((tmp_path / name).read_bytes() for name in ("a.json.gz", "b.json.gz"))
    assert first == second
    assert first[4:8] == bytes(4)  # no time
    files.write_instance(to_instance(example()), tmp_path / "plain.json")
    assert gzip.decompress(first) == (tmp_path / "plain.json").read_bytes()


def test_missing_folders_are_made(tmp_path):
    files.write_document({}, tmp_path / "new" / "folder" / "x.json")
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["x.json"]


def _full_disk(path, data):
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, "No space left on device")


def _vanished(path, target):
    raise FileNotFoundError(errno.ENOENT, "No such file or directory")


@pytest.mark.parametrize(("method", "stub"), [("write_bytes", _full_disk), ("replace", _vanished)])
@pytest.mark.parametrize("old", [None, "old"])
def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch, method, stub, old):
    path = tmp_path / "x.json"
    if old:
        path.write_text(old)
    monkeypatch.setattr(Path, method, stub)
    with pytest.raises(InputError, match=r"x\.json: found No s.*, expected a file that can be"):
        files.write_document({"x": 1}, path)
    monkeypatch.undo()
    left = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert left == ({"x.json": "old"} if old else {})


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(path, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write_document({"x": 1}, tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_or_a_device_is_not_replaced_and_a_link_leads_on(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    for name in ("pipe", "null"):
        for refuse in (files.refuse_unwritable, partial(files.write_bytes, b"x")):
            with pytest.raises(
                InputError, match="found a pipe, a device or a socket, expected a f"
            ):
                refuse(tmp_path / name)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/x.json")
    for text in (b"new", b"newer"):
        files.write_bytes(text, tmp_path / "link")
        assert (tmp_path / "folder" / "x.json").read_bytes() == text
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", ["", ".", "file/x.json", "folder", "nul\0.json", "x" * 300])
def test_a_name_that_cannot_be_written_is_bad_input(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("folder").mkdir()
    with pytest.raises(InputError, match="expected a file that can be written"):
        files.write_document({"x": 1}, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]

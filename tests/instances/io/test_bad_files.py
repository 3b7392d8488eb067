"""Files that are damaged, or whose text is JSON only nearly."""

import gzip
import json
from pathlib import Path

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.io import files
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.serialization import canonical_text

DOUBLE = "expected a finite number that a double can hold"
TEXTS = [  # (text, other text in its place), what is told
    # keys that stand twice; the first one is told
    (('"now":1', '"now":1,"now":1'), "/now: found the key twice, expected it once"),
    (('"mu":0', '"mu":0,"mu":1'), "/objective/mu: found the key twice, expected it once"),
    (('"P":[0.1', '"K80":[1],"P":[0.1'), "/jobs/1/hours_per_epoch/K80: found the key twice"),
    # numbers that are none, or that no double holds
    (('"now":1', '"now":NaN'), f"/now: found NaN, {DOUBLE}"),
    (('"rho":100', '"rho":Infinity'), f"/rho: found Infinity, {DOUBLE}"),
    (('"due":4', '"due":-Infinity'), f"/jobs/0/due: found -Infinity, {DOUBLE}"),
    (('"due":4', '"due":1e999'), f"/jobs/0/due: found 1e999, {DOUBLE}"),
    (('"due":4', '"due":1e-999999999'), f"/jobs/0/due: found 1e-999999999, {DOUBLE}"),
    (('"H":1', '"H":' + "9" * 400), f"/H: found {'9' * 157}..., {DOUBLE}"),
    (('"H":1', '"H":-' + "9" * 5000), f"/H: found -{'9' * 156}..., {DOUBLE}"),
    (('"H":1', '"H":0.' + "1" * 5000), f"/H: found 0.{'1' * 155}..., {DOUBLE}"),
    (('"epochs_max":8', '"epochs_max":' + "9" * 30), f"/jobs/1/epochs_max: found {'9' * 30}, "),
    # text that is no Unicode
    (('"id":"a"', r'"id":"\ud800"'), r"/jobs/0/id: found '\ud800', expected Unicode text"),
    (('"H":1', r'"H":1,"\uDFFF":1'), r"found '\udfff', expected Unicode text"),
    # brackets
    (("{", "[" * 100_000), "found brackets nested too deeply, expected a JSON document"),
    (('"id":"a"', '"id":"a","meta":{"x":' + "[" * 900 + "]" * 900 + "}"), "/jobs/0/meta: found b"),
    (('"H":1', '"H":1,"generator":{"parameters":' + '{"x":' * 60 + "0" + "}" * 61), "/generator: "),
    # not JSON
    (("{", ""), "found Extra data at line 1 column 4, expected a whole JSON document"),
    (('"H":1', '"H":01'), "found Expecting ',' delimiter at line 1 column"),
    (('"H":1', '"H":.5'), "found Expecting value at line 1 column"),
    (('"H":1', "'H':1"), "found Expecting property name enclosed in double quotes at line 1 col"),
    (('"H":1', '"H":1 // hour'), "found Expecting ',' delimiter at line 1 column"),
]
WHOLE = [  # all bytes of the file, what is told
    (b"", "found Expecting value at line 1 column 1, expected a whole JSON document"),
    (b"   \n", "found Expecting value at line 2 column 1, expected a whole JSON document"),
    (b"[]", "found an array of 0, expected an object"),
    (b"17", "found 17, expected an object"),
    (b"null", "found None, expected an object"),
    (b'"rsjs-instance/1"', "found 'rsjs-instance/1', expected an object"),
    (b"{}", "found no key 'format', expected this key"),
    (b"\xef\xbb\xbf{}", "found Unexpected UTF-8 BOM (decode using utf-8-sig) at line 1 column 1"),
    (b'{"name": "Pav\xeda"}', "found byte 0xed at offset 13, expected UTF-8 text"),
    ('{"name": "x"}'.encode("utf-16"), "found byte 0xff at offset 0, expected UTF-8 text"),
    (
        gzip.compress(b"{}", mtime=0),
        "found byte 0x8b at offset 1, expected UTF-8 text",
    ),  # not named .gz
]


def _told(path, read=files.read_instance):
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    assert message.isprintable()
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(("change", "message"), TEXTS)
@pytest.mark.parametrize("read", [files.read_instance, files.read_any])
def test_text_that_is_nearly_json_is_refused(example, tmp_path, change, message, read):
    text = canonical_text(example())
    assert change[0] in text
    (tmp_path / "i.json").write_text(text.replace(*change, 1))
    assert _told(tmp_path / "i.json", read).startswith(message)


@pytest.mark.parametrize(("data", "message"), WHOLE)
def test_a_file_of_something_else_is_refused(tmp_path, data, message):
    (tmp_path / "i.json").write_bytes(data)
    assert _told(tmp_path / "i.json").startswith(message)


def test_a_file_cut_short_anywhere_is_refused(example, tmp_path):
    text = canonical_text(example())
    for length in range(0, len(text), 7):
        (tmp_path / "i.json").write_text(text[:length])
        assert ", expected a whole JSON document" in _told(tmp_path / "i.json")


def test_compressed_data_cut_short_anywhere_is_refused(example, tmp_path):
    path = tmp_path / "i.json.gz"
    files.write_document(example(), path)
    data = path.read_bytes()
    for length in range(1, len(data)):
        path.write_bytes(data[:length])
        assert _told(path).startswith("found damaged gzip data (")
    path.write_bytes(b"")
    assert _told(path).endswith("expected a whole JSON document")


def test_a_flipped_bit_in_compressed_data_is_refused_or_harmless(example, tmp_path):
    path = tmp_path / "i.json.gz"
    files.write_document(example(), path)
    data, digest = path.read_bytes(), files.read_instance(path).digest
    told, harmless = set(), set()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        try:
            assert files.read_instance(path).digest == digest
            harmless.add(at)
        except InputError as error:
            told.add(str(error))
    assert all(message.startswith(f"{path}: found damaged gzip data (") for message in told)
    assert all(len(message.splitlines()) == 1 for message in told)
    assert harmless <= set(range(3, 10))  # flags, time, system: no part of the data


@pytest.mark.parametrize("data", [b'{"format": "x"}', b"PK\x03\x04", b"\x1f", b"\x1f\x8b\x08"])
def test_what_is_no_gzip_data_is_refused(tmp_path, data):
    (tmp_path / "i.json.gz").write_bytes(data)
    assert _told(tmp_path / "i.json.gz").endswith("expected a whole .gz file")


def test_compressed_text_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "i.json.gz").write_bytes(gzip.compress(b"\xff"))
    assert _told(tmp_path / "i.json.gz") == "found byte 0xff at offset 0, expected UTF-8 text"


def test_a_file_that_is_not_there_is_told(tmp_path, monkeypatch):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "file").touch()
    assert _told(tmp_path / "x.json") == "found No such file or directory, expected a readable file"
    assert _told(tmp_path / "folder.json") == "found Is a directory, expected a readable file"
    assert _told(tmp_path / "file" / "x.json").startswith("found Not a directory")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"nul\\x00\.json: found embedded null byte"):
        files.read_instance("nul\0.json")


def test_numbers_as_wide_as_a_double_are_read(example, tmp_path):
    text = canonical_text(example() | {"jobs": [example()["jobs"][0] | {"meta": {"x": [0]}}]})
    wide = [10**308, -(2**64), 5e-324, 0.1, 0]
    digits = f"{5e-324:.1074f}"  # written out in full
    numbers = [*map(repr, wide), digits, "0.0e5", "-0.0", r'"\ud83d\ude00"', r'"\\ud800"']
    (tmp_path / "i.json").write_text(text.replace('"x":[0]', f'"x":[{",".join(numbers)}]'))
    instance = files.read_instance(tmp_path / "i.json")
    assert instance.jobs.meta[0]["x"] == [*wide, 5e-324, 0, 0, "\U0001f600", r"\ud800"]
    files.write_instance(instance, tmp_path / "again.json")
    assert files.read_instance(tmp_path / "again.json").digest == instance.digest


def test_errors_of_the_library_name_no_file(example):
    with pytest.raises(InputError) as caught:
        to_instance(json.loads(canonical_text(example())) | {"H": -1.0})
    assert str(caught.value) == "/H: found -1.0, expected a number from 0 to 1e+15"
    assert str(caught.value.at(Path("x.json"))) == f"x.json: {caught.value}"

"""A file is written whole or not at all."""

import errno
import os
from functools import partial
from pathlib import Path

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.io import files


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

"""A set as files: complete, taken up where it was ended, mended where it was damaged."""

import json
from dataclasses import replace

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.io.files import read_instance, read_workload
from rsjs.instances.library import sets
from rsjs.instances.library.download import MANIFEST_NAME, fetch
from rsjs.instances.library.sets import library_set
from rsjs.instances.mig.job_files import read_jobs


def states(name, folder):
    return [state for _, state in fetch(library_set(name), folder)]


def test_every_member_is_written_with_a_manifest(tmp_path):
    assert states("tiny", tmp_path) == ["written"] * 4
    manifest = json.loads((tmp_path / MANIFEST_NAME).read_text("utf-8"))
    assert (manifest["format"], manifest["set"]) == ("rsjs-set/1", "tiny")
    assert manifest["licence"] == "CC-BY-4.0"
    for member in manifest["members"]:
        instance = read_instance(tmp_path / member["file"])
        assert (instance.digest, instance.name) == (member["sha256"], member["name"])
    assert {path.name for path in tmp_path.iterdir()} == {
        MANIFEST_NAME,
        *(member["file"] for member in manifest["members"]),
    }


def test_what_is_there_is_kept_and_what_is_damaged_is_written_again(tmp_path):
    states("tiny", tmp_path)
    first, second, third, fourth = sorted(tmp_path.glob("*.gz"))
    before = {path: path.read_bytes() for path in (first, second, third, fourth)}
    first.write_bytes(before[first][:-20])
    second.write_bytes(before[third])
    third.unlink()
    (tmp_path / MANIFEST_NAME).unlink()
    assert sorted(states("tiny", tmp_path)) == ["kept", *["written"] * 3]
    assert {path: path.read_bytes() for path in before} == before
    assert (tmp_path / MANIFEST_NAME).exists()


def test_an_ended_fetch_leaves_no_manifest_and_goes_on(tmp_path):
    work = fetch(library_set("tiny"), tmp_path)
    next(work)
    work.close()
    assert not (tmp_path / MANIFEST_NAME).exists()
    assert states("tiny", tmp_path) == ["kept", *["written"] * 3]


def test_sets_of_mig_jobs_are_fetched_too(tmp_path):
    assert states("mig-batches", tmp_path) == ["written"] * 10
    assert states("mig-batches", tmp_path) == ["kept"] * 10
    for member in library_set("mig-batches").members:
        jobs = read_jobs(tmp_path / f"{member.name}.json.gz")
        assert (jobs.digest, len(jobs)) == (member.sha256, member.jobs)


def test_members_may_be_of_several_kinds(tmp_path):
    tiny, workloads = (library_set(name) for name in ("tiny", "workloads-open"))
    both = replace(tiny, members=(tiny.members[0], workloads.members[0]))
    assert (tiny.kinds, both.kinds) == (("instances",), ("instances", "workloads"))
    for state in ("written", "kept"):
        assert [told for _, told in fetch(both, tmp_path)] == [state] * 2
    for member, read in zip(both.members, (read_instance, read_workload), strict=True):
        assert read(tmp_path / f"{member.name}.json.gz").digest == member.sha256


def test_a_folder_has_one_set(tmp_path):
    states("tiny", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InputError, match="/set: found 'tiny', expected enumerable, or a folder"):
        states("enumerable", tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / MANIFEST_NAME).write_text("[]")
    assert states("tiny", tmp_path) == ["kept"] * 4


def test_a_generator_that_has_changed_is_told_and_nothing_is_written(tmp_path, monkeypatch):
    draw = sets.draw
    monkeypatch.setattr(
        sets, "draw", lambda name, given: draw(name, {**given, "seed": given["seed"] + 1})
    )
    with pytest.raises(InputError, match=r"/sha256: found .* the digest of jahani-.* in the lib"):
        states("tiny", tmp_path)
    assert not [*tmp_path.iterdir()]

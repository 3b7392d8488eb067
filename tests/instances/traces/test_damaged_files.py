"""Whatever is done to a file, it is read to its end, and what is wrong is told."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.instances.errors import InputError
from rsjs.instances.traces.lint import inspect
from rsjs.instances.traces.registry import open_trace

TABLES = [("openb", "pods.csv"), ("helios", "cluster_log.csv"), ("spot", "job_info_df.csv")]
ENTRIES = ["", "None", "-1", "0", "1000", "1e999", "nan", "x", '"', '"a"', "1,2", "\x00", "\r"]
ENTRIES += ["9" * 30, " ", "0.5", "\ud7ff", "2020-01-01T00:00:00Z", "2020-06-09 18:41:01 PST"]


def report_on(text: bytes, name: str = "file"):
    with TemporaryDirectory() as folder:
        Path(folder, name).write_bytes(text)
        return inspect(open_trace([Path(folder, name)]))


@pytest.mark.parametrize(("name", "file"), TABLES)
@given(data=st.data())
def test_damaged_rows_are_counted_and_the_others_stay(texts, name, file, data):
    header, *lines = texts[name][file].splitlines()
    before = report_on("\n".join([header, *lines]).encode())
    damaged = data.draw(st.sets(st.integers(0, 3), max_size=3))
    for i in damaged:
        fields = lines[i].split(",")
        at = data.draw(st.integers(0, len(fields) - 1))
        fields[at] = data.draw(st.sampled_from(ENTRIES) | st.text(max_size=5))
        lines[i] = ",".join(fields).replace("\n", " ")
    report = report_on("\n".join([header, *lines]).encode("utf-8", "replace"))
    assert report.tally.rows == 4
    whole = 4 - len(damaged)
    assert whole <= report.tally.usable <= 4
    for places in report.tally.places.values():
        assert all(2 <= place.line <= 5 for place in places)
    if not damaged:
        assert report.tally.flaws == before.tally.flaws


@given(text=st.binary(max_size=300))
def test_any_bytes_are_a_trace_or_refused(text):
    with suppress(InputError):
        assert report_on(text).tally.rows <= text.count(b"\n") + 1


@given(data=st.data())
def test_broken_json_costs_the_jobs_that_it_hits(texts, data):
    text = texts["philly"]["cluster_job_log"]
    at = data.draw(st.integers(text.index('"user"'), len(text) - 1))
    drop = data.draw(st.integers(0, 30))
    put = data.draw(st.sampled_from(["", "{", "}", '"', "]", ",", "null", "\\", "1"]))
    report = report_on((text[:at] + put + text[at + drop :]).encode())
    assert report.tally.usable <= 4
    assert report.tally.rows <= 6
    hit = text.count('"jobid"', at - 400, at + drop + 400)  # jobs near the damage
    assert report.tally.usable >= 4 - max(2, hit)


def test_an_array_that_does_not_end_is_truncated(texts):
    text = texts["philly"]["cluster_job_log"].rstrip().removesuffix("]").encode()
    for end in (b"", b",", b", {"):
        report = report_on(text + end)
        assert report.tally.rows == 4
        assert report.tally.flaws == {"failed": 1, "truncated": 1}
    assert report_on(text + b"]\n").tally.flaws == {"failed": 1}


@pytest.mark.parametrize("pack", ["gz", "tar.gz", "zip", "tar"])
def test_a_truncated_archive_gives_what_is_whole_and_is_told(texts, pack):
    text = texts["helios"]["cluster_log.csv"].splitlines()
    many = "\n".join([text[0], *(f"{i}{text[1]}" for i in range(1, 30_001))]).encode()
    whole = _packed(many, pack)
    assert report_on(whole).tally.flaws == {}
    for part in (0.3, 0.6, 0.97):
        report = report_on(whole[: int(part * len(whole))])
        assert report.has_errors
        assert report.tally.flaws == {"truncated": 1}
        [place] = report.tally.places["truncated"]
        assert 0.5 * part * 30_000 < report.tally.rows < 30_000
        assert place.line == report.tally.rows + 2


@pytest.mark.parametrize("name", ["pai", "philly", "gavel"])
def test_other_formats_are_read_as_far_as_they_go(texts, tmp_path, name):
    for file, text in texts[name].items():
        (tmp_path / file).write_text(text)
    paths = [tmp_path / file for file in texts[name]]
    packed = gzip.compress(paths[0].read_bytes() + b" " * 64, mtime=0)
    paths[0].write_bytes(packed[:-8])
    report = inspect(open_trace(paths))
    assert report.tally.flaws["truncated"] == 1
    assert report.tally.rows >= 3


def test_the_jobs_of_a_truncated_task_table_are_read(texts, tmp_path):
    for file, text in texts["pai"].items():
        (tmp_path / file).write_text(text)
    packed = gzip.compress((tmp_path / "task.csv").read_bytes(), mtime=0)
    (tmp_path / "task.csv").write_bytes(packed[:-9])
    report = inspect(open_trace([tmp_path / "job.csv", tmp_path / "task.csv"]))
    assert report.tally.flaws["truncated"] == 1
    assert report.tally.usable >= 2


def _packed(text: bytes, pack: str) -> bytes:
    out = io.BytesIO()
    if pack == "gz":
        return gzip.compress(text, mtime=0)
    if pack == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("cluster_log.csv", text)
    else:
        mode = "w:gz" if pack == "tar.gz" else "w"
        with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
            info = tarfile.TarInfo("cluster_log.csv")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return out.getvalue()

"""Files that are damaged or no plain tables: read to their end, and what is wrong is told."""

import gzip
import io
import json
import os
import tarfile
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.traces.convert import ConversionOptions, convert
from rsjs.instances.traces.formats import philly
from rsjs.instances.traces.imputation import MAX_NODES, parse_nodes
from rsjs.instances.traces.io import streams
from rsjs.instances.traces.quality_report import inspect
from rsjs.instances.traces.registry import open_trace

LOG = "cluster_log.csv"
TABLES = [("openb", "pods.csv"), ("helios", LOG), ("spot", "job_info_df.csv")]
ENTRIES = ["", "None", "-1", "0", "1000", "1e999", "nan", "x", '"', '"a"', "1,2", "\x00", "\r"]
ENTRIES += ["9" * 30, " ", "0.5", "\ud7ff", "2020-01-01T00:00:00Z", "2020-06-09 18:41:01 PST"]
ZIPS = {"zip": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}


def report_on(content, name="file"):
    """The report on a file of these bytes."""
    with TemporaryDirectory() as folder:
        Path(folder, name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return inspect(open_trace([Path(folder, name)]))


def packed(text, pack):
    """The log as an archive: gz, tar, tar.gz, or a zip of this or another compression."""
    out = io.BytesIO()
    if pack == "gz":
        return gzip.compress(text, mtime=0)
    if pack in ZIPS:
        with zipfile.ZipFile(out, "w", ZIPS[pack]) as archive:
            archive.writestr(LOG, text)
    else:
        with tarfile.open(fileobj=out, mode="w:gz" if pack == "tar.gz" else "w") as archive:
            info = tarfile.TarInfo(LOG)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return out.getvalue()


def many_rows(texts, n):
    """The log with its first row n times, names of its own."""
    header, row = texts["helios"][LOG].splitlines()[:2]
    names = np.random.default_rng(1).integers(10**15, size=n).tolist()
    return "\n".join([header, *(f"{i}{row}" for i in names)]).encode()


@pytest.mark.parametrize(("name", "file"), TABLES)
@settings(max_examples=settings().max_examples // 2)
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


def test_what_is_left_of_a_broken_object_is_one_row(texts):
    text = texts["philly"]["cluster_job_log"]
    report = report_on(text.replace('": "application_1",', '": "application_1"}', 1).encode())
    assert (report.tally.rows, report.tally.usable) == (5, 3)


def test_an_array_that_does_not_end_is_truncated(texts):
    text = texts["philly"]["cluster_job_log"].rstrip().removesuffix("]").encode()
    for end in (b"", b",", b", {"):
        report = report_on(text + end)
        assert report.tally.rows == 4
        assert report.tally.flaws == {"failed": 1, "truncated": 1}
    assert report_on(text + b"]\n").tally.flaws == {"failed": 1}


@pytest.mark.parametrize("pack", ["gz", "tar.gz", "zip", "tar"])
def test_a_truncated_archive_gives_what_is_whole_and_is_told(texts, pack):
    whole = packed(many_rows(texts, 30_000), pack)
    assert report_on(whole).tally.flaws == {}
    for part in (0.3, 0.97):
        report = report_on(whole[: int(part * len(whole))])
        assert report.has_errors
        assert report.tally.flaws == {"truncated": 1}
        [place] = report.tally.places["truncated"]
        assert 0.5 * part * 30_000 < report.tally.rows < 30_000
        assert place.line == report.tally.rows + 2


@pytest.mark.slow
@pytest.mark.parametrize("pack", ["bzip2", "lzma"])
def test_damage_of_other_compressions_is_told(texts, pack):
    whole = bytearray(packed(many_rows(texts, 15_000), pack))
    assert report_on(bytes(whole)).tally.flaws == {}
    whole[len(whole) * 9 // 10] ^= 255
    report = report_on(bytes(whole))
    assert report.tally.flaws["truncated"] == 1
    assert report.tally.rows > 0


def test_the_last_rows_of_a_short_truncated_archive_are_read(texts):
    header, row = texts["helios"][LOG].splitlines()[:2]
    whole = packed("\n".join([header, *(f"{i}{row}" for i in range(5000))]).encode(), "tar")
    cut = 512 + len(header) + 1 + 20 * (len(row) + 2)
    for content in (whole[:cut], gzip.compress(whole)[:600]):
        report = report_on(content)
        assert report.tally.flaws == {"truncated": 1}
        assert report.tally.rows >= 15
        assert report.tally.places["truncated"][0].line == report.tally.rows + 2


@pytest.mark.parametrize(
    ("name", "cut", "opened"), [("pai", 0, 3), ("pai", 1, 2), ("philly", 0, 2), ("gavel", 0, 2)]
)
def test_other_formats_are_read_as_far_as_they_go(write, name, cut, opened):
    paths = write(name)
    paths[cut].write_bytes(gzip.compress(paths[cut].read_bytes() + b" " * 64, mtime=0)[:-8])
    report = inspect(open_trace(paths[:opened]))
    assert report.tally.flaws["truncated"] == 1
    assert report.tally.rows >= 3
    assert report.tally.usable >= 2


def test_a_pipe_and_a_folder_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError, match="found no regular file"):
            open_trace([tmp_path / name])


def test_an_encrypted_archive_is_refused(texts):
    locked = bytearray(packed(texts["helios"][LOG].encode(), "zip"))
    locked[6] |= 1  # the flag of the local header and of the list of members
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match="encrypted"):
        report_on(bytes(locked), "a.zip")


@pytest.mark.parametrize("ends", ["\n", "", "\r"])
def test_a_table_without_rows_is_an_error(texts, ends):
    header, *rows = texts["helios"][LOG].splitlines()
    report = report_on("\r".join([header, *rows]) if ends == "\r" else header + ends)
    assert report.tally.flaws == {"empty": 1}
    assert report.has_errors
    with pytest.raises(InputError, match="found 1 empty, expected a table that can be read"):
        convert(replace(report, nodes=parse_nodes("V100:8:1")), ConversionOptions())


def test_a_column_that_stands_twice_is_not_guessed(texts):
    header, *rows = texts["helios"][LOG].splitlines()
    report = report_on("\n".join([f"gpu_num,{header}", *(f"7,{row}" for row in rows)]))
    assert report.tally.flaws == {"missing-column": 1}
    assert report.tally.places["missing-column"][0].id == "gpu_num twice"


def test_a_column_that_nobody_reads_may_stand_twice(texts):
    header, *rows = texts["helios"][LOG].splitlines()
    plain = report_on("\n".join([header, *rows]))
    report = report_on("\n".join([f"{header},user", *(f"{row},u" for row in rows)]))
    assert report.tally.flaws == plain.tally.flaws == {"failed": 1}
    assert report.loads == plain.loads


def test_an_endless_line_is_no_row_and_is_not_held(texts, monkeypatch):
    monkeypatch.setattr(streams, "MAX_LINE", 1000)
    held = []
    joined = streams._count_lines
    monkeypatch.setattr(streams, "_count_lines", lambda t: held.append(len(t)) or joined(t))
    header, *rows = texts["helios"][LOG].splitlines()
    fields = ",".join(["x" * 700_000] * header.count(",")) + ",x"  # as many as the table has
    report = report_on("\n".join([header, *rows[:2], fields, *rows[2:]]))
    assert report.tally.flaws == {"failed": 1, "fields": 1}
    assert (report.tally.places["fields"][0].line, report.tally.usable) == (4, 4)
    assert max(held) <= streams.BLOCK + 1000


def test_an_endless_object_is_broken_and_is_not_held(texts, monkeypatch):
    monkeypatch.setattr(philly, "MAX_OBJECT", 50_000)
    text = texts["philly"]["cluster_job_log"]
    long = ', {"status": "Pass", "attempts": [' + '{"start_time": null}, ' * 300_000
    at = text.index("},\n    {\n") + 1  # after the first job
    report = report_on(text[:at] + long + text[at:])
    assert report.tally.flaws["fields"] >= 1
    assert report.tally.usable == 4


def test_the_user_cannot_ask_for_more_nodes_than_a_file_may_have():
    for text in ("V100:1025:1", f"V100:8:{MAX_NODES + 1}", "V100:8:" + "9" * 5000):
        with pytest.raises(InputError, match=f"1024 GPUs and {MAX_NODES} nodes"):
            parse_nodes(text)
    assert parse_nodes(f"V100:1024:{MAX_NODES}")[0].count == MAX_NODES


def test_jobs_in_one_line_are_told_apart(texts):
    jobs = json.loads(texts["philly"]["cluster_job_log"])
    jobs[2]["jobid"] = jobs[0]["jobid"]
    tally = report_on(json.dumps(jobs).encode()).tally
    assert (tally.rows, tally.flaws["duplicate"]) == (4, 1)

"""Files that are no plain tables: pipes, locked archives, no rows, columns twice, endless lines."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from rsjs.instances.errors import InputError
from rsjs.instances.traces import json_objects, line_blocks
from rsjs.instances.traces.cluster import MOST_NODES, spelled_nodes
from rsjs.instances.traces.convert import convert
from rsjs.instances.traces.lint import inspect
from rsjs.instances.traces.options import Options
from rsjs.instances.traces.registry import open_trace

LOG = "cluster_log.csv"


@pytest.fixture
def report_on(tmp_path):
    """The report on a file of these bytes."""

    def made(content, name="file"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return inspect(open_trace([tmp_path / name]))

    return made


def flaws(report):
    return {name: count for name, count in report.tally.flaws.items() if count}


def test_a_pipe_and_a_folder_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError, match="found no regular file"):
            open_trace([tmp_path / name])


def test_an_encrypted_archive_is_refused(texts, tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(LOG, texts["helios"][LOG])
    locked = bytearray(out.getvalue())
    locked[6] |= 1  # the flag of the local header and of the list of members
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(locked)
    with pytest.raises(InputError, match="encrypted"):
        open_trace([tmp_path / "a.zip"])


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_of_other_compressions_is_told(texts, report_on, method):
    header, row = texts["helios"][LOG].splitlines()[:2]
    names = np.random.default_rng(1).integers(10**15, size=30_000).tolist()
    many = "\n".join([header, *(f"{i}{row}" for i in names)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(LOG, many)
    whole = out.getvalue()
    assert flaws(report_on(whole)) == {}
    damaged = bytearray(whole)
    damaged[len(whole) * 9 // 10] ^= 255
    report = report_on(bytes(damaged))
    assert report.tally.flaws["truncated"] == 1
    assert report.tally.rows > 0


def test_the_last_rows_of_a_short_truncated_archive_are_read(texts, report_on):
    header, row = texts["helios"][LOG].splitlines()[:2]
    text = "\n".join([header, *(f"{i}{row}" for i in range(5000))]).encode()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(LOG)
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    cut = 512 + len(header) + 1 + 20 * (len(row) + 2)
    for content in (out.getvalue()[:cut], gzip.compress(out.getvalue())[:600]):
        report = report_on(content)
        assert flaws(report) == {"truncated": 1}
        assert report.tally.rows >= 15
        assert report.tally.places["truncated"][0].line == report.tally.rows + 2


@pytest.mark.parametrize("ends", ["\n", "", "\r"])
def test_a_table_without_rows_is_an_error(texts, report_on, ends):
    header, *rows = texts["helios"][LOG].splitlines()
    report = report_on("\r".join([header, *rows]) if ends == "\r" else header + ends)
    assert flaws(report) == {"empty": 1}
    assert report.has_errors
    with pytest.raises(InputError, match="found 1 empty, expected a trace that can be read"):
        convert(replace(report, nodes=spelled_nodes("V100:8:1")), Options())


def test_a_column_that_stands_twice_is_not_guessed(texts, report_on):
    header, *rows = texts["helios"][LOG].splitlines()
    report = report_on("\n".join([f"gpu_num,{header}", *(f"7,{row}" for row in rows)]))
    assert flaws(report) == {"missing-column": 1}
    assert report.tally.places["missing-column"][0].id == "gpu_num twice"


def test_a_column_that_nobody_reads_may_stand_twice(texts, report_on):
    header, *rows = texts["helios"][LOG].splitlines()
    plain = report_on("\n".join([header, *rows]))
    report = report_on("\n".join([f"{header},user", *(f"{row},u" for row in rows)]))
    assert flaws(report) == flaws(plain) == {"failed": 1}
    assert report.loads == plain.loads


def test_an_endless_line_is_no_row_and_is_not_held(texts, report_on, monkeypatch):
    monkeypatch.setattr(line_blocks, "LONGEST", 1000)
    held = []
    joined = line_blocks._lines_of
    monkeypatch.setattr(
        line_blocks, "_lines_of", lambda text: held.append(len(text)) or joined(text)
    )
    header, *rows = texts["helios"][LOG].splitlines()
    fields = ",".join(["x" * 700_000] * header.count(",")) + ",x"  # as many as the table has
    report = report_on("\n".join([header, *rows[:2], fields, *rows[2:]]))
    assert flaws(report) == {"failed": 1, "fields": 1}
    assert report.tally.places["fields"][0].line == 4
    assert report.tally.usable == 4
    assert max(held) <= line_blocks.BLOCK + 1000


def test_an_endless_object_is_broken_and_is_not_held(texts, report_on, monkeypatch):
    monkeypatch.setattr(json_objects, "LONGEST_OBJECT", 50_000)
    text = texts["philly"]["cluster_job_log"]
    long = ', {"status": "Pass", "attempts": [' + '{"start_time": null}, ' * 300_000
    at = text.index("},\n    {\n") + 1  # after the first job
    report = report_on(text[:at] + long + text[at:])
    assert flaws(report)["fields"] >= 1
    assert report.tally.usable == 4


def test_the_user_cannot_ask_for_more_nodes_than_a_file_may_have():
    for text in ("V100:1025:1", f"V100:8:{MOST_NODES + 1}", "V100:8:" + "9" * 5000):
        with pytest.raises(InputError, match=f"1024 GPUs and {MOST_NODES} nodes"):
            spelled_nodes(text)
    assert spelled_nodes(f"V100:1024:{MOST_NODES}")[0].count == MOST_NODES

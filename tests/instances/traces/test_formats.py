"""Every format gives the same common record, however its files are packed."""

import gzip
import io
import tarfile
import zipfile
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.traces.columns import hash_texts, parse_dates
from rsjs.instances.traces.flaws import FAILED
from rsjs.instances.traces.formats import philly
from rsjs.instances.traces.io import streams
from rsjs.instances.traces.quality_report import TraceTally
from rsjs.instances.traces.records import TraceNodes
from rsjs.instances.traces.registry import FORMATS, open_trace

SUBMIT = [0, 100, 7200, 7200]
DURATION = [3600, 8640, 100, 90000]
GPUS = [1, 4, 2, 1]


def all_rows(trace):
    """The rows of a trace as one dictionary of columns, GPU types spelled out."""
    chunks = [rows for rows in trace.rows() if len(rows)]
    names = ("line", "id", "submit", "duration", "gpus", "share", "flaw")
    found = {k: np.concatenate([getattr(rows, k) for rows in chunks]).tolist() for k in names}
    found["model"] = [model for rows in chunks for model in rows.spelled_models]
    return found


def test_every_format_gives_the_same_jobs(format_name, opened):
    trace = opened(format_name)
    assert (trace.format.name, trace.missing) == (format_name, {})
    rows = all_rows(trace)
    assert [t - rows["submit"][0] for t in rows["submit"]] == SUBMIT
    assert (rows["duration"], rows["gpus"]) == (DURATION, GPUS)
    assert rows["share"] == [1, 1, 1, 0.25 if format_name in ("openb", "pai") else 1]
    states = format_name not in ("spot", "gavel")
    assert rows["flaw"] == [0, FAILED.bit if states else 0, 0, 0]
    assert len(set(rows["id"])) == 4


@pytest.mark.parametrize(
    ("name", "models", "nodes"),
    [
        (
            "openb",
            ["", "V100M16|V100M32", "T4", "P100"],
            [("V100M16", 8, 1), ("V100M32", 8, 1), ("T4", 4, 1), ("P100", 2, 1)],
        ),
        (
            "pai",
            ["V100", "T4", "P100", "MISC"],
            [("V100", 8, 1), ("T4", 4, 1), ("P100", 2, 1), ("MISC", 8, 1)],
        ),
        ("spot", ["A10", "A100-SXM4-80GB"] * 2, [("A10", 4, 1), ("A100-SXM4-80GB", 8, 1)]),
        ("philly", [""] * 4, [("", 8, 1), ("", 2, 1)]),
        ("helios", [""] * 4, []),
        ("gavel", [""] * 4, []),
    ],
)
def test_gpu_types_and_nodes_are_as_recorded(opened, name, models, nodes):
    trace = opened(name)
    assert all_rows(trace)["model"] == models
    assert sorted(trace.nodes(), key=str) == sorted((TraceNodes(*each) for each in nodes), key=str)


@pytest.mark.parametrize("entry", ["x", "-1", "1e400", "2.5"])
def test_a_node_list_is_refused_with_the_text_that_is_no_number_of_gpus(write, entry):
    files = write("openb")
    nodes = next(path for path in files if path.name == "nodes.csv")
    nodes.write_text(nodes.read_text().replace("a,1,1,8,", f"a,1,1,{entry},"))
    with pytest.raises(InputError, match=r"/2/gpu: found .*, expected a whole number 0 to") as told:
        open_trace(files).nodes()
    assert ("inf" if entry == "1e400" else entry) in str(told.value)


def test_lines_count_from_one_with_the_header(opened):
    assert all_rows(opened("helios"))["line"] == [2, 3, 4, 5]
    assert all_rows(opened("gavel"))["line"] == [1, 2, 3, 4]
    philly = opened("philly")
    text = philly.tables["cluster_job_log"].path.read_text().splitlines()
    assert all("{" in text[line - 1] for line in all_rows(philly)["line"])


@pytest.mark.parametrize(("name", "pack"), [*zip(FORMATS, cycle(["gz", "zip", "tar", "tar.gz"]))])
def test_packed_files_are_the_same_trace(name, write, tmp_path, pack):
    files = write(name)
    plain = all_rows(open_trace(files))
    other = {"README.txt": b"nothing of a trace"}
    packed = [tmp_path / f"trace.{pack}"]
    if pack == "gz":
        packed = [file.with_suffix(".gz") for file in files]
        for file, target in zip(files, packed, strict=True):
            target.write_bytes(gzip.compress(file.read_bytes()))
    elif pack == "zip":
        with zipfile.ZipFile(packed[0], "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, f"data/{file.name}")
            archive.writestr("README.txt", other["README.txt"])
    else:
        with tarfile.open(packed[0], "w:gz" if pack == "tar.gz" else "w") as archive:
            info = tarfile.TarInfo("README.txt")
            info.size = len(other["README.txt"])
            archive.addfile(info, io.BytesIO(other["README.txt"]))
            for file in files:
                archive.add(file, f"data/{file.name}")
    trace = open_trace(packed)
    assert all_rows(trace) == plain
    assert len(trace.ignored) == (0 if pack == "gz" else 1)


def _with_ends(text):
    return text.replace("\n", "\r\n")


def _with_mark(text):
    return "\ufeff" + text


def _quoted(text):
    lines = [",".join(f'"{field}"' for field in line.split(",")) for line in text.splitlines()]
    return "\n".join(lines)


@pytest.mark.parametrize("change", [_with_ends, _with_mark, _quoted])
@pytest.mark.parametrize("name", ["openb", "helios", "spot"])
def test_how_a_table_was_saved_does_not_matter(write, name, change):
    files = write(name)
    plain = all_rows(open_trace(files))
    for file in files:
        file.write_bytes(change(file.read_text()).encode())
    assert all_rows(open_trace(files)) == plain


def test_the_size_of_the_blocks_does_not_matter(format_name, opened, monkeypatch):
    trace = opened(format_name)
    plain = all_rows(trace)
    for size in (200, 333, 1000):
        for module in (streams, philly):
            monkeypatch.setattr(module, "BLOCK", size)
        assert all_rows(trace) == plain


def test_blank_lines_are_no_rows_but_count_as_lines(write):
    [file] = write("helios", {"cluster_log.csv": ("\n7001", "\n\n\n7001")})
    assert all_rows(open_trace([file]))["line"] == [2, 5, 6, 7]


def test_gavel_without_throughputs_takes_those_of_a_family(write):
    trace = open_trace(write("gavel")[:1])
    steps = np.array(DURATION) * 4
    rates = [1.3768704198194044, 96.24638978858054, 7.237954214304961, 1.3768704198194044]
    assert all_rows(trace)["duration"] == pytest.approx((steps / rates).tolist())


def test_pai_counts_parts_of_gpus_together(opened):
    change = {"task.csv": ("job3,worker,1.0", "job3,worker,6.0")}  # 6 x 25 %
    rows = all_rows(opened("pai", change))
    assert (rows["gpus"][3], rows["share"][3]) == (2, 1)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["openb/pods.csv", "helios/cluster_log.csv"], "tables of helios and openb"),
        (["pai/job.csv"], "the task table too"),
        (["openb/nodes.csv"], "the pod list too"),
        (["helios/cluster_log.csv", "helios/cluster_log.csv"], "a second cluster_log"),
        (["other"], f"one of the formats {', '.join(FORMATS)}"),
        (["empty"], "no table of a known trace"),
        (["nowhere"], "No such file"),
    ],
)
def test_files_that_are_no_trace_are_refused(write, tmp_path, files, message):
    for name in ("openb", "pai", "helios"):
        (tmp_path / name).mkdir()
        for file in write(name):
            file.rename(tmp_path / name / file.name)
    (tmp_path / "other").write_text("a,b\n1,2\n")
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match=message):
        open_trace([Path(tmp_path, file) for file in files])


def test_seconds_of_dates():
    moments = np.random.default_rng(1).integers(-2_000_000_000, 7_000_000_000, 2000)
    texts = np.datetime_as_string(moments.astype("datetime64[s]"), unit="s")
    found, flaw = parse_dates(np.char.replace(texts, "T", " ").astype("S32"))
    assert found.tolist() == moments.tolist()
    assert not flaw.any()


def test_hashes_differ_where_texts_do():
    texts = np.array([f"{a}{b}" for a in ("x", "job-", "y" * 40) for b in range(30_000)], "S64")
    assert len(set(hash_texts(texts).tolist())) == len(texts)


def test_duplicates_are_lines_of_names_that_an_earlier_line_has():
    hashes = hash_texts(np.array([b"a", b"b", b"a", b"", b"b", b"a", b"c"]))
    assert TraceTally(names=[(hashes, np.arange(7))]).duplicates().tolist() == [2, 4, 5]
    assert TraceTally().duplicates().tolist() == []

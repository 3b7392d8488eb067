"""`rsjs export`: the verifier, and what the command says of archives."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_verifier_that_is_written_verifies(rsjs, folder, tmp_path):
    file = tmp_path / "rsjs_verify.py"
    written = rsjs("export", "verifier", "-o", file)
    assert written.code == 0
    assert sha256(file.read_bytes()).hexdigest() in written.out
    assert rsjs("export", "verifier", "-o", file, "--json").json["file"] == str(file)
    command = [sys.executable, "-I", "-S", file, folder / "small.json", folder / "idle.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = rsjs("check", folder / "small.json", folder / "idle.json", "--exact", "--json").json
    assert done.returncode == (0 if told["exact"]["feasible"] else 1)
    assert f"objective {told['exact']['objective']!r} $" in done.stdout


def test_features_and_runs_of_a_set_are_written_for_other_tools(rsjs, tmp_path):
    metadata, scenario = tmp_path / "metadata.csv", tmp_path / "scenario"
    assert rsjs("export", "features", "tiny", "-o", metadata, "--json").json["instances"] == 4
    assert metadata.read_text().count("\n") == 5
    rows = ROOT / "results" / "small" / "rows.csv"
    told = rsjs("export", "features", "tiny", "--rows", rows, "-o", scenario)
    assert "no row of these instances" in told.refusal
    assert rsjs("export", "features", "small", "--rows", rows, "-o", scenario).code == 0
    assert (scenario / "description.txt").read_text().startswith('scenario_id: "RSJS-small"')


BAD = [
    ("features tiny -o {out}", "--rows: found none, expected ROWS"),
    ("features tiny --rows {old} -o {out}.csv", "rows.csv: found no column instance_sha256"),
    ("features mig-day -o {out}.csv", "SET: found mig-day, MIG jobs, expected a set of instances"),
    ("features tyni -o {out}.csv", "found 'tyni', expected e.g. tiny"),
    ("verifier -o {folder}", "found a folder, expected a file to write"),
    ("ijoc {folder} -o {out}", "expected a store of `rsjs run`"),
    ("ijoc {folder} -o {folder}", "found something there, expected a new or empty folder"),
    ("ijoc {folder} -o {out} --number 1", "--number: found '1', expected a number like 2026.0001"),
    ("ijoc {folder} -o {out} --paper-doi x", "--paper-doi: found 'x'"),
    ("ijoc {folder} -o {out} --repository x", "--repository: found 'x'"),
    ("dataset -o {folder}", "found something there, expected a new or empty folder"),
    ("dataset -o {out} --sets tiny,tinny", "--sets: found 'tinny', expected e.g. tiny"),
    ("dataset -o {out} --models all", "--models: found 'all', expected recipes or files"),
    ("dataset -o {out} --url x", "--url: found 'x', expected an address"),
    ("dataset -o {out} --date 2026", "--date: found '2026', expected a day like 2026-01-31"),
    ("dataset -o {out} --results {folder}", "found no best-known values"),
]


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_told_in_one_line(line, told, rsjs, folder, tmp_path):
    out = tmp_path / "out"
    old = ROOT / "results" / "sts_online" / "rows.csv"  # of runs that had no digests
    arguments = line.format(folder=folder, out=out, old=old).split()
    assert told in rsjs("export", *arguments).refusal
    assert not out.exists()

"""The verifier as authors use it: one file, any Python from 3.9, pairs and folders."""

import ast
import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import pytest

from rsjs import rsjs_verify
from rsjs.instances.generators import jahani, sts
from rsjs.instances.io.files import write_document, write_instance, write_solution
from rsjs.instances.io.serialization import of_instance
from rsjs.instances.solution import Solution

pytestmark = pytest.mark.process

VERIFIER = Path(rsjs_verify.__file__)
OTHERS = ["3.9", "3.10", "3.13"]  # those of them that are installed


@pytest.fixture
def pair(tmp_path):
    """An instance and a solution that postpones every job, beside each other."""
    instance = sts.generate(nodes=2, jobs=4, seed=1, mix="kma", sharing="paper")
    write_instance(instance, tmp_path / "data/instance.json.gz")
    idle = Solution.empty(4, 2)
    write_solution(idle, instance.digest, tmp_path / "solutions/idle.json", method="by hand")
    return tmp_path


@pytest.fixture
def run():
    """The verifier in a process of its own, without site packages and environment variables."""

    def call(*arguments, python=sys.executable, cwd=None):
        command = [python, "-I", "-S", str(VERIFIER), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)

    return call


def test_the_file_is_python_3_9_and_imports_the_standard_library_only():
    tree = ast.parse(VERIFIER.read_text("utf-8"), feature_version=(3, 9))
    names = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names


def _pythons():
    yield pytest.param(sys.executable, id="this")
    for version in OTHERS:
        kept = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
        for place in filter(None, [shutil.which(f"python{version}"), *kept]):
            show = "import sys; print('%d.%d' % sys.version_info[:2])"
            ran = subprocess.run([place, "-c", show], capture_output=True, text=True, check=False)
            if ran.stdout.strip() == version:
                yield pytest.param(str(place), id=version)
                break


@pytest.mark.parametrize("python", [*_pythons()])
def test_a_pair_is_verified_by_any_python(run, pair, python):
    files = pair / "data/instance.json.gz", pair / "solutions/idle.json"
    done = run(*files, python=python)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"{files[1]}: feasible"
    [solution] = json.loads(run(*files, "--json", python=python).stdout)["solutions"]
    terms = {name: Fraction(cost["exact"]) for name, cost in solution["terms"].items()}
    assert terms["postponement"] == Fraction(solution["objective"]["exact"]) > 0
    assert float(terms["postponement"]) == solution["objective"]["value"]
    assert [*terms] == ["tardiness", "postponement", "energy", "idle"]


@pytest.mark.parametrize(
    ("old", "new", "constraint"),
    [
        ('"objective":null', '"objective":1', "claimed_objective"),
        ('"job_gpus":[0', '"job_gpus":[1', "postponed"),  # infeasible: no cost
    ],
)
def test_violations_are_told_with_exit_code_1(run, pair, old, new, constraint):
    path = pair / "solutions/idle.json"
    path.write_text(path.read_text().replace(old, new))
    done = run(pair / "data/instance.json.gz", path)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"violation {constraint}: /" in done.stdout
    [solution] = json.loads(run(pair / "data/instance.json.gz", path, "--json").stdout)["solutions"]
    assert [found["constraint"] for found in solution["violations"]] == [constraint]
    assert (solution["terms"] is solution["objective"] is None) is (constraint == "postponed")


def test_a_folder_is_verified_with_its_checksums(run, pair):
    files = [path for path in sorted(pair.rglob("*")) if path.is_file()]
    (pair / "notes.json").write_text('{"format": "another"}')
    (pair / ".hidden.json").write_text("no JSON")
    sums = [f"{sha256(p.read_bytes()).hexdigest()}  {p.relative_to(pair)}\n" for p in files]
    (pair / "SHA256SUMS").write_text("".join(sums))
    done = run(".", cwd=pair)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("solutions/idle.json: feasible\n")
    assert "2 files compared with checksums, 0 damaged" in done.stdout
    assert json.loads(run(pair, "--json").stdout)["other_files"] == 1

    (pair / "solutions/idle.json").write_text((pair / "solutions/idle.json").read_text() + " ")
    done = run(".", cwd=pair)
    assert done.returncode == 1
    assert "DAMAGED solutions/idle.json: found " in done.stdout
    (pair / "solutions/idle.json").unlink()
    assert "DAMAGED solutions/idle.json: found No such file" in run(".", cwd=pair).stdout
    os.mkfifo(pair / "pipe")
    (pair / "SHA256SUMS").write_text(f"{'0' * 64}  pipe\n")
    assert "DAMAGED pipe: found a pipe or a device" in run(".", cwd=pair).stdout
    (pair / "SHA256SUMS").write_text("no sums\n")
    done = run(".", cwd=pair)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_names_that_coreutils_escape_are_found(run, tmp_path):
    (tmp_path / "a\\b\nc").write_text("x")
    (tmp_path / "SHA256SUMS").write_text(f"\\{sha256(b'x').hexdigest()}  a\\\\b\\nc\n")
    assert run(tmp_path).returncode == 0


def test_bad_files_in_a_folder_are_told_a_line_each_and_the_rest_is_verified(run, pair):
    other = jahani.generate(nodes=1, jobs=1, seed=1)
    write_solution(Solution.empty(1, 1), other.digest, pair / "solutions/orphan.json")
    write_document({**of_instance(other), "format": "rsjs-instance/2"}, pair / "data/new.json")
    whole = (pair / "data/instance.json.gz").read_bytes()
    (pair / "data/torn.json.gz").write_bytes(whole[:50])
    done = run(pair)
    assert done.returncode == 2
    assert "idle.json: feasible" in done.stdout
    lines = done.stderr.splitlines()
    places = [line.partition(": found")[0].rpartition("/data/")[2] for line in lines[:2]]
    assert places == ["new.json: /format", "torn.json.gz"]
    assert f"orphan.json: /instance: found {other.digest}" in lines[2]
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "the following arguments are required: PATH"),
        (["data/instance.json.gz"], "found one file, expected INSTANCE SOLUTION or a folder"),
        (["gone.json", "solutions/idle.json"], "gone.json: found No such file or directory"),
        (["data"], "data: found no solution, expected one"),
        (["data", "solutions/idle.json"], "data: found Is a directory"),
        (["x" * 5000, "solutions/idle.json"], "File name too long"),
        (["--what", "data"], "unrecognized arguments: --what"),
    ],
)
def test_usage_errors_are_told_in_one_line(run, pair, arguments, told):
    done = run(*arguments, cwd=pair)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert told in done.stderr


def test_a_reader_that_leaves_early_causes_no_traceback(pair):
    command = f"{sys.executable} {VERIFIER} --json {pair} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{\n", "")

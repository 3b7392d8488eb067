"""What a user installs: the wheel, the locks, and what starting the command loads."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rsjs.bks.storage import read
from rsjs.campaigns.solver_versions import locks

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS = PYPROJECT["tool"]["setuptools"]["package-dir"]
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
RUN = [
    *PYPROJECT["build-system"]["requires"],  # no build isolation: setuptools is locked too
    *PYPROJECT["project"]["dependencies"],
    *EXTRAS["solvers"],
]
SOLVERS = {"pyomo", "highspy", "pyscipopt", "ortools"}
HELP = """
from rsjs.cli.main import main
sys.argv = ["rsjs", "--help"]
main()
"""
REPORTING = """
import importlib, pkgutil
import rsjs.reporting
for module in pkgutil.walk_packages(rsjs.reporting.__path__, "rsjs.reporting."):
    importlib.import_module(module.name)
"""


def _run(*command, cwd):
    done = subprocess.run(
        command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def _files(folder):
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {p for p in paths if not any(part.startswith((".", "__pycache")) for part in p.parts)}


def _untracked(folder, names):
    """What git leaves out: builds, caches, and the links of `make links`."""
    made = {"build", "dist", "demo-results", "__pycache__"}
    made |= {"runs"} if Path(folder) == ROOT else set()
    left_out = {name for name in names if name.startswith(".") or name.endswith(".egg-info")}
    return left_out | made | {name for name in names if Path(folder, name).is_symlink()}


def _pins(path):
    """The version of each package in a lock, all with hashes and none with a place to get it."""
    text = (ROOT / path).read_text()
    assert not re.search(r"http|--[a-z-]*(index|links)|file:|/", text)
    pins = {}
    for entry in text.replace("\\\n", "").splitlines():
        if not entry.startswith("#"):
            pin = re.fullmatch(r"([a-z0-9-]+)==(\S+)( ;.*?)?( +--hash=sha256:[0-9a-f]{64})+", entry)
            assert pin, entry
            pins[pin[1]] = pin[2]
    return pins


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The unpacked sdist of a commit of this tree, and the unpacked wheel made from it."""
    tmp = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, tmp / "tree", ignore=_untracked)
    who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "all"]):
        _run("git", *command, cwd=tmp / "tree")
    _run(sys.executable, "-m", "build", "--no-isolation", "-o", tmp, cwd=tmp / "tree")
    assert _run("git", "status", "--porcelain", "--untracked-files=no", cwd=tmp / "tree") == ""
    with tarfile.open(next(tmp.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp / "sdist", filter="data")
    with zipfile.ZipFile(next(tmp.glob("*.whl"))) as archive:
        archive.extractall(tmp / "wheel")
    [sdist] = (tmp / "sdist").iterdir()
    return {"tree": tmp / "tree", "sdist": sdist, "wheel": tmp / "wheel"}


@pytest.fixture(scope="module")
def wheel(built):
    return built["wheel"]


@pytest.mark.slow
def test_the_sdist_holds_every_file_of_its_commit(built):
    expected = {*map(Path, _run("git", "ls-files", "-z", cwd=built["tree"]).split("\0")[:-1])}
    found = {path for path in _files(built["sdist"]) if ".egg-info" not in path.parts[0]}
    assert found == expected | {*map(Path, ["PKG-INFO", "setup.cfg", "src/rsjs/commit.json"])}


@pytest.mark.slow
def test_the_wheel_of_an_sdist_knows_its_commit(built):
    head = _run("git", "rev-parse", "HEAD", cwd=built["tree"]).strip()
    code = "from rsjs.commit import source\nprint(source())"
    told = _run(sys.executable, "-c", code, cwd=built["wheel"])
    assert ast.literal_eval(told) == {"commit": head, "dirty": False}


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_code_folders_and_nothing_else(wheel):
    expected = {
        Path(*package.split("."), file)
        for package, folder in FOLDERS.items()
        for file in _files(ROOT / folder)
    }
    assert Path("rsjs/py.typed") in expected
    assert {p for p in _files(wheel) if p.parts[0] == "rsjs"} == {
        *expected,
        Path("rsjs/commit.json"),
        Path("rsjs/best_known.json"),
    }
    known = json.loads((wheel / "rsjs/best_known.json").read_text())
    assert known == {
        sha256: [entry.heads()[key] for key in ("upper_bound", "lower_bound", "status")]
        for sha256, entry in read(ROOT / "results/best_known").items()
    }
    assert {path.name.split("-")[0] for path in wheel.iterdir()} == {"rsjs", "rsjs_bench"}


@pytest.mark.slow
def test_types_are_strict(wheel):
    config, cache = ROOT / "pyproject.toml", ROOT / ".mypy_cache/wheel"
    mypy = [sys.executable, "-m", "mypy", "--config-file", config, "--cache-dir", cache]
    assert "no issues found" in _run(*mypy, "-p", "rsjs", cwd=wheel)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        pytest.param(HELP, SOLVERS | {"pandas", "scipy", "matplotlib"}, id="help"),
        pytest.param(REPORTING, SOLVERS, id="reporting"),
    ],
)
def test_what_is_not_needed_is_not_loaded(wheel, code, unwanted):
    show = "import atexit, sys\natexit.register(lambda: print('loaded', *sys.modules))\n"
    last = _run(sys.executable, "-c", show + code, cwd=wheel).splitlines()[-1]
    assert last.startswith("loaded")
    assert not unwanted & set(last.split())


@pytest.mark.parametrize(
    ("name", "requirements"), [("run", RUN), ("test", [*RUN, *EXTRAS["test"]])], ids=["run", "test"]
)
def test_the_lock_pins_every_requirement(name, requirements):
    pins = _pins(f"requirements/{name}.txt")
    for requirement in map(Requirement, requirements):
        version = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: {version} is locked"
    assert pins.items() <= _pins("requirements/test.txt").items()


def test_a_lock_of_a_solver_pins_the_release_it_is_named_for():
    for name, lock in locks().items():
        pins = _pins(f"src/rsjs/campaigns/locks/{name}.txt")
        assert pins == lock.pins
        assert f"{lock.version}.".startswith(f"{name.rpartition('-')[2]}.")

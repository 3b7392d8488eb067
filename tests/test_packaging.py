"""What a user installs: the wheel, the locks, and what starting the command loads."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def _files(folder: Path) -> set[Path]:
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {p for p in paths if not any(part.startswith((".", "__pycache")) for part in p.parts)}


def _pins(name: str) -> dict[str, str]:
    """The version of each package in a lock, all with hashes and none with a place to get it."""
    text = (ROOT / f"requirements/{name}.txt").read_text()
    assert not re.search(r"http|--[a-z-]*(index|links)|file:|/", text)
    pins = {}
    for entry in text.replace("\\\n", "").splitlines():
        if not entry.startswith("#"):
            pin = re.fullmatch(r"([a-z0-9-]+)==(\S+)( ;.*?)?( +--hash=sha256:[0-9a-f]{64})+", entry)
            assert pin, entry
            pins[pin[1]] = pin[2]
    return pins


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel, built from a copy that holds no earlier build."""
    tmp = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp)
    for folder in {Path(folder).parts[0] for folder in FOLDERS.values()}:
        leave_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / folder, tmp / folder, symlinks=True, ignore=leave_out)
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=tmp)
    [built] = (tmp / "dist").iterdir()
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp / "unpacked")
    return tmp / "unpacked"


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_code_folders_and_nothing_else(wheel: Path) -> None:
    expected = {
        Path(*package.split("."), file)
        for package, folder in FOLDERS.items()
        for file in _files(ROOT / folder)
    }
    assert Path("rsjs/py.typed") in expected
    assert {p for p in _files(wheel) if p.parts[0] == "rsjs"} == expected
    assert {path.name.split("-")[0] for path in wheel.iterdir()} == {"rsjs", "rsjs_bench"}


@pytest.mark.slow
def test_types_are_strict(wheel: Path) -> None:
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
def test_what_is_not_needed_is_not_loaded(wheel: Path, code: str, unwanted: set[str]) -> None:
    show = "import atexit, sys\natexit.register(lambda: print('loaded', *sys.modules))\n"
    last = _run(sys.executable, "-c", show + code, cwd=wheel).splitlines()[-1]
    assert last.startswith("loaded")
    assert not unwanted & set(last.split())


@pytest.mark.parametrize(
    ("name", "requirements"), [("run", RUN), ("test", [*RUN, *EXTRAS["test"]])], ids=["run", "test"]
)
def test_the_lock_pins_every_requirement(name: str, requirements: list[str]) -> None:
    pins = _pins(name)
    for requirement in map(Requirement, requirements):
        version = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: {version} is locked"
    assert pins.items() <= _pins("test").items()

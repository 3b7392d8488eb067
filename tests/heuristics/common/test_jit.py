"""Where compiled code is kept, and that kernels find the same uncompiled."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.common import initial_solutions, jit
from rsjs.heuristics.mig.scheduling_local_search import local_search
from rsjs.heuristics.mig.scheduling_rules import best_fit
from rsjs.instances.generators import andreas, kiros, sts
from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig.job_generator.generate import generate as mig_jobs
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import paper_problem
from rsjs.instances.solution import DECISION_ARRAYS
from rsjs.methods import parse

ROOT = Path(__file__).parents[3]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with one kernel, instead of the real one; the user's cache is in the same place."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "kernel.py").write_text("from rsjs.heuristics.common.jit import compiled\n")
    (folder / "other.py").write_text("import numpy\n")
    monkeypatch.setattr(jit, "PACKAGE", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    jit.cache_folder.cache_clear()
    yield folder
    jit.cache_folder.cache_clear()


def _folder():
    jit.cache_folder.cache_clear()
    return jit.cache_folder()


def _closed(*folders):
    """Nothing can be made in these folders: each is a file."""
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text("")


def test_compiled_code_is_kept_beside_the_package(package):
    folder = _folder()
    assert folder is not None
    assert folder.is_dir()
    assert folder.parent == package / "__pycache__"


def test_a_read_only_package_uses_the_cache_of_the_user(package, tmp_path):
    _closed(package / "__pycache__")
    folder = _folder()
    assert folder is not None
    assert folder.parent == tmp_path / "home" / "rsjs"


def test_the_folder_of_the_environment_comes_first(package, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "asked"))
    folder = _folder()
    assert folder is not None
    assert folder.parent == tmp_path / "asked"


def test_nothing_is_kept_where_nothing_can_be_written(package, tmp_path):
    _closed(package / "__pycache__", tmp_path / "home")
    with pytest.warns(UserWarning, match="set NUMBA_CACHE_DIR"):
        assert _folder() is None


def test_a_user_without_a_home_compiles_anew(package, monkeypatch):
    def homeless(_):
        raise RuntimeError("Could not determine home directory.")

    _closed(package / "__pycache__")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("pathlib.Path.expanduser", homeless)
    with pytest.warns(UserWarning, match="every process compiles"):
        assert _folder() is None


def test_a_change_of_any_file_changes_the_folder(package):
    before = _folder()
    assert _folder() == before
    (package / "constants.py").write_text("WIDTH = 3\n")
    assert _folder() != before
    before = _folder()
    (package / "kernel.py").write_text("from rsjs.heuristics.common.jit import compiled  # new\n")
    assert _folder() != before


def test_a_few_versions_are_kept_the_newest_among_them(package):
    place = package / "__pycache__"
    for age in range(10):
        folder = place / f"{jit.PREFIX}{age}"
        folder.mkdir(parents=True)
        os.utime(folder, (10**9 - age, 10**9 - age))
    (place / "kernel.cpython-311.pyc").write_text("")
    folder = _folder()
    assert folder is not None
    left = {path.name.removeprefix(jit.PREFIX) for path in place.glob(f"{jit.PREFIX}*")}
    assert left == {"0", "1", "2", "3", "4", folder.name.removeprefix(jit.PREFIX)}
    assert (place / "kernel.cpython-311.pyc").exists()


@pytest.mark.slow
@pytest.mark.parametrize("writable", [True, False])
def test_a_kernel_runs_compiled_whether_it_can_be_kept_or_not(tmp_path, writable):
    code = (
        "from rsjs.heuristics.common import jit, random_streams\n"
        "kernel = jit.compiled(random_streams.draw)\n"
        "import numpy as np\n"
        "kernel(False, np.uint64(1))\n"
        "print(kernel.signatures, kernel.stats.cache_misses, jit.cache_folder())\n"
    )
    cache = tmp_path / "cache"
    if not writable:
        code = "import rsjs.heuristics.common.jit as c; c._places = lambda: iter(())\n" + code
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, text=True, capture_output=True, check=True
    )
    assert "uint64" in done.stdout
    assert [*cache.rglob("*.nbi")] if writable else "None" in done.stdout


METHODS = (
    *("greedy:code", "greedy:paper", "sts:literal", "sts:fallback"),
    *("randomized_greedy:code?iterations=20", "randomized_greedy:paper?iterations=20"),
    *("randomized_queue?iterations=6", "ruin_recreate?iterations=60", "priced_greedy"),
    *(f"local_search?elite=1,start=greedy:paper,jobs={jobs}" for jobs in ("late", "all")),
    "path_relinking?elite=5,iterations=4",
)


def found_by_kernels():
    """What every method that runs kernels finds on small instances of all kinds, as text."""
    small = sts.generate(nodes=3, jobs=10, seed=2, sharing="paper")
    made = (
        kiros.generate(nodes=3, jobs=12, seed=1),
        andreas.generate(nodes=3, jobs=10, seed=1),
        sts.generate(nodes=2, jobs=6, seed=1, sharing="paper"),
        replace(small, objective=replace(small.objective, open_nodes="jahani_eq", mu=0.05)),
    )
    lines = []
    for method, instance in product(METHODS, made):
        result = parse(method)(instance, Call(limits=Limits(gap=-1.0)), Report())
        solution = [getattr(result.solution, name).tolist() for name in DECISION_ARRAYS]
        lines.append(f"{method} {result.objective!r} {result.bound!r} {solution}")
    jobs = mig_jobs(mig_config("section4.json"), 1)
    for reading in "ABC":
        problem = paper_problem(jobs, reading, parse_objective("completion"), (2000, 1000))
        starts = [best_fit(problem, rule) for rule in ("fcfs", "bigfirst_srpt")]
        schedule = local_search(problem, starts, iterations=30)[0]
        lines.append(f"{reading} {schedule.minute.tolist()} {schedule.unit.tolist()}")
    return lines


@pytest.mark.slow
def test_uncompiled_kernels_find_the_same_and_warn_of_nothing(monkeypatch):
    monkeypatch.setattr(initial_solutions, "ITERATIONS", 40)
    code = (
        "from rsjs.heuristics.greedy import greedy\n"
        "from tests.heuristics.common.test_jit import found_by_kernels, initial_solutions\n"
        "assert not hasattr(greedy.place_jobs, 'py_func')\n"
        "initial_solutions.ITERATIONS = 40\n"
        "print(*found_by_kernels(), sep='\\n')\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    where = {"cwd": ROOT, "env": os.environ | {"NUMBA_DISABLE_JIT": "1"}}
    done = subprocess.run(command, **where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == found_by_kernels()

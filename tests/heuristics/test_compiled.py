"""Where compiled code is kept, and what happens without a compiler."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from rsjs.heuristics import compiled, engines
from rsjs.instances.solution import DECISION_ARRAYS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with one kernel, instead of the real one; the user's cache is in the same place."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "kernel.py").write_text("from rsjs.heuristics.compiled import compiled\n")
    (folder / "other.py").write_text("import numpy\n")
    monkeypatch.setattr(compiled, "PACKAGE", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    compiled.cache_folder.cache_clear()
    yield folder
    compiled.cache_folder.cache_clear()


def _folder():
    compiled.cache_folder.cache_clear()
    return compiled.cache_folder()


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
    (package / "kernel.py").write_text("from rsjs.heuristics.compiled import compiled  # new\n")
    assert _folder() != before


def test_a_few_versions_are_kept_the_newest_among_them(package):
    place = package / "__pycache__"
    for age in range(10):
        folder = place / f"{compiled.PREFIX}{age}"
        folder.mkdir(parents=True)
        os.utime(folder, (10**9 - age, 10**9 - age))
    (place / "kernel.cpython-311.pyc").write_text("")
    folder = _folder()
    assert folder is not None
    left = {path.name.removeprefix(compiled.PREFIX) for path in place.glob(f"{compiled.PREFIX}*")}
    assert left == {"0", "1", "2", "3", "4", folder.name.removeprefix(compiled.PREFIX)}
    assert (place / "kernel.cpython-311.pyc").exists()


def test_kernels_are_kept_once_their_module_was_compiled(package):
    folder = _folder()
    assert folder is not None
    (folder / "kernels_0123").mkdir()
    (folder / "kernels_0123" / "greedy.decide-20.py311.nbi").write_text("")
    assert compiled.is_kept("rsjs.heuristics.kernels.greedy")
    assert not compiled.is_kept("rsjs.heuristics.kernels.greed")
    assert not compiled.is_kept("rsjs.heuristics.kernels.decide")


def test_without_numba_a_kernel_is_the_function_itself(monkeypatch):
    monkeypatch.setattr(compiled, "AVAILABLE", False)

    def kernel(x):
        return x + 1

    assert compiled.compiled(kernel) is kernel
    assert compiled.inner(kernel) is kernel
    assert compiled.inlined(kernel) is kernel


@pytest.fixture
def broken_numba(monkeypatch):
    """numba is installed, but its import fails."""
    monkeypatch.setattr(compiled, "AVAILABLE", True)
    monkeypatch.setattr(engines, "AVAILABLE", True)
    monkeypatch.setitem(sys.modules, "numba", None)
    compiled._broken.cache_clear()
    yield
    compiled._broken.cache_clear()


def test_where_numba_cannot_be_imported_kernels_run_uncompiled(broken_numba):
    def kernel(x):
        return x + 1

    with pytest.warns(RuntimeWarning, match="kernels run uncompiled: "):
        assert compiled.compiled(kernel) is kernel
    assert compiled.engine() == "python"
    assert engines.choose_engine("auto", "pytest", much_work=True, seconds=99) == "numpy"
    with pytest.raises(ValueError, match="numba cannot be imported"):
        engines.choose_engine("numba", "pytest")


@pytest.mark.slow
@pytest.mark.skipif(not compiled.AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("writable", [True, False])
def test_a_kernel_runs_compiled_whether_it_can_be_kept_or_not(tmp_path, writable):
    code = (
        "from rsjs.heuristics import compiled, random_streams\n"
        "kernel = compiled.compiled(random_streams.draw)\n"
        "import numpy as np\n"
        "kernel(False, np.uint64(1))\n"
        "print(kernel.signatures, kernel.stats.cache_misses, compiled.cache_folder())\n"
    )
    cache = tmp_path / "cache"
    if not writable:
        code = "import rsjs.heuristics.compiled as c; c._places = lambda: iter(())\n" + code
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, text=True, capture_output=True, check=True
    )
    assert "uint64" in done.stdout
    assert [*cache.rglob("*.nbi")] if writable else "None" in done.stdout


@pytest.mark.parametrize(
    ("available", "asked", "loaded", "kept", "much_work", "seconds", "expected"),
    [
        (True, "auto", False, True, False, 99, "numpy"),  # not worth a second
        (True, "auto", False, True, True, 3, "numba"),
        (True, "auto", False, False, True, 3, "numpy"),  # no time to compile
        (True, "auto", False, False, True, 30, "numba"),
        (True, "auto", True, False, False, 0, "numba"),
        (False, "auto", True, True, True, 99, "numpy"),
        (True, "numpy", True, True, True, 99, "numpy"),
        (True, "numba", False, False, False, 0, "numba"),
    ],
)
def test_choice_of_an_engine(
    monkeypatch, available, asked, loaded, kept, much_work, seconds, expected
):
    monkeypatch.setattr(engines, "AVAILABLE", available)
    monkeypatch.setattr(engines, "is_kept", lambda kernels: kept)
    module = "pytest" if loaded else "a module that is not loaded"
    found = engines.choose_engine(asked, module, much_work=much_work, seconds=seconds)
    assert found == expected


def test_numba_is_refused_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr(engines, "AVAILABLE", False)
    with pytest.raises(ValueError, match="engine=numba, but numba is not installed"):
        engines.choose_engine("numba", "pytest")


def found_by(spellings):
    """What methods that run kernels find on instances of four kinds, as text."""
    from rsjs.instances.generators import andreas, kiros, sts
    from rsjs.instances.method import Call, Limits, Report
    from rsjs.methods import parse

    small = sts.generate(nodes=3, jobs=10, seed=2, sharing="paper")
    idle_nodes_cost = replace(small.objective, open_nodes="jahani_eq", mu=0.05)
    made = (
        kiros.generate(nodes=3, jobs=12, seed=1),
        andreas.generate(nodes=3, jobs=10, seed=1),
        sts.generate(nodes=2, jobs=6, seed=1, sharing="paper"),
        replace(small, objective=idle_nodes_cost),
    )
    lines = []
    for method, instance in product(spellings, made):
        result = parse(method)(instance, Call(limits=Limits(gap=-1.0)), Report())
        solution = [getattr(result.solution, name).tolist() for name in DECISION_ARRAYS]
        lines.append(f"{method} {result.objective!r} {result.bound!r} {solution}")
    return lines


@pytest.mark.slow
def test_without_numba_the_results_are_the_same_and_no_warning():
    methods = [
        "ruin_recreate?iterations=60",
        "priced_greedy",
        "local_search",
        "local_search?jobs=all",
        "path_relinking?elite=5,iterations=4",
        "randomized_queue?iterations=6",
    ]
    module = "tests.heuristics.test_compiled"
    code = f"from {module} import found_by; print(*found_by({methods}), sep='\\n')"
    command = [sys.executable, "-W", "error", "-c", code]
    where = {"cwd": ROOT, "env": os.environ | {"NUMBA_DISABLE_JIT": "1"}}
    done = subprocess.run(command, **where, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == found_by(methods)

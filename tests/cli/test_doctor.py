"""`doctor` says what is installed and which limits hold where."""

import platform
import tomllib
from pathlib import Path

import pytest

from rsjs.cli import doctor
from rsjs.cli.doctor import enforcement
from rsjs.formulations.backends.registry import BACKENDS


def test_versions_solvers_and_machine_are_reported(rsjs):
    ended = rsjs("doctor", "--json")
    assert ended.code == 0
    found = ended.json
    assert found["versions"]["Python"].endswith(platform.python_version())
    assert found["versions"]["rsjs-bench"]
    assert [*found["solvers"]] == [*BACKENDS, "imported together", "other releases"]
    assert found["solvers"]["imported together"] == "ok"
    assert Path(found["optional"]["compiled_kernels"]).is_dir()
    assert found["machine"]["memory_mb"] > 0
    assert found["machine"]["hardware_threads"] >= 1
    assert {*found["limits_of_a_run"]} >= {"time", "resident memory", "pinning"}


def test_the_text_has_a_section_for_each(rsjs, monkeypatch):
    monkeypatch.setattr(doctor, "import_solvers", lambda: None)
    text = rsjs("doctor").out
    for heading in ("Versions\n", "Solvers\n", "Machine\n", "Limits of a run\n"):
        assert heading in text
    assert f"highspy {BACKENDS['highs'].version()}" in text


def test_a_machine_that_keeps_no_kernels_is_told(monkeypatch):
    monkeypatch.setattr("rsjs.heuristics.common.jit.cache_folder", lambda: None)
    assert "set NUMBA_CACHE_DIR" in doctor.compiled_kernels()


def test_optional_packages_are_those_of_the_extras_with_their_install_commands(monkeypatch):
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    of_extra = declared["project"]["optional-dependencies"]
    for name, (extra, _) in doctor.EXTRAS.items():
        assert any(needed.startswith(name) for needed in of_extra[extra])
    told = {extra for extra, _ in doctor.EXTRAS.values()}
    assert told == {*of_extra} - {"solvers", "gurobi", "cbc", "docs", "test"}
    monkeypatch.setattr(doctor, "_version", lambda name: None)
    assert doctor.extras()["plotly"].startswith("not installed: pip install 'rsjs-bench[report]'")


def test_a_solver_that_cannot_be_imported_makes_the_exit_code_1(rsjs, monkeypatch):
    monkeypatch.setattr(doctor, "IMPORT_ALL", "raise ImportError('undefined symbol')")
    ended = rsjs("doctor")
    assert ended.code == 1
    assert "failed: ImportError: undefined symbol" in ended.out


@pytest.mark.parametrize(
    ("system", "not_enforced"),
    [
        ("linux", set()),
        ("darwin", {"peak memory", "pinning", "parent death"}),
    ],
)
def test_what_is_not_enforced_on_other_systems_is_said(system, not_enforced):
    told = enforcement(system)
    assert {name for name in told if told[name].startswith("NOT ENFORCED: ")} == not_enforced

"""Archives are written whole or not at all, the same bytes each time, of sound results."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from rsjs.campaigns.collection import collect
from rsjs.campaigns.runner import Part
from rsjs.campaigns.store import instance_file
from rsjs.cli.main import main
from rsjs.core.errors import InputError
from rsjs.instances.generators import jahani
from rsjs.instances.io.files import read_instance, read_solution, write_instance, write_solution
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.reporting.archive.archive_data import verify, write_instances
from rsjs.reporting.archive.ijoc import NUMBER, export, paper
from rsjs.reporting.archive.source_tree import write_source
from rsjs.reporting.tables.table import escaped
from rsjs.rows.select import best_row

pytestmark = pytest.mark.process


def _refused(told, stores, folder, repository, **options):
    with pytest.raises(InputError, match=told):
        export(stores, folder, paper(), root=repository[0], **options)
    assert not folder.exists()
    assert not [*folder.parent.glob(".*.tmp")]


def test_the_archive_verifies_itself(archive, tmp_path):
    told = (archive / "results/verification.txt").read_text()
    assert told.splitlines()[0].endswith(": feasible")
    copy = tmp_path / "copy"
    shutil.copytree(archive, copy, symlinks=True)

    def whole():
        command = [sys.executable, "-I", "-S", "results/rsjs_verify.py", "."]
        return subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)

    assert (whole().returncode, whole().stderr) == (0, "")
    (copy / "LICENSE").write_text("all rights reserved")
    assert whole().returncode == 1
    assert "DAMAGED LICENSE" in whole().stdout


def test_a_solution_that_the_verifier_does_not_confirm_is_refused(archive, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(archive, copy, symlinks=True)
    [path] = (copy / "results/best_solutions").iterdir()
    found = read_solution(path)
    write_solution(found.solution, found.instance_digest, path, objective=-1.0)
    with pytest.raises(InputError, match="found violation claimed_objective: /objective: found -1"):
        verify(copy, ["data", "results/best_solutions"])


def test_two_exports_are_equal_to_the_byte(archive, store, repository, known, tmp_path):
    export([store], tmp_path / "again", known, root=repository[0])
    one, other = (
        {
            p.relative_to(top): (p.read_bytes(), p.stat().st_mtime)
            for p in top.rglob("*")
            if p.is_file()
        }
        for top in (archive, tmp_path / "again")
    )
    assert one == other


def test_what_is_not_known_is_a_placeholder_and_defects_are_noted(
    carried, repository, tmp_path, monkeypatch, capsys
):
    long = replace(jahani.generate(nodes=1, jobs=2, seed=9), name="x" * 300)
    write_instance(long, tmp_path / "long.json")
    given, half = 'files = ["long.json"]', Part(only="fifo")
    store = carried(tmp_path / "store", instances=given, dirty=True, part=half)
    folder = tmp_path / "out"
    dirty = "source with changes that no commit holds"
    missing = "2 runs of the plan not carried out"
    _refused(dirty, [store], folder, repository)
    _refused(missing, [store], folder, repository)
    monkeypatch.setattr("rsjs.cli.export.checkout", lambda: repository[0])
    command = ["export", "ijoc", str(store), "-o", str(folder), "--allow-dirty", "--json"]
    assert main(command) == 0
    made = json.loads(capsys.readouterr().out)
    readme = (folder / "README.md").read_text("utf-8")
    assert [dirty in made["doubts"][1], missing in made["doubts"][0]] == [True, True]
    assert all(f"\n- {escaped(doubt)}\n" in readme for doubt in made["doubts"])
    assert f"https://doi.org/10.1287/ijoc.{NUMBER}.cd" in readme
    told = "\n".join(made["left"])
    assert all(option in told for option in ("--number", "--title", "--authors", "--repository"))
    assert {path.name[:9] for path in (folder / "data").glob("x*")} == {"x" * 9}  # cut
    assert max(len(path.name) for path in folder.rglob("*")) < 255


def _corrupt(store, sign):
    path = sorted(store.glob("runs/*/*/verify.json"))[0]
    path.write_text(path.read_text().replace("{", "{ ", 1))
    return "a corrupt record"


def _another_instance(store, sign):
    write_instance(
        jahani.generate(nodes=1, jobs=2, seed=9), sorted(store.glob("instances/*.gz"))[0]
    )
    return "expected the instance of sha256"


def _dear_decision(store, sign):
    best = best_row(collect([store]).rows)
    record = store / "runs" / best["run_id"][:2] / best["run_id"]
    instance = read_instance(store / "instances" / f"{best['solved_sha256']}.json.gz")
    dear = select_required_nodes(
        instance, Solution.empty(len(instance.jobs), instance.cluster.nodes)
    )
    write_solution(dear, instance.digest, record / "solution.json.gz")
    sign(record, "solution.json.gz")
    return f"expected the cost of its row, {best['objective']!r}"


@pytest.mark.parametrize("forge", [_corrupt, _another_instance, _dear_decision])
def test_a_forged_store_is_refused_whatever_is_allowed(store, repository, tmp_path, forge, sign):
    copy = tmp_path / "store"
    shutil.copytree(store, copy)
    _refused(forge(copy, sign), [copy], tmp_path / "out", repository, allow_dirty=True)


def test_a_folder_with_something_in_it_is_left_alone(store, repository, tmp_path):
    (tmp_path / "note").write_text("mine")
    with pytest.raises(InputError, match="expected a new or empty folder"):
        export([store], tmp_path, paper(), root=repository[0])
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_a_commit_that_the_checkout_lacks_is_refused(store, repository, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    _refused("git archive", [store], tmp_path / "out", (tmp_path / "other", ""))


def test_outside_a_checkout_the_installed_package_is_the_source(tmp_path):
    installed = version("rsjs-bench")
    assert write_source("x", installed, None, tmp_path) is None
    for name in ("cli/main.py", "instances/instance.py", "instances/data/instance.schema.json"):
        assert (tmp_path / "rsjs" / name).is_file()
    pins = (tmp_path / "requirements.txt").read_text().splitlines()
    assert {"numpy", "jsonschema-rs"} <= {pin.partition("==")[0] for pin in pins}
    assert not any(pin.startswith("pytest") for pin in pins)
    assert 'name = "rsjs-bench"' in (tmp_path / "pyproject.toml").read_text()
    assert not [*tmp_path.rglob("__pycache__")]
    assert (tmp_path / "LICENSE").read_text().startswith("MIT License")
    with pytest.raises(InputError, match=r"expected version 0\.0\.9, which made the runs"):
        write_source(None, "0.0.9", None, tmp_path)


def test_instances_of_a_trace_without_a_licence_are_not_handed_on(tmp_path):
    made = jahani.generate(nodes=1, jobs=2, seed=1)
    made = replace(made, generator={"name": "trace", "parameters": {"format": "openb"}})
    write_instance(made, instance_file(tmp_path / "store", made.digest))
    row = {"instance_sha256": made.digest, "solved_sha256": made.digest, "permutation": 0}
    row |= {"instance": made.name, "nodes": 1, "jobs": 2, "method": "edf"}
    experiment = SimpleNamespace(rows=[row], stores=[tmp_path / "store"])
    with pytest.raises(InputError, match=r"\.json\.gz: /generator: found data of Alibaba"):
        write_instances([experiment], tmp_path / "archive")
    assert not (tmp_path / "archive").exists()

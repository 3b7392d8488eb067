"""Every kind of damage to the files is found, and told in one line each."""

import json
import shutil

import pytest

from rsjs.best_known import storage as files
from rsjs.best_known.merge import update
from rsjs.best_known.verify import verify
from rsjs.core.errors import InputError
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import write_solution


@pytest.fixture(scope="module")
def made(tmp_path_factory, claims, cost, bound, tiny, best, idle, optimum):
    """Two costs, two bounds, the second closing, each head with a witness; tests work on copies."""
    folder = tmp_path_factory.mktemp("made") / "known"
    second = [cost(best, 2), bound(optimum, 2)]
    second += [cost(best, 3, "a@scip"), bound(optimum, 3, "a@scip")]
    for told in (claims(cost(idle, 1), bound(optimum / 2, 1)), claims(*second)):
        update(folder, {tiny.digest: told})
    found = verify(folder)
    assert (found.findings, found.solutions) == ([], 1)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy of those values."""
    return shutil.copytree(made, tmp_path / "known")


def head(entry, key, value):
    entry[key] = value


def step(entry, history, k, key, value):
    entry[history][k][key] = value


def witness(entry, history, key, value):
    entry[history][-1]["confirmed_by"][0][key] = value


DAMAGE = [  # what is done to the entry, what is told
    (lambda e: head(e, "upper_bound", 0.5), "/upper_bound: found 0.5, expected"),
    (lambda e: head(e, "lower_bound", None), "/lower_bound: found None, expected"),
    (lambda e: head(e, "status", "open"), "/status: found 'open', expected 'closed'"),
    (lambda e: head(e, "gap", 0.25), "/gap: found 0.25, expected 0"),
    (lambda e: head(e, "gap_without_postponement", 1.0), "/gap_without_postponement: found 1.0"),
    (lambda e: head(e, "solution_sha256", "0" * 64), "/solution_sha256: found '000"),
    (lambda e: head(e, "sha256", "0" * 64), "expected 0000"),
    (lambda e: e["ub_data"].reverse(), "/ub_data/1/value:"),
    (lambda e: e["lb_data"].reverse(), "/lb_data/1/value:"),
    (lambda e: step(e, "ub_data", 0, "value", 1e-9), "is not better than 1e-09 before"),
    (
        lambda e: step(e, "ub_data", 0, "value", e["ub_data"][1]["value"]),
        "/ub_data/1/value: ",  # no better than before is no step
    ),
    (lambda e: step(e, "lb_data", 0, "value", e["lb_data"][1]["value"]), "/lb_data/1/value: "),
    (lambda e: step(e, "lb_data", 0, "value", 9e9), "is not better than 9000000000.0 before"),
    (lambda e: step(e, "lb_data", 1, "value", 9e9), "/lb_data/1/value: 9000000000.0 above"),
    (lambda e: step(e, "ub_data", 1, "exact", "1/3"), "/ub_data/-1/exact: found '1/3', expected"),
    (lambda e: e["ub_data"][1]["terms"].update(idle=7.0), "/ub_data/-1/terms: found"),
    (lambda e: step(e, "ub_data", 1, "solution_sha256", "0" * 64), "expected 000"),
    (lambda e: witness(e, "lb_data", "value", 0.0), "/lb_data/-1/confirmed_by: run"),
    (lambda e: witness(e, "ub_data", "value", 9.0), "/ub_data/-1/confirmed_by: run"),
    (lambda e: witness(e, "ub_data", "solver", "highs"), "differs in neither method nor solver"),
    (lambda e: e["made_by"]["parameters"].update(seed=2), "/sha256: found"),
    (lambda e: e["made_by"]["parameters"].update(colour=2), "/made_by/parameters: found"),
    (lambda e: e["made_by"].update(generator="nobody"), "/made_by/generator: found 'nobody'"),
    (lambda e: e.update(made_by=None), "belongs into other.json"),
    (lambda e: e.update(instance="renamed"), "renamed"),
    (lambda e: e.update(colour="red"), "unknown key 'colour'"),
    (lambda e: e.pop("gap"), "no key 'gap'"),
    (lambda e: step(e, "ub_data", 0, "value", "dear"), "/ub_data/0/value: found 'dear'"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGE, ids=[told for _, told in DAMAGE])
def test_a_damaged_entry_is_found(damage, told, folder):
    path = folder / "jahani.json"
    document = json.loads(path.read_text())
    damage(document["instances"][0])
    path.write_text(json.dumps(document))
    findings = verify(folder).findings
    assert any(told in line for line in findings), findings
    assert all("\n" not in line for line in findings)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("family", "kiros", "/family: found 'kiros', expected 'jahani'"),
        ("tolerance", 0.5, "/tolerance: found 0.5, expected 1e-06"),
        ("format", "rsjs-best-known/2", "or a newer rsjs-bench"),
        ("format", "rsjs-instance/1", "expected 'rsjs-best-known/1'"),
    ],
)
def test_a_damaged_head_of_a_file_is_found(key, value, told, folder):
    path = folder / "jahani.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    findings = verify(folder).findings
    assert any(told in line for line in findings), findings


def test_a_file_that_is_no_json_is_a_finding(folder):
    (folder / "jahani.json").write_text("{")
    assert any("a whole JSON document" in line for line in verify(folder).findings)


def test_an_entry_twice_is_found(folder, tiny):
    path = folder / "jahani.json"
    document = json.loads(path.read_text())
    document["instances"] *= 2
    path.write_text(json.dumps(document))
    assert f"{tiny.name}: two entries of this instance" in verify(folder).findings


def test_a_solution_at_another_cost_is_found(folder, tiny, idle):
    path = files.solution_path(folder, tiny.name)
    write_solution(idle, tiny.digest, path)
    [line] = verify(folder).findings
    assert "has sha256" in line
    path.unlink()
    [line] = verify(folder).findings
    assert "No such file" in line


def test_a_solution_with_its_digest_mended_is_still_priced(folder, tiny, idle):
    """As somebody would who changes both."""
    write_solution(idle, tiny.digest, files.solution_path(folder, tiny.name))
    found = verify(folder).findings[0].partition("has sha256 ")[2][:64]
    text = (folder / "jahani.json").read_text()
    entry = json.loads(text)["instances"][0]
    (folder / "jahani.json").write_text(text.replace(entry["solution_sha256"], found))
    told = verify(folder).findings
    keys = [line.partition(": /ub_data/-1/")[2].partition(":")[0] for line in told]
    assert keys == ["value", "exact", "terms"]


def test_a_solution_of_another_instance_with_its_digest_mended_is_found(folder, tiny, best):
    write_solution(best, "0" * 64, files.solution_path(folder, tiny.name))
    found = verify(folder).findings[0].partition("has sha256 ")[2][:64]
    text = (folder / "jahani.json").read_text()
    entry = json.loads(text)["instances"][0]
    (folder / "jahani.json").write_text(text.replace(entry["solution_sha256"], found))
    [line] = verify(folder).findings
    assert f"is for instance {'0' * 64}, expected {tiny.digest}" in line


def test_entries_and_lines_out_of_order_are_found(folder, claims, bound, tiny):
    other = generate(nodes=2, jobs=3, seed=2)
    update(folder, {other.digest: claims(bound(0.0), on=other)})
    assert verify(folder).findings == []
    path, solu = folder / "jahani.json", folder / files.SOLU
    document = json.loads(path.read_text())
    names = [entry["instance"] for entry in document["instances"]]
    assert names == sorted([tiny.name, other.name])
    document["instances"].reverse()
    path.write_text(json.dumps(document))
    solu.write_text("".join(f"{line}\n" for line in reversed(solu.read_text().splitlines())))
    instances, lines = verify(folder).findings
    assert instances == f"{path}: instances are not sorted by name"
    assert lines == f"{solu}: lines are not sorted by instance"


SOLU = [
    (lambda text: "", "no line '=opt="),
    (lambda text: text.replace("=opt=", "=best="), "unexpected line '=best="),
    (lambda text: text + "=unkn=  other\n", "unexpected line '=unkn=  other'"),
]


@pytest.mark.parametrize(("change", "told"), SOLU, ids=[told for _, told in SOLU])
def test_a_solu_file_that_says_something_else_is_found(change, told, folder):
    path = folder / files.SOLU
    path.write_text(change(path.read_text()))
    findings = verify(folder).findings
    assert any(told in line for line in findings), findings


@pytest.mark.parametrize("place", ["solutions/other.json.gz", "instances/other.json.gz"])
def test_a_file_of_no_entry_is_found(place, folder):
    (folder / place).parent.mkdir(exist_ok=True)
    (folder / place).write_bytes(b"")
    assert verify(folder).findings == [f"{folder / place}: of no entry"]


def test_a_folder_without_values_is_refused(tmp_path):
    with pytest.raises(InputError, match="rsjs bks update"):
        verify(tmp_path)

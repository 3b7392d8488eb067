"""Every kind of damage to the files is found, and told in one line each."""

import json
import shutil
from hashlib import sha256

import pytest

from rsjs.bks.merge import update
from rsjs.bks.verify import verify
from rsjs.core.errors import InputError
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.serialization import canonical_text, of_solution


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
    (lambda e: e.update(made_by=None), "belongs into other.jsonl"),
    (lambda e: e.update(instance="renamed"), "renamed"),
    (lambda e: e.update(colour="red"), "unknown key 'colour'"),
    (lambda e: e.pop("gap"), "no key 'gap'"),
    (lambda e: step(e, "ub_data", 0, "value", "dear"), "/ub_data/0/value: found 'dear'"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGE, ids=[told for _, told in DAMAGE])
def test_a_damaged_entry_is_found(damage, told, folder):
    path = folder / "jahani.jsonl"
    entry = json.loads(path.read_text())
    damage(entry)
    path.write_text(json.dumps(entry))
    findings = verify(folder).findings
    assert any(told in line for line in findings), findings
    assert all("\n" not in line for line in findings)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("rsjs-best-known/3", "or a newer rsjs-bench"),
        ("rsjs-best-known/1", "expected 'rsjs-best-known/2'"),
        ("rsjs-instance/1", "expected 'rsjs-best-known/2'"),
    ],
)
def test_a_line_of_another_format_is_found(value, told, folder):
    path = folder / "jahani.jsonl"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": value}))
    [finding] = verify(folder).findings
    assert finding.startswith(f"{path}: line 1/format: found {value!r}")
    assert told in finding


def test_a_file_that_is_no_json_is_a_finding(folder):
    (folder / "jahani.jsonl").write_text("{")
    assert any("a whole JSON document" in line for line in verify(folder).findings)


def test_an_entry_twice_is_found(folder, tiny):
    path = folder / "jahani.jsonl"
    path.write_text(2 * path.read_text())
    assert f"{tiny.name}: two entries of this instance" in verify(folder).findings


def test_an_error_names_file_line_and_key(folder):
    path = folder / "jahani.jsonl"
    entry = json.loads(path.read_text())
    path.write_text(path.read_text() + json.dumps({**entry, "nodes": 0}))
    [finding] = verify(folder).findings
    assert finding == f"{path}: line 2/nodes: found 0, expected a number >= 1"


def with_solution(folder, solution, digest, *, changed_digest):
    """Put another solution into the entry, and its sha256 if that is changed too."""
    path = folder / "jahani.jsonl"
    entry = json.loads(path.read_text())
    entry["solution"] = of_solution(solution, digest)
    if changed_digest:
        sha = sha256(canonical_text(entry["solution"]).encode()).hexdigest()
        entry["solution_sha256"] = entry["ub_data"][-1]["solution_sha256"] = sha
    path.write_text(json.dumps(entry))


def test_a_solution_at_another_cost_is_found(folder, tiny, idle):
    with_solution(folder, idle, tiny.digest, changed_digest=False)
    [line] = verify(folder).findings
    assert "/solution: has sha256" in line


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"solution": None}, "/solution: found none, expected that of the least cost"),
        ({"solution": None, "ub_data": []}, "/solution_sha256: found"),
        ({"made_by": None}, "/instance_document: found None, expected an object"),
    ],
)
def test_a_solution_or_an_instance_that_is_missing_is_found(change, told, folder):
    path = folder / "jahani.jsonl"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    findings = verify(folder).findings
    assert any(told in line for line in findings), findings


def test_a_solution_without_a_cost_is_found(folder, claims, bound, tiny):
    path = folder / "jahani.jsonl"
    solution = json.loads(path.read_text())["solution"]
    path.unlink()
    update(folder, {tiny.digest: claims(bound(0.0))})
    path.write_text(json.dumps({**json.loads(path.read_text()), "solution": solution}))
    [line] = verify(folder).findings
    assert line.endswith("/solution: found one, expected none without a cost")


def test_a_solution_with_its_digest_changed_is_still_priced(folder, tiny, idle):
    """As somebody would who changes both."""
    with_solution(folder, idle, tiny.digest, changed_digest=True)
    told = verify(folder).findings
    keys = [line.partition(": /ub_data/-1/")[2].partition(":")[0] for line in told]
    assert keys == ["value", "exact", "terms"]


def test_a_solution_of_another_instance_with_its_digest_changed_is_found(folder, tiny, best):
    with_solution(folder, best, "0" * 64, changed_digest=True)
    [line] = verify(folder).findings
    assert f"is for instance {'0' * 64}, expected {tiny.digest}" in line


def test_lines_out_of_order_are_found(folder, claims, bound, tiny):
    other = generate(nodes=2, jobs=3, seed=2)
    update(folder, {other.digest: claims(bound(0.0), on=other)})
    assert verify(folder).findings == []
    path = folder / "jahani.jsonl"
    lines = path.read_text().splitlines()
    names = [json.loads(line)["instance"] for line in lines]
    assert names == sorted([tiny.name, other.name])
    path.write_text("\n".join(reversed(lines)))
    assert verify(folder).findings == [f"{path}: instances are not sorted by name"]


def test_only_what_is_asked_for_is_counted(folder, claims, bound, tiny):
    other = generate(nodes=2, jobs=3, seed=2)
    update(folder, {other.digest: claims(bound(0.0), on=other)})
    found = verify(folder, [other.digest])
    assert [entry.sha256 for entry in found.known] == [other.digest]
    assert (found.solutions, found.findings) == (0, [])


def test_a_folder_without_values_is_refused(tmp_path):
    with pytest.raises(InputError, match="rsjs bks update"):
        verify(tmp_path)

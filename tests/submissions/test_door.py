"""Submissions through the door: from files to the rows of the board and the best-known values."""

import json
import shutil
from pathlib import Path

import pytest

import rsjs
from rsjs.bks import storage
from rsjs.bks.verify import verify
from rsjs.cli.main import main
from rsjs.submissions import accepted, check
from rsjs.submissions.check import Checked


@pytest.fixture
def ledger(known, tmp_path):
    """A copy of the best-known values, to be updated."""
    return shutil.copytree(known, tmp_path / "ledger")


def test_a_better_cost_a_bound_with_a_certificate_and_a_wrong_one(
    case, write, ledger, tmp_path, capsys
):
    better, proof, wrong = case.sound(name="better"), case.other("proof"), case.sound(name="wrong")
    solution = json.loads(wrong[f"solutions/{case.tiny.digest}.json"])
    solution["objective"] *= 0.99
    wrong[f"solutions/{case.tiny.digest}.json"] = json.dumps(solution).encode()
    folders = [
        write(better, "jahani/better"),
        write(proof, "other/proof"),
        write(wrong, "jahani/wrong"),
    ]
    root = folders[0].parents[1]

    rows = {(row.submission, row.instance): row for row in accepted(root, best_known=ledger)}
    assert {submission for submission, _ in rows} == {"jahani/better", "other/proof"}
    cheap = rows["jahani/better", case.tiny.name]
    assert (cheap.cost, cheap.cost_credit) == (case.optimum, "first")
    assert (cheap.who, cheap.date) == (("A. Person", "B. Person"), "2026-03-01")
    assert (cheap.evidence, cheap.proved, cheap.bound_credit) == ("run", False, None)
    assert "tiny" in cheap.sets
    bound = rows["other/proof", case.workload.name]
    assert (bound.evidence, bound.proved, bound.bound_credit) == ("certificate", True, "first")
    assert bound.bound == pytest.approx(case.certificate["bound"])
    assert bound.cost == json.loads(case.log.splitlines()[-1])["totals"]["cost"] > bound.bound

    assert main(["submit", "check", str(root), "--best-known", str(ledger)]) == 1
    told = capsys.readouterr().out
    assert f"{case.tiny.digest}.json: /objective: found" in told
    assert f"expected {case.optimum!r}, the exact cost: correct it" in told
    assert "2 submissions accepted, 1 refused" in told

    asked = [*map(str, folders[:2]), "--folder", str(ledger)]
    assert main(["bks", "update", *asked]) == 0
    entries = {entry.instance: entry for entry in storage.read(ledger).values()}
    step = entries[case.tiny.name].cost
    assert (step.value, step.date) == (case.optimum, "2026-03-01")
    assert step.source == "submission jahani/better: A. Person, B. Person"
    assert entries[case.tiny.name].bound.value == 0.5 * case.optimum  # the run was not repeated
    for name in (case.workload.name, case.own.name):
        assert entries[name].bound.bound_source == "certificate"
        assert entries[name].certificate is not None

    results, site = tmp_path / "results", tmp_path / "site"
    shutil.copytree(ledger, results / "best_known")
    asked = ["--results", str(results), "--submissions", str(root), "-o", str(site)]
    assert main(["board", *asked]) == 0
    submitted = (site / "submissions.html").read_text("utf-8")
    assert "jahani/better" in submitted
    assert "other/proof" in submitted
    assert "jahani/wrong" not in submitted
    status = (site / "sets" / "tiny.html").read_text("utf-8")
    assert "submission jahani/better: A. Person, B. Person" in status
    assert verify(ledger).findings == []


def test_a_wrong_one_changes_nothing(case, write, ledger, capsys):
    before = {path.name: path.read_bytes() for path in ledger.iterdir()}
    files = case.sound()
    files["submission.toml"] = files["submission.toml"].replace(b"2026-03-01", b"2026-02-30")
    folder = write(files, "jahani/sound")
    assert main(["bks", "update", str(folder), "--folder", str(ledger)]) == 2
    assert "/date: found '2026-02-30'" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in ledger.iterdir()} == before


def test_the_first_is_credited_and_an_equal_one_is_not(case, write, ledger):
    first = write(case.sound(name="zz-first"), "jahani/zz-first")
    later = case.sound(name="aa-later")
    later["submission.toml"] = later["submission.toml"].replace(b"2026-03-01", b"2026-03-02")
    root = write(later, "jahani/aa-later").parents[1]

    def credits():
        return {row.submission: row.cost_credit for row in accepted(root, best_known=ledger)}

    assert credits() == {"jahani/zz-first": "first", "jahani/aa-later": "equal"}
    assert main(["bks", "update", str(first), "--folder", str(ledger)]) == 0
    assert credits() == {"jahani/zz-first": "first", "jahani/aa-later": "equal"}
    # a date before the one that stands there is no way to credit
    text = (root / "jahani" / "aa-later" / "submission.toml").read_text()
    (root / "jahani" / "aa-later" / "submission.toml").write_text(
        text.replace("2026-03-02", "2025-01-01")
    )
    assert credits() == {"jahani/zz-first": "first", "jahani/aa-later": "equal"}


def test_two_that_contradict_each_other_are_told_with_both_values(case, write, known):
    cheap = case.sound(name="cheap")
    del cheap[f"bounds/{case.tiny.digest}.json"]
    high = case.sound(name="high")
    del high[f"solutions/{case.tiny.digest}.json"]
    run = json.loads(high[f"bounds/{case.tiny.digest}.json"])
    run["bound"] = 1.01 * case.optimum
    high[f"bounds/{case.tiny.digest}.json"] = json.dumps(run).encode()
    root = write(high, "jahani/high").parents[1]
    assert check([root], best_known=known).accepted == ["jahani/high"]  # alone it may be true
    write(cheap, "jahani/cheap")
    found = check([root], best_known=known)
    assert found.accepted == ["jahani/cheap"]
    [error] = found.errors
    assert f"/bound: found {1.01 * case.optimum!r}, expected at most {case.optimum!r}" in str(error)
    assert "submission jahani/cheap" in str(error)


def test_a_certificate_that_claims_less_than_it_proves_is_true(case, write, known):
    files = case.other()
    less = {**case.certificate, "bound": 1}
    files[f"bounds/{case.workload.digest}.json"] = json.dumps(less).encode()
    rows = check([write(files, "other/sound")], best_known=known).rows
    assert [row.bound for row in rows if row.instance == case.workload.name] == [1]


def test_a_python_user_gets_what_the_command_prints(case, write):
    found = rsjs.check_submission(write(case.other(), "other/sound"))
    assert isinstance(found, Checked)
    assert [row.instance for row in found.rows] == sorted([case.own.name, case.workload.name])
    with pytest.raises(rsjs.InputError, match="expected the path of one"):
        rsjs.check_submission(1)


@pytest.mark.slow
def test_the_submissions_of_the_repository_pass():
    found = check([Path(__file__).parents[2] / "submissions"])
    assert found.errors == []
    assert found.rows


def test_without_the_sources_the_values_of_the_wheel_count(case, write, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(storage, "TREE", tmp_path / "none")
    place = write(case.sound(), "jahani/sound")
    value = storage.KnownValue(case.optimum, 0.5 * case.optimum, "open")
    monkeypatch.setattr(storage, "values", lambda _: {case.tiny.digest: value})
    [row] = check([place]).rows
    assert (row.cost, row.cost_credit) == (case.optimum, "equal")
    high = value._replace(bound=2 * case.optimum)
    monkeypatch.setattr(storage, "values", lambda _: {case.tiny.digest: high})
    [error] = check([place]).errors
    assert f"at least {2 * case.optimum!r}, the bound by the best-known values" in str(error)

"""From the store of a campaign to a submission that passes, and runs that are repeated."""

import json

import pytest

from rsjs.bks import storage
from rsjs.cli.main import main
from rsjs.submissions import check

pytestmark = [pytest.mark.process, pytest.mark.solver, pytest.mark.slow]
CAMPAIGN = """format = "rsjs-campaign/1"
name = "c"
shows = "x"
timing = "shared"
permute = true
seeds = [3]
[limits]
time_s = 30
[[instances]]
set = "tiny"
[[instances]]
generator = "jahani"
sizes = ["1x4"]
seeds = [77]
[[methods]]
run = ["greedy:paper", "jahani_patterns@highs"]
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The store of a campaign on the set tiny and an instance that the library lacks."""
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "c.toml").write_text(CAMPAIGN)
    assert main(["run", str(folder / "c.toml"), "-o", str(folder / "store")]) == 0
    return folder / "store"


@pytest.fixture
def made(store, tmp_path):
    """The folder of the submissions that two commands make of it."""
    who = ["--name", "made", "--who", "A. Person", "--who", "B. Person"]
    assert main(["submit", "make", str(store), "-o", str(tmp_path / "s"), *who]) == 0
    return tmp_path / "s"


def test_bounds_get_certificates_where_they_are_asked_for(store, tmp_path, known):
    told = ["--name", "made", "--who", "A. Person", "--certify", "60"]
    assert main(["submit", "make", str(store), "-o", str(tmp_path / "s"), *told]) == 0
    found = check([tmp_path / "s"], best_known=known)
    assert found.errors == []
    bounds = [row for row in found.rows if row.bound is not None]
    assert [row.evidence for row in bounds] == ["certificate"] * 2
    assert all(row.bound <= row.cost <= row.bound * (1 + 1e-5) for row in bounds)


def test_time_for_certificates_is_not_negative(store, tmp_path, capsys):
    told = ["--name", "made", "--who", "A. Person", "--certify", "-1"]
    assert main(["submit", "make", str(store), "-o", str(tmp_path / "s"), *told]) == 2
    assert "--certify: found -1.0, expected seconds >= 0" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_what_is_made_of_a_campaign_passes_and_its_runs_can_be_repeated(made, case, known, capsys):
    found = check([made], best_known=known, rerun=True)
    assert found.errors == []
    assert found.accepted == [
        f"{name}/made" for name in ("andreas", "jahani", "kiros", "other", "sts")
    ]
    rows = {row.instance: row for row in found.rows}
    tiny = rows[case.tiny.name]
    assert (tiny.cost, tiny.cost_credit) == (case.optimum, "first")
    assert (tiny.evidence, tiny.proved, tiny.bound_credit) == ("repeated", True, "first")
    assert tiny.who == ("A. Person", "B. Person")
    assert tiny.division == "closed"
    assert main(["submit", "check", str(made), "--best-known", str(known), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["refused"] == []
    assert {row["evidence"] for row in told["rows"]} == {None, "run"}  # nothing was repeated


def test_a_bound_that_the_repeated_run_does_not_reach_is_refused(made, case, tmp_path):
    [path] = made.glob(f"jahani/made/bounds/{case.tiny.digest}.json")
    (made / f"jahani/made/solutions/{case.tiny.digest}.json").unlink()
    document = json.loads(path.read_text())
    document["bound"] *= 1.01
    path.write_text(json.dumps(document))
    place = [made / "jahani" / "made"]
    assert check(place, best_known=tmp_path / "none").exit_code == 0
    found = check(place, best_known=tmp_path / "none", rerun=True)
    assert (found.exit_code, found.rows) == (1, [])
    [error] = found.errors
    assert "what the repeated run proved" in str(error)


def test_one_method_alone_and_a_name_that_is_taken(store, made, capsys):
    who = ["--name", "made", "--who", "A. Person"]
    assert main(["submit", "make", str(store), "-o", str(made), *who]) == 2
    assert "found a submission, expected another --name" in capsys.readouterr().err
    who[1] = "greedy"
    asked = [*who, "--only", "greedy:paper"]
    assert main(["submit", "make", str(store), "-o", str(made), *asked]) == 0
    assert not [*made.glob("*/greedy/bounds/*")]
    assert 'method = "greedy:paper' in (made / "jahani/greedy/submission.toml").read_text()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--name", "Up", "--who", "A"], "/name: found 'Up'"),
        (["--name", "a", "--who", "=A"], "/who/0: found '=A'"),
        (["--name", "a", "--who", "A", "--reference", "file:///x"], "/reference: found 'file:'"),
        (["--name", "a", "--who", "A", "--only", "nothing"], "found no run with either"),
    ],
)
def test_what_would_not_pass_is_not_written(asked, told, store, tmp_path, capsys):
    assert main(["submit", "make", str(store), "-o", str(tmp_path / "s"), *asked]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_bounds_enter_the_best_known_values_once_their_runs_are_repeated(made, case, tmp_path):
    place, folder = str(made / "jahani" / "made"), str(tmp_path / "ledger")
    assert main(["bks", "update", place, "--folder", folder]) == 0
    [entry] = storage.read(tmp_path / "ledger").values()
    assert (entry.cost.value, entry.bound, entry.status) == (case.optimum, None, "open")
    assert main(["bks", "update", place, "--folder", folder, "--rerun"]) == 0
    [entry] = storage.read(tmp_path / "ledger").values()
    assert entry.status == "closed"
    assert (entry.bound.bound_source, entry.bound.method) == ("repeated", "jahani_patterns@highs")
    assert entry.bound.source == "submission jahani/made: A. Person, B. Person"

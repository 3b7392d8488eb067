"""`rsjs bks`: list, verify, update."""

import json
import shutil

import pytest

from rsjs import rsjs_verify
from rsjs.instances.io.files import read_instance
from rsjs.instances.library.sets import library_set
from tests.campaign_text import campaign_text

pytestmark = [pytest.mark.process, pytest.mark.solver]


NAME = "jahani-table2-base-at0-synthetic-N2-J6-s1"
METHODS = ("jahani_patterns@scip", "enumeration")
CAMPAIGN = campaign_text("two", "2x6", *METHODS, limits="time_s = 600\ngap = 0")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of two runs on one instance."""
    from rsjs.cli.main import main

    folder = tmp_path_factory.mktemp("store")
    (folder / "two.toml").write_text(CAMPAIGN)
    assert main(["run", str(folder / "two.toml"), "-o", str(folder / "store")]) == 0
    return folder / "store"


@pytest.fixture(scope="module")
def made(store):
    """The values of that store; tests read them."""
    from rsjs.cli.main import main

    folder = store.with_name("known")
    assert main(["bks", "update", str(store), "--folder", str(folder)]) == 0
    return folder


def run_ids(store):
    """Method -> id of its run."""
    specs = (json.loads(path.read_text()) for path in store.glob("runs/*/*/spec.json"))
    return {spec["method"]: spec["id"] for spec in specs}


def test_an_update_tells_what_is_new_and_then_nothing(rsjs, store, tmp_path):
    first = rsjs("bks", "update", store, "--folder", tmp_path / "known")
    assert first.code == 0
    assert f"{NAME}: cost 0.2480463424 $, bound 0.2480463424 $, closed" in first.out
    assert "bound confirmed by 1" in first.out
    assert first.out.endswith("1 of 1 instance with candidates changed\n")
    again = rsjs("bks", "update", store, "--folder", tmp_path / "known", "--json").json
    assert (again["changed"], again["instances"]) == ([], 1)


def test_the_list_has_a_line_for_each_instance(rsjs, made):
    shown = rsjs("bks", "list", "--folder", made)
    [line] = [line for line in shown.out.splitlines() if line.startswith(NAME)]
    assert line.split()[1:4] == ["closed", "0.2480463424", "0.2480463424"]
    assert "1 instance: 1 closed, 1 of them confirmed" in shown.out
    [entry] = rsjs("bks", "list", "--folder", made, "--json").json
    assert (entry["instance"], entry["status"]) == (NAME, "closed")


def test_the_list_of_a_set_has_its_members_and_that_of_open_ones_what_is_left(rsjs, made):
    for name, number in (("tiny", 1), ("small", 0)):
        listed = rsjs("bks", "list", "--set", name, "--folder", made, "--json").json
        assert len(listed) == number
    assert rsjs("bks", "list", "--open", "--folder", made, "--json").json == []
    [entry] = rsjs("bks", "list", "--one-solver", "--folder", made, "--json").json
    assert {
        proof["solver"] for step in entry["lb_data"] for proof in [step, *step["confirmed_by"]]
    } == {None, "scip"}


def test_the_list_as_a_solu_file_has_the_optima(rsjs, made):
    [entry] = rsjs("bks", "list", "--folder", made, "--json").json
    told = rsjs("bks", "list", "--folder", made, "--solu").out
    assert told == f"=opt=  {NAME} {entry['upper_bound']!r}\n"


def test_sets_are_counted(rsjs, made):
    shown = rsjs("bks", "sets", "--folder", made).out.splitlines()
    assert shown[0].split()[:2] == ["set", "instances"]
    [line] = [line for line in shown if line.startswith("tiny ")]
    assert line.split()[1:8] == ["4", "1", "1", "0", "0", "0", "3"]
    rows = rsjs("bks", "sets", "--folder", made, "--json").json
    assert [row["closed"] for row in rows if row["name"] in ("tiny", "small", "all")] == [1, 0, 1]
    assert rows[-1]["unknown"] == rows[-1]["members"] - 1


def test_show_tells_who_and_makes_the_instance_of_the_solution(rsjs, made, store, tmp_path):
    path = tmp_path / "i.json"
    solution = tmp_path / "s.json"
    shown = rsjs("bks", "list", NAME, "--folder", made, "-o", path, "--solution", solution)
    assert "made by generator jahani, version" in " ".join(shown.out.split())
    ids = run_ids(store)
    assert ids["enumeration"] in shown.out
    assert ids["jahani_patterns@scip"] in shown.out
    [entry] = rsjs("bks", "list", "--folder", made, "--json").json
    assert read_instance(path).digest == entry["sha256"]
    checked = rsjs("check", path, solution, "--exact", "--json")
    assert checked.code == 0
    assert checked.json["exact"]["objective"] == entry["upper_bound"]
    assert rsjs("bks", "list", NAME, "--folder", made, "--json").json == entry


def test_verify_says_what_it_checked_or_has_a_line_for_each_finding(rsjs, made, store, tmp_path):
    good = rsjs("bks", "verify", "--folder", made)
    assert good.code == 0
    passed = "1 solution and 0 certificates passed\n"
    assert good.out.endswith(f"1 of them confirmed; {passed}")
    other = rsjs("bks", "verify", "--set", "small", "--folder", made)
    none = "0 instances: 0 closed, 0 of them confirmed; 0 solutions and 0 certificates"
    assert other.out == f"{none} passed\n"
    rsjs("bks", "update", store, "--folder", tmp_path / "known")
    path = tmp_path / "known" / "jahani.jsonl"
    path.write_text(path.read_text().replace('"status":"closed"', '"status":"open"'))
    bad = rsjs("bks", "verify", "--folder", tmp_path / "known")
    assert bad.code == 1
    assert bad.out.count("\n") == 1
    listed = rsjs("bks", "verify", "--folder", tmp_path / "known", "--json")
    assert listed.code == 1
    assert listed.json["findings"] == bad.out.splitlines()


def test_a_contradiction_names_both_runs_and_leaves_the_values(rsjs, made, store, tmp_path):
    """An entry is false: a bound above the cost."""
    known, ids = tmp_path / "known", run_ids(store)
    shutil.copytree(made, known)
    path = known / "jahani.jsonl"
    entry = json.loads(path.read_text())
    own = ("confirmed_by", "exact", "terms", "solution_sha256", "verifier")
    false = {key: value for key, value in entry["ub_data"][0].items() if key not in own}
    false |= {"value": 1.0, "run_id": "f" * 16, "method": "boast", "bound_source": "solver"}
    entry["lb_data"] = [{**false, "confirmed_by": []}]
    path.write_text(json.dumps(entry))
    before = path.read_bytes()
    told = rsjs("bks", "update", store, "--folder", known)
    assert told.code == 1
    line, last = told.out.splitlines()
    assert line.startswith(f"contradiction: {NAME}: bound 1.0 $ of run ffffffffffffffff (boast)")
    assert any(f"of run {run_id} (" in line for run_id in ids.values())
    assert last == "Nothing was written."
    assert path.read_bytes() == before
    listed = rsjs("bks", "update", store, "--folder", known, "--json")
    assert listed.code == 1
    assert listed.json["contradictions"][0]["bound"]["run_id"] == "f" * 16


def test_a_solution_from_elsewhere_is_credited(rsjs, folder, tmp_path):
    given = ["--solution", folder / "idle.json", "--instance", folder / "small.json"]
    known = tmp_path / "known"
    told = rsjs("bks", "update", *given, "--source", "a paper, 2030", "--folder", known)
    assert told.code == 0
    [entry] = rsjs("bks", "list", "--folder", known, "--json").json
    assert entry["ub_data"][0]["source"] == "a paper, 2030"
    assert rsjs("bks", "verify", "--folder", known).code == 0


def test_an_instance_without_a_cost_has_no_solution_to_write(rsjs, made, tmp_path):
    entry = json.loads((made / "jahani.jsonl").read_text())
    nothing = {"ub_data": [], "upper_bound": None, "solution": None, "solution_sha256": None}
    (tmp_path / "jahani.jsonl").write_text(json.dumps({**entry, **nothing}))
    told = rsjs("bks", "list", NAME, "--folder", tmp_path, "--solution", tmp_path / "s.json")
    assert "/solution: found None, expected a solution of" in told.refusal


def test_values_are_those_here_or_else_those_of_the_package(rsjs, made, tmp_path, monkeypatch):
    def closed():
        [row] = [row for row in rsjs("bks", "sets", "--json").json if row["name"] == "all"]
        return row["closed"]

    monkeypatch.chdir(tmp_path)
    assert closed() > 700
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "best_known").symlink_to(made)
    assert closed() == 1


def test_without_the_sources_the_values_of_the_wheel_are_listed(rsjs, tmp_path, monkeypatch):
    [digest] = {member.sha256 for member in library_set("tiny").members if member.name == NAME}
    (tmp_path / "shipped.json").write_text(json.dumps({digest: [2.0, 1.0, "open"]}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rsjs.bks.storage.TREE", tmp_path / "none")
    monkeypatch.setattr("rsjs.bks.storage.SUMMARY", tmp_path / "shipped.json")
    assert f"{NAME}  open" in rsjs("bks", "list", "--set", "tiny").output
    [entry] = rsjs("bks", "list", "--open", "--json").json
    assert (entry["lower_bound"], entry["upper_bound"]) == (1.0, 2.0)
    refused = rsjs("bks", "list", "--one-solver").refusal
    assert "--one-solver: found no histories, expected the sources" in refused


BAD = [
    ("list --folder {out}/none", "no best-known values"),
    ("verify --folder {out}/none", "no best-known values"),
    ("list --set tinny --folder {made}", "--set: found 'tinny', expected e.g. tiny"),
    ("verify --set tinny --folder {made}", "--set: found 'tinny', expected e.g. tiny"),
    (
        "list --set mig-section4",
        "--set: found mig-section4, of MIG jobs, expected a set",
    ),
    ("sets --folder {out}/none", "no best-known values"),
    ("list nothing-such --folder {made}", "found 'nothing-such', expected an instance, e.g. jah"),
    (f"list {NAME} --folder {{made}} -o {{out}}", "a file to write"),
    ("update --folder {out}/k", "no STORE and no --solution"),
    ("update {out} --folder {out}/k", "store.json: found No such file"),
    ("update --solution s.json --folder {out}/k", "--instance: found nothing, expected it"),
    ("update --solution s --instance i --folder {out}/k", "--source: found nothing"),
    ("update --source me --folder {out}/k", "--solution: found nothing"),
    ("update {store} --without none --folder {out}/k", "--without: found 'none'"),
    ("update {store} --folder {file}", "a folder"),
    ("list --folder {made} --solu --json", "--solu: found --json, too, expected one of them"),
    ("nothing", "nothing"),
]


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_told_in_one_line(line, told, rsjs, made, store, folder, tmp_path):
    places = {"out": tmp_path, "made": made, "store": store, "file": folder / "small.json"}
    assert told in rsjs("bks", *line.format(**places).split()).refusal
    assert list(tmp_path.iterdir()) == []


def test_certificates_are_made_shown_and_checked(rsjs, made, tmp_path):
    known, file, instance = tmp_path / "known", tmp_path / "c.json", tmp_path / "i.json"
    shutil.copytree(made, known)
    first = rsjs("bks", "update", "--certify", "--folder", known)
    assert first.out == f"{known}: 1 of 1 bound certified, 0 raised\n"
    again = rsjs("bks", "update", "--certify", "--folder", known, "--json").json
    assert (again["without"], again["certified"]) == (0, 0)
    assert rsjs("bks", "list", NAME, "--folder", known, "--json").json["certified"] is True
    assert rsjs("bks", "list", "--folder", known).out.splitlines()[1].split()[-1] == "yes"
    rsjs("bks", "list", NAME, "--folder", known, "--certificate", file, "-o", instance)
    assert rsjs_verify.main(["--bound", str(instance), str(file)]) == 0
    assert "1 solution and 1 certificate passed" in rsjs("bks", "verify", "--folder", known).out


def test_a_method_has_its_bound_certified(rsjs, tmp_path):
    instance, file = tmp_path / "i.json", tmp_path / "c.json"
    rsjs("generate", "jahani", "-N", "2", "-J", "6", "-o", instance)
    done = rsjs("solve", instance, "--method", "enumeration", "--certificate", file, "--json")
    assert done.code == 0
    proved = done.json["certified_bound"]
    assert proved == pytest.approx(done.json["objective"], rel=2e-6)
    assert float(rsjs_verify.verify_bound(instance.read_text(), file.read_text())) >= proved


def test_what_has_no_certificates_is_refused_before_a_method_runs(rsjs, tmp_path):
    instance, file = tmp_path / "i.json", tmp_path / "c.json"
    rsjs("generate", "kiros", "-N", "2", "-J", "6", "-o", instance)
    document = json.loads(instance.read_text())
    document["objective"]["energy"] = "next_event"
    instance.write_text(json.dumps(document))
    done = rsjs("solve", instance, "--certificate", file)
    assert done.code == 2
    assert "--certificate" in done.err
    assert not file.exists()

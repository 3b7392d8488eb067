"""`rsjs simulate`: what it prints and writes, how it ends."""

import json
from dataclasses import replace

import pytest

from rsjs import commit, rsjs_verify
from rsjs.bks.storage import KnownValue
from rsjs.campaigns import records
from rsjs.campaigns.collection import collect
from rsjs.instances.generators import jahani, sts
from rsjs.instances.io.files import read_workload, write_workload
from rsjs.rows.csv import read_table
from rsjs.simulation import event_log
from rsjs.simulation.expectation import expected_bound

pytestmark = pytest.mark.usefixtures("blank")


@pytest.fixture(scope="module")
def workload(tmp_path_factory):
    path = tmp_path_factory.mktemp("workloads") / "workload.json"
    write_workload(sts.workload(nodes=3, jobs=12, seed=1, gap_seconds=9000), path)
    return path


def test_one_policy(workload, tmp_path, rsjs):
    ended = rsjs("simulate", workload, "--policy", "edf:paper", "-o", tmp_path / "out")
    assert ended.code == 0
    assert "edf:paper" in ended.out
    assert "late" in ended.out
    assert "makespan" in ended.out
    assert "edf:paper seed 0 on" in ended.err
    files = {path.name for path in (tmp_path / "out").iterdir()} - {"store", "bound.json.gz"}
    tables = {"rows.csv", "table.md", "table.tex", "events.json"}
    assert files == tables | {"course.png", "edf_paper.jsonl.gz", "edf_paper.gantt.png"}
    (row,) = (row for row in collect([tmp_path / "out/store"]).rows if row["method"] == "edf:paper")
    assert (row["status"], row["commit"]) == ("ok", commit.source()["commit"])


def test_several_policies_as_json(workload, tmp_path, rsjs):
    line = ("-o", tmp_path / "out", "--json", "--energy", "node", "--seed", 3)
    ended = rsjs("simulate", workload, "--compare", "queue:edf,greedy:code,queue:edf", *line)
    assert ended.code == 0
    assert [run["method"] for run in ended.json["rows"]] == ["queue:edf", "greedy:code"]
    for run in ended.json["rows"]:
        assert run["status"] == "ok"
        assert run["completed"] == run["jobs"] == 12
        assert run["objective"] == pytest.approx(run["energy"] + run["tardiness"])
        assert run["objective"] >= ended.json["capacity_free_bound"]
        log = event_log.read(tmp_path / "out" / f"{run['method'].replace(':', '_')}.jsonl.gz")
        assert (log.run["options"]["energy"], log.run["options"]["seed"]) == ("node", 3)
        assert log.end["totals"]["cost"] == pytest.approx(run["objective"], rel=1e-12)
    kept = read_table(tmp_path / "out" / "rows.csv")
    assert [row["objective"] for row in kept] == [row["objective"] for row in ended.json["rows"]]


def test_policies_are_compared_with_the_first_with_bounds_and_baselines(workload, tmp_path, rsjs):
    asked = ("simulate", workload, "--compare", "queue:edf,queue:pedf", "-o", tmp_path / "out")
    found = rsjs(*asked, "--json", "--deviation", 0.1).json
    first, second = found["rows"]
    assert found["baseline"] == "queue:edf"
    assert (first["cost_ratio"], first["cost_reduction"]) == (1.0, 0.0)
    assert second["cost_ratio"] == pytest.approx(second["objective"] / first["objective"])
    assert second["energy_reduction"] == pytest.approx(1 - second["energy"] / first["energy"])
    free, bound = found["capacity_free_bound"], found["workload_bound"]
    assert 0 < free <= bound * (1 + 1e-8)
    assert bound <= min(found["clairvoyant_greedy"], second["objective"])
    assert found["infinite_cluster"] > free
    assert second["over_bound"] == pytest.approx(second["objective"] / bound)
    for run in (first, second):
        off = abs(run["objective"] - run["predicted_cost"])
        assert off > 0
        assert run["deviation_of_predicted"] == pytest.approx(off / run["predicted_cost"])
        assert run["deviation_of_real"] == pytest.approx(off / run["objective"])


def test_what_was_predicted_is_what_comes_without_errors(workload, tmp_path, rsjs):
    asked = ("simulate", workload, "--compare", "queue:pedf", "-o", tmp_path / "out", "--json")
    plain = rsjs(*asked).json["rows"][0]
    assert plain["predicted_cost"] is None
    errors = ("--deviation", 0.1, "--boot", 300, "--checkpoint", "epoch")
    assert rsjs(*asked, *errors).json["rows"][0]["predicted_cost"] == plain["objective"]


def test_what_proves_the_bound_is_verified_without_the_suite(workload, tmp_path, rsjs, capsys):
    out = tmp_path / "out"
    asked = ("simulate", workload, "--compare", "queue:pedf", "-o", out, "--energy", "node")
    bound = rsjs(*asked, "--json").json["workload_bound"]
    capsys.readouterr()
    assert rsjs_verify.main(["--bound", str(workload), str(out / "bound.json.gz"), "--json"]) == 0
    (proved,) = json.loads(capsys.readouterr().out)["bounds"]
    assert proved["claimed"] == bound
    assert (proved["variant"], proved["energy"]) == ("free", "node")
    assert proved["proved"] == pytest.approx(bound, rel=1e-8)
    assert "no bound: " in (out / "table.md").read_text()


@pytest.mark.parametrize(("factor", "told"), [(1.05, True), (1.0, False), (0.9, False)])
def test_a_best_known_bound_that_is_higher_is_shown(
    workload, tmp_path, rsjs, monkeypatch, factor, told
):
    asked = ("simulate", workload, "--policy", "queue:pedf", "-o", tmp_path / "out")
    row = rsjs(*asked, "--json").json["rows"][0]
    best = KnownValue(row["objective"], factor * row["workload_bound"], "open")
    monkeypatch.setattr("rsjs.bks.storage.lookup", lambda digest: best)
    assert ("the best known of this workload" in rsjs(*asked).out) == told
    over = rsjs(*asked, "--json").json["rows"][0]["over_bound"]
    assert over == pytest.approx(row["over_bound"] / max(1.0, factor))


def test_the_options_reach_the_simulation(workload, tmp_path, rsjs):
    ended = rsjs(
        *("simulate", workload, "-o", tmp_path / "out", "--json", "--boot", 90),
        *("--checkpoint", "epoch", "--events", "authors", "--period", 0.5),
        *("--deviation", 0.1, "--denominator", "real"),
    )
    overheads = {"energy": "curve", "boot": 0.025, "checkpoint": "epoch", "events": "authors"}
    errors = {"period": 0.5, "deviation": 0.1, "denominator": "real", "seed": 0}
    assert ended.json["options"] == overheads | errors
    assert ended.json["rows"][0]["method"] == "queue:edf"


def test_a_log_is_simulated_again_under_its_own_options(workload, tmp_path, rsjs):
    first, again = tmp_path / "first", tmp_path / "again"
    options = ("--period", 2, "--boot", 60)
    before = rsjs("simulate", workload, "--policy", "queue:pedf", *options, "-o", first, "--json")
    log = first / "queue_pedf.jsonl.gz"
    after = rsjs("simulate", workload, "--replay", log, "-o", again, "--json")
    assert after.code == 0
    assert after.json["options"] == before.json["options"]
    assert after.json["rows"][0]["method"] == "recorded queue:pedf"
    assert after.json["rows"][0]["objective"] == before.json["rows"][0]["objective"]
    assert rsjs("check", workload, log).code == 0


def test_a_run_that_does_not_complete_ends_with_1_and_says_why(tmp_path, rsjs):
    path = tmp_path / "lost.json"
    write_workload(jahani.workload(nodes=1, jobs=3, seed=1, gap_seconds=0.1), path)
    ended = rsjs(
        *("simulate", path, "--policy", "edf:code", "--events", "authors"),
        *("-o", tmp_path / "out"),
    )
    assert ended.code == 1
    assert "No solution: edf:code on jahani-" in ended.out
    assert "as the authors' program does" in ended.out
    assert event_log.read(tmp_path / "out" / "edf_code.jsonl.gz").end["status"] == "lost"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--policy nope", "method 'nope'"),
        ("--policy jahani_patterns@highs", "serves energy proportional"),
        ("--policy greedy:code --compare edf:code", "one of them"),
        ("--energy nodes", "--energy: found 'nodes'"),
        ("--policy=", "--policy: found '', expected policies"),
        ("--compare=,", "--compare: found ',', expected policies"),
        ("--boot -1", "--boot: found -1.0, expected seconds >= 0"),
        ("--period 0", "--period"),
        ("--deviation 0.6", "--deviation"),
        ("--decision-limit 0", "--decision-limit"),
        ("--replay none.jsonl", "none.jsonl"),
        ("--replay none.jsonl --epochs both", "--epochs: found 'both', expected a policy"),
    ],
)
def test_bad_input(workload, tmp_path, rsjs, arguments, told):
    out = tmp_path / "out"
    assert told in rsjs("simulate", workload, *arguments.split(), "-o", out).refusal
    assert not out.exists()


def test_a_folder_of_simulations_takes_no_other_comparison(workload, folder, tmp_path, rsjs):
    rsjs("simulate", workload, "--policy", "edf:paper", "-o", tmp_path / "out")
    line = ("compare", folder / "small.json", "--methods", "greedy:code", "-o", tmp_path / "out")
    assert "out/store: found runs on problems of another kind" in rsjs(*line).refusal


def test_an_instance_is_not_a_workload(folder, tmp_path, rsjs):
    assert "/format" in rsjs("simulate", folder / "small.json", "-o", tmp_path / "out").refusal


def test_the_price_of_not_knowing_the_epochs_is_a_column_of_its_own(workload, tmp_path, rsjs):
    asked = ("simulate", workload, "--compare", "queue:pedf,queue:greedy", "--json")
    both = rsjs(*asked, "--epochs", "both", "-o", tmp_path / "both").json
    known = rsjs(*asked, "--epochs", "known", "-o", tmp_path / "known").json
    best = min(row["objective"] for row in known["rows"])
    assert both["best_cost"] == known["best_cost"] == best < both["rows"][0]["objective"]
    assert both["clairvoyant_greedy"] == known["rows"][1]["objective"]
    assert known["options"]["epochs"] == "known"
    for hidden, told in zip(both["rows"], known["rows"], strict=True):
        assert told["method"] == f"{hidden['method']} [epochs known]"
        assert hidden["known_cost"] == told["objective"]
        assert hidden["over_known"] == pytest.approx(hidden["objective"] / told["objective"])
        assert hidden["over_best"] == pytest.approx(hidden["objective"] / best)
        assert hidden["over_bound"] > hidden["over_best"] > 1
    assert "best: " in (tmp_path / "both" / "table.md").read_text()


def test_draws_of_the_epochs_give_a_bound_in_expectation(workload, tmp_path, rsjs):
    asked = ("simulate", workload, "--policy", "queue:pedf", "-o", tmp_path / "out")
    found = rsjs(*asked, "--json", "--redraw", 3).json
    (row,) = found["rows"]
    expected = expected_bound(read_workload(workload), draws=3)
    assert (found["expected_bound"], found["draws"]) == (pytest.approx(expected.value), 3)
    assert row["over_expected"] == pytest.approx(row["mean_cost"] / expected.value)
    assert found["workload_bound"] != pytest.approx(expected.value, rel=1e-3)
    assert "bound in expectation: " in (tmp_path / "out" / "table.md").read_text()


def test_a_bound_above_a_cost_ends_the_table_with_both_rows_named(
    workload, tmp_path, rsjs, monkeypatch
):
    asked = ("simulate", workload, "--policy", "queue:pedf", "-o", tmp_path / "out")
    cost = rsjs(*asked, "--json").json["rows"][0]["objective"]
    build = records.read

    def raised(folder):
        record = build(folder)
        if record.run.method.startswith("references"):
            record = replace(record, result=replace(record.result, bound=cost * 1.01))
        return record

    monkeypatch.setattr(records, "read", raised)
    ended = rsjs(*asked)
    assert ended.code == 2
    assert f"found {cost * 1.01!r} $ of references?baselines=no on" in ended.err
    assert f"at most {cost!r} $, the cost of queue:pedf on" in ended.err

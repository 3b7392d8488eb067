"""`rsjs reproduce`."""

import json

import pytest
import typer

from rsjs import commit
from rsjs.cli.reproduce import reproduce
from rsjs.comparison import Comparison
from rsjs.core.errors import InputError
from rsjs.paper_claims.claim import claims, experiments
from rsjs.paper_claims.runs import rows as rows_of
from rsjs.reporting.figures.claim import claim_figure
from rsjs.rows.csv import read_rows


def test_list_shows_every_claim_and_runs_nothing(capsys):
    reproduce(list_=True, as_json=True)
    listed = json.loads(capsys.readouterr().out)
    assert [one["claim"] for one in listed] == list(claims())


def test_a_claim_is_run_compared_and_its_rows_kept(tmp_path, capsys):
    with pytest.raises(typer.Exit) as exit_:
        reproduce(["jahani-table3-summary", "jahani-table5-sum"], tmp_path, as_json=True)
    assert exit_.value.exit_code == 0
    summary, total = json.loads(capsys.readouterr().out)["claims"]
    assert summary["verdict"] == "holds with limits"
    assert total["verdict"] == "holds"
    rows = read_rows(tmp_path / "jahani-printed.csv")
    assert [row["objective"] for row in rows[:4]] == [3.26, 14.06, 10.19, 18.25]
    assert {row["commit"] for row in rows} == {commit.source()["commit"]}


def test_missing_takes_the_rows_that_are_there(tmp_path, monkeypatch, capsys):
    claims = ["jahani-table3-summary", "sts-fig3-rates"]
    with pytest.raises(typer.Exit):
        reproduce(claims[:1], tmp_path)
    (tmp_path / "sts-arrivals.csv").write_text("case\nold\n")  # from before rows had a commit
    run: list[str] = []

    def recorded(experiment, size, runner):
        run.append(experiment.name)
        return rows_of(experiment, size, runner)

    monkeypatch.setattr("rsjs.paper_claims.runs.rows", recorded)
    capsys.readouterr()
    with pytest.raises(typer.Exit) as exit_:
        reproduce(claims, tmp_path, missing=True, as_json=True)
    assert exit_.value.exit_code == 0
    assert run == ["sts-arrivals"]
    verdicts = [one["verdict"] for one in json.loads(capsys.readouterr().out)["claims"]]
    assert verdicts == ["holds with limits", "by construction"]


def test_rows_are_drawn_where_there_is_something_to_draw(tmp_path, monkeypatch, capsys):
    row = {"case": "a", "method": "m", "solve_s": 0.1, "status": "ok"}
    made = [{**row, "nodes": n, "total_s": n / 10} for n in (1, 10)]
    monkeypatch.setattr("rsjs.paper_claims.runs.rows", lambda *_: made)
    drawn = []

    def figure(rows, plot, published):
        drawn.extend(claim.id for claim, _ in published)
        return claim_figure(rows, plot, published)

    monkeypatch.setattr("rsjs.reporting.figures.claim.claim_figure", figure)
    with pytest.raises(typer.Exit) as exit_:
        reproduce(["kiros-44-greedy-seconds"], tmp_path)
    assert drawn == ["kiros-44-greedy-seconds"]  # of the claims on these rows the one asked for
    assert exit_.value.exit_code == 1  # these rows have no greedy
    assert (tmp_path / "kiros-seconds.png").read_bytes()[:4] == b"\x89PNG"
    assert "not tested" in capsys.readouterr().out


def test_a_run_that_failed_is_told(monkeypatch, capsys):
    made = experiments()["jahani-printed"].of_size("quick")["rows"]
    broken = {**made[0], "status": "error", "message": "no memory"}
    monkeypatch.setattr("rsjs.paper_claims.runs.rows", lambda *_: [*made, broken])
    with pytest.raises(typer.Exit) as exit_:
        reproduce(["jahani-table3-summary"])
    assert exit_.value.exit_code == 1
    printed = capsys.readouterr().out
    assert "holds with limits" in printed
    assert "jahani-printed: failed runs: 1, the first jahani_patterns@highs on table-iii" in printed
    assert "error no memory" in printed


@pytest.mark.parametrize(
    "claim", ["jahani-fig3a-small", "jahani-fig4-slots", "kiros-44-rg-seconds"]
)
def test_ctrl_c_ends_an_experiment_and_writes_no_rows(claim, tmp_path, monkeypatch):
    def ended(*_, **__):
        return Comparison(rows=[], interrupted=True)

    monkeypatch.setattr("rsjs.comparison.compare_pairs", ended)
    with pytest.raises(KeyboardInterrupt):
        reproduce([claim], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["jahani-fig9"]}, "jahani-fig9"),  # no such claim
        ({"names": []}, "a claim, a paper or all"),
        ({"names": ["all"], "size": "huge"}, "quick or paper"),
        ({"names": ["all"], "missing": True}, "-o DIR"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        reproduce(**arguments)  # type: ignore[arg-type]

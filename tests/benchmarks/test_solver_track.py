"""The page of the solver track takes rows of several limits as what they are."""

from dataclasses import replace

import pytest

from benchmarks import solver_track as track
from benchmarks.solver_track import better
from docs.make import solver_track
from rsjs.bks import evidence
from rsjs.bks.evidence import model_rows
from rsjs.core.errors import InputError
from rsjs.formulations.milp.models import models
from rsjs.rows.status import status

ALL, SOME, NONE = (models()[i] for i in (0, 1, 2))


def row(model, solver, limit, seconds, **changes):
    solved = seconds <= limit
    return {
        "method": f"solve@{solver}",
        "solver": solver,
        "instance": model.name,
        "begun": "2026-01-01",
        "time_limit": limit,
        "total_s": min(seconds, limit),
        "process_s": None,
        "status": "ok",
        "objective": model.objective,
        "bound": model.objective if solved else 0.0,
        "own_gap": 0.0 if solved else 1.0,
        "gap_limit": 1e-4,
        **changes,
    }


@pytest.fixture
def rows(monkeypatch):
    """Rows of two solvers: of one model with several limits, of one with two answers wrong."""
    stored = {
        ALL.name: [
            row(ALL, "highs", 60.0, 90.0),
            row(ALL, "highs", 3600.0, 90.0),
            row(ALL, "scip", 60.0, 90.0),
        ],
        SOME.name: [
            row(SOME, "highs", 3600.0, 4000.0),
            row(SOME, "scip", 60.0, 1.0, bound=SOME.objective * 2),
        ],
    }
    monkeypatch.setattr(solver_track, "model_rows", lambda: stored)
    solver_track.runs.cache_clear()
    yield stored
    solver_track.runs.cache_clear()


@pytest.mark.usefixtures("rows")
def test_the_run_of_the_largest_limit_counts_and_wrong_answers_prove_nothing():
    seconds = solver_track.wide("seconds")
    assert seconds.loc[ALL.name, "highs"] == 90.0
    assert seconds.loc[[ALL.name, SOME.name], "scip"].isna().all()
    assert solver_track.runs()["wrong"].sum() == 1


@pytest.mark.usefixtures("rows")
def test_classes_are_those_of_the_best_solver():
    found = [solver_track.hardness(model.name) for model in (ALL, SOME, NONE)]
    assert found == ["1 to 10 min", "> 60 min", "not run"]


@pytest.mark.usefixtures("rows")
def test_times_beyond_the_least_limit_of_a_model_are_censored():
    times, limits = solver_track.censored(["highs", "scip"])
    assert limits[ALL.name] == 60.0
    assert times.loc[ALL.name].isna().all()


@pytest.mark.usefixtures("rows")
def test_a_model_without_runs_is_not_run_on_the_page():
    lines = solver_track.by_model().splitlines()
    assert "not run" in next(line for line in lines if NONE.name in line)


def test_runs_of_a_model_of_another_text_do_not_count(monkeypatch, tmp_path):
    text = "instance,instance_sha256,method\n"
    for sha256 in (ALL.text_sha256, "0" * 64):
        text += f"{ALL.name},{sha256},solve@highs\n"
    monkeypatch.setattr(evidence, "TRACK", tmp_path / "rows.csv")
    evidence.TRACK.write_text(text)
    assert [row["instance_sha256"] for row in model_rows()[ALL.name]] == [ALL.text_sha256]


def test_the_status_of_a_model_leaves_out_answers_that_are_wrong(rows):
    assert evidence.status_of_model(ALL, rows) == "easy"
    assert evidence.status_of_model(SOME, rows) == "open after 3600 s"
    assert evidence.status_of_model(NONE, rows) == "not run"


def test_a_model_with_an_optimum_called_infeasible_is_a_wrong_answer():
    model = next(one for one in models() if one.objective is not None)
    said = {"status": "no_solution", "stop": "infeasible", "objective": None, "bound": None}
    assert evidence.is_wrong_answer(said, model)
    assert not evidence.is_wrong_answer({**said, "stop": "time_limit"}, model)


def test_a_bound_above_the_cost_is_refused_and_rounding_is_none():
    model = replace(ALL, objective=100.0, bound=90.0)
    assert better(model, None, 100.00000001, "m@highs").bound == 100.0
    with pytest.raises(InputError, match=r"found bound 150.0 by m@highs, expected at most"):
        better(model, None, 150.0, "m@highs")


def test_a_model_of_another_text_takes_nothing_over(monkeypatch):
    written = {}
    monkeypatch.setattr(track, "models", lambda: [replace(ALL, text_sha256="0" * 64), SOME])
    monkeypatch.setattr(track, "_write", lambda found: written.update({m.name: m for m in found}))
    monkeypatch.setattr(track, "proved", lambda model: model)
    track.add([(model.method, model.generator, model.arguments) for model in (ALL, SOME)])
    assert (written[ALL.name].objective, written[ALL.name].bound) == (None, None)
    assert written[SOME.name] == SOME


def test_no_status_says_more_than_the_stored_runs():
    stored = model_rows()
    assert {*stored} <= {model.name for model in models()}
    for own in stored.values():
        proved = [one for one in own if one["own_gap"] is not None and one["own_gap"] <= 1e-4]
        assert proved or str(status(own)).startswith(("open after", "unknown", "closed"))

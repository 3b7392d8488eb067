"""The study of formulations from the command line: kept, resumed, interrupted."""

import csv

import pytest

from rsjs.cli.formulation_study import sized
from rsjs.core.errors import InputError
from rsjs.runs import formulation_study

pytestmark = pytest.mark.usefixtures("blank")


METHODS = "jahani_literal,jahani_patterns@highs"


def study(rsjs, folder, *more):
    line = ("--families", "jahani", "--methods", METHODS, "--time-limit", "600")
    return rsjs("formulation-study", *line, *more, "-o", folder)


def stored(folder):
    with (folder / "rows.csv").open() as lines:
        return list(csv.DictReader(lines))


@pytest.mark.process
@pytest.mark.solver
def test_each_measurement_becomes_a_row_that_is_not_measured_again(rsjs, tmp_path, monkeypatch):
    asked = ("--sizes", "1x4", "--methods", "jahani_patterns@highs")
    ended = study(rsjs, tmp_path, *asked, "--json")
    assert ended.code == 0
    found = [(row["formulation"], row["measure"]) for row in ended.json["rows"]]
    assert found == [("jahani_patterns", "relaxation"), ("jahani_patterns", "solve")]
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "table.md", "sizes.png"}
    before = stored(tmp_path)

    def unwanted(*_, **__):
        pytest.fail("measured again")

    monkeypatch.setattr(formulation_study, "measure", unwanted)
    again = study(rsjs, tmp_path, *asked)
    assert again.code == 0
    assert again.err.count(": kept") == 2
    assert stored(tmp_path) == before
    assert "jahani_patterns" in again.out


def canned(task, limits, **_):
    """A row as `measure` would make it, without a worker process."""
    relaxed = task.measure == "relaxation"
    return {
        "family": task.family,
        "formulation": task.formulation,
        "measure": task.measure,
        "solver": task.request.solver,
        "instance": task.instance.name,
        "instance_sha256": task.instance.digest,
        "nodes": task.instance.cluster.nodes,
        "jobs": len(task.instance.jobs),
        "method": task.request.spelling,
        "stop": "iterations" if relaxed else "optimal",
        "status": "no_solution" if relaxed else "ok",
        "objective": None if relaxed else 2.0,
        "bound": 1.5,
        "total_s": 0.5,
        "time_limit": limits.time_limit,
        "gap_limit": limits.gap,
        "threads": limits.threads,
        "seed": limits.seed,
        "memory_limit_mb": limits.memory_limit_mb,
        "message": "",
    }


def test_a_study_that_was_ended_goes_on_where_it_was(rsjs, tmp_path, monkeypatch):
    measured: list[str] = []

    def once(task, limits, **options):
        if measured:
            raise KeyboardInterrupt
        measured.append(task.request.spelling)
        return canned(task, limits)

    monkeypatch.setattr(formulation_study, "measure", once)
    ended = study(rsjs, tmp_path, "--sizes", "1x4")
    assert ended.code == 130
    assert "Interrupted with 1 rows" in ended.out
    assert [row["method"] for row in stored(tmp_path)] == measured == ["jahani_literal@relaxation"]
    monkeypatch.setattr(formulation_study, "measure", canned)
    again = study(rsjs, tmp_path, "--sizes", "1x4")
    assert (again.code, again.err.count(": kept")) == (0, 1)
    literal, *patterns = [row["method"] for row in stored(tmp_path)]
    assert literal == "jahani_literal@relaxation"
    assert patterns == ["jahani_patterns@relaxation", "jahani_patterns@highs"]


def test_a_relaxation_above_a_cost_reached_makes_the_exit_code_1(rsjs, tmp_path, monkeypatch):
    monkeypatch.setattr(
        formulation_study, "measure", lambda *a, **b: canned(*a, **b) | {"bound": 2.5}
    )
    ended = study(rsjs, tmp_path, "--sizes", "1x4")
    assert ended.code == 1
    assert "WRONG: jahani_literal on" in ended.out


def test_other_limits_are_measured_anew(rsjs, tmp_path, monkeypatch):
    monkeypatch.setattr(formulation_study, "measure", canned)
    study(rsjs, tmp_path, "--sizes", "1x4")
    study(rsjs, tmp_path, "--sizes", "1x4", "--gap", "0.01")
    assert len(stored(tmp_path)) == 6


def test_a_run_that_ctrl_c_ended_is_no_row(rsjs, tmp_path, monkeypatch):
    monkeypatch.setattr(formulation_study, "measure", lambda *_, **__: None)
    assert study(rsjs, tmp_path, "--sizes", "1x4").code == 130
    assert not (tmp_path / "rows.csv").exists()


def test_methods_that_do_not_serve_a_family_are_listed_with_the_reason(rsjs, tmp_path):
    line = ("--families", "jahani", "--sizes", "1x4", "--methods", "rsjs_nodes@highs")
    output = rsjs("formulation-study", *line, "-o", tmp_path).output
    assert "rsjs_nodes serves energy first_ending, not proportional" in output


def test_sizes_are_nodes_or_nodes_and_jobs():
    assert sized("2, 10x40,") == [(2, 20), (10, 40)]


@pytest.mark.parametrize("text", ["", "0", "x4", "2x", "2x0", "a", "-1", "2;3"])
def test_other_sizes_are_refused(text):
    with pytest.raises(InputError, match="--sizes"):
        sized(text)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--families", "nobody", "'nobody', expected one of jahani, kiros, sts, sts-shared"),
        ("--methods", "nobody", "method nobody"),
        ("--methods", "", "expected methods"),
        ("--time-limit", "0", "a number of seconds > 0"),
        ("--memory-limit", "-1", "MB > 0"),
    ],
)
def test_bad_input_is_told_in_one_line(rsjs, tmp_path, option, value, told):
    assert told in rsjs("formulation-study", option, value, "-o", tmp_path / "study").refusal
    assert not (tmp_path / "study").exists()

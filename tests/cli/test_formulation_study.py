"""The study of formulations from the command line: a campaign, kept, resumed, interrupted."""

import csv

import pytest

from rsjs.cli.compare import FAMILIES, relaxed_too, sized
from rsjs.cli.options import requests
from rsjs.core.errors import InputError
from rsjs.formulations.jahani import milp
from rsjs.formulations.jahani.milp import LiteralModel
from rsjs.formulations.milp.solve import matrix_of
from rsjs.instances.generators import jahani

pytestmark = pytest.mark.usefixtures("blank")

METHODS = "jahani_literal@relaxation,jahani_patterns@highs"


def study(rsjs, folder, *more):
    line = ("--families", "jahani", "--methods", METHODS, "--time-limit", "600", "--sizes", "1x4")
    return rsjs("formulation-study", *line, *more, "-o", folder)


def stored(folder):
    with (folder / "rows.csv").open() as lines:
        return list(csv.DictReader(lines))


@pytest.mark.process
@pytest.mark.solver
def test_each_measurement_becomes_a_row_that_is_not_measured_again(rsjs, tmp_path):
    ended = study(rsjs, tmp_path, "--json")
    assert ended.code == 0
    relaxed, *others = ended.json["rows"]
    assert [row["spelling"] for row in (relaxed, *others)] == [
        "jahani_literal@relaxation",
        "jahani_patterns@relaxation",
        "jahani_patterns@highs",
    ]
    counts = matrix_of(milp, LiteralModel(jahani.generate(nodes=1, jobs=4, seed=1)))[0].counts
    assert {name: relaxed[name] for name in counts} == counts
    assert relaxed["stop"] == "iterations"
    assert (relaxed["objective"], relaxed["bound"] is None) == (None, False)
    assert all(relaxed[f"{phase}_s"] is not None for phase in ("build", "handover", "solve"))
    files = {"rows.csv", "table.md", "table.tex", "events.json", "sizes.png", "store", "solutions"}
    assert {path.name for path in tmp_path.iterdir()} == files
    before = stored(tmp_path)
    again = study(rsjs, tmp_path)
    assert again.code == 0
    assert "3 of 3 runs are in" in again.err
    assert stored(tmp_path) == before
    assert "jahani_patterns" in again.out
    study(rsjs, tmp_path, "--gap", "0.01")  # other limits are measured anew
    assert len(list((tmp_path / "store" / "runs").glob("*/*"))) == 6


@pytest.mark.process
@pytest.mark.solver
def test_a_model_that_takes_too_long_to_build_is_a_row_that_says_so(rsjs, tmp_path):
    line = ("--methods", "jahani_literal@relaxation", "--sizes", "20x200", "--time-limit", "0.05")
    study(rsjs, tmp_path, *line)
    (row,) = stored(tmp_path)
    assert (row["stop"], row["bound"], row["columns"]) == ("time_limit", "", "")


@pytest.mark.process
@pytest.mark.solver
def test_a_study_that_ctrl_c_ended_goes_on_where_it_was(rsjs, tmp_path, monkeypatch):
    from rsjs.cli.progress import Board

    def interrupt(self, news):
        if news.kind == "ended":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Board, "hear", interrupt)
        ended = study(rsjs, tmp_path)
    assert ended.code == 130
    assert "Interrupted after 1 of 3 runs" in ended.out
    assert [row["method"] for row in stored(tmp_path)] == ["jahani_literal@relaxation"]
    again = study(rsjs, tmp_path)
    assert (again.code, len(stored(tmp_path))) == (0, 3)
    assert "1 of 3 runs are in" in again.err


@pytest.mark.process
@pytest.mark.solver
def test_a_relaxation_above_a_cost_reached_makes_the_exit_code_1(rsjs, tmp_path, monkeypatch):
    monkeypatch.setattr("rsjs.rows.build.contradicts", lambda cost, bound: True)
    ended = study(rsjs, tmp_path)
    assert ended.code == 1
    assert "WRONG: jahani_literal@relaxation on" in ended.out


def test_each_formulation_is_relaxed_once_and_other_methods_not():
    asked = "jahani_literal@highs,jahani_literal@scip,jahani_literal@relaxation?printed=overdue"
    assert [one.spelling for one in relaxed_too(requests(asked))] == [
        "jahani_literal@relaxation",
        "jahani_literal@highs",
        "jahani_literal@scip",
        "jahani_literal@relaxation?printed=overdue",
    ]
    found = relaxed_too(requests("rsjs_bound,rsjs_sifting@highs,enumeration"))
    assert [one.spelling for one in found] == [
        "rsjs_bound@highs",
        "rsjs_sifting@highs",
        "enumeration",
    ]


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_the_methods_of_a_family_serve_its_instances(name):
    from rsjs import api

    arguments, methods = FAMILIES[name]
    instance = api.generate(**{"family": name, **arguments}, nodes=2, jobs=5, seed=1)
    assert {one.method.refusal(instance) for one in requests(methods)} == {None}
    assert instance.has_sharing == (name == "sts-shared")


@pytest.mark.process
@pytest.mark.solver
def test_methods_that_do_not_serve_a_family_are_listed_with_the_reason(rsjs, tmp_path):
    output = study(rsjs, tmp_path, "--methods", "rsjs_nodes,jahani_patterns").output
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
        ("--methods", "nobody", "method 'nobody'"),
        ("--methods", "", "expected methods"),
        ("--time-limit", "0", "a number of seconds > 0"),
        ("--memory-limit", "-1", "MB > 0"),
    ],
)
def test_bad_input_is_told_in_one_line(rsjs, tmp_path, option, value, told):
    assert told in rsjs("formulation-study", option, value, "-o", tmp_path / "study").refusal
    assert not (tmp_path / "study").exists()

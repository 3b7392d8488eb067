"""Measurements of formulations: what is planned for an instance, and what a row holds."""

import pytest

from rsjs.core.call import Limits
from rsjs.formulations.jahani import milp
from rsjs.formulations.jahani.milp import LiteralModel
from rsjs.formulations.milp.solve import matrix_of
from rsjs.instances.generators.jahani import generate
from rsjs.methods import parse
from rsjs.reporting.tables.csv_rows import csv_text, read_rows
from rsjs.runs.formulation_study import FAMILIES, key_of, measure, tasks

LIMITS = Limits(time_limit=600.0, seed=1, memory_limit_mb=4096.0)


def plan(family, instance, *spellings):
    requests = [parse(text) for text in spellings]
    return list(tasks(FAMILIES[family], instance, requests, ["@" in text for text in spellings]))


def told(planned):
    return [(task.measure, task.request.spelling) for task in planned]


def test_a_formulation_is_relaxed_once_and_solved_where_a_solver_is_named(tiny):
    spellings = ("jahani_literal@highs", "jahani_literal@scip", "jahani_patterns")
    assert told(plan("jahani", tiny, *spellings)) == [
        ("relaxation", "jahani_literal@relaxation"),
        ("solve", "jahani_literal@highs"),
        ("solve", "jahani_literal@scip"),
        ("relaxation", "jahani_patterns@relaxation"),
    ]


def test_options_make_another_formulation(tiny):
    spellings = ("jahani_literal", "jahani_literal?printed=overdue")
    assert [task.formulation for task in plan("jahani", tiny, *spellings)] == list(spellings)


def test_the_sifting_bound_stands_for_a_relaxation_and_other_methods_are_solved(tiny):
    spellings = ("rsjs_bound", "rsjs_sifting@highs", "enumeration")
    methods = [("relaxation", "rsjs_bound@highs"), ("solve", "rsjs_sifting@highs")]
    assert told(plan("sts", tiny, *spellings)) == methods


@pytest.mark.process
@pytest.mark.solver
def test_a_row_holds_size_bound_and_what_tells_it_from_others(tiny, tmp_path):
    (task,) = plan("jahani", tiny, "jahani_literal")
    row = measure(task, LIMITS)
    counts = matrix_of(milp, LiteralModel(tiny))[0].counts
    assert {name: row[name] for name in counts} == counts
    assert (row["family"], row["formulation"]) == ("jahani", "jahani_literal")
    assert (row["measure"], row["solver"]) == ("relaxation", "relaxation")
    assert (row["stop"], row["objective"]) == ("iterations", None)
    assert row["bound"] is not None
    assert all(row[f"{phase}_s"] is not None for phase in ("build", "handover", "solve", "total"))
    assert "best_bound" not in row
    path = tmp_path / "rows.csv"
    path.write_text(csv_text([row]))
    assert key_of(read_rows(path)[0]) == key_of(row) == task.key(LIMITS)
    assert task.key(LIMITS) != task.key(Limits(time_limit=601.0, seed=1, memory_limit_mb=4096.0))


@pytest.mark.process
@pytest.mark.solver
def test_a_model_that_takes_too_long_to_build_is_a_row_that_says_so():
    (task,) = plan("jahani", generate(nodes=20, jobs=200, seed=1), "jahani_literal")
    row = measure(task, Limits(time_limit=0.05))
    assert (row["stop"], row["bound"], row["columns"]) == ("time_limit", None, None)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_the_methods_of_a_family_serve_its_instances(name):
    family = FAMILIES[name]
    instance = family.draw(nodes=2, jobs=5, seed=1)
    assert {parse(text).method.refusal(instance) for text in family.methods} == {None}
    assert instance.has_sharing == (name == "sts-shared")

"""Nothing that is promised goes unmeasured, and "no benchmarks" is not a success."""

import ast
from ast import literal_eval
from itertools import product
from pathlib import Path

import pytest

from benchmarks.cases import CASES, FAMILIES, TINY
from benchmarks.expected import EXPECTED
from benchmarks.work import GROUPS
from benchmarks.work.kernels import MEASURED_BY
from rsjs.formulations.registry import METHODS as EXACT
from rsjs.heuristics.registry import METHODS as HEURISTICS
from rsjs.methods import parse

REGISTERED = {*EXACT, *HEURISTICS}
HEURISTICS_FOLDER = Path(__file__).parents[2] / "heuristics"


def parameters(discovered, suite, kind):
    """Lists of parameters of a suite's benchmarks of a kind, `time` or `track`."""
    return [
        tuple(literal_eval(text) for text in values)
        for benchmark in discovered
        if benchmark["name"].startswith(f"{suite}.") and benchmark["type"] == kind
        for values in product(*benchmark["params"])
    ]


def compiled_functions():
    """Functions that Python calls compiled, as "module:function"."""
    for path in sorted(HEURISTICS_FOLDER.rglob("*.py")):
        module = ".".join(["rsjs.heuristics", *path.relative_to(HEURISTICS_FOLDER).parts])
        for node in ast.parse(path.read_text()).body:
            marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", ())]
            if "compiled" in marks:
                yield f"{module.removesuffix('.py')}:{node.name}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["time", "track"])
def test_every_registered_method_is_measured(discovered, kind):
    tiny = {CASES[name].method for (name,) in parameters(discovered, "methods.Tiny", kind)}
    methods = {
        method
        for family in FAMILIES
        for suite in (family.title(), f"{family.title()}Quality")
        for method, _ in parameters(discovered, f"methods.{suite}", kind)
    }
    assert {parse(method).method.name for method in methods | tiny} == REGISTERED


def test_every_case_is_of_an_instance_that_its_method_serves():
    refusals = {n: case.request.method.refusal(case.instance) for n, case in CASES.items()}
    assert {name: reason for name, reason in refusals.items() if reason} == {}


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_every_case_of_a_family_is_among_its_parameters(discovered, family):
    cases = [case for case in CASES.values() if case.family == family]
    wanted = {(case.method, case.size) for case in cases if case.size != TINY}
    tiny = {(case.name,) for case in cases if case.size == TINY}
    suite = f"methods.{family.title()}"
    for kind, name in (("time", suite), ("track", f"{suite}Quality")):
        assert wanted <= set(parameters(discovered, name, kind))
        assert tiny <= set(parameters(discovered, "methods.Tiny", kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["time", "track"])
def test_every_call_and_kernel_is_measured(discovered, kind):
    for group, works in GROUPS.items():
        measured = {name for (name,) in parameters(discovered, f"work.{group.title()}", kind)}
        assert measured == set(works)
    assert set(compiled_functions()) == set(MEASURED_BY)
    assert {*MEASURED_BY.values()} <= set(GROUPS["kernels"])


@pytest.mark.slow
def test_every_linear_formulation_is_built(discovered):
    for kind in ("time", "track", "peakmemory"):
        built = {name for (name,) in parameters(discovered, "work.Formulations", kind)}
        assert {f"build {name}" for name, method in EXACT.items() if method.linear} <= built


def test_every_case_has_expected_values_and_no_other():
    assert EXPECTED["methods"].keys() == CASES.keys()
    assert {group: EXPECTED[group].keys() for group in GROUPS} == {
        group: works.keys() for group, works in GROUPS.items()
    }
    assert EXPECTED["bounds"].keys() == {case.where for case in CASES.values()}

"""Nothing that is promised goes unmeasured, and "no benchmarks" is not a success."""

import ast
from ast import literal_eval
from itertools import product
from pathlib import Path

import pytest

from benchmarks.expected import EXPECTED
from benchmarks.kernel_cases import INSIDE, KERNELS
from benchmarks.method_cases import CASES, FAMILIES, TINY
from rsjs.formulations.hierarchical_methods import HIERARCHICAL
from rsjs.formulations.linear_models import LINEAR
from rsjs.formulations.registry import METHODS as EXACT
from rsjs.heuristics import kernels
from rsjs.heuristics.registry import METHODS as HEURISTICS
from rsjs.methods import parse

REGISTERED = {*EXACT, *HEURISTICS, HIERARCHICAL.name}
FOLDER = Path(kernels.__file__).parent


def parameters(discovered, suite, kind):
    """Lists of parameters of a suite's benchmarks of a kind, `time` or `track`."""
    return [
        tuple(literal_eval(text) for text in values)
        for benchmark in discovered
        if benchmark["name"].startswith(f"{suite}.") and benchmark["type"] == kind
        for values in product(*benchmark["params"])
    ]


def imported(module):
    """Kernel modules that a kernel module imports, directly or not."""
    tree = ast.parse((FOLDER / f"{module}.py").read_text())
    direct = {
        node.module.rpartition(".")[2]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(kernels.__name__)
    } & {path.stem for path in FOLDER.glob("*.py")}
    return direct.union(*(imported(name) for name in direct))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["time", "track"])
def test_every_registered_method_is_measured(discovered, kind):
    tiny = {CASES[name].method for (name,) in parameters(discovered, "bench_methods.Tiny", kind)}
    methods = {
        method
        for family in FAMILIES
        for suite in (family.title(), f"{family.title()}Quality")
        for method, _ in parameters(discovered, f"bench_methods.{suite}", kind)
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
    suite = f"bench_methods.{family.title()}"
    for kind, name in (("time", suite), ("track", f"{suite}Quality")):
        assert wanted <= set(parameters(discovered, name, kind))
        assert tiny <= set(parameters(discovered, "bench_methods.Tiny", kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["time", "track"])
def test_every_kernel_is_measured_or_inside_one_that_is(discovered, kind):
    measured = {kernel for (kernel,) in parameters(discovered, "bench_kernels", kind)}
    assert measured == set(KERNELS)
    assert {*KERNELS, *INSIDE} == {path.stem for path in FOLDER.glob("[!_]*.py")}


@pytest.mark.parametrize(("module", "caller"), INSIDE.items())
def test_a_kernel_inside_another_cannot_be_called_by_itself(module, caller):
    tree = ast.parse((FOLDER / f"{module}.py").read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    decorators = [ast.unparse(mark) for function in functions for mark in function.decorator_list]
    assert "compiled" not in decorators
    assert caller in KERNELS
    assert module in imported(caller)


@pytest.mark.slow
def test_every_linear_formulation_is_built(discovered):
    for kind in ("time", "track", "peakmemory"):
        built = {name for (name,) in parameters(discovered, "bench_formulations.Build", kind)}
        assert built == set(LINEAR)


def test_every_case_has_expected_values_and_no_other():
    assert EXPECTED["methods"].keys() == CASES.keys()
    assert EXPECTED["kernels"].keys() == KERNELS.keys()
    assert EXPECTED["bounds"].keys() == {case.where for case in CASES.values()}

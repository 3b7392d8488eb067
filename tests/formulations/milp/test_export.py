"""A model file says what the model says: the same costs, rows and optimum, wherever it is read."""

import gzip
import os
import re
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from itertools import cycle, product
from pathlib import Path

import highspy
import numpy as np
import pyscipopt
import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Report
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp import export
from rsjs.formulations.milp.export import namer
from rsjs.formulations.milp.from_pyomo import from_pyomo
from rsjs.formulations.milp.solve import formulation_of
from rsjs.formulations.registry import METHODS
from rsjs.instances.check import check
from rsjs.instances.generators import andreas, jahani, kiros, planted, sts
from rsjs.methods import parse

TINY = {"nodes": 2, "jobs": 3}  # solved to gap 0 in about a second
FAMILIES = [  # generator and its options; a model is tried on the last family that it serves
    (jahani, TINY),
    (kiros, TINY),
    (sts, {**TINY, "sharing": "paper"}),
]
LINEAR = [name for name, method in METHODS.items() if method.linear]


def case_of(spelling):
    """A spelling with generator and options of an instance that its method serves."""
    served = [
        (generator, options)
        for generator, options in FAMILIES
        if parse(spelling).method.refusal(generator.generate(seed=1, **options)) is None
    ]
    return spelling, *served[-1]


CASES = [*map(case_of, LINEAR), case_of("rsjs_classes?packing=splits")]
CONSTANT = "ONE_VAR_CONSTANT"


def name_of(case):
    return case[0]


@pytest.fixture(params=CASES, ids=name_of)
def case(request):
    """Name and options of a method, and an instance that it serves."""
    return served(request.param)


def served(case):
    spelling, generator, options = case
    asked = parse(spelling)
    return asked.method.name, asked.options, generator.generate(seed=1, **options)


def built(name, instance, options):
    """The Pyomo model of a method, and the function that names its components."""
    formulation = formulation_of(METHODS[name])
    model = formulation.build(formulation.data_of(instance, **options))
    return model, namer(formulation.INDEX_LETTERS, export.words_of(instance))


def optimum(matrix):
    """The best vector at gap 0."""
    result = backend("scip").load()(SolveTask(matrix, Limits(gap=0.0), seconds=300))
    assert result.x is not None
    return result.x, result.objective


class InHighs:
    """A file as HiGHS reads it; its package reads no gzip."""

    def __init__(self, path):
        self.highs = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        assert self.highs.readModel(str(path)) == highspy.HighsStatus.kOk
        self.lp = self.highs.getLp()
        self.cost = dict(zip(self.lp.col_names_, self.lp.col_cost_, strict=True))

    def price(self, values):
        """Cost of a vector by name; None if it violates a row or a bound by 1e-6."""
        x = np.array([values[name] for name in self.lp.col_names_])
        A = self.lp.a_matrix_
        activity = np.zeros(self.lp.num_row_)
        columns = np.repeat(np.arange(len(x)), np.diff(A.start_))
        np.add.at(activity, A.index_, np.array(A.value_) * x[columns])
        lp = self.lp
        rows = lp.row_lower_, activity, lp.row_upper_
        for low, value, high in ((lp.col_lower_, x, lp.col_upper_), rows):
            if (value < np.array(low) - 1e-6).any() or (value > np.array(high) + 1e-6).any():
                return None
        return float(np.array(self.lp.col_cost_) @ x) + self.lp.offset_

    def optimum(self):
        self.highs.setOptionValue("mip_rel_gap", 0.0)
        self.highs.run()
        return self.highs.getInfo().objective_function_value

    def integers(self):
        kinds = zip(self.lp.col_names_, self.lp.integrality_, strict=True)
        return {name for name, kind in kinds if kind == highspy.HighsVarType.kInteger}


class InScip:
    """A file as SCIP reads it."""

    def __init__(self, path):
        self.scip = pyscipopt.Model()
        self.scip.hideOutput()
        self.scip.readProblem(str(path))
        self.cost = {v.name: v.getObj() for v in self.scip.getVars()}

    def price(self, values):
        """Cost of a vector by name; None if it violates the model."""
        solution = self.scip.createSol()
        for variable in self.scip.getVars():
            solution[variable] = values[variable.name]
        fits = self.scip.checkSol(solution, printreason=False, original=True)
        return self.scip.getSolObjVal(solution) if fits else None

    def optimum(self):
        self.scip.optimize()
        return self.scip.getObjVal()

    def integers(self):
        return {v.name for v in self.scip.getVars() if v.vtype() != "CONTINUOUS"}


WAYS = product([".mps", ".lp"], [InHighs, InScip])


@pytest.mark.solver
@pytest.mark.parametrize(
    ("case", "suffix", "reader"),
    [(case, *way) for case, way in zip(CASES, cycle(WAYS), strict=False)],
)
def test_a_solution_costs_in_the_file_what_it_costs_in_the_model(case, suffix, reader, tmp_path):
    name, options, instance = served(case)
    written = export.export(name, instance, options, tmp_path / f"model{suffix}")
    model, label = built(name, instance, options)
    matrix, columns = from_pyomo(model)
    x, objective = optimum(matrix)
    names = [label(column) for column in columns]
    values = dict(zip(names, x.tolist(), strict=True)) | {CONSTANT: 1.0}
    read = reader(written.path)
    assert read.cost.pop(CONSTANT, 0.0) == matrix.offset
    cost = dict(zip(names, matrix.cost.tolist(), strict=True))
    assert {n: c for n, c in read.cost.items() if c} == {n: c for n, c in cost.items() if c}
    integers = {n for n, kind in zip(names, matrix.kind, strict=True) if kind == 1}
    assert read.integers() == integers
    assert read.price(values) == pytest.approx(objective, rel=1e-12, abs=1e-9)
    assert read.price(dict.fromkeys(values, 0.7)) is None
    assert read.optimum() == pytest.approx(objective, rel=1e-6, abs=1e-6)


@pytest.mark.solver
def test_the_file_is_the_model_that_the_method_solves(case, tmp_path):
    name, options, instance = case
    written = export.export(name, instance, options, tmp_path / "model.lp.gz")
    call = Call(solver="highs", options=options, limits=Limits(time_limit=300.0))
    solved = METHODS[name].load()(instance, call, Report(300.0))
    assert written.counts == {key: solved.counts[key] for key in written.counts}


ROUND_TRIPS = [  # every method that is exported, on every family that it serves
    (spelling, generator, {"nodes": 2, "jobs": 4, **options})
    for spelling, _, _ in CASES
    for generator, options in [*FAMILIES, (andreas, TINY), (planted, TINY), (sts, TINY)]
    if parse(spelling).method.refusal(generator.generate(seed=1, **options)) is None
]


@pytest.mark.solver
@pytest.mark.parametrize("case", ROUND_TRIPS)
def test_a_solution_of_the_file_comes_back_and_names_the_jobs_that_run(case, tmp_path):
    name, options, instance = served(case)
    written = export.export(name, instance, options, tmp_path / "model.mps")
    read = InHighs(written.path)
    optimal = read.optimum()
    read.highs.writeSolution(str(tmp_path / "m.sol"), 0)
    values = dict(zip(read.lp.col_names_, read.highs.getSolution().col_value, strict=True))
    solution = export.import_solution(name, instance, options, tmp_path / "m.sol")
    verdict = check(instance, solution)
    assert verdict.feasible
    assert verdict.objective == pytest.approx(optimal, rel=1e-6, abs=1e-6)
    used = {word for column, value in values.items() if value > 0.5 for word in column.split("_")}
    words = export.words_of(instance)["j"]
    named = {words.index(word) for word in used & {*words}}
    assert {int(j) for j in np.flatnonzero(solution.job_node >= 0)} <= named


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x_nobody 1", "found column x_nobody, expected a column of jahani_literal for jahani-"),
        ("w_n1 0.5", "found w_n1 = 0.5, expected an integer"),
        ("w_n1 inf", "found w_n1 inf, expected a finite number"),
        ("# nothing", "found no solution, expected a solution file with one"),
    ],
)
def test_what_is_no_solution_of_the_model_is_refused(text, said, tmp_path):
    instance = jahani.generate(nodes=2, jobs=4, seed=1)
    (tmp_path / "m.sol").write_text(text)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        export.import_solution("jahani_literal", instance, {}, tmp_path / "m.sol")
    assert str(tmp_path / "m.sol") in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "jahani_patterns",
            "{x} 1",
            "row [0-9]+ violated by .*, expected columns that meet each row",
        ),
        ("jahani_patterns", "{L} -1", "violated by"),
    ],
)
def test_what_violates_the_model_is_refused(name, text, said, tmp_path):
    instance = jahani.generate(nodes=2, jobs=4, seed=1)
    written = export.export(name, instance, {}, tmp_path / "model.mps")
    columns = InHighs(written.path).lp.col_names_
    of = {letter: next(c for c in columns if c.startswith(f"{letter}_")) for letter in "xL"}
    (tmp_path / "m.sol").write_text(text.format(**of))
    with pytest.raises(InputError, match=said):
        export.import_solution(name, instance, {}, tmp_path / "m.sol")


def test_every_method_with_a_linear_model_can_be_exported():
    for name in LINEAR:
        assert export.refuse(name, Path("m.lp")) is None


def test_names_are_distinct_and_legal_in_every_format(case):
    name, options, instance = case
    model, label = built(name, instance, options)
    import pyomo.core as pyo

    for kind in (pyo.Var, pyo.Constraint):
        parts = list(model.component_data_objects(kind, active=True))
        names = [label(part) for part in parts]
        assert len(set(names)) == len(names)
        for text in names:
            assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]{0,99}", text)
            assert not re.match(r"[eE][0-9]", text)  # a number in LP files


def test_names_say_job_node_type_and_gpus():
    instance = jahani.generate(nodes=2, jobs=4, seed=1)
    model, label = built("jahani_patterns", instance, {})
    data = import_module("rsjs.formulations.jahani.patterns").PatternModel.of(instance)
    j, v, g = data.options[-1]
    assert label(model.x[j, v, g]) == f"x_{instance.jobs.id[j]}_v{v}_g{g}"
    assert label(model.slots[data.modes[0]]) == "slots_v{}_g{}".format(*data.modes[0])
    assert label(model.nodes) == "nodes"


@pytest.mark.process
def test_every_process_writes_the_same_bytes(tmp_path):
    instance = jahani.generate(nodes=2, jobs=4, seed=1)
    suffixes = (".mps.gz", ".lp.gz")
    paths = [tmp_path / f"here{suffix}" for suffix in suffixes]
    here = [export.export("jahani_patterns", instance, {}, path) for path in paths]
    code = (
        "from pathlib import Path; from rsjs.formulations.milp import export\n"
        "from rsjs.instances.generators import jahani\n"
        "instance = jahani.generate(nodes=2, jobs=4, seed=1)\n"
        f"for suffix in {suffixes}:\n"
        f"    path = Path({str(tmp_path)!r}) / f'there{{suffix}}'\n"
        "    print(export.export('jahani_patterns', instance, {}, path).sha256)\n"
    )
    seeded = {**os.environ, "PYTHONHASHSEED": "12345"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=seeded)
    assert done.stdout.split() == [written.sha256 for written in here]
    for written in here:
        data = written.path.read_bytes()
        assert data[4:8] == bytes(4)  # no time of writing
        assert (written.size, written.sha256) == (len(data), sha256(data).hexdigest())
        assert written.text_sha256 == sha256(gzip.decompress(data)).hexdigest()


def test_a_file_names_method_and_instance(tmp_path):
    instance = replace(jahani.generate(nodes=2, jobs=4, seed=1), name="my day/1 µ")
    for suffix in (".mps", ".lp"):
        written = export.export("jahani_patterns", instance, {}, tmp_path / f"m{suffix}")
        head = written.path.read_text("ascii")[:200]
        assert re.search(r"(NAME |name=)'?jahani_patterns\.my_day_1__'?\s", head)


@pytest.mark.parametrize("name", ["m", "m.txt", "m.gz", "m.lp.bz2", "m.mps.gz.gz"])
def test_unknown_suffixes_are_refused(name, tmp_path):
    with pytest.raises(InputError, match=r"expected a model's suffix: .mps, .mps.gz, .lp, .lp.gz"):
        export.refuse("jahani_patterns", tmp_path / name)


@pytest.mark.parametrize("method", ["rsjs_minlp", "rsjs_bound", "enumeration", "greedy"])
def test_methods_without_a_linear_model_are_refused_with_those_that_have_one(method, tmp_path):
    with pytest.raises(InputError, match=f"found '{method}', .*jahani_patterns, .*rsjs_classes"):
        export.refuse(method, tmp_path / "m.lp")


def test_what_was_there_stays_when_writing_fails(tmp_path, monkeypatch):
    def broken(model, name):
        raise MemoryError

    path = tmp_path / "m.lp"
    path.write_text("before")
    monkeypatch.setitem(export.WRITERS, ".lp", broken)
    with pytest.raises(MemoryError):
        export.export("jahani_patterns", jahani.generate(nodes=2, jobs=4, seed=1), {}, path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]

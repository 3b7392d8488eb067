"""
Linear models as files for any solver: `.mps`, `.lp`, each also `.gz`, and solutions of them.

Pyomo's writers: numbers with 17 significant digits, read back as they were (HiGHS and SCIP write
15, which moves costs), rows and columns in the order of the model, which is named METHOD.INSTANCE.
The constant of the objective is the cost of a column ONE_VAR_CONSTANT that is fixed at 1, which
every reader understands.

Columns and rows are named by component and index, legal in LP and in MPS: x_JOB_v1_g2, cover_JOB.
Jobs and nodes stand there by their ids, signs other than letters and digits as dots; where ids are
then not distinct or too long, as j3 and n3, their positions. By letter and position stand

    k class, v node type, s slot, p place, r row, i option
    g dedicated GPUs, u units of a share (0 = dedicated), q GPUs that a node is charged for,
    d GPU by number, m fill pattern, t step of time; of MIG f step or profile, o unit, t minute
"""

from __future__ import annotations

import hashlib
import io
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.formulations.backends.solution_files import read_solution
from rsjs.formulations.milp.mps import CONSTANT
from rsjs.formulations.milp.solve import formulation_of
from rsjs.formulations.registry import METHODS
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import write_packed
from rsjs.instances.mig.problems import MigProblem

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

    from rsjs.instances.solution import Solution


LONGEST_ID = 40  # letters of an id in a name; LP files take names of 255


def namer(
    letters: Mapping[str, str], ids: Mapping[str, Sequence[str]] | None = None
) -> Callable[[Any], str]:
    """
    Return the function that names a Pyomo variable or constraint.

    `letters` has one letter for each index of a component; the last stands for all that are left.
    `ids` has, for a letter, the words that stand for its positions.
    """
    words = ids or {}

    def step(letter: str, value: Any) -> str:
        return words[letter][value] if letter in words else f"{letter}{value}"

    def name(part: Any) -> str:
        component, index = part.parent_component().local_name, part.index()
        if index is None:
            return str(component)
        values = index if isinstance(index, tuple) else (index,)
        first, last = letters[component][:-1], letters[component][-1]
        steps = [step(letter, value) for letter, value in zip(first, values, strict=False)]
        left = values[len(first) :]
        end = [step(last, left[0]), *map(str, left[1:])] if left else [last]
        return "_".join([component, *steps, *end])

    return name


def words_of(instance: Problem) -> dict[str, list[str]]:
    """Return the words that stand in names for jobs ("j") and nodes ("n"), see `namer`."""
    if not isinstance(instance, Instance):
        return {}
    groups = {"j": instance.jobs.id, "n": instance.cluster.node_names}
    words = {}
    for letter, ids in groups.items():
        plain = [re.sub(r"[^A-Za-z0-9]", ".", one) for one in ids]
        if len(set(plain)) == len(ids) and max(map(len, plain), default=0) <= LONGEST_ID:
            words[letter] = plain
    return words


ZIPPED = ".gz"
MIG = {  # linear models of problems of MIG
    "mig_placement": "rsjs.formulations.mig.placement",
    "mig_reconfiguration": "rsjs.formulations.mig.reconfiguration_assignment",
    "mig_scheduling": "rsjs.formulations.mig.scheduling_milp",
}
OTHERS = {**MIG, "workload_steps": "rsjs.formulations.hindsight.time_indexed"}  # of no instance
Problem = Instance | MigProblem | Workload
INTEGRALITY = 1e-5  # how far from an integer a solver may leave one


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """A model file that was written."""

    path: Path
    size: int  #: bytes of the file
    sha256: str  #: of the file
    #: of the text in it: the same on every machine, while what gzip makes of it is not
    text_sha256: str
    #: rows, columns, nonzeros and integers of the model, ONE_VAR_CONSTANT left out
    counts: Mapping[str, int]


def linear(name: str) -> ModuleType:
    """Import the linear formulation of that name: a method, or a name of `OTHERS`."""
    return import_module(OTHERS[name]) if name in OTHERS else formulation_of(METHODS[name])


def built(
    name: str, instance: Problem, options: Mapping[str, Any]
) -> tuple[ConcreteModel, ModuleType]:
    """Return the Pyomo model of a linear formulation, options not given by default, and it."""
    formulation, declared = linear(name), METHODS[name].options if name in METHODS else {}
    asked = {key: option.default for key, option in declared.items()} | dict(options)
    return formulation.build(formulation.data_of(instance, **asked)), formulation


def export(name: str, instance: Problem, options: Mapping[str, Any], path: Path) -> ModelFile:
    """
    Build a linear model and write it, whole or not at all.

    Parameters
    ----------
    name : str
        A method with a linear model, or a name of `OTHERS`.
    options : mapping
        The method's options.
    path : Path
        Its suffix says the format.
    """
    refuse(name, path)
    from rsjs.formulations.milp.from_pyomo import from_pyomo

    model, formulation = built(name, instance, options)
    counts = from_pyomo(model)[0].counts
    model.name = re.sub(r"[^\w.-]", "_", f"{name}.{instance.name}", flags=re.ASCII)
    text = WRITERS[_suffix(path)](model, namer(formulation.INDEX_LETTERS, words_of(instance)))
    data = write_packed(text, path)
    digest, text_digest = (hashlib.sha256(part).hexdigest() for part in (data, text))
    return ModelFile(
        path=path, size=len(data), sha256=digest, text_sha256=text_digest, counts=counts
    )


def import_solution(
    name: str, instance: Instance, options: Mapping[str, Any], path: Path, form: str = "auto"
) -> Solution:
    """
    Read what a solver wrote for the model of `export` and return the solution in it.

    Parameters
    ----------
    name, instance, options
        As the model was exported.
    path : Path
        The solution file. Columns that it leaves out are 0.
    form : str
        A key of `external.FORMATS`; "auto" tells it by the head of the file.

    Raises
    ------
    InputError
        If the file has no solution, a column that the model has not, a number that is not finite,
        a fraction where the model has an integer, or what violates a row or a bound of the model.
        Whether the instance admits the solution, `check` says.
    """
    from rsjs.formulations.milp.from_pyomo import from_pyomo, variables_of

    values = read_solution(path, form)
    if values is None:
        raise InputError("", described("no solution"), "a solution file with one", path)
    formulation = formulation_of(METHODS[name])
    data = formulation.data_of(instance, **options)
    model = formulation.build(data)
    matrix, columns = from_pyomo(model)
    variables = variables_of(model)
    label = namer(formulation.INDEX_LETTERS, words_of(instance))
    x = np.zeros(len(variables))
    position = {label(variable): i for i, variable in enumerate(variables)}
    values.pop(CONSTANT, None)
    for column, value in values.items():
        if column not in position:
            expected = f"a column of {name} for {instance.name}, such as {next(iter(position))}"
            raise InputError("", described(f"column {column}"), expected, path)
        if variables[position[column]].is_integer() or variables[position[column]].is_binary():
            if abs(value - round(value)) > INTEGRALITY:
                raise InputError("", described(f"{column} = {value:g}"), "an integer", path)
            value = round(value)
        x[position[column]] = value
    value_of = dict(zip(map(id, variables), x.tolist(), strict=True))
    vector = np.array([value_of[id(variable)] for variable in columns])
    for what, at, off in matrix.violations(vector, INTEGRALITY):
        place = label(columns[at]) if what == "column" else str(at + 1)
        expected = f"columns that meet each {what} of the model"
        raise InputError("", described(f"{what} {place} violated by {off:g}"), expected, path)
    solution: Solution = formulation.extract(data, x)
    return solution


def refuse(name: str, path: Path) -> None:
    """Raise InputError if the method has no linear model or the suffix says no format."""
    names = [method.name for method in METHODS.values() if method.linear]
    if name not in names and name not in OTHERS:
        known = ", ".join(names)
        raise InputError("", name, f"a method with a linear model: {known}")
    if _suffix(path) not in WRITERS:
        known = ", ".join(f"{known}, {known}{ZIPPED}" for known in WRITERS)
        raise InputError("", "".join(path.suffixes), f"a model's suffix: {known}", path)


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(ZIPPED)).suffix


def _lp(model: ConcreteModel, name: Callable[[Any], str]) -> bytes:
    from pyomo.repn.plugins.lp_writer import LPWriter

    text = io.StringIO()
    LPWriter().write(model, text, labeler=name)
    return text.getvalue().encode("ascii")


def _mps(model: ConcreteModel, name: Callable[[Any], str]) -> bytes:
    from pyomo.repn.plugins.mps import ProblemWriter_mps

    with tempfile.TemporaryDirectory(prefix="rsjs-") as folder:
        path = Path(folder) / "model.mps"
        # integers between markers, which every reader takes, beside the kinds of their bounds
        write = ProblemWriter_mps(int_marker=True)
        write(model, str(path), lambda _: False, {"labeler": name, "file_determinism": 0})
        return path.read_bytes()


WRITERS = {".mps": _mps, ".lp": _lp}

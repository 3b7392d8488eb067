"""Linear Pyomo models: index sets, sums and rows to build them with, and their matrix."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyomo.core as pyo
from numpy.typing import NDArray
from pyomo.common.errors import InfeasibleConstraintException
from pyomo.core.expr import LinearExpression, MonomialTermExpression
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler
from scipy.sparse import csr_array

from rsjs.core.types import Floats
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel
from rsjs.instances.costs import cost_tables
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import selected_nodes

Term = tuple[float, Any]  # coefficient, variable
IMPLIED_INTEGER = "implied_integer"
AT_MOST, AT_LEAST = 1, -1  # the compiler's row types; 0 is an equality


class InfeasibleRowError(ValueError):
    """A row without variables does not hold, so that the model has no solution."""


def index_set(indices: Iterable[tuple[int, ...]]) -> pyo.Set:
    """Return the set of these flat tuples in order; one that repeats gets a number at its end."""
    repeats: dict[tuple[int, ...], int] = {}
    distinct = []
    for index in indices:
        number = repeats[index] = repeats.get(index, -1) + 1
        distinct.append((*index, number) if number else index)
    return pyo.Set(initialize=distinct, dimen=None)


def linear_sum(terms: Iterable[tuple[float, Any]], constant: float = 0.0) -> LinearExpression:
    """Return the sum of coefficient * variable without the zeros."""
    summands = [v if c == 1 else MonomialTermExpression((c, v)) for c, v in terms if c]
    return LinearExpression([constant, *summands] if constant else summands)


def objective(instance: Instance, costs: Floats, variables: Iterable[Any]) -> pyo.Objective:
    """Return the objective: all jobs postponed, and what each variable changes [$]."""
    postponed = float(cost_tables(instance).postponement.sum())
    return pyo.Objective(expr=linear_sum(zip(costs.tolist(), variables, strict=True), postponed))


def number_of_nodes(instance: Instance, variables: Iterable[Any]) -> pyo.Constraint:
    """Return the row on the sum of variables, the nodes that are selected."""
    least, most = selected_nodes(instance)
    total = linear_sum((1, variable) for variable in variables)
    return pyo.Constraint(expr=total <= most if least < most else total == most)


def implied_integers(*components: pyo.Var) -> pyo.Suffix:
    """Return the suffix that marks continuous variables as integral in some optimal solution."""
    suffix = pyo.Suffix(direction=pyo.Suffix.LOCAL)
    for component in components:
        suffix.set_value(component, True, expand=False)
    return suffix


class Rows(defaultdict[Any, list[Term]]):
    """The terms of rows by index; without `indices`, in the order in which those come up."""

    def __init__(self, indices: Iterable[Any] = ()) -> None:
        super().__init__(list, {index: [] for index in indices})

    def at_most(self, side: float) -> pyo.Constraint:
        """Return the rows sum <= side."""
        return pyo.Constraint(list(self), rule=lambda _, *index: self._sum(index) <= side)

    def equal(self, side: float) -> pyo.Constraint:
        """Return the rows sum == side."""
        return pyo.Constraint(list(self), rule=lambda _, *index: self._sum(index) == side)

    def _sum(self, index: tuple[Any, ...]) -> LinearExpression:
        return linear_sum(self[index if len(index) > 1 else index[0]])


def variables_of(model: pyo.ConcreteModel) -> list[Any]:
    """Return the model's variables in order of declaration: the columns of a formulation."""
    return list(model.component_data_objects(pyo.Var))


def from_pyomo(
    model: pyo.ConcreteModel, column_order: Sequence[Any] | None = None
) -> tuple[MatrixModel, list[Any]]:
    """
    Return the matrix of a model, and its variables in the order of the columns.

    Without `column_order`, variables come as they are met: in the objective, then row by row.
    Fixed variables count as constants; variables without a row or a cost are no columns. A range
    constraint becomes two rows. A `Suffix` named `implied_integer` on the model marks, with a
    true value, continuous variables (or whole containers, stored with `expand=False`) that are
    integral in some optimal solution.
    """
    _refuse_other_senses(model)
    try:
        form = LinearStandardFormCompiler().write(
            model, mixed_form=True, set_sense=None, column_order=column_order
        )
    except InfeasibleConstraintException as error:
        raise InfeasibleRowError(f"{model.name}: {error}") from error
    rows, columns = len(form.rows), list(form.columns)
    side = np.fromiter((row.bound_type for row in form.rows), np.int64, rows)
    rhs = np.array(form.rhs, dtype=np.float64)
    A = csr_array(form.A, shape=(rows, len(columns)), dtype=np.float64)
    A.sum_duplicates()
    matrix = MatrixModel(
        A=A,
        cost=np.asarray(form.c.todense(), dtype=np.float64).ravel(),
        lower=np.array([-np.inf if v.lb is None else v.lb for v in columns], dtype=np.float64),
        upper=np.array([np.inf if v.ub is None else v.ub for v in columns], dtype=np.float64),
        row_lower=np.where(side == AT_MOST, -np.inf, rhs),
        row_upper=np.where(side == AT_LEAST, np.inf, rhs),
        kind=_kinds(model, columns),
        offset=float(form.c_offset[0]),
    )
    return matrix, columns


def declared_matrix(model: pyo.ConcreteModel) -> MatrixModel:
    """Return the matrix of a model, its columns in the order in which variables are declared."""
    return from_pyomo(model, variables_of(model))[0]


def _refuse_other_senses(model: pyo.ConcreteModel) -> None:
    """Raise ValueError unless the model has one active objective, to be minimised."""
    objectives = list(model.component_data_objects(pyo.Objective, active=True, descend_into=True))
    if len(objectives) != 1:
        raise ValueError(f"{model.name}: expected one active objective, found {len(objectives)}")
    if objectives[0].sense != pyo.minimize:
        raise ValueError(
            f"{model.name}: {objectives[0].name} is maximised, expected a minimisation"
        )


def _kinds(model: pyo.ConcreteModel, columns: Sequence[Any]) -> NDArray[np.uint8]:
    kind = np.array(
        [ColumnKind.CONTINUOUS if v.is_continuous() else ColumnKind.INTEGER for v in columns],
        dtype=np.uint8,
    )
    suffix = model.component(IMPLIED_INTEGER)
    if suffix is None:
        return kind
    marked = {id(component) for component, value in suffix.items() if value}
    for column, variable in enumerate(columns):
        if id(variable) in marked or id(variable.parent_component()) in marked:
            kind[column] = kind[column] or ColumnKind.IMPLIED_INTEGER
    return kind

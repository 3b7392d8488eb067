"""What tests of several formulations build, and what a model's vector owes to a decision."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from rsjs.core.call import Limits
from rsjs.core.report import Report
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel
from rsjs.formulations.milp.solve import matrix_of
from rsjs.instances.check import Verdict, check
from rsjs.instances.io.deserialization import to_instance

EXACT = Limits(gap=0.0)


def optimum(instance):
    """Cost of the best decision, by enumeration."""
    return check(instance, enumeration.best(instance)).objective


def with_objective(instance, **changes):
    return replace(instance, objective=replace(instance.objective, **changes))


def served(random_document, rng, **changes):
    """A random instance of RS-JS, as its linear models serve it."""
    document = random_document(rng, "first_ending")
    document["objective"] |= {"tardiness_at": "completion", "mu": 0} | changes
    return to_instance(document)


def matrix(formulation, data):
    """The matrix of a Pyomo model with the formulation's columns, in their order."""
    built, positions = matrix_of(formulation, data)
    used = np.flatnonzero(positions >= 0)
    spread = csr_array(
        (np.ones(len(used)), (positions[used], used)), shape=(len(built.cost), len(positions))
    )
    columns = {name: spread.T @ getattr(built, name) for name in ("cost", "lower", "kind")}
    upper = np.ones(len(positions))
    upper[used] = built.upper[positions[used]]
    return replace(built, A=csr_array(built.A @ spread), upper=upper, **columns)


def assert_within(model, x):
    """The vector satisfies rows and bounds."""
    assert (model.A @ x <= model.row_upper + 1e-9).all()
    assert (model.A @ x >= model.row_lower - 1e-9).all()
    assert ((x >= model.lower) & (x <= model.upper)).all()


def assert_starts(formulation, data, instance, solution):
    """
    A decision's vector is feasible and costs no more, nor does what it is decoded to.

    Returns what the vector costs in the model, and the verdict on its decoding.
    """
    model, x = matrix(formulation, data), formulation.warm_start(data, solution)
    assert_within(model, x)
    cost = model.objective(x)
    assert cost <= check(instance, solution).objective + 1e-9 * max(1.0, model.offset)
    decoded: Verdict = check(instance, formulation.extract(data, x))
    assert decoded.feasible
    return cost, decoded


def model_of(
    A,
    cost,
    lower=0.0,
    upper=1.0,
    row_lower=-np.inf,
    row_upper=np.inf,
    kind=ColumnKind.INTEGER,
    offset=0.0,
):
    """A matrix model of lists; one number stands for all columns or rows."""
    A = np.atleast_2d(np.asarray(A, dtype=float))
    rows, columns = A.shape
    spread = {"lower": lower, "upper": upper, "row_lower": row_lower, "row_upper": row_upper}
    sizes = {"lower": columns, "upper": columns, "row_lower": rows, "row_upper": rows}
    return MatrixModel(
        A=csr_array(A),
        cost=np.asarray(cost, dtype=float),
        kind=np.broadcast_to(np.asarray(kind, dtype=np.uint8), columns),
        offset=offset,
        **{k: np.broadcast_to(np.asarray(v, dtype=float), sizes[k]) for k, v in spread.items()},
    )


class StopsAfter(Report):
    """Somebody asks to end after so many incumbents and bounds."""

    def __init__(self, events):
        super().__init__(300.0)
        self.most = events

    def stop_requested(self):
        return len(self.events) >= self.most


class Asked:
    """One solve by a backend, named or a callable, and what it streamed."""

    def __init__(
        self,
        solve,
        model,
        limits=EXACT,
        *,
        seconds=300.0,
        start=None,
        on_incumbent=None,
        stop=lambda _asked: False,
        log=False,
    ):
        self.incumbents, self.bounds = [], []
        solve = backend(solve).load() if isinstance(solve, str) else solve
        task = SolveTask(
            model,
            limits,
            seconds=seconds,
            start=start,
            on_incumbent=on_incumbent or self.incumbents.append,
            on_bound=self.bounds.append,
            stop=lambda: bool(stop(self)),
            log=log,
        )
        self.result = solve(task)


def assert_solved(result, cost, rel=1e-06):
    """Objective and bound are the optimum."""
    assert [result.objective, result.bound] == pytest.approx([cost, cost], rel=rel, abs=rel)

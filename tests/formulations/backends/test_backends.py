"""What every solver backend does with the same models."""

import gc
import itertools
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends import gurobi
from rsjs.formulations.backends.backend import Feature, SolveTask
from rsjs.formulations.backends.callbacks import CallbackAdapter
from rsjs.formulations.backends.external import ExternalSolver
from rsjs.formulations.backends.registry import BACKENDS, backend
from rsjs.formulations.backends.stop import relative_gap, settled
from rsjs.formulations.milp.matrix import ColumnKind
from tests.formulations.agreement import Asked, model_of

pytestmark = pytest.mark.solver


def random_model(seed, columns=5, rows=4, continuous=0.0):
    """Feasible, with fractional costs, an offset, negative bounds, and rows of every sense."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-3, 6, (rows, columns)) * (rng.random((rows, columns)) < 0.7)
    lower = rng.integers(-3, 1, columns)
    upper = lower + rng.integers(0, 5, columns)
    activity = A @ rng.integers(lower, upper + 1)
    row_lower = np.where(rng.random(rows) < 0.6, activity - rng.integers(0, 3, rows), -np.inf)
    row_upper = np.where(rng.random(rows) < 0.6, activity + rng.integers(0, 3, rows), np.inf)
    kind = np.where(rng.random(columns) < continuous, ColumnKind.CONTINUOUS, ColumnKind.INTEGER)
    offset = rng.normal(0, 5)
    return model_of(A, rng.normal(size=columns), lower, upper, row_lower, row_upper, kind, offset)


def cover(columns=300, rows=150, seed=0):
    """A covering problem that no solver closes in seconds, and the cost of a greedy cover."""
    rng = np.random.default_rng(seed)
    A = np.zeros((rows, columns))
    A[rng.integers(0, rows, (columns, 12)).ravel(), np.repeat(np.arange(columns), 12)] = 1
    model = model_of(A, rng.uniform(1, 3, columns), row_lower=1)
    x, open_rows = np.zeros(columns), np.ones(rows, bool)
    while open_rows.any():
        best = np.argmax(A[open_rows].sum(axis=0) / model.cost)
        x[best], open_rows = 1, open_rows & (A[:, best] == 0)
    return model, model.objective(x)


def market_split():
    """Equations that solvers find no vector for in seconds, and a vector."""
    rng = np.random.default_rng(0)
    A, x = rng.integers(0, 100, (4, 40)), np.round(rng.random(40))
    return model_of(A, rng.uniform(1, 2, 40), 0, 1, A @ x, A @ x), x


def infeasible():
    return model_of([[2, 2], [1, -1]], [1, 1], 0, 5, [3, 0], [3, 0])


def enumerated(model):
    """The least cost over all integer vectors within the bounds."""
    ranges = [range(int(lb), int(ub) + 1) for lb, ub in zip(model.lower, model.upper, strict=True)]
    vectors = np.array(list(itertools.product(*ranges)), dtype=float)
    activity = vectors @ model.A.toarray().T
    feasible = ((activity >= model.row_lower) & (activity <= model.row_upper)).all(axis=1)
    return (vectors[feasible] @ model.cost).min() + model.offset


SOLVERS = sorted(  # programs print bounds with few digits: tested in test_external
    name
    for name, solver in BACKENDS.items()
    if Feature.INTEGER in solver.features and not isinstance(solver, ExternalSolver)
)


@pytest.fixture(params=SOLVERS)
def name(request):
    return installed(request.param)


def installed(name):
    if not backend(name).available():
        pytest.skip(backend(name).install_command)
    return name


def names_with(feature):
    here = [name for name in SOLVERS if backend(name).available()]
    return [name for name in here if feature in BACKENDS[name].features]


@pytest.mark.parametrize("seed", range(6))
def test_every_backend_agrees_with_enumeration(name, seed):
    model = random_model(seed)
    result = Asked(name, model).result
    assert result.stop is Stop.OPTIMAL
    assert result.objective == pytest.approx(enumerated(model), abs=1e-6)
    assert result.bound == pytest.approx(result.objective, abs=1e-6)
    assert result.objective == model.objective(result.x)


@pytest.mark.parametrize("continuous", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_backends_agree_on_mixed_and_on_purely_continuous_models(seed, continuous):
    model = random_model(seed, columns=9, rows=6, continuous=continuous)
    results = [Asked(name, model).result for name in names_with(Feature.CONTINUOUS)]
    assert {result.stop for result in results} == {Stop.OPTIMAL}
    for result in results:
        assert result.objective == pytest.approx(results[0].objective, abs=1e-6)
        assert result.bound == pytest.approx(result.objective, abs=1e-6)


def test_what_is_streamed_improves_and_ends_with_what_is_returned(name):
    model = random_model(3, columns=14, rows=8)
    asked = Asked(name, model)
    costs = [model.objective(x) for x in asked.incumbents]
    assert costs == sorted(set(costs), reverse=True)
    assert asked.bounds == sorted(set(asked.bounds))
    assert costs[-1] == asked.result.objective
    assert asked.bounds[-1] == asked.result.bound


def test_an_infeasible_model_has_neither_objective_nor_bound(name):
    result = Asked(name, infeasible()).result
    assert result.stop is Stop.INFEASIBLE
    assert (result.x, result.objective, result.bound) == (None, None, None)


@pytest.mark.parametrize(("least", "expected"), [(0.0, Stop.OPTIMAL), (1.0, Stop.INFEASIBLE)])
def test_rows_without_entries_count(name, least, expected):
    model = model_of([[0.0], [1.0]], [1.0], 0, 1, [least, 0], [np.inf, 1], offset=2.0)
    assert Asked(name, model).result.stop is expected


def test_a_model_without_columns_costs_its_offset(name):
    result = Asked(name, model_of(np.zeros((0, 0)), [], offset=2.5)).result
    assert (result.stop, result.objective) == (Stop.OPTIMAL, 2.5)
    assert result.bound == pytest.approx(2.5, rel=1e-12)


def test_without_time_nothing_is_known(name):
    result = Asked(name, cover()[0], seconds=0.0).result
    assert result.stop is Stop.TIME_LIMIT
    assert (result.x, result.objective, result.bound) == (None, None, None)


def test_no_bound_is_invented_when_time_runs_out(name):
    model, greedy = cover()
    asked = Asked(name, model, seconds=0.3)
    assert asked.result.stop is Stop.TIME_LIMIT
    assert all(0.0 <= bound < greedy for bound in asked.bounds)
    assert asked.result.bound == (asked.bounds[-1] if asked.bounds else None)
    assert asked.result.objective == (
        model.objective(asked.incumbents[-1]) if asked.incumbents else None
    )


def test_no_bound_arrives_after_the_end(name):
    # SCIP fires bound events while its model is freed, with the incumbent's value as the bound
    asked = Asked(name, cover()[0], stop=lambda asked: asked.incumbents and asked.bounds)
    before = list(asked.bounds)
    gc.collect()
    assert asked.bounds == before
    assert relative_gap(asked.result.objective, asked.result.bound) > 0.0


def test_a_start_is_kept_where_nothing_else_is_found(name):
    model, x = market_split()
    result = Asked(name, model, Limits(gap=0.9), start=x).result  # met once there is a vector
    assert result.objective == pytest.approx(model.objective(x))


def test_an_infeasible_start_does_no_harm(name):
    model = random_model(2)
    result = Asked(name, model, start=model.upper + 1.0).result
    assert result.objective == pytest.approx(enumerated(model), abs=1e-6)


def test_stop_interrupts(name):
    asked = Asked(name, cover()[0], stop=lambda _asked: True)
    assert asked.result.stop is Stop.INTERRUPTED


def test_a_solver_that_refuses_to_be_interrupted_is_asked_again():
    asked, ended = [], threading.Event()

    def interrupt():
        asked.append(len(asked))
        if len(asked) < 3:
            raise RuntimeError("cannot be called at this time")
        ended.set()

    relay = CallbackAdapter(SolveTask(cover()[0], Limits(), seconds=60, stop=lambda: True))
    with relay.watching(interrupt):
        assert ended.wait(60)
    assert asked[:3] == [0, 1, 2]


def test_what_a_callback_raises_comes_out(name):
    def broken(_x):
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        Asked(name, cover()[0], on_incumbent=broken)


def test_the_search_ends_at_the_gap_limit(name):
    result = Asked(name, random_model(5, columns=30, rows=20), Limits(gap=0.05)).result
    assert result.stop in (Stop.GAP, Stop.OPTIMAL)
    assert relative_gap(result.objective, result.bound) <= 0.05


@pytest.mark.parametrize(
    ("objective", "bound", "expected"),
    [
        (10.0, 10.0, Stop.OPTIMAL),
        (10.0, 10.1, Stop.OPTIMAL),  # tolerances let a bound pass the incumbent
        (1e6, 1e6 - 1e-4, Stop.OPTIMAL),
        (1e-4, 1e-4 - 1e-10, Stop.OPTIMAL),  # relatively far apart, absolutely nothing
        (10.0, 9.9999, Stop.GAP),
        (10.0, None, Stop.GAP),
    ],
)
def test_optimal_is_said_only_where_objective_and_bound_meet(objective, bound, expected):
    assert settled(Stop.OPTIMAL, objective, bound) is expected


def test_options_are_read_back(name):
    limits = Limits(gap=0.01, threads=2, seed=2**32 - 1)
    options = Asked(name, random_model(1), limits).result.options
    seed = limits.seed % (gurobi.LARGEST_SEED + 1) if name == "gurobi" else 2**31 - 1
    assert {2, seed} <= set(options.values())
    assert 0.01 in options.values() or name == "cpsat"  # whose gap we watch ourselves


def test_tolerances_are_read_back_where_the_solver_has_any(name):
    options = Asked(name, random_model(1)).result.options
    found = {key: value for key, value in options.items() if key.endswith("_tolerance")}
    both = {"feasibility_tolerance": 1e-6, "integrality_tolerance": 1e-6}
    assert found == ({} if name == "cpsat" else both)


def test_a_wrong_option_is_refused(name, monkeypatch):
    monkeypatch.setattr(Limits, "__post_init__", lambda self: None)  # which refuses it itself
    threads = 1025 if name == "gurobi" else -1  # a number for it, and 1024 the largest
    with pytest.raises(ValueError, match=r"refused .*[tT]hreads|found 'threads=-1'"):
        Asked(name, random_model(1), Limits(threads=threads))


def test_solves_with_different_threads_follow_each_other(name):
    stops = [Asked(name, random_model(1), Limits(gap=0, threads=k)).result.stop for k in (1, 2, 1)]
    assert stops == [Stop.OPTIMAL] * 3


def test_the_log_is_printed_only_on_request(name, capfd):
    Asked(name, random_model(1))
    assert capfd.readouterr().out == ""
    Asked(name, random_model(1), log=True)
    assert capfd.readouterr().out != ""


def test_an_unknown_solver_is_told_which_are_known():
    known = ", ".join(sorted(BACKENDS))
    with pytest.raises(ValueError, match=f"unknown solver 'x'; known: {known}"):
        backend("x")


def test_a_missing_solver_is_told_how_to_get_it():
    missing = replace(backend("highs"), module="no_such_solver", distribution="no-such-solver")
    assert not missing.available()
    assert missing.version() is None
    with pytest.raises(ValueError, match=r"pip install 'no-such-solver>=1.15.1,<1.16'"):
        missing.load()


def test_asking_for_solvers_does_not_import_them():
    code = (
        "import sys\n"
        "from rsjs.formulations.backends.registry import BACKENDS\n"
        "assert all(bool(b.version()) == b.available() for b in BACKENDS.values())\n"
        "packages = {'highspy', 'pyscipopt', 'ortools', 'gurobipy', 'pandas'}\n"
        "print(sorted(packages & set(sys.modules)))\n"
    )
    assert run_python(code) == "[]"


@pytest.mark.process
@pytest.mark.parametrize("order", ["highs scip cpsat", "cpsat scip highs"])
def test_one_process_solves_with_all_solvers(order):
    code = (
        "import numpy as np\n"
        "from scipy.sparse import csr_array\n"
        "from rsjs.formulations.backends.backend import SolveTask\n"
        "from rsjs.formulations.backends.registry import backend\n"
        "from rsjs.formulations.milp.matrix import MatrixModel\n"
        "from rsjs.core.call import Limits\n"
        "one, two = np.ones(1), np.ones(2)\n"
        "model = MatrixModel(A=csr_array([[2.0, 1.0]]), cost=-two, lower=0 * two, upper=3 * two,\n"
        "    row_lower=-np.inf * one, row_upper=4 * one, kind=np.ones(2, np.uint8))\n"
        f"solves = [backend(name).load() for name in {order.split()}]\n"
        "task = SolveTask(model, Limits(), seconds=9)\n"
        "print(*(solve(task).objective for solve in solves))\n"
    )
    assert run_python(code) == "-3.0 -3.0 -3.0"


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("solver", ["gurobi", "highs", "scip"])
def test_a_continuous_column_beside_an_integer_one_is_no_false_optimum(solver):
    """HiGHS 1.14.0 says 15 (ERGO-Code/HiGHS issue 3043); x = 4.5 costs 9."""
    model = model_of(
        [[1, 1]], [2, 3], 0, 10, [4.5], [np.inf], [ColumnKind.CONTINUOUS, ColumnKind.INTEGER]
    )
    result = Asked(installed(solver), model).result
    assert result.stop is Stop.OPTIMAL
    assert result.objective == pytest.approx(9.0)
    assert result.bound <= 9.0 + 1e-6


def test_a_model_beyond_the_licence_of_gurobi_is_refused_in_one_line():
    told = r"^Gurobi refused a model of 1 rows and 2001 columns: .* size-limited license.*$"
    with pytest.raises(ValueError, match=told):
        Asked(installed("gurobi"), model_of(np.ones((1, 2001)), np.ones(2001), row_lower=1))


def test_without_a_licence_gurobi_is_refused_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("GRB_LICENSE_FILE", str(tmp_path / "none.lic"))
    with pytest.raises(ValueError, match=r"^Gurobi refused .*: Unable to open .*none.lic'$"):
        Asked(installed("gurobi"), random_model(1))

"""Programs as solvers: what they must be told, what is read of them, and what is refused."""

import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import highspy
import numpy as np
import pytest

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.formulations.backends import external
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.external import from_table, table_of
from rsjs.formulations.backends.registry import backend, program
from rsjs.formulations.backends.solution_files import read_solution
from rsjs.formulations.milp.matrix import ColumnKind
from rsjs.formulations.milp.mps import write_mps
from tests.formulations.agreement import model_of
from tests.formulations.backends.test_backends import (
    cover,
    enumerated,
    infeasible,
    market_split,
    random_model,
)

HIGHS_PROGRAM = (
    "env LD_LIBRARY_PATH={libraries} {program} {mps} --time_limit {seconds}"
    " --random_seed {seed} --solution_file {solution}"
)


@pytest.fixture(params=["cbcbox", "highsbox"])
def real(request):
    """A real program, from its wheel."""
    wheel = pytest.importorskip(request.param)
    if request.param == "cbcbox":
        return backend("cbc")
    folder = Path(wheel.__file__).parent / "highs_dist"
    command = HIGHS_PROGRAM.replace("{program}", str(folder / "bin" / "highs"))
    command = command.replace("{libraries}", str(folder / "lib"))
    return from_table({"name": "own-highs", "command": command, "format": "highs"})


def solved(solver, model, seconds=20.0, **more):
    return solver.load()(SolveTask(model, Limits(), seconds=seconds, **more))


@pytest.mark.solver
class TestPrograms:
    def test_integer_optima_are_those_of_enumeration(self, real):
        for seed in range(6):
            model = random_model(seed)
            result = solved(real, model)
            assert result.objective == pytest.approx(enumerated(model), rel=1e-6)
            assert result.bound <= enumerated(model)
            assert result.stop in (Stop.OPTIMAL, Stop.GAP, Stop.ITERATIONS)  # by digits printed
            assert result.bound == pytest.approx(result.objective, rel=1e-4, abs=1e-4)

    def test_continuous_columns_keep_their_fractions(self, real):
        model = model_of([[2.0, 1.0]], [1.0, 1.0], 0, 5, 3.0, kind=[0, 0])
        assert solved(real, model).objective == pytest.approx(1.5)

    def test_infeasibility_is_told(self, real):
        result = solved(real, infeasible())
        assert (result.stop, result.x, result.bound) == (Stop.INFEASIBLE, None, None)

    def test_a_time_limit_leaves_solution_and_bound(self, real):
        model, greedy = cover()
        result = solved(real, model, seconds=1.5)
        assert result.stop is Stop.TIME_LIMIT
        assert result.bound < greedy
        assert model.objective(result.x) == result.objective

    def test_no_solution_in_time_is_none(self, real):
        result = solved(real, market_split()[0], seconds=1.0)
        assert (result.stop, result.x) == (Stop.TIME_LIMIT, None)


def test_every_digit_and_bound_of_a_model_survives_its_file(tmp_path):
    for seed in range(8):
        model = random_model(seed, columns=7, rows=6, continuous=0.4)
        lower = np.where(np.arange(7) == 1, -np.inf, model.lower)
        upper = np.where(np.arange(7) % 3 == 1, np.inf, model.upper)
        model = replace(model, lower=lower, upper=upper)
        write_mps(model, tmp_path / "m.mps")
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        assert highs.readModel(str(tmp_path / "m.mps")) == highspy.HighsStatus.kOk
        lp = highs.getLp()
        assert list(lp.col_cost_) == [*model.cost, model.offset]
        assert list(lp.col_lower_) == [*model.lower, 1.0]
        assert list(lp.col_upper_) == [*model.upper, 1.0]
        assert [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_[:7]] == [
            kind == ColumnKind.INTEGER for kind in model.kind
        ]
        free = np.isinf(model.row_lower) & np.isinf(model.row_upper)
        assert list(lp.row_lower_) == pytest.approx(list(model.row_lower[~free]))
        assert list(lp.row_upper_) == pytest.approx(list(model.row_upper[~free]))


# a program that writes and prints what it is told in the environment
FAKE = """
import os, sys, time
mps, solution = sys.argv[1:3]
{body}
"""


@pytest.fixture
def fake(tmp_path):
    """Make a solver from the body of a program."""

    def make(body, **table):
        script = tmp_path / "fake.py"
        script.write_text(FAKE.format(body=textwrap.dedent(body)))
        command = f"{sys.executable} {script} {{mps}} {{solution}}"
        return from_table({"name": "fake", "command": command, **table})

    return make


MODEL = model_of([[1.0, 1.0]], [1.0, 2.0], 0, 3, 2.0)  # c0 + c1 >= 2: (2, 0) at cost 2


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("c0 2\\nc7 1", "column c7 in its solution does not exist"),
        ("c0 2\\nx_j1 1", "column x_j1 in its solution does not exist"),
        ("c0 1.5\\nc1 0.5", "c0 = 1.5, expected an integer from 0 to 3"),
        ("c0 nan", "solution file: found c0 nan, expected a finite number"),
        ("c0 two", "solution file: found c0 two, expected a finite number"),
        ("c0 2\\nc0 2", "solution file: found column c0 twice, expected each column once"),
        ("c0 1", "row r0 is 1, expected 2 to inf"),
        ("c0 9", "c0 = 9, expected an integer from 0 to 3"),
    ],
)
def test_what_is_no_solution_is_refused_in_one_line(fake, written, said):
    solver = fake(f"open(solution, 'w').write('{written}\\n')")
    with pytest.raises(ValueError, match=r"^solver fake: ") as caught:
        solved(solver, MODEL)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_program_that_writes_nothing_says_what_it_printed_last(fake):
    with pytest.raises(ValueError, match=r"exit code 3, no solution .* printed last: no licence$"):
        solved(fake("print('no licence'); sys.exit(3)"), MODEL)


def test_a_program_that_is_not_there_is_told():
    solver = program(table_of("no-such-solver {mps} {solution}"))
    assert not solver.available()
    assert solver.version() is None
    with pytest.raises(ValueError, match="put the program no-such-solver on PATH"):
        solver.load()


def test_patterns_tell_status_and_bound(fake):
    body = "open(solution, 'w').write('c0 = 2'); print('DONE, proven', 'least = 1.9996')"
    table = {"status": {"DONE, proven": "optimal"}, "bound": r"least = (\S+)"}
    result = solved(fake(body, **table), MODEL)
    assert (result.objective, result.status) == (2.0, "DONE, proven")
    assert result.bound == pytest.approx(1.9995)  # one unit of the last digit less
    assert result.stop is Stop.ITERATIONS  # "optimal" without a bound that meets the cost
    plain = solved(fake(body), MODEL)
    assert (plain.objective, plain.bound, plain.stop) == (2.0, None, Stop.ITERATIONS)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('DONE')", "it says 'DONE' and wrote no solution"),
        (
            "open(solution, 'w').write('c0 = 2'); print('NONE')",
            "it says 'NONE' and wrote a solution",
        ),
    ],
)
def test_what_a_program_says_and_what_it_writes_may_not_contradict(fake, body, said):
    solver = fake(body, status={"DONE": "optimal", "NONE": "infeasible"})
    with pytest.raises(ValueError, match=f"^solver fake: {said}$"):
        solved(solver, MODEL)


def test_a_bound_above_the_cost_is_passed_on_for_the_checker_to_refuse(fake):
    body = "open(solution, 'w').write('c0 2'); print('bound 5.0')"
    assert solved(fake(body, bound=r"bound (\S+)"), MODEL).bound > 2.0


def test_a_bound_of_nothing_is_a_bound(fake):
    body = "open(solution, 'w').write('c0 2'); print('bound 1')"  # one unit of its digit less
    assert solved(fake(body, bound=r"bound (\S+)"), MODEL).bound == 0.0


def test_a_program_that_goes_on_is_ended_with_all_that_it_started(fake, tmp_path):
    body = f"""
        import subprocess
        open(solution, 'w').write('c0 3')
        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
        open({str(tmp_path / "pid")!r}, 'w').write(str(child.pid))
        time.sleep(60)
    """
    result = solved(fake(body), MODEL, seconds=1.5)
    assert (result.stop, result.objective) == (Stop.TIME_LIMIT, 3.0)
    import psutil

    child = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie":
            return
        time.sleep(0.05)
    pytest.fail("what the program started is still there")


def test_a_program_that_is_asked_to_stop_is_ended(fake):
    begin = time.monotonic()
    result = solved(
        fake("time.sleep(60)"), MODEL, seconds=50.0, stop=lambda: time.monotonic() > begin + 0.3
    )
    assert result.stop is Stop.INTERRUPTED


def test_a_program_that_prints_without_end_is_ended(fake, monkeypatch):
    monkeypatch.setattr(external, "LARGEST_OUTPUT", 2**16)
    body = "open(solution, 'w').write('c0 3', )\nwhile True: print('x' * 1000)"
    result = solved(fake(body), MODEL, seconds=50.0)
    assert (result.objective, result.stop) == (3.0, Stop.OUTPUT_LIMIT)
    assert result.status == "ended as it printed more than 0.0625 MiB"


SHORT = "Model status\\nOptimal\\n\\nFeasible\\n# Columns 2\\nc0 2\\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os.mkdir(solution)", "found Is a directory"),
        ("os.mkfifo(solution)", "found a pipe, a device or a socket"),
        ("open(solution, 'wb').write(bytes(range(1, 256)))", "expected a finite number"),
        (f"open(solution, 'w').write('{SHORT}')", "found 1 of 2 columns, expected a whole file"),
    ],
)
def test_a_solution_file_that_is_none_is_refused_in_one_line(fake, body, said):
    with pytest.raises(ValueError, match=r"^solver fake: solution file: ") as caught:
        solved(fake(body), MODEL)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_may_not_be_run_is_not_asked_for_on_path(tmp_path):
    (tmp_path / "solver.sh").write_text("#!/bin/sh\n")
    solver = program(table_of(f"{tmp_path / 'solver.sh'} {{mps}} {{solution}}"))
    with pytest.raises(ValueError, match=r"solver\.sh is no program that may be run"):
        solver.load()


def test_a_program_in_a_folder_with_a_space_runs(tmp_path, monkeypatch):
    folder = tmp_path / "my solver"
    folder.mkdir()
    script = folder / "my program"
    script.write_text("#!/bin/sh\necho 'c0 2' > $2\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    asked = program(table_of("'my solver/my program' {mps} {solution}"))
    assert solved(asked, MODEL).objective == 2.0


HIGHS = (
    "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 2\n"
    "# Columns 2\nc0 2\nc1 0\n# Rows 1\nr0 2\n"
)
SCIP = "solution status: optimal solution found\nobjective value:    2\nc0      2 \t(obj:1)\n"
CBC = "Optimal - objective value 2.0\n      0 c0      2      1\n**    1 c1      0      0\n"
GUROBI = "# Solution for model rsjs\n# Objective value = 2\nc0 2\nc1 0\n"


@pytest.mark.parametrize("text", [HIGHS, SCIP, CBC, GUROBI, "c0: 2\n", "c0=2\n", "# by hand\nc0 2"])
def test_a_format_is_told_by_its_head(text, tmp_path):
    (tmp_path / "m.sol").write_text(text)
    read = read_solution(tmp_path / "m.sol")
    assert {name: value for name, value in read.items() if value} == {"c0": 2.0}


@pytest.mark.parametrize(
    "text",
    [
        "Model status\nInfeasible\n\n# Primal solution values\nNone\n",
        "Infeasible - objective value 0.0\n      0 c0      2      1\n",
        "Stopped on time (no integer solution - continuous used) - objective value 1\n 0 c0 1 1\n",
        "no solution available\n",
        "Model status\nOptimal\n\n# Primal solution values\nFeasible\n# Columns\n",
        "# nothing\n",
    ],
)
def test_a_file_may_say_that_there_is_no_solution(text, tmp_path):
    (tmp_path / "m.sol").write_text(text)
    assert read_solution(tmp_path / "m.sol") is None


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ({"command": "s {mps}"}, "/command"),
        ({"command": "s {mps} {solution} {time}"}, "/command"),
        ({"command": "s {mps} {solution} '"}, "/command"),
        ({"command": "{mps} {solution}"}, "/command"),
        ({"command": ""}, "/command"),
        ({"command": "s {mps} {solution} {seconds:.0f}"}, "/command"),
        ({"version": "s '--version"}, "/version"),
        ({"name": "a b"}, "/name"),
        ({"format": "xml"}, "/format"),
        ({"status": {"(": "optimal"}}, "/status/("),
        ({"status": {"fine": "good"}}, "/status/fine"),
        ({"bound": "no group"}, "/bound"),
        ({"bonud": "(.)"}, "/bonud"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_at_its_key(table, place):
    with pytest.raises(InputError) as caught:
        from_table({"name": "s", "command": "s {mps} {solution}", **table})
    assert caught.value.pointer == place

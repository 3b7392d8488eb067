"""Methods that are functions of a user: in memory, in a file, in a campaign; what goes wrong."""

import os
import re
import threading
from pathlib import Path

import pytest

import rsjs
from rsjs.cli.main import app
from rsjs.core.call import Call
from rsjs.core.method import Method
from rsjs.core.report import Report
from rsjs.methods import all_methods, parse, request_of

OWN = """
import numpy as np
import beside
from rsjs import Method, Solution


def run(instance, call, report):
    \"\"\"One GPU for each job, earliest due date first.\"\"\"
    cluster, jobs = instance.cluster, instance.jobs
    types = cluster.allowed_in_class[cluster.class_of_node].argmax(axis=1)
    free = cluster.gpus_of_type[types].copy()
    runs_on = np.isfinite(instance.hours_per_epoch[:, cluster.gpu_of_type[types], 1])
    node = np.full(len(jobs), -1)
    for j in beside.order(jobs):
        for n in np.flatnonzero(runs_on[j] & (free > 0))[:1]:
            node[j] = n
            free[n] -= 1
    used = np.isin(np.arange(cluster.nodes), node)
    return Solution.of(node, (node >= 0).astype(int), np.where(used, types, -1))


def number(instance, call, report):
    return 7


def crash(instance, call, report):
    raise ValueError("no idea")


def over(instance, call, report):
    cluster = instance.cluster
    types = cluster.allowed_in_class[cluster.class_of_node].argmax(axis=1)
    everything = np.full(len(instance.jobs), 99)
    return Solution.of(np.zeros(len(instance.jobs), int), everything, types)


def forever(instance, call, report):
    while True:
        pass


linear = Method(name="linear", summary="-", kind="exact", run=run, linear=True)
energy = frozenset({"proportional"})
named = Method(name="other", summary="-", kind="heuristic", run=run, energy=energy)
other = 5
"""
BESIDE = (
    "import numpy as np\n\n\ndef order(jobs):\n    return np.argsort(jobs.due, kind='stable')\n"
)
CAMPAIGN = """
format = "rsjs-campaign/1"
name = "own"
shows = "a test"
timing = "shared"
limits.time_s = 60
instances = [{files = ["instance.json"]}]
methods = [{run = ["own.py:run", "edf:paper"]}]
"""
INSTANCE = {"nodes": 2, "jobs": 6, "seed": 1}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with own.py, which imports beside.py."""
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "beside.py").write_text(BESIDE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def instance():
    return rsjs.generate("jahani", **INSTANCE)


def closure(value=1):
    """A function that no file has by its name: it is pickled."""
    edf = parse("edf:paper")

    def mine(instance, call, report):
        assert value
        return edf(instance, call, report)

    return mine


def runs(store):
    return len([*Path(store).glob("runs/*/*")])


def test_a_function_in_a_file_or_in_memory_is_run_in_a_worker_and_checked(folder, instance):
    results = [rsjs.solve(instance, one) for one in ("own.py:run", closure())]
    for result in results:
        verdict = rsjs.check(instance, result.solution)
        assert verdict.feasible
        assert verdict.objective == result.objective


def test_a_function_of_a_module_is_the_function_of_its_file(folder, instance, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    import own

    assert request_of(own.run).spelling == "own.py:run"
    assert request_of(own.named).spelling == "own.py:named"
    assert request_of(closure()).spelling == "mine"


def test_a_method_in_a_file_serves_what_it_declares(folder):
    shared = rsjs.generate("sts", **INSTANCE)
    with pytest.raises(rsjs.InputError, match=r"own\.py:named"):
        rsjs.solve(shared, "own.py:named")


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("own.py", "expected a function in the file, own.py:FUNCTION"),
        ("own.py:nobody", "expected a function in that file: run, number, crash, over, forever"),
        ("own.py:other", "found int object at own.py:other, expected a function"),
        ("own.py:linear", "found linear=True at own.py:linear"),
        ("gone.py:run", "expected a Python file: there is no "),
        ("garbled.py:run", "found garbled.py:run, expected a file that can be imported: SyntaxErr"),
        ("fails.py:run", "found fails.py:run, line 2, expected a file that can be imported: Zero"),
        ("leaves.py:run", "found leaves.py:run, line 1, expected a file that can be imported: Sys"),
        ("recursive.py:run", "expected a file that compares or solves under `if __name__"),
        (7, "found 7, expected name"),
        (lambda instance, call, report: threading.Lock(), None),
    ],
)
def test_what_is_no_method_is_refused_in_one_line(folder, instance, method, told):
    (folder / "garbled.py").write_text("def\n")
    (folder / "fails.py").write_text("\n1 / 0\n")
    (folder / "leaves.py").write_text("raise SystemExit('bye')\n")
    text = "import rsjs\nrsjs.solve(rsjs.generate('jahani', nodes=2, jobs=4), 'recursive.py:run')\n"
    (folder / "recursive.py").write_text(text)
    with pytest.raises((rsjs.InputError, rsjs.MethodError)) as caught:
        rsjs.solve(instance, method)
    assert "\n" not in str(caught.value)
    assert told is None or told in str(caught.value)


def test_what_cannot_be_pickled_and_names_that_are_taken_are_refused(instance):
    lock, name = threading.Lock(), "fine"

    def calls(instance):
        return lock

    def locked(instance, call, report):
        return len(name) + calls(instance)

    def greedy(instance, call, report):
        """By the name of a method of the suite."""

    with pytest.raises(rsjs.InputError, match="with the variable lock, expected one"):
        rsjs.solve(instance, locked)
    with pytest.raises(rsjs.InputError, match=r"function greedy, expected .* no other method's"):
        rsjs.solve(instance, greedy)
    with pytest.raises(rsjs.InputError, match="/methods: found two functions mine"):
        rsjs.compare(instance, [closure(1), closure(2)])


def test_what_goes_wrong_in_a_function_is_a_row_that_says_what(folder, instance):
    methods = ["own.py:number", "own.py:crash", "own.py:over", "own.py:run"]
    rows = {row["method"]: row for row in rsjs.compare(instance, methods, time_limit=300).rows}
    number, crash, over, run = (rows[name] for name in methods)
    [forever] = rsjs.compare(instance, ["own.py:forever"], time_limit=0.5).rows
    assert (number["ended"], crash["ended"]) == ("SOLVER_ERROR", "SOLVER_ERROR")
    assert "this one returned int" in number["message"]
    assert re.fullmatch(r"ValueError: no idea \(own\.py, line \d+\)", crash["message"])
    assert over["quality"] == "WRONG"
    assert forever["ended"] == "TIMEOUT"
    assert run["quality"] == "FEASIBLE_VERIFIED"


def test_changed_code_is_run_again_and_the_row_names_its_digest(folder, instance):
    def compared(*methods):
        return rsjs.compare(instance, methods, store="store").rows

    [before] = compared("own.py:run")
    assert "own.py:run" in before["plugins"]
    compared("own.py:run")
    assert runs("store") == 1
    (folder / "beside.py").write_text(BESIDE + "# changed\n")
    [after] = compared("own.py:run")
    assert runs("store") == 2
    assert after["plugins"] != before["plugins"]
    compared(closure(1)), compared(closure(1))
    assert runs("store") == 3
    compared(closure(2))
    assert runs("store") == 4
    assert len([*Path("store/methods").iterdir()]) == 2


def test_a_campaign_takes_a_file_and_reads_its_store_without_it(folder, instance, capsys):
    rsjs.save(instance, "instance.json")
    (folder / "own.toml").write_text(CAMPAIGN)
    assert {row["method"] for row in rsjs.run_campaign("own.toml", "store").rows} == {
        "own.py:run",
        "edf:paper",
    }
    (folder / "own.py").write_text("raise SystemExit('imported')\n")
    for command in ("collect store -o tables", "report store -o site", "list methods"):
        app(command.split(), standalone_mode=False)
    assert "own.py:run" in (folder / "tables" / "rows.csv").read_text()
    with pytest.raises(rsjs.InputError, match="expected a file that can be imported"):
        rsjs.run_campaign("own.toml", "store")
    (folder / "own.py").unlink()
    with pytest.raises(rsjs.InputError, match=r"/methods/0/run/0: found 'own\.py:run'"):
        rsjs.run_campaign("own.toml", "store")
    assert runs("store") == 2


def test_a_file_of_a_campaign_is_the_one_beside_it(folder, instance, tmp_path_factory, monkeypatch):
    rsjs.save(instance, "instance.json")
    (folder / "own.toml").write_text(CAMPAIGN)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "own.py").write_text("raise SystemExit('another file')\n")
    monkeypatch.chdir(elsewhere)
    rows = rsjs.run_campaign(folder / "own.toml", "store").rows
    assert {row["quality"] for row in rows} == {"FEASIBLE_VERIFIED"}
    assert "RSJS_DIRECTORY" not in os.environ


class Marked:
    """Whoever unpickles it writes the number of its process into a file."""

    def __init__(self, file):
        self.file = str(file)

    def __reduce__(self):
        return _mark, (self.file,)


def _mark(file):
    with Path(file).open("a") as marks:
        marks.write(f"{os.getpid()}\n")
    return Marked(file)


def test_reading_a_store_unpickles_nothing(tmp_path, instance):
    marked = Marked(tmp_path / "marks")

    def mine(instance, call, report):
        assert marked
        return parse("edf:paper")(instance, call, report)

    rsjs.compare(instance, [mine], store=tmp_path / "store")
    before = (tmp_path / "marks").read_text()
    assert before
    app(["report", str(tmp_path / "store"), "-o", str(tmp_path / "site")], standalone_mode=False)
    app(["collect", str(tmp_path / "store"), "-o", str(tmp_path / "t")], standalone_mode=False)
    assert (tmp_path / "marks").read_text() == before


def test_without_isolation_a_method_runs_in_this_process(instance):
    where = []

    def mine(instance, call, report):
        where.append(os.getpid())
        return parse("edf:paper")(instance, call, report)

    here = rsjs.solve(instance, mine, isolation="none")
    assert where == [os.getpid()]
    assert here.objective == rsjs.solve(instance, "edf:paper").objective
    assert rsjs.check(instance, here.solution).objective == here.objective


@pytest.mark.parametrize(
    ("method", "options", "told"),
    [
        ("jahani_patterns@highs", {}, "/isolation: found jahani_patterns@highs, which runs highs"),
        ("edf:paper", {"memory_limit_mb": 100}, "/memory_limit_mb"),
        ("edf:paper", {"isolation": "some"}, "/isolation: found 'some'"),
    ],
)
def test_without_isolation_no_solver_and_no_limit_of_memory(instance, method, options, told):
    with pytest.raises(rsjs.InputError, match=told):
        rsjs.solve(instance, method, **{"isolation": "none", **options})


def test_what_a_function_raises_here_comes_as_it_is(instance):
    def mine(instance, call, report):
        raise ValueError("no idea")

    with pytest.raises(ValueError, match="no idea"):
        rsjs.solve(instance, mine, isolation="none")


def test_a_function_is_a_policy(folder):
    workload = rsjs.generate("sts", nodes=2, jobs=5, arrivals="exp", seed=1)
    alone = rsjs.simulate(workload, "own.py:run")
    mine, edf = rsjs.simulate(workload, [closure(), "edf:paper"])
    assert alone.totals.cost > 0
    assert mine.policy == "mine"
    assert mine.totals.cost > 0
    assert edf.totals.cost > 0


def test_finished_prices_what_a_function_of_arrays_found(instance):
    """The public functions that a method of one's own uses."""
    tables = rsjs.cost_tables(instance)
    assert tables is not None
    edf = parse("edf:paper")
    solution = edf(instance, Call(), Report()).solution
    result = rsjs.finished(instance, solution, Report())
    assert result.objective == pytest.approx(rsjs.check(instance, solution).objective)
    assert rsjs.Method is Method
    assert isinstance(solution, rsjs.Solution)


def test_names_of_functions_do_not_stay_with_the_methods_of_the_suite(instance):
    before = {*all_methods()}
    request_of(closure(), here=True)
    assert {*all_methods()} == before

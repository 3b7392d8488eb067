"""The package `rsjs` from Python: what commands do, with the same refusals."""

import asyncio
import doctest
import io
import re
import subprocess
import sys
import warnings
from pathlib import Path

import nbclient
import nbformat
import pandas as pd
import pytest

import rsjs
from rsjs.core.errors import InputError
from rsjs.instances.generators import andreas, jahani
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.serialization import canonical
from rsjs.instances.solution import Solution
from rsjs.simulation import event_log

PAGES = [
    Path(__file__).parents[1] / "docs" / page
    for page in ("reference/python.md", "guides/tutorial.md")
]
SMALL = {"nodes": 2, "jobs": 6, "seed": 1}


def test_everything_offered_is_there_and_imported_only_when_used():
    code = "import rsjs, sys; dir(rsjs); print(*{'numpy', 'pandas', 'rsjs.api'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
    for name in dir(rsjs):
        assert getattr(rsjs, name) is not None
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", rsjs.__version__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        rsjs.nothing  # noqa: B018


def test_an_instance_and_a_workload_are_those_of_the_generators():
    assert rsjs.generate("jahani", **SMALL).digest == jahani.generate(**SMALL).digest
    workload = rsjs.generate("andreas", **SMALL, arrivals="exp", gap_seconds=600, scenario=2)
    expected = andreas.workload(**SMALL, law="exp", gap_seconds=600, scenario=2)
    assert workload.digest == expected.digest
    jobs = {name: len(rsjs.generate(name, nodes=2).jobs) for name in ("sts", "planted")}
    assert jobs == {"sts": 20, "planted": 8}


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"family": "nobody"}, "/family"),
        ({"nodes": 0}, "/nodes"),
        ({"nodes": "two"}, "/nodes"),
        ({"jobs": 0}, "/jobs"),
        ({"mix": "km"}, "/mix"),  # of another family
        ({"law": "exp"}, "/law"),  # it is called arrivals
        ({"arrivals": "never"}, "/arrivals"),
        ({"family": "planted", "arrivals": "exp"}, "/arrivals"),
        ({"gap_seconds": 30.0}, "/gap_seconds"),  # of a workload only
        ({"arrivals": "exp", "gap_seconds": -1.0}, "/gap_seconds"),
    ],
)
def test_bad_arguments_of_generators_are_named(arguments, pointer):
    with pytest.raises(InputError) as refused:
        rsjs.generate(**{"family": "jahani", "nodes": 2, **arguments})
    assert refused.value.pointer == pointer


def test_a_file_tells_what_it_holds(tmp_path):
    instance = rsjs.generate("jahani", **SMALL)
    solution = Solution.empty(6, 2)
    rsjs.save(instance, tmp_path / "i.json")
    rsjs.save(rsjs.generate("sts", **SMALL, arrivals="exp"), tmp_path / "w.json.gz")
    rsjs.save(solution, tmp_path / "s.json", instance=instance)
    assert isinstance(rsjs.load(tmp_path / "i.json"), Instance)
    assert isinstance(rsjs.load(tmp_path / "w.json.gz"), Workload)
    assert rsjs.load(tmp_path / "s.json", instance=instance).same_as(solution)
    other = rsjs.generate("jahani", nodes=2, jobs=6, seed=2)
    with pytest.raises(InputError, match="/instance: found"):
        rsjs.load(tmp_path / "s.json", instance=other)


def test_what_is_of_another_type_is_refused(tmp_path):
    instance, workload = (rsjs.generate("sts", **SMALL, arrivals=one) for one in (None, "exp"))
    rsjs.save(Solution.empty(6, 2), tmp_path / "s.json", instance=instance)
    for call, told in (
        (lambda: rsjs.load(5), "type int, expected the path of a file"),
        (lambda: rsjs.load(tmp_path / "s.json", instance="i"), "type str, expected an instance"),
        (lambda: rsjs.save(instance, None), "type NoneType, expected the path of a file"),
        (lambda: rsjs.simulate(workload, 5), "/policies: found int"),
        (lambda: rsjs.simulate(workload, [5]), "found 5, expected name"),
        (lambda: rsjs.solve(instance, 5), "found 5, expected name"),
    ):
        with pytest.raises(InputError, match=re.escape(told)):
            call()


def test_claims_are_checked_too():
    instance = rsjs.generate("sts", **SMALL)
    cost = rsjs.check(instance, Solution.empty(6, 2)).objective
    assert rsjs.check(instance, Solution.empty(6, 2), objective=cost, bound=0.0).feasible
    wrong = rsjs.check(instance, Solution.empty(6, 2), objective=2 * cost, bound=2 * cost)
    constraints = {violation.constraint for violation in wrong.violations}
    assert constraints == {"claimed_objective", "claimed_bound"}


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (([], "greedy:code"), "/instances: found none"),
        ((["x"], "greedy:code"), "/instances/0: found str, expected Instance"),
        ((None, "greedy:code"), "/instances: found NoneType"),
        (("instance", []), "/methods: found none"),
        (("instance", [1]), "/methods/0: found 1"),
        (("instance", 3), "/methods: found int"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, place):
    known = {"instance": rsjs.generate("jahani", **SMALL)}
    given = [known.get(one, one) if isinstance(one, str) else one for one in arguments]
    with pytest.raises(InputError, match=re.escape(place)):
        rsjs.compare(*given)


@pytest.mark.parametrize(
    "given",
    [
        *({"shard": shard} for shard in ((3, 2), "1/2", (0, 1))),
        *({"jobs": jobs} for jobs in (1.5, "2", 0, -1)),
        *({"only": 5}, {"again": 5}),
        *({"methods": methods} for methods in (5, [], ["edf", "none"])),
        *({"time_limit": limit} for limit in (0, "7", float("inf"))),
    ],
)
def test_what_a_campaign_is_asked_makes_sense(given, tmp_path):
    with pytest.raises(InputError, match="|".join(given)):
        rsjs.run_campaign("smoke", tmp_path / "store", **given)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("limit", [{"time_limit": -1}, {"gap": -0.1}, {"threads": 0}, {"seed": -1}])
@pytest.mark.parametrize("function", ["solve", "compare"])
def test_negative_limits_are_refused_as_on_the_command_line(function, limit):
    [name] = limit
    with pytest.raises(InputError, match=f"^/{name}: found {limit[name]}, expected"):
        getattr(rsjs, function)(rsjs.generate("jahani", **SMALL), "greedy:code", **limit)


@pytest.mark.parametrize(
    "option",
    [
        *({"boot": value} for value in (-1, "an hour", float("nan"))),
        *({"period": value} for value in (0, -1, "an hour")),
        *({"deviation": value} for value in (-0.1, "some")),
        *({"decision_limit": value} for value in (0, -1, None)),
        *({"seed": value} for value in (-1, 1.5, "a")),
        *({"energy": value} for value in (5, "free")),
    ],
)
def test_options_of_simulations_that_make_no_sense_are_refused(option):
    [name] = option
    with pytest.raises(InputError, match=f"^/{name}: found"):
        rsjs.simulate(rsjs.generate("sts", **SMALL, arrivals="exp"), **option)


def test_sets_of_the_library_are_generated_and_compared_with_their_digests():
    tiny = next(known for known in rsjs.library.sets() if known.name == "tiny")
    loaded = rsjs.library.load("tiny")
    assert [one.digest for one in loaded] == [member.sha256 for member in tiny.members]
    with pytest.raises(InputError, match=r"tyni.*tiny"):
        rsjs.library.load("tyni")


def test_best_known_values_are_found_by_digest():
    instance = rsjs.library.load("tiny")[0]
    known = rsjs.best_known(instance)
    assert known.status == "closed"
    assert known.value == pytest.approx(known.bound)
    assert rsjs.best_known(rsjs.generate("jahani", nodes=2, jobs=5, seed=77)) is None
    with pytest.raises(InputError, match="expected an instance"):
        rsjs.best_known("tiny")


def test_best_known_values_of_workloads_are_found_too():
    workload = rsjs.library.load("workloads-open")[0]
    known = rsjs.best_known(workload)
    assert 0 < known.bound <= known.value


def test_policies_are_simulated_and_their_logs_saved(tmp_path):
    workload = rsjs.generate("sts", **SMALL, arrivals="exp")
    first, second = rsjs.simulate(workload, ["queue:edf", "fifo"], seed=3)
    assert first.totals.completed == second.totals.completed == 6
    assert rsjs.simulate(workload, "queue:edf", seed=3).totals == first.totals
    rsjs.save(first, tmp_path / "log.jsonl.gz")
    assert event_log.read(tmp_path / "log.jsonl.gz").events == canonical(event_log.of(first).events)


@pytest.mark.parametrize(
    ("policies", "options", "told"),
    [
        ("nobody", {}, "policy nobody|method 'nobody'"),
        ("fifo", {"boots": 1}, "/boots: found 1, expected one of the options energy, boot"),
        ("fifo", {"boot": -1.0}, "/boot: found -1.0"),
        ("fifo", {"checkpoint": "never"}, "/checkpoint: found 'never'"),
    ],
)
def test_bad_requests_to_simulate_are_refused(policies, options, told):
    workload = rsjs.generate("sts", **SMALL, arrivals="exp")
    with pytest.raises(InputError, match=told):
        rsjs.simulate(workload, policies, **options)
    with pytest.raises(InputError, match="expected a workload"):
        rsjs.simulate(rsjs.generate("sts", **SMALL))


@pytest.mark.process
@pytest.mark.parametrize("module", [rsjs, rsjs.library], ids=lambda module: module.__name__)
def test_the_examples_of_docstrings_run(module):
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 0) == (0, True)


@pytest.mark.process
def test_streams_without_a_file_and_a_running_event_loop_are_no_obstacle(monkeypatch):
    """As in a notebook."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    async def cell():
        instance = rsjs.generate("sts", **SMALL)
        result = rsjs.solve(instance, "greedy:paper", log=True)
        outcome = rsjs.simulate(rsjs.generate("sts", **SMALL, arrivals="exp"))
        return rsjs.check(instance, result.solution).feasible, outcome.status

    assert asyncio.run(cell()) == (True, "complete")


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.solver
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_the_pages_run_in_a_jupyter_kernel(page, tmp_path):
    notebook = nbformat.v4.new_notebook()
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
        notebook.cells.append(nbformat.v4.new_code_cell(code))
    rsjs.save(rsjs.generate("jahani", nodes=2, jobs=8), tmp_path / "instance.json")
    context = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, resources=context, timeout=300).execute()


def test_data_frames_become_a_workload_or_an_instance():
    jobs = pd.DataFrame(
        {
            "when": pd.to_datetime(["2024-01-01 10:00", "2024-01-01 11:00"]).tz_localize(
                "Asia/Tokyo"
            ),
            "gpus": [2, 1],
            "duration": pd.to_timedelta([3, 2], unit="h"),
        }
    )
    nodes = pd.DataFrame({"gpu": ["V100"], "gpus": [4], "count": [2]})
    workload = rsjs.from_frames(jobs, nodes, columns={"submit": "when"})
    assert isinstance(workload, Workload)
    assert workload.jobs.release.tolist() == [0.0, 1.0]
    moment = pd.Timestamp("2024-01-01 10:30", tz="Asia/Tokyo")
    for at in (moment, moment.tz_convert("UTC"), "2024-01-01 01:30:00Z", 0.5):
        options = {"columns": {"submit": "when"}, "rigid": True, "at": at}
        instance = rsjs.from_frames(jobs, cluster="V100:4:2", **options)
        assert isinstance(instance, Instance)
        assert instance.jobs.id == ("row0",)
    assert instance.name == "jobs-rigid-N2-s1-at0.5-J1"
    assert "due" in instance.generator["parameters"]["imputed"]
    assert (
        "due"
        not in rsjs.from_frames(
            jobs.assign(due=moment), nodes, columns={"submit": "when"}, keep=["early-due"]
        ).generator["parameters"]["imputed"]
    )


@pytest.mark.parametrize(
    ("jobs", "options", "message"),
    [
        ("jobs.csv", {}, "found an object of type str, expected a pandas DataFrame"),
        ({"n": [1]}, {}, "jobs: /columns: found no column for gpus and duration, or start and end"),
        ({"gpus": [1], "duration": [60]}, {"cluster": None}, "/cluster: found None, expected the"),
        (
            {"gpus": [1, 1, 0], "duration": [-60, 60, 60]},
            {},
            "found 1 no-gpu, 1 negative-duration at row 0, 2, expected each kind in drop or keep",
        ),
        ({"gpus": [1], "duration": [60]}, {"at": "noon"}, "/at: found 'noon', expected hours"),
        ({"gpus": [1], "duration": [60]}, {"columns": {"len": "a"}}, "/columns: found 'len'"),
        ({"gpus": [1], "duration": [60]}, {"gpus": {"": "H100"}}, "/gpus: found 'H100'"),
        ({"gpus": [1], "duration": [60]}, {"columns": ["gpus"]}, "expected a mapping, such as"),
        ({"gpus": [1], "duration": [60]}, {"at": [1]}, "/at: found [1], expected hours >= 0, or a"),
        ({"gpus": [1], "duration": [60]}, {"rigid": "no"}, "expected rigid=True or rigid=False"),
        (
            {"gpus": [1], "duration": [60]},
            {"nodes": pd.DataFrame({"gpu": ["V100"], "gpus": [4]})},
            "/cluster: found nodes, and a list of nodes, expected one of both",
        ),
        (
            {"gpus": [1], "elapsed": pd.to_timedelta([1], unit="h")},
            {"columns": {"duration": "elapsed:min"}},
            "/columns: found 'duration=elapsed:min', expected no unit: the column has time",
        ),
    ],
)
def test_data_frames_that_make_no_sense_are_refused(jobs, options, message):
    frame = pd.DataFrame(jobs) if isinstance(jobs, dict) else jobs
    with pytest.raises(rsjs.InputError) as caught:
        rsjs.from_frames(frame, **{"cluster": "V100:4:1", **options})
    assert message in str(caught.value)


def test_what_looks_odd_in_a_data_frame_is_a_warning():
    frame = pd.DataFrame({0: [1, 2], 1: [3_600_000, 7_200_000]})
    columns = {"gpus": 0, "duration": 1}
    with pytest.warns(UserWarning, match=r"the median run time is 5.4e\+06 s: check the unit"):
        rsjs.from_frames(frame, columns=columns, cluster="V100:4:1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rsjs.from_frames(frame, columns={"gpus": 0, "duration": "1:ms"}, cluster="V100:4:1")

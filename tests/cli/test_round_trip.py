"""Generate, solve, check, show: what one command writes the next one reads."""

import json

import pytest

from rsjs.formulations import enumeration
from rsjs.instances import costs
from rsjs.instances.io.files import read_instance, read_solution, read_workload

KEYS = {
    *("method", "stop", "feasible", "objective", "bound", "terms", "violations"),
    *("gap", "gap_without_postponement", "gap_over_energy", "seconds", "peak_memory_mb"),
}
TERMS = {"tardiness", "postponement", "energy", "idle"}


def test_an_instance_is_generated_as_its_name_says(rsjs, tmp_path):
    path = tmp_path / "instance.json.gz"
    line = "generate jahani --catalogue azure --due tight --times networks -N 3 -J 7 --seed 4"
    made = rsjs(*line.split(), "-o", path, "--json").json
    instance = read_instance(path)
    assert made["name"] == instance.name == "jahani-azure-tight-at0-networks-N3-J7-s4"
    assert made["sha256"] == instance.digest
    assert (made["nodes"], made["jobs"]) == (3, 7)
    assert instance.digest in rsjs(*line.split(), "-o", path).out


def test_ten_jobs_per_node_are_the_default(rsjs, tmp_path):
    assert (
        rsjs("generate", "jahani", "-N", "2", "-o", tmp_path / "i.json", "--json").json["jobs"]
        == 20
    )


def test_the_gap_of_a_workload_is_not_divided_by_the_nodes(rsjs, tmp_path):
    path = tmp_path / "w.json"
    for nodes in ("2", "8"):
        line = f"generate jahani --arrivals constant --gap 36 -N {nodes} -J 5"
        assert rsjs(*line.split(), "-o", path).code == 0
        assert read_workload(path).jobs.release == pytest.approx([0, 0.01, 0.02, 0.03, 0.04])


@pytest.mark.process
def test_a_solution_survives_solve_check_and_show(rsjs, folder, tmp_path):
    instance, solution = folder / "small.json", tmp_path / "solution.json.gz"
    solved = rsjs("solve", instance, "--method", "greedy:paper", "-o", solution, "--json")
    assert solved.code == 0
    assert solved.json.keys() >= KEYS
    assert solved.json["method"] == "greedy:paper"
    assert solved.json["terms"].keys() == TERMS
    assert solved.json["seconds"].keys() >= {"import", "read", "solve", "check", "total"}
    assert solved.json["solution_file"] == str(solution)
    found = read_solution(solution)
    assert (found.method, found.objective) == ("greedy:paper", solved.json["objective"])

    checked = rsjs("check", instance, solution, "--json")
    assert checked.code == 0
    assert checked.json.keys() >= KEYS
    assert checked.json["stop"] is None
    for key in ("method", "objective", "terms", "feasible", "bound", "gap"):
        assert checked.json[key] == solved.json[key]

    shown = rsjs("show", instance, solution, "--json")
    assert shown.json["solution"]["objective"] == solved.json["objective"]


@pytest.mark.process
@pytest.mark.solver
def test_an_exact_method_leaves_its_bound_in_the_file(rsjs, folder, tmp_path):
    solution = tmp_path / "solution.json"
    line = ("--method", "jahani_patterns@highs", "--warm-start", folder / "idle.json", "--log")
    ended = rsjs("solve", folder / "small.json", *line, "-o", solution)
    assert ended.code == 0
    assert "HiGHS" in ended.err
    assert "HiGHS" not in ended.out
    assert "optimal" in ended.out
    checked = rsjs("check", folder / "small.json", solution, "--exact", "--json").json
    assert checked["bound"] == pytest.approx(checked["objective"])
    assert checked["gap"] == pytest.approx(0, abs=1e-4)
    assert checked["exact"]["agrees"]
    assert checked["exact"]["objective"] == pytest.approx(checked["objective"], rel=1e-9)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"objective": 1e6}, "claimed_objective"),
        ({"bound": 1e9}, "claimed_bound"),
        ({"node_type": [0, -1]}, "open_nodes"),
        ({"job_node": [5, *[-1] * 7]}, "range"),
        ({"job_gpus": [1, *[0] * 7]}, "postponed"),
        ({"job_node": [0, *[-1] * 7], "job_gpus": [2, *[0] * 7]}, "node_size"),
    ],
)
def test_what_is_wrong_with_a_solution_is_named(change, constraint, rsjs, folder, tmp_path):
    document = json.loads((folder / "idle.json").read_text())
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({**document, **change}))
    arguments = ("check", folder / "small.json", wrong, "--exact")
    ended = rsjs(*arguments, "--json")
    assert ended.code == 1
    assert not ended.json["feasible"]
    assert constraint in {violation["constraint"] for violation in ended.json["violations"]}
    assert ended.json["exact"]["agrees"]
    assert f"violation  {constraint}: /" in rsjs(*arguments).out
    assert rsjs("show", folder / "small.json", wrong).code == 1


def test_a_negative_number_of_gpus_is_refused_by_its_minimum(rsjs, folder, tmp_path):
    text = (folder / "idle.json").read_text().replace('"job_gpus":[0', '"job_gpus":[-3')
    (tmp_path / "odd.json").write_text(text)
    refusal = rsjs("check", folder / "small.json", tmp_path / "odd.json").refusal
    assert "odd.json: /job_gpus/0: found -3, expected a number >= 0" in refusal


def test_verdicts_that_disagree_are_told(rsjs, folder, monkeypatch):
    from rsjs import rsjs_verify

    found = rsjs_verify.Violation("capacity", "/node_type/0", "5 GPUs in use", "<= 4 GPUs")
    monkeypatch.setattr(rsjs_verify, "verify", lambda *_: rsjs_verify.Verdict([found]))
    arguments = ("check", folder / "small.json", folder / "idle.json", "--exact")
    assert rsjs(*arguments).code == 1
    told = rsjs(*arguments).out
    assert "DISAGREES" in told
    assert "capacity: /node_type/0: found 5 GPUs" in told
    assert not rsjs(*arguments, "--json").json["exact"]["agrees"]


def test_an_index_that_only_rounds_to_an_integer_is_refused_exactly(rsjs, folder, tmp_path):
    text = (folder / "idle.json").read_text().replace('"job_gpus":[0', '"job_gpus":[1e-30')
    (tmp_path / "odd.json").write_text(text)
    ended = rsjs("check", folder / "small.json", tmp_path / "odd.json", "--exact")
    assert ended.code == 2
    assert "odd.json: /job_gpus/0: found 1e-30, expected an integer" in ended.err


@pytest.mark.process
def test_without_a_verified_solution_nothing_is_written(rsjs, folder, tmp_path):
    solution = tmp_path / "solution.json"
    limit = ("--memory-limit", "1", "-o", solution)
    ended = rsjs("solve", folder / "small.json", *limit, "--json")
    assert ended.code == 1
    assert ended.json["stop"] == "memory_limit"
    assert (ended.json["feasible"], ended.json["objective"]) == (False, None)
    assert ended.json["solution_file"] is None
    assert list(tmp_path.iterdir()) == []
    assert "no solution" in rsjs("solve", folder / "small.json", *limit).out


@pytest.mark.process
@pytest.mark.solver
def test_a_relaxation_gives_a_bound_below_the_optimum_and_no_schedule(rsjs, folder):
    instance = read_instance(folder / "small.json")
    optimum = costs.terms(instance, enumeration.best(instance)).total
    line = ("--gap", "0", "--json", "--method", "jahani_patterns@relaxation")
    relaxed = rsjs("solve", folder / "small.json", *line)
    assert relaxed.code == 1
    assert relaxed.json["stop"] == "iterations"
    assert not relaxed.json["feasible"]
    assert 0 < relaxed.json["bound"] <= optimum + 1e-9
    assert relaxed.json["counts"]["integers"] == 84

"""`rsjs mig place` and `rsjs mig repartition`: problems in or drawn, solutions and pictures out."""

import pytest

from rsjs.instances.mig.placement.check import check as check_placement
from rsjs.instances.mig.placement.problem import read_placement, read_problem
from rsjs.instances.mig.reconfiguration.check import check as check_schedule
from rsjs.instances.mig.reconfiguration.problem import read_problem as read_jobs
from rsjs.instances.mig.reconfiguration.problem import read_schedule


def test_workloads_are_drawn_saved_placed_and_drawn(rsjs, tmp_path):
    problem, solution = tmp_path / "w.json", tmp_path / "p.json"
    picture = tmp_path / "map.svg"
    drawn = ("--mix", "small", "-n", 60, "--seed", 3, "--gpu", "H100-80")
    files = ("--save", problem, "-o", solution, "--picture", picture)
    first = rsjs("mig", "place", *drawn, *files, "--json").json
    assert first["instance"] == "placement-H100-80-small-W60-s3"
    assert (first["stop"], first["objective"]) == ("optimal", first["bound"])
    workloads = read_problem(problem)
    placement, claims = read_placement(workloads, solution)
    verdict = check_placement(workloads, placement, gpus=claims["gpus"], bound=claims["bound"])
    assert verdict.feasible
    assert verdict.waste == first["waste_bound"]
    assert rsjs("check", problem, solution).code == 0
    assert ">1g2m<" in picture.read_text()
    again = rsjs("mig", "place", problem, "--method", "ilp@scip", "--json").json
    for key in ("objective", "waste_bound"):
        assert again[key] == first[key]


@pytest.mark.parametrize("rule", ["ff", "bf", "wf", "ff_pref", "flex", "ffd"])
def test_rules_place_without_a_solver(rsjs, rule):
    found = rsjs("mig", "place", "-n", 40, "--method", rule, "--json").json
    assert found["objective"] >= found["bound"]
    assert (found["status"], found["message"]) == ("ok", "")


def test_jobs_are_drawn_saved_scheduled_and_drawn(rsjs, tmp_path):
    problem, solution, picture = (tmp_path / name for name in ("j.json", "s.json", "g.svg"))
    drawn = ("-n", 8, "--seed", 2, "--delta", 2, "--save", problem)
    files = ("-o", solution, "--picture", picture)
    first = rsjs("mig", "repartition", *drawn, *files, "--json").json
    assert (first["stop"], first["objective"]) == ("optimal", first["bound"])
    jobs = read_jobs(problem)
    schedule, claims = read_schedule(jobs, solution)
    del claims["method"]
    assert check_schedule(jobs, schedule, **claims).feasible
    assert rsjs("check", problem, solution).code == 0
    assert "memory slice" in picture.read_text()
    for method in ("highs", "scip"):
        again = rsjs("mig", "repartition", problem, "--method", method, "--json").json
        assert again["objective"] == first["objective"]
    greedy = rsjs("mig", "repartition", problem, "--method", "greedy", "--json").json
    assert greedy["objective"] >= first["objective"] >= greedy["bound"]


def test_a_static_partition_is_never_shorter(rsjs):
    drawn = ("mig", "repartition", "-n", 6, "--seed", 5, "--json")
    free, fixed = rsjs(*drawn).json, rsjs(*drawn, "--partition", "7g").json
    assert fixed["stop"] == "optimal"
    assert fixed["objective"] >= free["objective"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("place missing.json", "missing.json: found No such file"),
        ("place {empty}", "/format: found None"),
        ("place --mix huge", "--mix: found 'huge'"),
        ("place -n 0", "-n: found 0"),
        ("place --gpu A100", "--gpu: found 'A100', expected one of A100-40"),
        ("place --method best", "--method: found method 'best'"),
        ("place --method ilp@cplex", "cplex', expected"),
        ("place --method ilp@", "--method: found 'ilp@'"),
        ("place --method ff@", "--method: found 'ff@'"),
        ("place --seed -1", "--seed: found -1"),
        ("place --gpus {empty}", "/format: found None"),
        ("place --picture {out}.txt", "a picture's suffix"),
        ("place --time-limit 0", "--time-limit: found 0.0"),
        ("repartition missing.json", "missing.json: found No such file"),
        ("repartition -n 0", "-n: found 0"),
        ("repartition --releases -1", "--releases: found -1"),
        ("repartition --delta -1", "--delta: found -1"),
        ("repartition --delta 1000000001", "--delta: found 1000000001"),
        ("repartition --seed -1", "--seed: found -1"),
        ("repartition --partition=", "--partition: found ''"),
        ("repartition --partition 7g,1g", "--partition: found 7g,1g"),
        ("repartition --partition 5g", "--partition: found '5g'"),
        ("repartition -n 30 --partition 1g", "one of them in the partition"),
        ("repartition --method gurobi", "--method: found method 'gurobi'"),
    ],
)
def test_bad_input_is_told_in_one_line(rsjs, tmp_path, arguments, message):
    (tmp_path / "empty.json").write_text("{}")
    paths = {"empty": tmp_path / "empty.json", "out": tmp_path / "out"}
    assert message in rsjs("mig", *(word.format(**paths) for word in arguments.split())).refusal

"""The authors' CSV triple becomes a file and back; a method becomes a linear model."""

import gzip
import os
from hashlib import sha256

import pytest

from rsjs.instances.io.files import read_instance, read_workload
from rsjs.instances.io.gpuscheduler_csv import read_any
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement.problem import generate, write_problem

TRIPLE = {"Lof_Selectjobs.csv", "SelectJobs_times.csv", "tNodes.csv"}


def test_a_file_becomes_csv_and_csv_becomes_a_file(rsjs, folder, tmp_path):
    output = rsjs("convert", folder / "small.json", "-o", tmp_path / "csv").output
    assert "instance\nname    jahani-" in output
    assert {path.name for path in (tmp_path / "csv").iterdir()} == TRIPLE
    back = rsjs("convert", tmp_path / "csv", "-o", tmp_path / "i.json.gz", "--json").json
    instance = read_instance(tmp_path / "i.json.gz")
    assert (back["kind"], back["jobs"], back["sha256"]) == ("instance", 8, instance.digest)
    assert instance.digest == read_any(tmp_path / "csv").digest
    assert instance.objective.energy == "next_event"  # the program's own objective


def test_jobs_submitted_at_different_times_are_a_workload(rsjs, folder, tmp_path):
    assert rsjs("convert", folder / "workload.json", "-o", tmp_path / "csv").code == 0
    made = rsjs("convert", tmp_path / "csv", "-o", tmp_path / "w.json", "--json")
    assert made.json["kind"] == "workload"
    assert len(read_workload(tmp_path / "w.json").jobs) == 8


def test_an_instance_becomes_one_that_charges_changes(rsjs, folder, tmp_path):
    output = tmp_path / "charged.json"
    costs = ("--migration-cost", "2", "--start-cost", "0.5")
    made = rsjs("convert", folder / "small.json", *costs, "-o", output, "--json").json
    charged, plain = read_instance(output), read_instance(folder / "small.json")
    assert (made["name"], made["sha256"]) == (f"{plain.name}-m2-s0.5", charged.digest)
    assert (charged.objective.migration, charged.objective.start) == (2, 0.5)
    other = tmp_path / "other.json"
    rsjs("convert", output, "--start-cost", "3", "-o", other)
    objective = read_instance(other).objective
    assert (objective.migration, objective.start) == (2, 3)
    wrong = rsjs("convert", folder / "small.json", "--start-cost", "-1", "-o", output)
    told = "--start-cost: found -1.0, expected a number from 0 to 1e+15"
    assert wrong.code == 2
    assert told in wrong.err
    both = rsjs("convert", folder / "small.json", *costs, "--method", "greedy", "-o", output)
    assert both.code == 2
    assert "--method: found 'greedy', expected no method" in both.err


@pytest.mark.parametrize("suffix", [".mps", ".lp", ".mps.gz", ".lp.gz"])
def test_the_digest_told_is_that_of_the_file(rsjs, folder, tmp_path, suffix):
    path = tmp_path / f"model{suffix}"
    ended = rsjs("convert", folder / "small.json", "-o", path, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert ended.json["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert ended.json["method"] == "jahani_patterns"
    assert ended.json["counts"]["integers"] == 84
    told = rsjs("convert", folder / "small.json", "-o", path)
    assert ended.json["sha256"] in told.out


def test_a_problem_of_mig_becomes_its_model(rsjs, tmp_path):
    problem = tmp_path / "problem.json"
    write_problem(generate(gpu_named("A100-40"), "small", 6, 1), problem)
    line = ("convert", problem, "-o", tmp_path / "m.mps")
    made = rsjs(*line, "--json").json
    assert (made["method"], made["counts"]["rows"]) == ("mig_placement", 4)
    assert "one linear model" in rsjs(*line, "--method", "jahani_literal").refusal


def test_options_of_the_method_count(rsjs, folder, tmp_path):
    line = ("convert", folder / "small.json", "-o", tmp_path / "m.lp", "--json", "--method")
    patterns, literal = rsjs(*line, "jahani_patterns@scip").json, rsjs(*line, "jahani_literal").json
    printed = rsjs(*line, "jahani_literal?printed=overdue").json
    assert patterns["counts"]["columns"] < literal["counts"]["columns"]
    assert printed["method"] == "jahani_literal?printed=overdue"


def test_an_unknown_suffix_is_refused_before_anything_is_read(rsjs, folder, tmp_path, monkeypatch):
    def unwanted(*_):
        pytest.fail("read")

    monkeypatch.setattr("rsjs.cli.convert.read_instance", unwanted)
    refusal = rsjs(
        "convert",
        folder / "small.json",
        "-o",
        tmp_path / "model.sav",
        "--method",
        "jahani_patterns",
    ).refusal
    assert ".mps.gz" in refusal
    assert not list(tmp_path.iterdir())


def test_a_method_that_cannot_be_exported_is_told_what_can(rsjs, folder, tmp_path):
    for method in ("greedy", "rsjs_minlp"):
        refusal = rsjs(
            "convert", folder / "small.json", "-o", tmp_path / "m.lp", "--method", method
        ).refusal
        assert f"'{method}', expected a method with a linear model: jahani_patterns" in refusal


def test_a_method_that_does_not_serve_the_instance_is_refused(rsjs, folder, tmp_path):
    line = ("-o", tmp_path / "m.lp", "--method", "rsjs_nodes")
    refusal = rsjs("convert", folder / "small.json", *line).refusal
    assert "rsjs_nodes serves energy first_ending, not proportional" in refusal
    assert not list(tmp_path.iterdir())


@pytest.mark.solver
def test_what_a_program_wrote_for_a_model_comes_back_as_a_verified_solution(rsjs, folder, tmp_path):
    highspy = pytest.importorskip("highspy")
    model, written = tmp_path / "m.mps", tmp_path / "m.sol"
    rsjs("convert", folder / "small.json", "--method", "jahani_patterns", "-o", model)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(model))
    highs.run()
    highs.writeSolution(str(written), 0)
    line = ("import-solution", folder / "small.json", written, "-o", tmp_path / "s.json")
    ended = rsjs(*line, "--method", "jahani_patterns", "--json")
    assert (ended.code, ended.json["feasible"]) == (0, True)
    packed = tmp_path / "m.sol.gz"
    packed.write_bytes(gzip.compress(written.read_bytes()))
    again = ("import-solution", folder / "small.json", packed, "-o", tmp_path / "again.json")
    assert rsjs(*again, "--json").json["objective"] == ended.json["objective"]
    assert ended.json["objective"] == pytest.approx(highs.getInfo().objective_function_value)
    assert rsjs("check", folder / "small.json", tmp_path / "s.json").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope 1\n", "found column nope, expected a column of jahani_patterns"),
        ("# nothing\n", "found no solution, expected a solution file with one"),
        ("ONE_VAR_CONSTANT nan\n", "found ONE_VAR_CONSTANT nan, expected a finite number"),
    ],
)
def test_what_is_no_solution_of_the_model_is_refused(rsjs, folder, tmp_path, text, said):
    (tmp_path / "m.sol").write_text(text)
    line = ("import-solution", folder / "small.json", tmp_path / "m.sol", "-o", tmp_path / "s.json")
    assert said in rsjs(*line).refusal
    assert not (tmp_path / "s.json").exists()


def test_a_solution_for_an_instance_that_the_method_does_not_serve_is_refused(
    rsjs, folder, tmp_path
):
    (tmp_path / "m.sol").write_text("# nothing\n")
    line = ("import-solution", folder / "small.json", tmp_path / "m.sol", "-o", tmp_path / "s.json")
    said = "rsjs_nodes serves energy first_ending, not proportional"
    assert said in rsjs(*line, "--method", "rsjs_nodes").refusal
    os.mkfifo(tmp_path / "pipe.sol")  # is not waited for
    line = ("import-solution", folder / "small.json", tmp_path / "pipe.sol", "-o", line[-1])
    assert "found a pipe" in rsjs(*line).refusal
    assert not line[-1].exists()

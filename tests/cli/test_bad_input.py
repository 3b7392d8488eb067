"""Bad input: exit code 2, one line on standard error, nothing on standard output or on disk."""

import os

import pytest

from rsjs.cli.options import limits
from rsjs.cli.solve import tell_compilation
from rsjs.methods import parse

BAD = [
    # a method that does not exist, with those that do
    ("solve small.json --method nope", "--method: found method 'nope'"),
    ("solve small.json --method gredy", "'gredy', expected e.g. greedy; see rsjs list methods"),
    ("list methods gredy", "NAME: found 'gredy', expected e.g. greedy; see rsjs list methods"),
    ("solve small.json --method jahani_paterns@highs", "jahani_patterns"),
    ("solve small.json --method jahani_patterns@cplex", "solver of jahani_patterns 'cplex'"),
    ("solve small.json --method greedy@highs", "no solver for greedy"),
    ("solve small.json --method greedy:none", "code, paper"),
    ("solve small.json --method jahani_literal?printed=road", "corrected"),
    ("solve small.json --method jahani_patterns?speed=9", "speed"),
    # a method that does not serve the instance
    ("solve large.json --method enumeration", "serves up to 10 jobs, not 100"),
    # limits
    ("solve small.json -o small.json", "the file that is read, expected another file to write"),
    (
        "solve small.json -o new.json --certificate new.json",
        "two outputs, expected a file for each",
    ),
    ("solve small.json --time-limit -1", "--time-limit: found -1.0"),
    ("solve small.json --time-limit 0", "--time-limit"),
    ("solve small.json --time-limit nan", "--time-limit: found nan"),
    ("solve small.json --time-limit inf", "--time-limit: found inf"),
    ("solve small.json --time-limit soon", "--time-limit: found 'soon', expected a valid number"),
    ("solve small.json --gap 2", "--gap: found 2.0, expected a relative gap from 0 to 1"),
    ("solve small.json --gap nan", "--gap"),
    ("solve small.json --threads 0", "--threads"),
    ("solve small.json --threads 1.5", "--threads: found '1.5', expected a valid integer"),
    ("solve small.json --seed -1", "--seed"),
    ("solve small.json --memory-limit 0", "--memory-limit"),
    # files
    ("solve missing.json", "missing.json: found No such file"),
    ("solve damaged.json.gz", "damaged gzip data"),
    ("solve not-utf8.json", "byte 0xff"),
    ("solve .", "Is a directory"),
    ("solve workload.json", "/format: found 'rsjs-workload/1'"),
    ("solve idle.json", "/format: found 'rsjs-solution/1'"),
    ("check idle.json small.json", "/format"),
    ("check small.json workload.json", "/format"),
    ("check small.json missing.json", "missing.json"),
    ("check small.json idle-other.json", "idle-other.json: /instance: found '"),
    ("show small.json idle-other.json", "idle-other.json: /instance: found '"),
    ("show workload.json idle.json", "a workload"),
    ("show idle.json idle.json", "an instance, before its solution"),
    ("show missing.json", "missing.json"),
    ("show small.json -o {out}/picture.png", "no solution"),
    ("show small.json idle.json -o {out}/picture.bmp", ".bmp"),
    # warm starts
    ("solve small.json --warm-start idle-other.json", "/instance"),
    ("solve small.json --method greedy --warm-start idle.json", "warm start"),
    ("solve small.json --warm-start missing.json", "missing.json"),
    # outputs
    ("solve small.json --method greedy -o {out}", "a file to write"),
    ("solve small.json --method greedy -o small.json/s.json", "a folder to write to"),
    ("generate jahani -N 2 -o {out}", "a file to write"),
    ("generate jahani -N 2 -o {out}/mistyped/i.json", "mistyped, expected a folder to write to"),
    ("compare small.json --methods greedy -o {out}/mistyped/c", "found no folder {out}/mistyped"),
    ("convert small.json -o other.json", "a folder"),
    ("compare small.json --methods greedy -o small.json", "a folder"),
    ("demo -o small.json", "a folder"),
    # generators
    ("generate jahani -N 0 -o {out}/i.json", "-N: found 0"),
    ("generate jahani -N 2 -J 0 -o {out}/i.json", "-J: found 0"),
    ("generate jahani -N 2 --seed -1 -o {out}/i.json", "--seed: found -1"),
    ("generate jahani -N 2 --catalogue none -o {out}/i.json", "--catalogue: found 'none'"),
    ("generate jahani -N 2 --due none -o {out}/i.json", "--due: found 'none'"),
    ("generate jahani -N 2 --times none -o {out}/i.json", "--times: found 'none'"),
    ("generate jahani -N two -o {out}/i.json", "-N: found 'two', expected a valid integer"),
    ("generate nobody -N 2 -o {out}/i.json", "nobody"),
    ("generate jahani --arrivals exp -N 2 --gap -3 -o {out}/w.json", "--gap: found -3.0"),
    ("generate jahani --arrivals exp -N 2 --gap nan -o {out}/w.json", "--gap: found nan"),
    ("generate jahani -N 2 --arrivals none -o {out}/w.json", "--arrivals: found 'none'"),
    ("generate planted -N 2 --arrivals exp -o {out}/w.json", "--arrivals"),
    # comparisons
    ("compare small.json --methods , -o {out}/c", "--methods"),
    ("compare small.json --methods greedy,nope -o {out}/c", "method 'nope'"),
    ("compare large.json --methods enumeration -o {out}/c", "nothing to run"),
    ("compare small.json missing.json --methods greedy -o {out}/c", "missing.json"),
    ("compare small.json --methods greedy --time-limit nan -o {out}/c", "--time-limit"),
    # conversions
    ("convert missing -o {out}/i.json", "missing"),
    ("convert . -o {out}/i.json", "Lof_Selectjobs.csv"),
    ("convert idle.json -o {out}/csv", "an instance or a workload"),
    # usage
    ("solve", "'FILE'"),
    ("check small.json", "'SOLUTION'"),
    ("compare small.json --methods greedy", "'--output'"),
    ("convert small.json", "'--output'"),
    ("generate", "command"),
    ("list nothing", "WHAT: found 'nothing', expected one of methods, policies"),
    ("list models no-such", "NAME: found 'no-such', expected a model, e.g. "),
    ("run solver-track --methods rsjs_nodes --dry-run", "expected e.g. solve@highs, one of rsjs"),
    ("doctor --now", "--now"),
    ("frobnicate", "frobnicate"),
]


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_told_in_one_line(line, told, rsjs, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    assert told.format(out=tmp_path) in rsjs(*line.format(out=tmp_path).split()).refusal
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_a_process_exits_with_2_and_no_traceback(process, folder):
    assert process("solve", folder / "damaged.json.gz", "--json").refusal


def test_a_missing_solver_is_told_with_the_command_that_installs_it(rsjs, folder, monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    refusal = rsjs("solve", folder / "small.json", "--method", "jahani_patterns@gurobi").refusal
    assert "solver gurobi is not installed: pip install 'gurobipy>=12,<14'" in refusal


def test_without_a_solver_a_method_that_needs_none_is_named(rsjs, folder, monkeypatch):
    monkeypatch.setattr("rsjs.formulations.backends.backend.find_spec", lambda name: None)
    refusal = rsjs("solve", folder / "small.json", "--method", "jahani_patterns@highs").refusal
    assert "found 'jahani_patterns@highs', expected a method that serves it, e.g. ruin_" in refusal


def test_more_threads_than_cores_are_noted(capsys, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert limits(60.0, 1e-4, 64, 0, None).threads == 64
    limits(60.0, 1e-4, 2, 0, None)
    assert capsys.readouterr().err == "rsjs: note: --threads 64, this machine has 2\n"


def test_a_cold_cache_of_kernels_is_noted_for_heuristics(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("rsjs.heuristics.common.jit.cache_folder", lambda: tmp_path)
    tell_compilation(parse("enumeration"))
    assert capsys.readouterr().err == ""
    tell_compilation(parse("greedy"))
    assert "once only" in capsys.readouterr().err
    (tmp_path / "kernel.nbi").touch()
    tell_compilation(parse("greedy"))
    assert capsys.readouterr().err == ""


def test_a_place_without_permission_is_refused_before_the_run(rsjs, folder, tmp_path, monkeypatch):
    real = os.access  # root may write anywhere
    monkeypatch.setattr("os.access", lambda path, mode: mode != os.W_OK and real(path, mode))
    monkeypatch.setattr("rsjs.runs.supervisor.Supervisor.run", lambda _: pytest.fail("it ran"))
    refusal = rsjs("solve", folder / "small.json", "-o", tmp_path / "s.json").refusal
    assert "no permission" in refusal

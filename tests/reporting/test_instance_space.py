"""Features and rows for instance-space tools and algorithm selection, from stored rows."""

import csv

import pytest
import yaml

from rsjs.core.errors import InputError
from rsjs.instances.features import FEATURES, features
from rsjs.instances.generators import jahani, kiros
from rsjs.reporting.archive.instance_space import write_aslib, write_metadata

INSTANCES = [kiros.generate(nodes=2, jobs=6, seed=seed) for seed in (1, 2)]


def row(instance, method, objective, ended="FINISHED", status="ok"):
    return {
        "instance_sha256": instance.digest,
        "method": method,
        "objective": objective,
        "total_s": 2.0,
        "time_limit": 60.0,
        "ended": ended,
        "status": status,
    }


ROWS = [
    row(INSTANCES[0], "a:x", 10.0),
    row(INSTANCES[0], "a:x", 14.0),
    row(INSTANCES[0], "b", 8.0),
    row(INSTANCES[1], "b", None, "TIMEOUT", "no_solution"),
    row(INSTANCES[1], "b", 1.0, status="wrong"),
    row(INSTANCES[1], "b", None, "FINISHED", "no_solution"),
    row(INSTANCES[1], "b", None, "CRASH: ValueError", "no_solution"),
    row(INSTANCES[1], "b", 16.0),
    row(kiros.generate(nodes=2, jobs=6, seed=3), "c", 1.0),  # of another instance
]


def test_metadata_has_features_and_cost_over_the_least(tmp_path):
    write_metadata(INSTANCES, ROWS, tmp_path / "metadata.csv")
    with (tmp_path / "metadata.csv").open() as file:
        lines = [*csv.DictReader(file)]
    names = ["Instances", "Source", *(f"feature_{name}" for name in FEATURES), "algo_a:x", "algo_b"]
    assert [*lines[0]] == names
    assert [line["Source"] for line in lines] == ["kiros", "kiros"]
    assert [line["algo_a:x"] for line in lines] == ["0.5", ""]
    assert [line["algo_b"] for line in lines] == ["0.0", ""]  # two of its runs have no solution
    told = {name: float(lines[0][f"feature_{name}"]) for name in FEATURES}
    assert told == features(INSTANCES[0])


def relation(path):
    """Columns and rows of an ARFF file without commas in its values."""
    head, _, data = path.read_text().partition("@DATA\n")
    columns = [line.split()[1] for line in head.splitlines() if line.startswith("@ATTRIBUTE")]
    return [dict(zip(columns, line.split(","), strict=True)) for line in data.splitlines()]


def test_a_scenario_tells_each_method_on_each_instance(tmp_path):
    write_aslib("mine", INSTANCES, ROWS, tmp_path)
    runs = relation(tmp_path / "algorithm_runs.arff")
    told = [
        (run["algorithm"], run["repetition"], run["objective"], run["runstatus"]) for run in runs
    ]
    assert told == [
        ("'b'", "1", "8.0", "ok"),
        ("'b'", "1", "160.0", "timeout"),  # ten times the greatest cost
        ("'b'", "2", "160.0", "other"),
        ("'b'", "3", "160.0", "other"),
        ("'b'", "4", "160.0", "crash"),
        ("'b'", "5", "16.0", "ok"),
    ]
    assert {run["runtime"] for run in runs} == {"2.0"}
    values = relation(tmp_path / "feature_values.arff")
    assert {name: float(values[1][name]) for name in FEATURES} == features(INSTANCES[1])
    assert {line["all"] for line in relation(tmp_path / "feature_runstatus.arff")} == {"ok"}
    assert [line["fold"] for line in relation(tmp_path / "cv.arff")] in (["1", "2"], ["2", "1"])
    assert (
        "not run on all instances that they serve: a:x\n" in (tmp_path / "readme.txt").read_text()
    )
    for file in tmp_path.glob("*.arff"):
        first = file.read_text().splitlines()[0]
        assert first == f"@RELATION {file.stem.upper()}_RSJS-mine"
        assert "?" not in file.read_text()


def test_the_description_of_a_scenario_is_yaml(tmp_path):
    rows = [{**one, "seed": i, "memory_limit_mb": 4096} for i, one in enumerate(ROWS)]
    write_aslib("mine", INSTANCES, rows, tmp_path)
    told = yaml.safe_load((tmp_path / "description.txt").read_text())
    assert (told["scenario_id"], told["algorithm_cutoff_time"]) == ("RSJS-mine", 60)
    assert (told["algorithm_cutoff_memory"], told["features_cutoff_time"]) == (4096, "?")
    assert (told["algorithms_deterministic"], told["algorithms_stochastic"]) == ([], ["b"])
    assert told["feature_steps"] == {"all": {"provides": [*FEATURES]}}
    assert told["metainfo_algorithms"] == {"b": {"configuration": "b", "deterministic": False}}


def test_a_method_that_does_not_serve_an_instance_is_not_applicable(tmp_path):
    two = [INSTANCES[0], jahani.generate(nodes=2, jobs=6, seed=1)]
    rows = [row(one, "greedy:paper", 10.0) for one in two]
    write_aslib("two", two, [*rows, row(two[1], "jahani_patterns@highs", 8.0)], tmp_path)
    runs = relation(tmp_path / "algorithm_runs.arff")
    told = [(run["objective"], run["runtime"], run["runstatus"]) for run in runs]
    assert told == [
        ("10.0", "2.0", "ok"),
        ("100.0", "60.0", "not_applicable"),
        ("10.0", "2.0", "ok"),
        ("8.0", "2.0", "ok"),
    ]
    assert "that they serve: none\n" in (tmp_path / "readme.txt").read_text()


def test_the_mean_over_seeds_is_of_all_or_none(tmp_path):
    rows = [row(INSTANCES[0], "a", 8.0), row(INSTANCES[0], "a", None, "TIMEOUT", "no_solution")]
    write_metadata(INSTANCES[:1], [*rows, row(INSTANCES[0], "b", 8.0)], tmp_path / "metadata.csv")
    with (tmp_path / "metadata.csv").open() as file:
        (line,) = csv.DictReader(file)
    assert (line["algo_a"], line["algo_b"]) == ("", "0.0")


def test_a_scenario_needs_methods_run_on_all_instances_and_solutions(tmp_path):
    with pytest.raises(InputError, match="no method with rows of all instances that it serves"):
        write_aslib("mine", INSTANCES, ROWS[:3], tmp_path)
    none = [row(one, "a", None, "TIMEOUT", "no_solution") for one in INSTANCES]
    with pytest.raises(InputError, match="no solution of these instances"):
        write_aslib("mine", INSTANCES, none, tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_least_cost_of_0_is_no_divisor_and_no_tie_with_what_failed(tmp_path):
    rows = [
        row(INSTANCES[0], "a", 0.0),
        row(INSTANCES[0], "b", 3.0),
        row(INSTANCES[1], "a", 0.0),
        row(INSTANCES[1], "b", None, "TIMEOUT", "no_solution"),
    ]
    write_metadata(INSTANCES, rows, tmp_path / "metadata.csv")
    with (tmp_path / "metadata.csv").open() as file:
        lines = [(line["algo_a"], line["algo_b"]) for line in csv.DictReader(file)]
    assert lines == [("0.0", ""), ("0.0", "")]
    write_aslib("zero", INSTANCES, rows, tmp_path)
    costs = [run["objective"] for run in relation(tmp_path / "algorithm_runs.arff")]
    assert costs == ["0.0", "3.0", "0.0", "10.0"]


def test_rows_of_other_instances_or_of_several_limits_are_refused(tmp_path):
    several = [*ROWS[:1], {**ROWS[1], "time_limit": 3600.0}]
    for rows, told in (
        (ROWS[-1:], "no row of these instances"),
        (several, "runs of a:x on kiros.* with limits of 60 and 3600 s, expected rows of one"),
    ):
        with pytest.raises(InputError, match=told):
            write_aslib("mine", INSTANCES, rows, tmp_path)
        with pytest.raises(InputError, match=told):
            write_metadata(INSTANCES, rows, tmp_path / "metadata.csv")
    assert not [*tmp_path.iterdir()]

"""Problems, objectives and their files: what is taken, what is refused and in which words."""

import json

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.formulations.mig.scheduling_bounds import term_bounds
from rsjs.heuristics.mig.scheduling_rules import best_fit
from rsjs.instances.mig.job_files import write_jobs
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import read_problem, read_problem_or_jobs, write_problem
from rsjs.instances.mig.scheduling.schedule import read_schedule, terms, write_schedule


def test_the_section_4_problem_of_a_seed_is_pinned(section_4):
    problem = section_4(2)
    assert (len(problem.jobs), problem.steps, problem.units_from.tolist()) == (50, 260, [3, 1])
    assert problem.digest == "c567bf4a39c9ecd55c4f543c189c8b9cac98bc403f05c4461197b31363765a70"


def test_flags_of_a_job_limit_what_the_reading_allows(problem_of):
    flags = {"interruptible": [True, True, False], "migratable": [True, False, True]}
    rows = [(0, [10, 1500])] * 3
    found = {r: problem_of(rows, r, **flags) for r in "ABC"}
    none = [False] * 3
    assert [p.moves.tolist() for p in found.values()] == [[True, False, False], none, none]
    some = [True, True, False]
    assert [p.stops.tolist() for p in found.values()] == [some, some, [False] * 3]
    assert found["A"].need.tolist() == [10, 1500, 1500, 1500, 1500, 1500]


def test_a_job_may_run_from_the_first_whole_minute_after_it_arrives(problem_of):
    problem = problem_of([(0, [1]), (0.01, [1]), (2, [1])], deadline=[np.inf, 3.9, 2])
    assert (problem.release.tolist(), problem.due.tolist()[1:]) == ([0, 1, 2], [3, 2])


@pytest.mark.parametrize(
    ("text", "stages"),
    [
        ("makespan", [{"makespan": 1}]),
        ("late,completion+5*preemptions", [{"late": 1}, {"completion": 1, "preemptions": 5}]),
        ("waste+3*migrations", [{"waste": 1, "migrations": 3}]),
    ],
)
def test_objectives_are_spelled_in_stages(text, stages):
    found = parse_objective(text)
    assert [dict(stage) for stage in found.stages] == stages
    assert str(found) == text


def test_the_default_goes_through_five_stages():
    default = str(parse_objective("lexicographic"))
    assert default == "late,makespan,completion,waste,preemptions+migrations"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ""),  # no term
        ("makspan", "terms of makespan, "),  # no such term: the nearest
        ("late,", ""),  # an empty stage
        ("10000000*late", ""),  # of too many digits
        ("0*late", "expected each term once, weight 1 to 1000000"),
        ("1000001*late", "expected each term once, weight 1 to 1000000"),
        ("late+2*late", "expected each term once, weight 1 to 1000000"),
    ],
)
def test_other_objectives_are_refused(text, told):
    with pytest.raises(InputError, match=f"--objective.*({told})"):
        parse_objective(text)


def test_files_return_what_was_written(section_4, tmp_path):
    problem = section_4(3, "B", "late,completion+2*migrations")
    write_problem(problem, tmp_path / "p.json.gz")
    assert read_problem(tmp_path / "p.json.gz").digest == problem.digest
    schedule = best_fit(problem, "srpt")
    claims = {"objective": [0, 5], "bound": [0, None]}
    write_schedule(problem, schedule, tmp_path / "s.json", method="srpt", **claims)
    found = read_schedule(tmp_path / "s.json", problem)
    assert np.array_equal(found.schedule.minute, schedule.minute)
    assert np.array_equal(found.schedule.unit, schedule.unit)
    assert (found.method, found.objective, found.bound) == ("srpt", (0, 5), (0, None))


def test_a_set_of_jobs_is_a_problem_with_what_is_given(section_4, tmp_path):
    problem = section_4(5)
    write_jobs(problem.jobs, tmp_path / "jobs.json")
    assert read_problem_or_jobs(tmp_path / "jobs.json").digest == problem.digest
    other = read_problem_or_jobs(tmp_path / "jobs.json", reading="C", memory=(2000, 2000))
    assert (other.reading, other.memory.tolist()) == ("C", [2000, 2000])
    write_problem(problem, tmp_path / "p.json")
    changed = read_problem_or_jobs(tmp_path / "p.json", objective=parse_objective("waste"))
    assert (str(changed.objective), changed.reading) == ("waste", "A")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"reading": "D"}, "/reading: found 'D', expected one of A, B, C"),
        ({"objective": []}, "/objective: found an array of 0, expected at least 1 entry"),
        ({"objective": [{"speed": 1}]}, "/objective/0/speed: found unknown key"),
        ({"objective": [{"late": 0}]}, "/objective/0/late: found 0, expected a number >= 1"),
        (
            {"units": [{"name": "a", "memory": 10**9}], "objective": [{"waste": 10**6}]},
            "/objective/0: found values up to 2.6e+17, expected at most 1e+14",
        ),
        ({"units": []}, "/units: found"),
        ({"units": [{"name": "a", "memory": 0}]}, "/units/0/memory: found 0"),
        ({"units": [{"name": "a", "memory": 2000}] * 2}, "/units: found 'a', expected names"),
        ({"units": [{"name": "a", "memory": 1500}]}, "expected at most 1500 MB, the largest unit"),
        ({"jobs": []}, "/jobs: found"),
        ({"colour": 1}, "/colour: found unknown key"),
        ({"format": "rsjs-mig-jobs/1"}, "/format: found 'rsjs-mig-jobs/1'"),
    ],
)
def test_bad_problems_are_told_in_one_line(section_4, tmp_path, change, told):
    path = tmp_path / "p.json"
    write_problem(section_4(2), path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError) as error:
        read_problem(path)
    assert str(error.value).startswith(f"{path}: ")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_job_larger_than_every_unit_is_named_by_step(problem_of):
    with pytest.raises(InputError, match=r"/jobs/1/memory/2: found 1001.0, expected at most 1000"):
        problem_of([(0, [5]), (0, [5, 5, 1001])], units=(1000, 500))


def test_priorities_are_weights_and_so_not_negative(problem_of):
    problem_of([(0, [5])], priority=[-1])
    with pytest.raises(InputError, match="/jobs/0/priority: found -1"):
        problem_of([(0, [5])], objective="late,weighted_completion", priority=[-1])


def test_weights_written_with_a_point_are_integers(section_4, tmp_path):
    write_problem(section_4(2, "A", "late,completion+5*preemptions"), tmp_path / "p.json")
    text = (tmp_path / "p.json").read_text().replace('"preemptions":5', '"preemptions":5.0')
    (tmp_path / "p.json").write_text(text)
    assert str(read_problem(tmp_path / "p.json").objective) == "late,completion+5*preemptions"


def test_values_that_a_double_does_not_tell_apart_are_refused(problem_of):
    rows, large = [(0, [5, 5]), (10**6, [5])], [10**15, 10**15 - 1]
    problem = problem_of(rows, priority=large)
    exact = 2 * 10**15 + (10**15 - 1) * (10**6 + 1)
    assert terms(problem, best_fit(problem))["weighted_completion"] == exact
    assert term_bounds(problem)["weighted_completion"] == exact
    with pytest.raises(InputError, match=r"/objective/1: found values up to 2e\+21, expected at m"):
        problem_of(rows, objective="late,weighted_completion", priority=large)


def test_a_schedule_of_another_problem_is_refused(section_4, tmp_path):
    one, other = section_4(2), section_4(3)
    write_schedule(one, best_fit(one), tmp_path / "s.json")
    with pytest.raises(InputError, match=f"/problem: .* expected {other.digest}"):
        read_schedule(tmp_path / "s.json", other)


def test_a_schedule_with_too_few_minutes_is_refused(problem_of, tmp_path):
    problem = problem_of([(0, [5, 5])])
    write_schedule(problem, best_fit(problem), tmp_path / "s.json")
    document = json.loads((tmp_path / "s.json").read_text())
    document["jobs"][0]["minutes"] = [0]
    (tmp_path / "s.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="/jobs/0/minutes: found 1 minutes, expected 2"):
        read_schedule(tmp_path / "s.json", problem)

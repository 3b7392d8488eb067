"""`rsjs mig schedule`, and `rsjs check` of its schedules."""

import json

import pytest

from tests.mig_problems import JOBS

pytestmark = pytest.mark.usefixtures("blank")


@pytest.fixture
def jobs(tmp_path):
    """A set of four jobs."""
    (tmp_path / "jobs.json").write_text(json.dumps(JOBS))
    return tmp_path / "jobs.json"


@pytest.mark.process
def test_a_schedule_is_made_written_drawn_and_checked(rsjs, jobs, tmp_path):
    problem, schedule, picture = (tmp_path / name for name in ("p.json", "s.json", "g.png"))
    files = ("--save", problem, "-o", schedule, "--picture", picture)
    ended = rsjs("mig", "schedule", jobs, "--method", "bigrem", *files, "--json")
    assert ended.code == 0
    assert [ended.json[key] for key in ("stop", "objective", "bound")] == ["optimal", 3, 3]
    assert picture.exists()
    checked = rsjs("check", problem, schedule, "--json")
    assert (checked.code, checked.json["makespan"], checked.json["violations"]) == (0, 3, [])
    solved = rsjs("mig", "schedule", problem, "--method", "bigrem", "-o", schedule).output
    for shown in (solved, rsjs("check", problem, schedule).output):
        text = " ".join(shown.split())
        assert " feasible yes objective 3 " in text
        assert " makespan 3 min " in text
        assert "meaning" not in text


@pytest.mark.process
@pytest.mark.parametrize(
    "method", [pytest.param("cpsat", marks=pytest.mark.solver), "enumeration", "srpt"]
)
def test_methods_readings_and_objectives_are_options(rsjs, jobs, method):
    options = ["--reading", "C", "--objective", "late,completion", "--units", "2000,2000"]
    ended = rsjs("mig", "schedule", jobs, "--method", method, *options, "--json")
    assert ended.code == 0
    assert (ended.json["reading"], ended.json["goal"]) == ("C", "late,completion")
    assert ended.json["stages"] == "[0, 9]"


@pytest.mark.process
def test_a_changed_schedule_fails_the_check_with_job_unit_and_minute(rsjs, jobs, tmp_path):
    problem, path = tmp_path / "problem.json", tmp_path / "schedule.json"
    rsjs("mig", "schedule", jobs, "--method", "bigrem", "--save", problem, "-o", path)
    document = json.loads(path.read_text())
    document["jobs"][3]["minutes"] = [0]
    path.write_text(json.dumps(document))
    ended = rsjs("check", problem, path)
    assert ended.code == 1
    assert "violation  release: job 3 step 0 unit 0 minute 0: found 0, expected" in ended.out


@pytest.mark.process
def test_the_consumer_that_polls_is_an_option_of_rules(rsjs, jobs):
    ended = rsjs("mig", "schedule", jobs, "--method", "fcfs?poll=10", "--json")
    assert (ended.json["method"], ended.json["makespan"]) == ("fcfs?poll=10", 12)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--units", "1000"], "/jobs/0/memory/1: found 1500.0, expected at most 1000 MB"),
        (["--units", "2000,x"], "--units: found '2000,x', expected integers of MB"),
        (["--method", "best"], "--method: found method 'best', expected e.g. "),
        (["--method", "greedy:code"], "found method 'greedy', expected e.g. "),
        (["--method", "enumeration?x=1"], "found 'enumeration with option x'"),
        (["--method", "cpsat:best"], "found rule of cpsat 'best', expected e.g. "),
        (["--reading", "Z"], "/reading: found 'Z', expected one of A, B, C"),
        (["--objective", "speed"], "--objective: found 'speed', expected terms of"),
        (["--method", "fcfs?poll=0"], "found 'poll=0', expected poll >= 1"),
        (["--method", "cpsat?poll=2"], "found 'cpsat with option poll'"),
        (["--time-limit", "0"], "--time-limit: found 0.0"),
    ],
)
def test_bad_requests_are_told_in_one_line(rsjs, jobs, options, told):
    ended = rsjs("mig", "schedule", jobs, *options)
    assert ended.code == 2
    assert told in ended.err.replace("\n", " ")

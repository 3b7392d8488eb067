"""Campaigns of schedules on MIG instances: what is run, kept, verified, gone on with, collected."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rsjs.experiments import mig_runs
from rsjs.experiments.best_known import run_claims
from rsjs.experiments.campaigns import document, mig_records, runner, verification
from rsjs.experiments.campaigns.collection import collect
from rsjs.experiments.campaigns.local import local
from rsjs.experiments.campaigns.records import SCHEDULE
from rsjs.experiments.campaigns.runner import Part
from rsjs.experiments.campaigns.runs import Run
from rsjs.experiments.campaigns.store import Store
from rsjs.experiments.protocol import INCUMBENTS
from rsjs.formulations.mig_schedule_enumeration import best_values
from rsjs.heuristics.mig_rules import best_fit
from rsjs.instances.errors import InputError
from rsjs.instances.library.sets import library_set
from rsjs.instances.method import Limits
from rsjs.instances.mig.schedule import Schedule
from rsjs.instances.mig.schedule_check import check_schedule
from rsjs.instances.mig.schedule_files import read_problem, read_schedule, write_problem
from rsjs.instances.mig.scheduling import SchedulingProblem
from rsjs.instances.solution import SolveResult, Stop
from rsjs.reporting.families import family_of
from rsjs.reporting.statistics.schedule_sheet import schedule_sheet

MEMORY = [(0, [900, 1500]), (0, [1500]), (0.5, [300, 300]), (0.5, [1200])]
JOBS = {
    "format": "rsjs-mig-jobs/1",
    "name": "four",
    "time_unit": "minute",
    "jobs": [
        {
            "arrival": arrival,
            "class": "job",
            "priority": 1,
            "memory": memory,
            "cuda_cores": 1,
            "interruptible": True,
            "migratable": True,
            "deadline": 4,
        }
        for arrival, memory in MEMORY
    ],
}
CONFIG = {
    "format": "rsjs-mig-config/1",
    "name": "drawn",
    "count": 3,
    "seeds": [1, 2],
    "arrivals": {"process": "poisson", "rate": 20},
    "classes": [{"name": "job", "run_length": 2, "memory": {"model": "fixed", "value": 900}}],
}
GOOD = """
format = "rsjs-campaign/1"
name = "test"
shows = "a test"
timing = "shared"
[limits]
time_s = 30
gap = 0
[[mig_scheduling]]
files = ["four.json"]
objectives = ["makespan", "late,completion"]
[[mig_scheduling]]
set = "mig-section4"
seeds = [2]
[[methods]]
run = ["fcfs"]
[[methods]]
run = ["enumeration"]
on = ["*-makespan-*"]
[[methods]]
run = ["bigrem"]
on = ["*-section4-s2"]
"""


def _read(folder: Path, text: str = GOOD) -> document.Campaign:
    (folder / "four.json").write_text(json.dumps(JOBS))
    (folder / "drawn.json").write_text(json.dumps(CONFIG))
    (folder / "campaign.toml").write_text(text)
    return document.read(folder / "campaign.toml")


def _carry_out(asked: document.Campaign, store: Path, part: Part | None = None) -> int:
    prepared = runner.prepare(asked, store, part or Part())
    for _ in runner.carry_out(prepared, store, local(1), 1):
        pass
    return len(prepared.left)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the campaign above."""
    folder = tmp_path_factory.mktemp("mig")
    assert _carry_out(_read(folder), folder / "store") == 5
    return folder / "store"


def test_rows_are_those_of_all_campaigns_with_terms_of_schedules(done: Path) -> None:
    found = collect([done])
    assert (found.missing, found.corrupt) == ([], [])
    [skipped] = found.skipped
    assert skipped["message"] == "enumeration serves up to 5 jobs, not 50"
    rows = {(row["method"], row["instance"]): row for row in found.rows}
    assert {instance for _, instance in rows} == {
        "mig-A-makespan-four",
        "mig-A-late,completion-four",
        "mig-A-makespan-section4-s2",
    }
    exact = rows["enumeration", "mig-A-makespan-four"]
    assert (exact["objective"], exact["bound"], exact["gap"]) == (3, 3, 0)
    assert (exact["stop"], exact["bound_source"]) == ("optimal", "exact")
    assert (exact["nodes"], exact["jobs"], exact["executed"], exact["steps"]) == (3, 4, 4, 6)
    assert (exact["reading"], exact["goal"], exact["units"]) == ("A", "makespan", "2000,1000,1000")
    rule = rows["fcfs", "mig-A-makespan-section4-s2"]
    assert (rule["objective"], rule["bound"], rule["best_bound"]) == (112, 106, 106)
    assert rule["gap_to_best"] == pytest.approx(6 / 112)
    assert rule["quality"] == "FEASIBLE_VERIFIED"
    assert rows["bigrem", "mig-A-makespan-section4-s2"]["quality"] == "OPTIMAL_VERIFIED"
    for row in rows.values():
        assert (row["ended"], row["status"], row["false_incumbents"]) == ("FINISHED", "ok", 0)
        assert row["incumbents"] >= 1
        assert row["objective_at_limit"] == row["objective"]
        assert row["total_s"] > 0
        assert (row["tardiness"], row["energy"], row["gap_over_energy"]) == (None, None, None)
        assert family_of(row) == "mig"


def test_a_row_of_two_stages_is_optimal_only_if_both_are_proved(done: Path) -> None:
    [row] = [row for row in collect([done]).rows if row["goal"] == "late,completion"]
    assert (row["objective"], row["late"], row["completion"]) == (0, 0, 9)
    assert (row["stages"], row["bound"]) == ("[0, 9]", 0)
    low = json.loads(row["stage_bounds"])[1]
    assert row["gap"] == pytest.approx((9 - low) / 9)
    assert row["quality"] == "FEASIBLE_VERIFIED"


def test_records_keep_a_schedule_that_the_checker_reads(done: Path) -> None:
    store = Store(done)
    for record in store.survey(store.ids()).done:
        problem = read_problem(done / "instances" / f"{record.run.solved_sha256}.json.gz")
        kept = read_schedule(store.path(record.run.id) / SCHEDULE, problem)
        assert kept.method == record.run.method
        verdict = check_schedule(problem, kept.schedule, objective=kept.objective, bound=kept.bound)
        assert verdict.feasible
        assert verdict.values is not None
        assert record.verdict is not None
        assert record.verdict.objective == verdict.values[0]
        if record.run.method == "enumeration":
            assert verdict.values == best_values(problem)


def test_specifications_come_back_and_say_what_the_instance_is(done: Path) -> None:
    for record in Store(done).survey(Store(done).ids()).done:
        assert Run.of_document(record.run.as_document()) == record.run
        assert record.run.kind == "mig_scheduling"
        assert record.run.as_document()["mig"] == "scheduling"
    assert "mig" not in replace(record.run, mig=None).as_document()


def test_what_is_done_is_not_done_again_and_what_is_damaged_is(done: Path, tmp_path: Path) -> None:
    store = shutil.copytree(done, tmp_path / "store")
    asked = _read(tmp_path)
    assert _carry_out(asked, store) == 0
    record = Store(store).path(Store(store).ids()[0])
    lines = (record / "SHA256SUMS").read_text().splitlines(keepends=True)
    (record / SCHEDULE).unlink()
    (record / "SHA256SUMS").write_text("".join(line for line in lines if SCHEDULE not in line))
    [(_, reason)] = collect([store]).corrupt
    assert f"no {SCHEDULE}" in reason
    assert _carry_out(asked, store) == 1
    assert collect([store]).corrupt == []


def test_another_problem_in_the_place_of_one_is_refused(done: Path, tmp_path: Path) -> None:
    store = shutil.copytree(done, tmp_path / "store")
    runs = [record.run for record in Store(store).survey(Store(store).ids()).done]
    one, other = runs[0], next(run for run in runs if run.solved_sha256 != runs[0].solved_sha256)
    place = store / "instances" / f"{one.solved_sha256}.json.gz"
    shutil.copy(store / "instances" / f"{other.solved_sha256}.json.gz", place)
    shutil.rmtree(Store(store).path(one.id))
    with pytest.raises(InputError, match=f"the instance of sha256 {one.solved_sha256}"):
        _carry_out(_read(tmp_path), store)


def test_schedules_are_no_claims_on_instances(done: Path) -> None:
    assert run_claims.of_stores([done]) == ({}, [])


def test_the_sheet_of_schedules_tells_each_objective_apart(done: Path) -> None:
    sheet = schedule_sheet(collect([done]).rows)
    assert sheet is not None
    lines = {(line["goal"], line["method"]): line for line in sheet.lines.to_dict("records")}
    assert [*lines] == sorted(lines, key=lambda key: key[0])
    rule = lines["makespan", "fcfs"]
    assert (rule["sets"], rule["verified"], rule["value"]) == (2, 2, (112 + 3) / 2)
    assert rule["gap"] == pytest.approx(6 / 112 / 2)
    assert (rule["optimal"], lines["makespan", "bigrem"]["optimal"]) == (1, 1)
    assert schedule_sheet([{"instance": "jahani-N2", "method": "fifo"}]) is None


def test_every_combination_is_a_problem_named_for_it(tmp_path: Path) -> None:
    text = GOOD.replace('files = ["four.json"]', 'config = "drawn.json"\nreadings = ["A", "C"]')
    text = text.replace('objectives = ["makespan",', 'units = [1000]\nobjectives = ["makespan",')
    asked = _read(tmp_path, text)
    names = [source.make().name for source in asked.sources]
    assert names == [
        f"mig-{reading}-{goal}-1000-drawn-s{seed}"
        for reading in "AC"
        for goal in ("makespan", "late,completion")
        for seed in (1, 2)
    ] + ["mig-A-makespan-section4-s2"]
    assert len({source.key for source in asked.sources}) == len(names)


def test_a_whole_set_of_the_library_is_taken_with_its_digests(tmp_path: Path) -> None:
    text = GOOD.replace("seeds = [2]\n", "")
    drawn = [source for source in _read(tmp_path, text).sources if '"set"' in source.key]
    assert len(drawn) == len(library_set("mig-section4").members) == 100


def test_a_problem_in_a_file_is_taken_as_it_is(tmp_path: Path) -> None:
    source = _read(tmp_path).sources[1]
    write_problem(replace(source.make(), name="mine"), tmp_path / "mine.json.gz")
    given = 'files = ["four.json"]\nobjectives = ["makespan", "late,completion"]'
    asked = GOOD.replace(given, 'files = ["mine.json.gz"]')
    found = _read(tmp_path, asked).sources[0].make()
    assert found.digest == read_problem(tmp_path / "mine.json.gz").digest
    assert (found.name, str(found.objective)) == ("mine", "late,completion")


BAD = [  # what is found is put in place of what is expected; what is told
    ("[[mig_scheduling]]\nset", "[[mig_scheduling]]\n", "neither set nor config nor files"),
    ('set = "mig-section4"', 'set = "tiny"', "/mig_scheduling/1/set: found 'tiny'"),
    ('set = "mig-section4"', 'set = "mig-section5"', "expected e.g. mig-section4"),
    ('set = "mig-section4"', 'config = "no.json"', "/mig_scheduling/1/config: found 'no.json'"),
    ("seeds = [2]", "seeds = [4]", "/mig_scheduling/1/seeds/0: found 4, expected one of 2, 3, 5"),
    ('"four.json"', '"five.json"', "/mig_scheduling/0/files/0: found 'five.json'"),
    ('files = ["four.json"]', 'files = ["four.json"]\nseeds = [1]', "/mig_scheduling/0/seeds"),
    ('"late,completion"', '"late,speed"', "/mig_scheduling/0/objectives/1: found 'late,speed'"),
    ("seeds = [2]", 'seeds = [2]\nreadings = ["D"]', "/mig_scheduling/1/readings/0"),
    ("seeds = [2]", "seeds = [2]\nunits = [0]", "/mig_scheduling/1/units/0"),
    ("seeds = [2]", "seeds = [2]\nunits = [1000]", "/mig_scheduling/1: found mig-section4-s2 with"),
    ("seeds = [2]", "seeds = [2]\nreeding = 1", "found 'reeding', expected e.g. reading"),
    ("fcfs", "fcsf", "/methods/0/run/0: found 'method fcsf', expected e.g. fcfs"),
    ("fcfs", "greedy:code", "/methods/0/run/0: found 'method greedy'"),
    ("[[methods]]", "[[policies]]", "no key 'workloads'"),
    ('name = "test"', 'name = "test"\npermute = true', "/permute"),
    ("[limits]", "[[instances]]\nset = 'tiny'\n[limits]", "/instances: found this key"),
    ("[limits]", "[simulation]\n[limits]", "no key 'workloads'"),
]


@pytest.mark.parametrize(("found", "put", "told"), BAD, ids=[told for *_, told in BAD])
def test_a_bad_campaign_is_told_in_one_line(
    tmp_path: Path, found: str, put: str, told: str
) -> None:
    assert found in GOOD
    if told.startswith("neither"):
        put, found = "[[mig_scheduling]]\n", '[[mig_scheduling]]\nset = "mig-section4"\n'
    with pytest.raises(InputError) as error:
        _read(tmp_path, GOOD.replace(found, put))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture
def problem(tmp_path: Path) -> SchedulingProblem:
    """The tiny problem with two stages, in a file."""
    made = _read(tmp_path).sources[1].make()
    write_problem(made, tmp_path / "problem.json.gz")
    return made


@pytest.fixture
def verdict_on(problem: SchedulingProblem, tmp_path: Path) -> Callable[..., Any]:
    """The record's verdict on what a worker left: a schedule, and what it claims."""
    asked = Run.of_document(_spec(problem))
    path = str(tmp_path / "problem.json.gz")

    def verified(schedule: Schedule | None, claims: Any, result: SolveResult) -> Any:
        if schedule is not None:
            mig_runs.write_schedule(schedule, tmp_path)
        if claims is not None:
            (tmp_path / mig_runs.STAGES).write_text(json.dumps(claims))
        return verification.verified(asked, path, result, tmp_path)

    return verified


CLAIMED = SolveResult(stop=Stop.ITERATIONS, objective=0.0, bound=0.0)
TRUE = {"objective": [0, 9], "bound": [0, 7]}


def _moved(schedule: Schedule, step: int, minute: int = 0, unit: int = 0) -> Schedule:
    change = np.arange(len(schedule.minute)) == step
    return Schedule(
        minute=schedule.minute + minute * change, unit=(schedule.unit + unit * change) % 3
    )


@pytest.mark.parametrize(
    ("change", "claims", "result", "constraint"),
    [  # what a worker leaves that is not what it is said to be
        (lambda s: _moved(s, 1, minute=-1), TRUE, CLAIMED, "order"),
        (lambda s: _moved(s, 2, unit=1), TRUE, CLAIMED, "memory"),
        (lambda s: _moved(s, 5, minute=-9), TRUE, CLAIMED, "release"),
        (lambda s: Schedule(minute=s.minute[:-1], unit=s.unit[:-1]), TRUE, CLAIMED, "length"),
        (lambda s: s, {**TRUE, "objective": [0, 8]}, CLAIMED, "claimed_objective"),
        (lambda s: s, {**TRUE, "objective": [0]}, CLAIMED, "claimed_stages"),
        (lambda s: s, {**TRUE, "bound": [0, 10]}, CLAIMED, "claimed_bound"),
        (lambda s: s, TRUE, replace(CLAIMED, objective=-1.0), "claimed_objective"),
        (lambda s: s, TRUE, replace(CLAIMED, bound=1.0), "claimed_bound"),
    ],
)
def test_sabotaged_schedules_and_false_claims_are_found(
    problem: SchedulingProblem,
    verdict_on: Callable[..., Any],
    change: Callable[[Schedule], Schedule],
    claims: Any,
    result: SolveResult,
    constraint: str,
) -> None:
    _, verdict, _ = verdict_on(best_fit(problem), TRUE, CLAIMED)
    assert (verdict.feasible, verdict.objective) == (True, 0)
    _, verdict, _ = verdict_on(change(best_fit(problem)), claims, result)
    assert not verdict.feasible
    assert constraint in {violation.constraint for violation in verdict.violations}


@pytest.mark.parametrize("text", ["{", '{"objective": "cheap"}', '{"bound": ["low", 1]}'])
def test_claims_that_make_no_sense_are_errors_without_a_verdict(
    problem: SchedulingProblem, verdict_on: Callable[..., Any], tmp_path: Path, text: str
) -> None:
    (tmp_path / mig_runs.STAGES).write_text(text)
    result, verdict, _ = verdict_on(best_fit(problem), None, replace(CLAIMED, bound=None))
    assert (result.stop, verdict) == (Stop.ERROR, None)
    assert "the schedule cannot be" in result.message


def test_what_a_worker_had_found_before_it_was_ended_counts(
    problem: SchedulingProblem, verdict_on: Callable[..., Any], tmp_path: Path
) -> None:
    ended = SolveResult(stop=Stop.TIME_LIMIT)
    result, verdict, figures = verdict_on(best_fit(problem), None, ended)
    assert (result.stop, verdict.feasible, verdict.objective) == (Stop.TIME_LIMIT, True, 0)
    assert figures["stage_values"] == (0, 9)
    kept = read_schedule(tmp_path / SCHEDULE, problem)
    assert (kept.objective, kept.bound) == ((0, 9), None)


def test_what_a_method_had_found_before_it_failed_does_not_count(
    problem: SchedulingProblem, verdict_on: Callable[..., Any], tmp_path: Path
) -> None:
    failed = SolveResult(stop=Stop.ERROR, message="it failed")
    (tmp_path / "result.json").write_text("{}")
    result, verdict, figures = verdict_on(best_fit(problem), None, failed)
    assert (result.message, verdict, figures["stage_values"]) == ("it failed", None, None)
    assert not (tmp_path / SCHEDULE).exists()


def test_incumbents_are_priced_again(problem: SchedulingProblem, tmp_path: Path) -> None:
    good = best_fit(problem)
    lines = []
    for seconds, schedule in enumerate((good, good, _moved(good, 1, minute=-1))):
        mig_runs.append_schedule(schedule, tmp_path / INCUMBENTS)
        lines.append({"event": "incumbent", "seconds": seconds, "value": 0.0 if seconds else -1.0})
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    path = str(tmp_path / "problem.json.gz")
    run = Run.of_document(_spec(problem))
    priced, count = verification.incumbents(run, path, tmp_path)
    assert [one["objective"] for one in priced] == [0, 0, None]
    assert ([one["claimed"] for one in priced], count) == ([-1.0, 0.0, 0.0], 3)
    assert mig_records.price(path, good) == 0


def _spec(problem: SchedulingProblem) -> dict[str, Any]:
    return {
        "instance": problem.name,
        "instance_sha256": problem.digest,
        "solved_sha256": problem.digest,
        "permutation": 0,
        "nodes": 3,
        "jobs": 4,
        "method": "fcfs",
        "solver": None,
        "environment": "",
        "limits": vars(Limits()),
        "output_limit_mb": 1.0,
        "timing": "shared",
        "repetition": 1,
        "mig": "scheduling",
    }

"""Schedules on MIG instances that a worker left: what counts, and what is found out."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rsjs.campaigns import pool_worker
from rsjs.campaigns.run import Run
from rsjs.core.call import Limits
from rsjs.core.report import SolveResult, Stop
from rsjs.heuristics.mig.scheduling_rules import best_fit
from rsjs.instances.mig.scheduling.problem import write_problem
from rsjs.instances.mig.scheduling.schedule import Schedule, read_schedule
from rsjs.runs.kinds import mig_schedule
from rsjs.runs.kinds.base import FIGURES
from tests.campaigns.mig_campaign import read


@pytest.fixture
def problem(tmp_path):
    """The tiny problem with two stages, in a file."""
    made = read(tmp_path).sources[1].make()
    write_problem(made, tmp_path / "problem.json.gz")
    return made


@pytest.fixture
def verdict_on(problem, tmp_path):
    """The record's verdict on what a worker left: a schedule, and what it claims."""
    asked = Run.of_document(_spec(problem))
    path = str(tmp_path / "problem.json.gz")

    def verified(schedule, claims, result):
        if schedule is not None:
            mig_schedule.write_schedule(schedule, tmp_path)
        if claims is not None:
            (tmp_path / FIGURES).write_text(json.dumps(claims))
        found = pool_worker.verified(asked, path, result, tmp_path)
        return found.result, found.verdict, found.figures

    return verified


CLAIMED = SolveResult(stop=Stop.ITERATIONS, objective=0.0, bound=0.0)
TRUE = {"objective": [0, 9], "bound": [0, 7]}


def _moved(schedule, step, minute=0, unit=0):
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
    problem, verdict_on, change, claims, result, constraint
):
    _, verdict, _ = verdict_on(best_fit(problem), TRUE, CLAIMED)
    assert (verdict.feasible, verdict.objective) == (True, 0)
    _, verdict, _ = verdict_on(change(best_fit(problem)), claims, result)
    assert not verdict.feasible
    assert constraint in {violation.constraint for violation in verdict.violations}


@pytest.mark.parametrize("text", ["{", '{"objective": "cheap"}', '{"bound": ["low", 1]}'])
def test_claims_without_sense_are_errors_without_a_verdict(problem, verdict_on, tmp_path, text):
    (tmp_path / FIGURES).write_text(text)
    result, verdict, _ = verdict_on(best_fit(problem), None, replace(CLAIMED, bound=None))
    assert (result.stop, verdict) == (Stop.ERROR, None)
    assert "the schedule cannot be" in result.message


def test_what_a_worker_had_found_before_it_was_ended_counts(problem, verdict_on, tmp_path):
    ended = SolveResult(stop=Stop.TIME_LIMIT)
    result, verdict, figures = verdict_on(best_fit(problem), None, ended)
    assert (result.stop, verdict.feasible, verdict.objective) == (Stop.TIME_LIMIT, True, 0)
    assert figures["stage_values"] == (0, 9)
    kept = read_schedule(tmp_path / mig_schedule.KIND.solution_file, problem)
    assert (kept.objective, kept.bound) == ((0, 9), None)


def test_what_a_method_had_found_before_it_failed_does_not_count(problem, verdict_on, tmp_path):
    failed = SolveResult(stop=Stop.ERROR, message="it failed")
    (tmp_path / "result.json").write_text("{}")
    result, verdict, figures = verdict_on(best_fit(problem), None, failed)
    assert (result.message, verdict, figures["stage_values"]) == ("it failed", None, None)
    assert not (tmp_path / mig_schedule.KIND.solution_file).exists()


def test_incumbents_are_priced_again(problem, tmp_path):
    good = best_fit(problem)
    lines = []
    for seconds, schedule in enumerate((good, good, _moved(good, 1, minute=-1))):
        mig_schedule.KIND.write_incumbent(schedule, 1.0, tmp_path, every=True)
        lines.append({"event": "incumbent", "seconds": seconds, "value": 0.0 if seconds else -1.0})
    (tmp_path / "events.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    path = str(tmp_path / "problem.json.gz")
    run = Run.of_document(_spec(problem))
    priced, count = pool_worker.incumbents(run, path, tmp_path)
    assert [one["objective"] for one in priced] == [0, 0, None]
    assert ([one["claimed"] for one in priced], count) == ([-1.0, 0.0, 0.0], 3)
    assert mig_schedule.KIND.price(problem, good) == 0


def _spec(problem):
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

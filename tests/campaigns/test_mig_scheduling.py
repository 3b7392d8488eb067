"""Campaigns of schedules on MIG instances: what is run, kept, gone on with and collected."""

import json
import shutil
from dataclasses import replace

import pytest

from rsjs.bks import candidates
from rsjs.campaigns.collection import collect
from rsjs.campaigns.run import Run
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError
from rsjs.formulations.mig.scheduling_enumeration import best_values
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.problem import read_problem
from rsjs.instances.mig.scheduling.schedule import read_schedule
from rsjs.reporting.statistics.tables import schedule_table
from rsjs.rows.select import family_of
from rsjs.runs.kinds.mig_schedule import KIND
from tests.by_hand import undeclared
from tests.campaigns.mig_campaign import read

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def done(tmp_path_factory, carry_out):
    """The store of the campaign above."""
    folder = tmp_path_factory.mktemp("mig")
    assert len(carry_out(read(folder), folder / "store", slots=1).left) == 5
    return folder / "store"


def test_rows_are_those_of_all_campaigns_with_terms_of_schedules(done):
    found = collect([done])
    assert (found.missing, found.corrupt) == ([], [])
    assert undeclared([*found.rows, *found.skipped]) == set()
    [skipped] = found.skipped
    assert skipped["message"] == "enumeration serves up to 5 jobs, not 50"
    rows = {(row["method"], row["instance"]): row for row in found.rows}
    four = {"mig-A-makespan-four", "mig-A-late,completion-four"}
    assert {instance for _, instance in rows} == four | {"mig-A-makespan-section4-s2"}
    exact = rows["enumeration", "mig-A-makespan-four"]
    assert (exact["objective"], exact["bound"], exact["own_gap"]) == (3, 3, 0)
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


def test_a_row_of_two_stages_is_optimal_only_if_both_are_proved(done):
    [row] = [row for row in collect([done]).rows if row["goal"] == "late,completion"]
    assert (row["objective"], row["late"], row["completion"]) == (0, 0, 9)
    assert (row["stages"], row["bound"]) == ("[0, 9]", 0)
    assert row["own_gap"] == pytest.approx((9 - json.loads(row["stage_bounds"])[1]) / 9)
    assert row["quality"] == "FEASIBLE_VERIFIED"


def test_records_keep_a_schedule_that_the_checker_reads(done):
    store = Store(done)
    for record in store.survey(store.ids()).done:
        problem = read_problem(done / "instances" / f"{record.run.solved_sha256}.json.gz")
        kept = read_schedule(store.path(record.run.id) / KIND.solution_file, problem)
        assert kept.method == record.run.method
        verdict = check_schedule(problem, kept.schedule, objective=kept.objective, bound=kept.bound)
        assert verdict.feasible
        assert verdict.values is not None
        assert record.verdict is not None
        assert record.verdict.objective == verdict.values[0]
        if record.run.method == "enumeration":
            assert verdict.values == best_values(problem)


def test_specifications_come_back_and_say_what_the_instance_is(done):
    for record in Store(done).survey(Store(done).ids()).done:
        assert Run.of_document(record.run.as_document()) == record.run
        assert record.run.kind == "mig_scheduling"
        assert record.run.as_document()["mig"] == "scheduling"
    assert "mig" not in replace(record.run, kind="instance").as_document()


def test_what_is_done_is_not_done_again_and_what_is_damaged_is(done, tmp_path, carry_out):
    store = shutil.copytree(done, tmp_path / "store")
    asked = read(tmp_path)
    assert carry_out(asked, store, slots=1).left == []
    record = Store(store).path(Store(store).ids()[0])
    lines = (record / "SHA256SUMS").read_text().splitlines(keepends=True)
    (record / KIND.solution_file).unlink()
    (record / "SHA256SUMS").write_text(
        "".join(line for line in lines if KIND.solution_file not in line)
    )
    [(_, reason)] = collect([store]).corrupt
    assert f"no {KIND.solution_file}" in reason
    assert len(carry_out(asked, store, slots=1).left) == 1
    assert collect([store]).corrupt == []


def test_another_problem_in_the_place_of_one_is_refused(done, tmp_path, carry_out):
    store = shutil.copytree(done, tmp_path / "store")
    runs = [record.run for record in Store(store).survey(Store(store).ids()).done]
    one, other = runs[0], next(run for run in runs if run.solved_sha256 != runs[0].solved_sha256)
    place = store / "instances" / f"{one.solved_sha256}.json.gz"
    shutil.copy(store / "instances" / f"{other.solved_sha256}.json.gz", place)
    shutil.rmtree(Store(store).path(one.id))
    with pytest.raises(InputError, match=f"the instance of sha256 {one.solved_sha256}"):
        carry_out(read(tmp_path), store, slots=1)


def test_schedules_are_no_claims_on_instances(done):
    assert candidates.of_stores([done]) == ({}, [])


def test_the_table_of_schedules_tells_each_objective_apart(done):
    table = schedule_table(collect([done]).rows)
    assert table is not None
    lines = {(line["goal"], line["method"]): line for line in table.rows}
    assert [*lines] == sorted(lines, key=lambda key: key[0])
    rule = lines["makespan", "fcfs"]
    assert (rule["sets"], rule["verified"], rule["value"]) == (2, 2, (112 + 3) / 2)
    assert rule["gap_to_best"] == pytest.approx(6 / 112 / 2)
    assert (rule["optimal"], lines["makespan", "bigrem"]["optimal"]) == (1, 1)
    assert schedule_table([{"instance": "jahani-N2", "method": "fifo"}]) is None

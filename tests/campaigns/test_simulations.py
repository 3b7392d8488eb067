"""Campaigns of simulations: what is run, kept, verified, gone on with and collected."""

import gzip
import json

import pytest

from rsjs.bks import candidates
from rsjs.campaigns import runner, spec
from rsjs.campaigns.collection import collect
from rsjs.campaigns.run import Run
from rsjs.campaigns.runner import Part
from rsjs.campaigns.store import Store
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.generators import sts
from rsjs.instances.io.files import write_workload
from rsjs.instances.library.sets import library_set
from rsjs.instances.transform import redrawn
from rsjs.runs.kinds import simulation
from rsjs.runs.kinds.base import FIGURES, kind
from rsjs.runs.kinds.simulation import KIND
from rsjs.simulation import event_log
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy
from tests.by_hand import undeclared

GOOD = """
format = "rsjs-campaign/1"
name = "test"
shows = "a test"
timing = "shared"
[limits]
time_s = 3600
[simulation]
energy = "node"
boot = 0.05
[[workloads]]
generator = "sts"
sizes = ["2x8"]
arrivals = ["exp", "high"]
[[policies]]
run = ["queue:edf", "references"]
[[policies]]
run = ["randomized_queue?iterations=2"]
on = ["*-exp*"]
seeds = [1, 2]
"""
OPTIONS = {"energy": "node", "boot": 0.05}


def _read(folder, text=GOOD):
    (folder / "campaign.toml").write_text(text)
    return spec.read(folder / "campaign.toml")


@pytest.fixture(scope="module")
def done(tmp_path_factory, carry_out):
    """The store of the campaign above, made in two shards."""
    folder = tmp_path_factory.mktemp("simulations")
    asked = _read(folder)
    shards = [carry_out(asked, folder / "store", Part(shard=(i, 2)), 1) for i in (1, 2)]
    assert sum(len(shard.left) for shard in shards) == 6
    return folder / "store"


TRACK = """
format = "rsjs-campaign/1"
name = "track"
shows = "a test"
timing = "shared"
workloads = [{ set = "SET" }]
policies = [{ run = ["queue:edf", "queue:pedf"] }, { run = ["references"] }]
"""


def test_workloads_may_be_a_set_of_the_library(tmp_path):
    asked = _read(tmp_path, TRACK.replace("SET", "online"))
    assert [source.make().digest for source in asked.sources[5:8:2]] == [
        member.sha256 for member in library_set("online").members[5:8:2]
    ]
    challenge = library_set("challenge").members
    assert [
        source.make().digest
        for source in _read(tmp_path, TRACK.replace("SET", "challenge")).sources
    ] == [member.sha256 for member in challenge if member.kind == "workloads"]
    with pytest.raises(
        InputError, match=r"/workloads/0/set: found 'tiny', .*not of instances: see"
    ):
        _read(tmp_path, TRACK.replace("SET", "tiny"))


def test_a_workload_without_the_epochs_that_its_jobs_run_is_refused_in_one_line(tmp_path):
    write_workload(sts.workload(nodes=2, jobs=3, seed=1), tmp_path / "w.json")
    document = json.loads((tmp_path / "w.json").read_text())
    del document["realised"]
    (tmp_path / "w.json").write_text(json.dumps(document))
    asked = _read(tmp_path, TRACK.replace('set = "SET"', 'files = ["w.json"]'))
    with pytest.raises(InputError, match=r"w.json: .*realised") as refused:
        asked.sources[0].make()
    assert "\n" not in str(refused.value)


def test_a_campaign_draws_the_epochs_of_each_workload_again(tmp_path):
    asked = _read(tmp_path, GOOD.replace("sizes", "redraw = 2\nsizes"))
    drawn = [source.make() for source in asked.sources]
    assert [one.name[-3:] for one in drawn] == ["-w1", "-w2"] * 2
    assert drawn[1].digest == redrawn(_workload("exp"), 2).digest
    assert len({source.key for source in asked.sources}) == 4


def test_other_methods_take_the_place_of_those_that_decide_and_bounds_stay(tmp_path):
    asked = _read(tmp_path, TRACK.replace("SET", "online"))
    other = spec.with_methods(asked, [kind("workload").request("roll")])
    assert [one.request.spelling for one in other.choices] == ["roll", "references"]


@pytest.mark.process
def test_every_policy_runs_on_every_workload_with_its_seeds(done):
    found = collect([done])
    assert (found.missing, found.corrupt, found.skipped) == ([], [], [])
    assert undeclared(found.rows) == set()
    assert sorted((row["method"], row["seed"]) for row in found.rows) == [
        ("queue:edf", 0),
        ("queue:edf", 0),
        ("randomized_queue?iterations=2", 1),
        ("randomized_queue?iterations=2", 2),
        ("references", 0),
        ("references", 0),
    ]


@pytest.mark.process
def test_rows_say_what_the_simulator_says(done):
    for law in ("exp", "high"):
        workload = sts.workload(nodes=2, jobs=8, seed=1, law=law)
        rows = [row for row in collect([done]).rows if row["instance_sha256"] == workload.digest]
        for row in rows:
            if row["method"].startswith("references"):
                continue
            options = Options(**OPTIONS, seed=row["seed"])
            totals = simulate(workload, policy(row["method"], workload), options).totals
            assert (row["ended"], row["status"]) == ("FINISHED", "ok")
            assert row["quality"] == "FEASIBLE_VERIFIED"
            for column, value in (
                ("objective", totals.cost),
                ("energy", totals.energy),
                ("tardiness", totals.tardiness),
                ("late", totals.late),
                ("makespan_h", totals.makespan),
                ("utilisation", totals.utilisation),
                ("decisions", totals.decisions),
                ("executed", 8),
                ("bound", capacity_free_bound(workload, options)),
            ):
                assert row[column] == pytest.approx(value, rel=1e-12)
            assert json.loads(row["gpu_hours"]) == pytest.approx(totals.gpu_hours)
            assert 0 < row["decision_median_s"] <= row["decision_most_s"] <= row["policy_s"]
            assert json.loads(row["simulation"])["boot"] == 0.05


@pytest.mark.process
def test_bounds_of_the_references_hold_for_all_runs_of_a_workload(done):
    rows = collect([done]).rows
    for own in (row for row in rows if row["method"].startswith("references")):
        assert own["objective"] is None
        assert own["bound"] == max(own["workload_bound"], own["capacity_free_bound"]) > 0
        assert own["clairvoyant_greedy"] >= own["bound"]
        assert own["infinite_cluster"] >= own["capacity_free_bound"]
        for row in rows:
            if row["instance_sha256"] == own["instance_sha256"]:
                assert row["best_bound"] == own["bound"]


@pytest.mark.process
def test_records_keep_the_log(done):
    store, logs = Store(done), 0
    workloads = {w.digest: w for law in ("exp", "high") for w in [_workload(law)]}
    for run_id in store.ids():
        path = store.path(run_id) / KIND.solution_file
        if path.exists():
            log = event_log.read(path)
            assert log.run["sha256"] in workloads
            assert log.run["options"]["energy"] == "node"
            assert KIND.solution_file in (store.path(run_id) / "SHA256SUMS").read_text()
            logs += 1
    assert logs == 4


def _workload(law):
    return sts.workload(nodes=2, jobs=8, seed=1, law=law)


@pytest.mark.process
def test_what_is_done_is_not_done_again_and_what_is_damaged_is(done, tmp_path, carry_out):
    asked = _read(tmp_path)
    assert carry_out(asked, done, slots=1).left == []
    (Store(done).path(Store(done).ids()[0]) / "result.json").write_text("{}")
    assert len(carry_out(asked, done, slots=1).left) == 1
    assert collect([done]).corrupt == []


@pytest.mark.process
def test_specifications_come_back_and_options_tell_runs_apart(done, tmp_path):
    for record in Store(done).survey(Store(done).ids()).done:
        assert Run.of_document(record.run.as_document()) == record.run
        assert record.run.as_document()["simulation"]["energy"] == "node"
    other = runner.prepare(_read(tmp_path, GOOD.replace("node", "gpu")), None, Part())
    assert {run.id for run in other.selected}.isdisjoint(Store(done).ids())


@pytest.mark.process
def test_simulations_are_no_claims_on_instances(done):
    assert candidates.of_stores([done]) == ({}, [])


def test_workloads_come_from_files_too(tmp_path):
    write_workload(_workload("exp"), tmp_path / "one.json.gz")
    drawn = GOOD[GOOD.index('generator = "sts"') : GOOD.index("[[policies]]")]
    text = GOOD.replace(drawn, 'files = ["*.json.gz"]\n')
    prepared = runner.prepare(_read(tmp_path, text), None, Part())
    assert {run.instance_sha256 for run in prepared.selected} == {_workload("exp").digest}


def test_a_policy_that_does_not_serve_a_workload_is_skipped_with_the_reason(tmp_path):
    text = GOOD.replace('"queue:edf", ', '"queue:edf", "jahani_dual", ')
    prepared = runner.prepare(_read(tmp_path, text), None, Part())
    assert {run.method.partition("@")[0] for run in prepared.skipped} == {"jahani_dual"}
    assert "serves energy proportional" in next(iter(prepared.skipped.values()))


@pytest.fixture
def asked():
    """A simulation that a worker was asked for."""
    workload = _workload("exp")
    return Run(
        instance=workload.name,
        instance_sha256=workload.digest,
        solved_sha256=workload.digest,
        permutation=0,
        nodes=2,
        jobs=8,
        method="queue:edf",
        solver=None,
        environment="",
        limits=Limits(),
        output_limit_mb=1.0,
        timing="shared",
        repetition=1,
        kind="workload",
        kind_options=Options().as_dict() | {"decision_limit": 60.0},
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [  # what a worker leaves that is not what it was asked for
        (("queue:edf", "queue:pedf"), "/policy"),
        (('"seed":0', '"seed":1'), "/options"),
        (('"energy":"curve"', '"energy":"node"'), "/options"),
        (('"run":{"j1":[', '"run":{"j1":[9'), "range: /job_node/0"),
        (('"decided":true', '"decided":7, "run": 7'), "log: "),
        (('"jobs":8,', '"jobs":9,'), "/totals"),
        (("", ""), "claimed_objective"),
    ],
)
def test_logs_that_do_not_hold_are_refused(asked, tmp_path, change, told):
    workload, path = _workload("exp"), tmp_path / "workload.json.gz"
    write_workload(workload, path)
    outcome = simulate(workload, policy("queue:edf", workload))
    text, cost = event_log.text(outcome), outcome.totals.cost
    assert change[0] in text
    (tmp_path / FIGURES).write_text("{}")
    (tmp_path / KIND.solution_file).write_bytes(gzip.compress(text.replace(*change).encode()))
    claimed = SolveResult(stop=Stop.ITERATIONS, objective=cost * (0.9 if change[0] == "" else 1))
    verdict = KIND.verify(workload, asked.method, asked.options, claimed, tmp_path).verdict
    assert verdict is not None
    assert not verdict.feasible
    assert told in str(verdict.violations[0])
    (tmp_path / KIND.solution_file).write_bytes(gzip.compress(text.encode()))
    good = SolveResult(stop=Stop.ITERATIONS, objective=cost)
    found = KIND.verify(workload, asked.method, asked.options, good, tmp_path)
    verdict, figures = found.verdict, found.figures
    assert verdict is not None
    assert (verdict.feasible, verdict.objective) == (True, cost)
    assert figures["totals"]["completed"] == 8


BAD = [  # what is changed, to what, what is told
    ("[[workloads]]", "[[workload]]", "/workload: found 'workload', expected e.g. workloads"),
    (GOOD[GOOD.index("[[policies]]") :], "", "no key 'policies'"),
    (GOOD[GOOD.index("[[workloads]]") : GOOD.index("[[policies]]")], "", "no key 'workloads'"),
    ("[[policies]]", "[[polices]]", "/polices: found 'polices', expected e.g. policies"),
    ("[simulation]", "[[instances]]\nset = 'tiny'\n[simulation]", "/instances"),
    ("[simulation]", "[[methods]]\nrun = ['fifo']\n[simulation]", "/methods"),
    ('name = "test"', 'name = "test"\npermute = true', "/permute"),
    ('energy = "node"', 'energy = "nodes"', "/simulation/energy: found 'nodes'"),
    ("boot = 0.05", "bot = 0.05", "/simulation/bot: found 'bot', expected e.g. boot"),
    ("boot = 0.05", "deviation = 0.7", "/simulation/deviation: found 0.7"),
    ('"sts"', '"stss"', "/workloads/0/generator: found 'stss', expected e.g. sts"),
    ('"exp", "high"', '"exp", "hihg"', "/workloads/0/arrivals/1: found 'hihg'"),
    ("arrivals", "options = { law = 'exp' }\narrivals", "/workloads/0/options/law"),
    ("arrivals", "options = { mixx = 'km' }\narrivals", "expected e.g. mix"),
    ("arrivals", "options = { mix = 'kn' }\narrivals", "/workloads/0/options/mix: found 'kn'"),
    ('sizes = ["2x8"]', "", "no key 'sizes'"),
    ('generator = "sts"', 'files = ["*.json"]', "beside a generator only"),
    ('generator = "sts"', "", "neither set nor generator nor files"),
    ("queue:edf", "queue:edff", "/policies/0/run/0"),
    ("references", "reference", "/policies/0/run/1: found method 'reference'"),
    ("seeds = [1, 2]", "seeds = [-1]", "/policies/1/seeds/0"),
]


@pytest.mark.parametrize(("found", "put", "told"), BAD, ids=[told for *_, told in BAD])
def test_a_bad_campaign_is_told_in_one_line(tmp_path, found, put, told):
    assert found in GOOD
    with pytest.raises(InputError) as error:
        _read(tmp_path, GOOD.replace(found, put))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.process
def test_a_policy_that_fails_is_an_error_with_its_reason(tmp_path, carry_out):
    text = GOOD.replace("boot = 0.05", 'events = "authors"').replace("queue:edf", "fifo:code")
    asked = _read(tmp_path, text.replace('sizes = ["2x8"]', 'sizes = ["1x8"]'))
    assert len(carry_out(asked, tmp_path / "store", Part(only="fifo:code*exp"), 1).left) == 1
    (row,) = collect([tmp_path / "store"]).rows
    assert (row["ended"], row["quality"]) == ("SOLVER_ERROR", "NO_SOLUTION")
    assert (row["objective"], row["late"]) == (None, None)
    assert row["message"].startswith("fifo:code at ")


def test_what_is_left_in_the_place_of_a_log_is_kept_only_if_it_is_one(tmp_path):
    (tmp_path / "x.jsonl.gz").write_text("x")
    assert not KIND.keeps(tmp_path / "x.jsonl.gz")
    assert not kind("instance").keeps(tmp_path / "x.jsonl.gz")


@pytest.mark.parametrize(
    "left",
    ['{"references": {"clairvoyant_greedy": 1.0}}', "[1]", '{"seconds_per_decision": 1}', "{"],
)
def test_a_policy_says_nothing_of_references(left, tmp_path):
    (tmp_path / "figures.json").write_text(left)
    assert simulation._told(tmp_path, "fifo:paper") == {}
    if "references" in left:
        assert simulation._told(tmp_path, "references?baselines=no") == json.loads(left)

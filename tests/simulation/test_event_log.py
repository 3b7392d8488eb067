"""The log: same run, same bytes; simulated again it comes to the same totals."""

import gzip
import json

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.event_log import replay
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Kind
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Status

OPTIONS = Options(boot=0.1, checkpoint="epoch", period=2.0, deviation=0.1, energy="node", seed=7)


@pytest.fixture(scope="module")
def workload():
    return sts.workload(nodes=3, jobs=10, seed=1, law="high", sharing="paper")


@pytest.fixture(scope="module")
def outcome(workload):
    return simulate(workload, policy("sts:fallback", workload), OPTIONS)


def test_a_log_says_what_was_run_what_happened_and_how_it_ended(tmp_path, make, scripted):
    workload = make(types={"A2": [1.0, 2.0]}, release=[0, 0.5], due=[1, 2])
    found = simulate(workload, scripted({"j0": (0, 1)}, {"j1": (0, 1)}, {"j0": (0, 1)}))
    first, *events, last = map(json.loads, event_log.text(found).splitlines())
    run = {"policy": "scripted", "options": Options().as_dict()}
    of = {"workload": "by hand", "sha256": workload.digest}
    assert first == {"format": "rsjs-simulation-log/1", **of, **run}
    others = {"in_use", "kinds", "tardiness", "waiting"}
    run = [0, 1, -1]
    assert [{k: v for k, v in e.items() if k not in others} for e in events] == [
        {"time": 0, "arrived": ["j0"], "run": {"j0": run}, "nodes": {"0": "A2"}, "energy": 0}
        | {"decided": True},
        {"time": 0.5, "arrived": ["j1"], "run": {"j1": run}, "wait": ["j0"], "energy": 0.5}
        | {"decided": True},
        {"time": 1.5, "completed": ["j1"], "run": {"j0": run}, "energy": 1.5, "decided": True},
        {"time": 2, "completed": ["j0"], "energy": 2, "decided": False},
    ]
    assert [event["waiting"] for event in events] == [0, 1, 0, 0]
    assert [event["tardiness"] for event in events] == [0, 0, 0, 1]
    assert (last["status"], last["totals"]["cost"]) == ("complete", 3)
    assert (last["totals"]["longest_queue"], last["totals"]["preemptions"]) == (1, 1)
    event_log.write(found, tmp_path / "log.jsonl")
    assert replay(workload, event_log.read(tmp_path / "log.jsonl")).totals == found.totals


def test_same_seed_same_bytes(tmp_path, workload, outcome):
    again = simulate(workload, policy("sts:fallback", workload), OPTIONS)
    event_log.write(outcome, tmp_path / "first.jsonl.gz")
    event_log.write(again, tmp_path / "second.jsonl.gz")
    data = (tmp_path / "first.jsonl.gz").read_bytes()
    assert data == (tmp_path / "second.jsonl.gz").read_bytes()
    assert gzip.decompress(data).decode() == event_log.text(outcome)


def test_a_log_without_a_decision_where_jobs_wait_is_simulated_again(make):
    hours, release = [{"A": [3.0]}] * 4, [0, 0, 1, 10]
    workload = make(
        types={"A1": [2.0]}, nodes=[["A1"]] * 2, hours=hours, release=release, due=[99] * 4
    )
    # both running jobs end at 3, and the authors' program then waits for the arrival at 10
    found = simulate(workload, policy("edf:code", workload), Options(events="authors"))
    assert found.status == Status.COMPLETE
    assert any(not one.decided and one.waiting for one in found.records)
    assert replay(workload, event_log.of(found)).totals == found.totals


def test_a_log_simulated_again_has_the_same_events_and_totals(tmp_path, workload, outcome):
    assert {kind for record in outcome.records for kind in record.kinds} == {*Kind}
    event_log.write(outcome, tmp_path / "log.jsonl")
    found = replay(workload, event_log.read(tmp_path / "log.jsonl"))
    assert found.totals == outcome.totals
    assert event_log.text(found).splitlines()[1:] == event_log.text(outcome).splitlines()[1:]


def test_switches_are_simulated_again(tmp_path, make, switching):
    release, due = [0, 0.3, 1.7, 5.9], [4, 5, 6, 7]
    workload = make(nodes=[["A1"]] * 2, hours=[{"A": [1.1]}] * 4, release=release, due=due)
    found = simulate(workload, switching)
    assert sum(record.switch is not None for record in found.records) > 3
    event_log.write(found, tmp_path / "log.jsonl")
    again = replay(workload, event_log.read(tmp_path / "log.jsonl"))
    assert event_log.text(again).splitlines()[1:] == event_log.text(found).splitlines()[1:]


def test_a_run_that_lost_jobs_can_be_simulated_again(tmp_path, make):
    workload = make(types={"A1": [2.0]}, hours=[{"A": [3.0]}] * 2, release=[0, 1], due=[9, 4])
    found = simulate(workload, policy("edf:code", workload), Options(events="authors"))
    event_log.write(found, tmp_path / "log.jsonl")
    assert replay(workload, event_log.read(tmp_path / "log.jsonl")).status == Status.LOST


def _changed(lines, number, old, new):
    assert old in lines[number]
    return [line.replace(old, new) if i == number else line for i, line in enumerate(lines)]


@pytest.mark.parametrize(
    ("number", "old", "new", "told"),
    [
        (0, '"sha256":"', '"sha256":"0', r"/sha256: found 0.* of (.+), expected .* of \1"),
        (0, '"boot":0.1', '"boot":0.2', r"line \d+/energy: .* at .* h"),
        (0, "rsjs-simulation-log/1", "rsjs-simulation-log/2", "a whole log of format"),
        (-1, '"late":', '"late":1', "/totals/late: found 1"),
        (-1, '"complete"', '"deadlock"', "/status"),
        (-1, '"totals"', '"sums"', "a whole log"),
        (2, "{", "", "line 3: .*, expected a whole JSON document"),
        (3, '"time":', '"time":1', "line 4/time"),
        (3, '"energy":', '"energy":1', "line 4/energy"),
        (3, '"waiting":', '"waiting":7', "line 4/waiting"),
        (3, '"in_use":[', '"in_use":[9,', "line 4/in_use"),
        (3, '"kinds":[', '"kinds":["switch",', "line 4/kinds"),
        (1, '"arrived":["j1"],', "", "line 2/arrived: found None"),
        (1, '"decided":true', '"decided":false', "line 2: found sts:fallback at 0 h"),
        (1, '"decided":true,', "", "KeyError: 'decided'"),
        (0, '"policy":"', '"policy":7,"was":"', "line 1/policy: found 7, expected a text"),
        (-1, '"message":', '"told":', r"line \d+/message: found None, expected a text"),
        (0, '"boot":0.1', '"boot":[]', "/boot: found"),
        (0, '"policy":', '"politics":', "line 1/policy: found None, expected a text"),
        (-1, '"totals":{', '"totals":[],"old":{', "TypeError"),
        (-1, '"totals":{', '"totals":{"more":1,', "/totals/more: found 1, expected None"),
    ],
)
def test_a_log_that_was_changed_is_refused(tmp_path, workload, outcome, number, old, new, told):
    lines = event_log.text(outcome).splitlines()
    lines = _changed(lines, number % len(lines), old, new)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=told):
        replay(workload, event_log.read(path))


def test_a_log_of_one_event_less_is_refused(tmp_path, make, switching):
    workload = make(release=[0], due=[4])
    lines = event_log.text(simulate(workload, switching)).splitlines()
    (tmp_path / "log.jsonl").write_text("\n".join([*lines[:-2], lines[-1]]))
    with pytest.raises(InputError, match="found 11 events, expected the 10 of the log"):
        replay(workload, event_log.read(tmp_path / "log.jsonl"))


def test_a_log_with_another_decision_is_refused(tmp_path, workload, outcome):
    lines = event_log.text(outcome).splitlines()
    event = json.loads(lines[1])
    (name,) = event["run"]
    event["run"][name] = [0, 99, -1]
    lines[1] = json.dumps(event)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"line 2: .*range: /job_gpus/0: found 99"):
        replay(workload, event_log.read(path))


@pytest.mark.parametrize("name", ["none.jsonl", "torn.jsonl.gz", "text.jsonl.gz"])
def test_what_is_not_a_log_is_refused(tmp_path, name):
    (tmp_path / "torn.jsonl.gz").write_bytes(gzip.compress(b"{}\n" * 1000)[:-9])
    (tmp_path / "text.jsonl.gz").write_text("{}")
    with pytest.raises(InputError, match=name):
        event_log.read(tmp_path / name)

"""Records whose sums are right and whose content is not, and stores that lost what rows need."""

import gzip
import json
import os
from hashlib import sha256

import pytest

from rsjs.bks.candidates import of_stores
from rsjs.campaigns.collection import collect
from rsjs.core.errors import InputError
from rsjs.reporting.site.report_data import gathered

pytestmark = pytest.mark.process

METHODS = ("fifo:paper", "jahani_patterns@highs")


@pytest.fixture
def record(store):
    """The record of the exact method."""
    (path,) = (
        spec.parent
        for spec in store.glob("runs/*/*/spec.json")
        if json.loads(spec.read_text())["method"] == METHODS[1]
    )
    return path


def forge(record, name, data):
    """Put other bytes into a file of a record, or remove it, and make the sums right."""
    if data is None:
        (record / name).unlink()
    else:
        (record / name).write_bytes(data)
    sums = []
    for line in (record / "SHA256SUMS").read_text().splitlines():
        _, _, file = line.partition("  ")
        if file != name:
            sums.append(line)
        elif data is not None:
            sums.append(f"{sha256(data).hexdigest()}  {name}")
    (record / "SHA256SUMS").write_text("".join(f"{line}\n" for line in sums))


def test_content_that_makes_no_sense_is_a_corrupt_record(store, record):
    for data, told in (
        (b'{"secs": 1}\n', "/0: found no key 'seconds'"),
        (b'{"seconds": NaN, "incumbent": null, "bound": null}\n', "line 1/seconds: found NaN"),
        (b'{"seconds": 1, "incumbent": true, "bound": null}\n', "/0/incumbent"),
    ):
        forge(record, "events.jsonl", data)
        [(place, reason)] = collect([store]).corrupt
        assert (place, reason.partition(": ")[0]) == (str(record), str(record / "events.jsonl"))
        assert told in reason
    forge(record, "events.jsonl", b"")
    result = json.loads((record / "result.json").read_text()) | {"figures": {"totals": 1}}
    forge(record, "result.json", json.dumps(result).encode())
    [(_, reason)] = collect([store]).corrupt
    assert "/figures/totals: found 1, expected an object" in reason
    for data in (b"", gzip.compress(b"garbage")):
        forge(record, "solution.json.gz", data)
        [(_, reason)] = collect([store]).corrupt
        assert "solution.json.gz: found no object, expected a JSON document" in reason


def test_a_record_of_what_its_id_does_not_stand_for_names_the_id_that_does(store, record):
    document = json.loads((record / "spec.json").read_text())
    document["limits"]["seed"] += 1
    forge(record, "spec.json", json.dumps(document).encode())
    [(_, reason)] = collect([store]).corrupt
    assert f"/id: found '{record.name}', expected " in reason
    assert f"expected {record.name}" not in reason
    forge(record, "solution.json.gz", b"garbage")
    [(_, reason)] = collect([store]).corrupt
    assert "solution.json.gz: found damaged gzip data" in reason


def test_a_run_whose_record_is_forged_is_carried_out_again(asked, carry_out, store, record):
    forge(record, "events.jsonl", b"garb\n")
    assert [run.method for run in carry_out(asked, store).left] == [METHODS[1]]
    assert collect([store]).corrupt == []


def test_a_record_without_the_decision_that_was_checked_is_corrupt(store, record):
    forge(record, "solution.json.gz", None)
    [(place, reason)] = collect([store]).corrupt
    assert place == str(record)
    assert "no solution.json.gz" in reason


def test_a_claim_that_nothing_is_feasible_is_refuted_by_a_decision(store, record):
    result = json.loads((record / "result.json").read_text())
    verification = json.loads((record / "verify.json").read_text())
    result |= {"stop": "infeasible", "objective": None, "bound": None}
    verification |= {"verdict": None, "incumbents": []}
    forge(record, "result.json", json.dumps(result).encode())
    forge(record, "verify.json", json.dumps(verification).encode())
    forge(record, "solution.json.gz", None)
    found = collect([store])
    rows = {row["method"]: row for row in found.rows}
    assert found.corrupt == []
    assert rows[METHODS[0]]["quality"] == "FEASIBLE_VERIFIED"
    assert (rows[METHODS[1]]["status"], rows[METHODS[1]]["quality"]) == ("wrong", "WRONG")
    assert "says infeasible, which another run's solution refutes" in rows[METHODS[1]]["message"]


def test_a_cost_that_is_forged_refutes_no_bound(store):
    [cheap] = {
        spec.parent for spec in store.glob("runs/*/*/spec.json") if "fifo" in spec.read_text()
    }
    before = {row["method"]: row for row in collect([store]).rows}
    cost = before[METHODS[1]]["bound"] / 10
    for name in ("result.json", "verify.json"):
        document = json.loads((cheap / name).read_text())
        for part in (document, document.get("verdict"), document.get("terms")):
            if part and "objective" in part:
                part["objective"] = cost
        forge(cheap, name, json.dumps(document).encode())
    rows = {row["method"]: row for row in collect([store]).rows}
    assert {name: row["quality"] for name, row in rows.items()} == {
        METHODS[0]: "WRONG",
        METHODS[1]: before[METHODS[1]]["quality"],
    }
    told = f"its record says {cost:.15g}, the solution costs {before[METHODS[0]]['objective']:.15g}"
    assert told in rows[METHODS[0]]["message"]
    forge(cheap, "solution.json.gz", gzip.compress(b"{}"))
    rows = {row["method"]: row for row in collect([store]).rows}
    assert "the solution cannot be checked" in rows[METHODS[0]]["message"]


def test_names_that_lead_elsewhere_are_refused(store, record, tmp_path):
    forge(record, "result.json", (record / "result.json").read_bytes())
    sums = (record / "SHA256SUMS").read_text()
    outside = tmp_path / "outside"
    outside.write_text("x")
    line = f"{sha256(b'x').hexdigest()}  ../../../../outside\n"
    (record / "SHA256SUMS").write_text(sums + line)
    [(_, reason)] = collect([store]).corrupt
    assert "found '../../../../outside', expected the name of a file beside it" in reason
    (record / "SHA256SUMS").write_text(sums)
    result = json.loads((record / "result.json").read_text()) | {"session": "../../secret"}
    forge(record, "result.json", json.dumps(result).encode())
    [(_, reason)] = collect([store]).corrupt
    assert "/session: found '../../secret'" in reason
    document = json.loads((store / "store.json").read_text()) | {"campaign": "../../../X"}
    (store / "store.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"store.json: /campaign: found '../../../X', expected"):
        collect([store])


def test_a_pipe_in_a_record_is_refused(store, record):
    (record / "log.gz").unlink()
    os.mkfifo(record / "log.gz")
    [(_, reason)] = collect([store]).corrupt
    assert "log.gz: found a pipe, a device or a socket, expected a regular file" in reason


@pytest.mark.parametrize("name", ["spec.json", "log.gz", "solution.json.gz"])
def test_every_file_of_a_record_is_compared_with_its_sum(store, record, name):
    with (record / name).open("ab") as file:
        file.write(b" ")
    assert [place for place, _ in collect([store]).corrupt] == [str(record)]


@pytest.mark.parametrize("text", [None, "{", '{"format": "rsjs-session/1"}'])
def test_a_session_that_is_lost_costs_what_it_told_and_no_record(store, text):
    (session,) = store.glob("sessions/*.json")
    before = collect([store])
    assert before.lost == []
    session.unlink()
    if text is not None:
        session.write_text(text)
    after = collect([store])
    assert (len(after.rows), after.corrupt) == (2, [])
    assert [name for name, _ in after.lost] == [session.stem]
    gone = {
        key
        for old, new in zip(before.rows, after.rows, strict=True)
        for key in old
        if old[key] != new[key]
    }
    lost = {"commit", "dirty", "python_version", "environment_sha256", "host", "cpu_model"}
    lost |= {"hardware_threads"}
    assert gone <= lost
    assert {row[key] for row in after.rows for key in lost} == {None}
    assert [name for name, _ in gathered([store]).lost] == [session.stem]
    claims, left_out = of_stores([store])
    [claim, _] = next(iter(claims.values())).costs
    assert (claim.commit, claim.cpu_model) == (None, None)
    assert [line for line in left_out if line.startswith(f"session {session.stem}: ")]


@pytest.mark.parametrize("version", ["0", "00"])
def test_a_format_before_the_first_is_refused(store, version):
    manifest = store / "store.json"
    manifest.write_text(manifest.read_text().replace("rsjs-store/1", f"rsjs-store/{version}"))
    with pytest.raises(
        InputError, match=r"/format: found 'rsjs-store/0+', expected 'rsjs-store/1'"
    ):
        collect([store])

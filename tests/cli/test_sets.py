"""`rsjs list sets`, `rsjs fetch-set`, `rsjs generate planted`, and sets in campaigns."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from rsjs.bks.evidence import statuses
from rsjs.bks.storage import optima
from rsjs.core.errors import InputError
from rsjs.instances.generators import planted
from rsjs.instances.io.files import read_instance
from rsjs.instances.library import sets
from rsjs.instances.library.sets import library_set, names


def test_sets_are_listed_with_sizes_tier_and_licence(rsjs):
    listed = {entry["set"]: entry for entry in rsjs("list", "sets", "--json").json}
    assert [*listed] == names()
    assert listed["jahani-table2-base"]["members"] == 51
    assert listed["jahani-table2-base"]["sizes"] == ["1 x 10", "100 x 400"]
    known = {name: listed[name]["optima_known"] for name in ("small", "planted-proportional")}
    assert known == {"small": 30, "planted-proportional": 27}
    assert listed["mig-section4"]["kind"] == "MIG jobs"
    assert {entry["licence"] for entry in listed.values()} == {"CC-BY-4.0"}
    shown = rsjs("list", "sets")
    assert shown.code == 0
    assert all(f"\n{name} " in shown.out for name in names())
    assert "CC-BY-4.0" in shown.out


def test_a_set_is_fetched_and_the_second_time_kept(rsjs, tmp_path):
    first = rsjs("fetch-set", "tiny", "-o", tmp_path / "tiny", "--json")
    assert (first.code, first.err) == (0, "")
    assert (first.json["written"], first.json["kept"]) == (4, 0)
    assert rsjs("check", *_with_itself(tmp_path)).code == 2
    manifest = json.loads((tmp_path / "tiny" / "manifest.json").read_text())
    closed = optima()
    assert [one["optimum"] for one in manifest["members"]] == [
        closed[one["sha256"]] for one in manifest["members"]
    ]
    output = rsjs("fetch-set", "tiny", "-o", tmp_path / "tiny").output
    assert "kept      4" in output
    assert "CC-BY-4.0" in output


@pytest.mark.usefixtures("sources")
def test_the_status_of_sets_and_members_is_told(rsjs):
    listed = {entry["set"]: entry for entry in rsjs("list", "sets", "--status", "--json").json}
    assert (listed["tiny"]["toy"], listed["scaling-kiros-huge"]["unknown"]) == (4, 3)
    members = rsjs("list", "sets", "tiny", "--status", "--json").json
    assert [member["status"] for member in members] == ["toy"] * 4
    assert all(member["method"] and member["seconds"] < 60 for member in members)
    shown = rsjs("list", "sets", "tiny", "--status").out
    assert "jahani-table2-base-at0-synthetic-N2-J6-s1  " in shown
    assert "--status" in rsjs("list", "methods", "--status").refusal


@pytest.mark.usefixtures("sources")
def test_a_stated_status_beyond_its_evidence_is_refused_with_its_place():
    tiny = library_set("tiny")
    claimed = replace(tiny.members[1], status="open after 60 s")
    members = (tiny.members[0], claimed, *tiny.members[2:])
    with pytest.raises(InputError, match=r"golden/tiny.csv, row 2, status: .*at most `toy`"):
        statuses(replace(tiny, members=members))


def test_sealed_members_are_fetched_with_what_commits_to_the_phrase(rsjs, tmp_path):
    fetched = rsjs("fetch-set", "tiny", "--seed-phrase", "p" * 16, "-o", tmp_path / "s", "--json")
    commitment = sha256(b"p" * 16).hexdigest()
    assert (fetched.json["written"], fetched.json["phrase_sha256"]) == (4, commitment)
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text())
    assert manifest["seed_phrase_sha256"] == commitment
    for member in manifest["members"]:
        assert read_instance(tmp_path / "s" / member["file"]).digest == member["sha256"]
    again = rsjs("fetch-set", "tiny", "--seed-phrase", "p" * 16, "-o", tmp_path / "s", "--json")
    assert again.json["kept"] == 4
    assert "/set" in rsjs("fetch-set", "tiny", "-o", tmp_path / "s").refusal


def _with_itself(folder):
    return [next((folder / "tiny").glob("*.gz"))] * 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tyni", "-o", "{out}"], "found 'tyni', expected e.g. tiny"),
        (["tiny", "-o", "{out}", "--seed-phrase", "short"], "--seed-phrase: found 5 characters"),
        (["points-sts", "-o", "{out}", "--seed-phrase", "x" * 16], "NAME: found 'points-sts'"),
        (["tiny", "-o", "{file}"], "found a file, expected a folder"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, told, rsjs, tmp_path):
    (tmp_path / "file").write_text("")
    places = {"out": tmp_path / "out", "file": tmp_path / "file"}
    assert told in rsjs("fetch-set", *[argument.format(**places) for argument in arguments]).refusal
    assert not (tmp_path / "out").exists()


def test_another_digest_ends_it_with_exit_code_2(rsjs, tmp_path, monkeypatch):
    draw = sets.draw
    monkeypatch.setattr(sets, "draw", lambda name, given: draw(name, {**given, "seed": 9}))
    assert "/sha256: found" in rsjs("fetch-set", "tiny", "-o", tmp_path / "tiny").refusal


def test_planted_instances_are_made_on_the_command_line(rsjs, tmp_path):
    path = tmp_path / "i.json"
    made = rsjs("generate", "planted", "-N", 3, "--kind", "first_ending", "-o", path)
    assert made.code == 0
    known = planted.optimum(nodes=3, jobs=12, seed=1, kind="first_ending")
    assert read_instance(path).digest == known.instance.digest
    assert "-J: found 2" in rsjs("generate", "planted", "-N", 3, "-J", 2, "-o", path).refusal


def test_a_campaign_runs_on_a_set_of_the_library(rsjs, tmp_path):
    campaign = tmp_path / "c.toml"
    campaign.write_text(_CAMPAIGN.format(set="tiny"))
    ended = rsjs("run", campaign, "--dry-run", "--json")
    assert ended.code == 0
    assert ended.json["runs"] == 4


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tyni", "/instances/0/set: found 'tyni', expected e.g. tiny"),
        ("mig-day", "/instances/0/set: found 'mig-day', expected a set of instances, not of MIG"),
        (
            "online",
            "/instances/0/set: found 'online', expected a set of instances, not of workloads",
        ),
    ],
)
def test_a_campaign_on_an_unknown_set_is_refused(name, told, rsjs, tmp_path):
    campaign = tmp_path / "c.toml"
    campaign.write_text(_CAMPAIGN.format(set=name))
    assert told in rsjs("run", campaign, "--dry-run").refusal


_CAMPAIGN = """\
format = "rsjs-campaign/1"
name = "library"
shows = "that sets of the library are known"
timing = "shared"
limits = {{ time_s = 5 }}
instances = [{{ set = "{set}" }}]
methods = [{{ run = ["greedy:paper"] }}]
"""


def test_show_wants_a_file(rsjs):
    assert "Missing argument 'FILE" in rsjs("show").refusal

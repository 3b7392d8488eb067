"""The library: sets stay what they are, and every one is complete."""

import inspect
import json
from itertools import groupby
from pathlib import Path

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.library import sets
from rsjs.instances.library.sets import (
    GENERATORS,
    MIG,
    TIERS,
    draw,
    library_set,
    names,
    refuse_other,
    sealed,
    sizes,
)
from rsjs.instances.offered_load import offered_load

DRAWN_HERE = 100  # jobs: larger members are drawn by rsjs fetch-set


def small_members(name):
    """Those whose digests the tests can afford, a few of each size."""
    few = [member for member in library_set(name).members if member.jobs <= DRAWN_HERE]
    return [one for _, run in groupby(few, lambda member: member.jobs) for one in [*run][:2]]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_the_members_that_are_small_are_what_they_always_were(name):
    for member in small_members(name):
        subject = draw(member.generator, member.arguments)
        refuse_other(subject, member.sha256)
        jobs = subject if member.generator == MIG else subject.jobs
        assert (subject.name, len(jobs)) == (member.name, member.jobs)
        assert member.nodes is None or subject.cluster.nodes == member.nodes


def test_enough_digests_are_checked_to_say_so():
    assert sum(len(small_members(name)) for name in names()) > 150


@pytest.mark.parametrize("name", names())
def test_every_member_has_a_name_a_digest_and_arguments_of_its_generator(name):
    chosen = library_set(name)
    assert chosen.members
    for member in chosen.members:
        assert len(member.sha256) == 64
        if member.generator in GENERATORS:
            known = inspect.signature(GENERATORS[member.generator]).parameters
            assert member.arguments.keys() <= known.keys()
            assert member.arguments.items() >= {"nodes": member.nodes, "jobs": member.jobs}.items()
            assert f"-N{member.nodes}-J{member.jobs}-s{member.arguments['seed']}" in member.name
    assert len({member.name for member in chosen.members}) == len(chosen.members)


def test_a_digest_stands_for_one_name_in_the_whole_library():
    known = {}
    for name in names():
        for member in library_set(name).members:
            assert known.setdefault(member.sha256, member.name) == member.name
    assert len(known) == len({*known.values()}) > 800


def test_the_data_centre_is_homogeneous_and_has_600_nodes():
    largest = library_set("kiros-data-centre").members[-1]
    assert (largest.nodes, largest.jobs) == (600, 6000)
    cluster = draw(largest.generator, {**largest.arguments, "nodes": 3, "jobs": 3}).cluster
    assert cluster.allowed.shape == (3, 1)


def test_tiers_follow_from_sizes():
    found = {name: library_set(name).tier for name in names()}
    assert {*found.values()} == {*TIERS}
    assert (found["tiny"], found["enumerable"], found["small"]) == ("tiny", "tiny", "small")
    assert {name for name, tier in found.items() if tier == "huge"} == {
        name for name in found if name.endswith("-huge")
    }
    assert library_set("scaling-jahani").sizes == ("250 x 1000", "1000 x 4000")
    assert library_set("mig-section4").sizes == ("50 jobs", "50 jobs")


def test_sizes_are_single_or_a_range():
    assert (sizes("2x6"), sizes("2-3x4N")) == ([(2, 6)], [(2, 8), (3, 12)])
    assert sizes("2-3x5") == [(2, 5), (3, 5)]


def test_an_unknown_set_is_told_with_the_nearest():
    with pytest.raises(InputError, match=r"'jahani-table-base', .*jahani-table2-base"):
        library_set("jahani-table-base")


def test_a_set_whose_recipe_has_grown_is_refused(monkeypatch):
    monkeypatch.setattr(sets, "golden", lambda name: [])
    library_set.cache_clear()
    with pytest.raises(InputError, match="0 digests of tiny, expected 4"):
        library_set("tiny")
    monkeypatch.undo()
    library_set.cache_clear()


def test_another_digest_is_refused():
    member = library_set("tiny").members[0]
    subject = draw(member.generator, {**member.arguments, "seed": 2})
    with pytest.raises(InputError, match=f"/sha256: found '{subject.digest}', expected"):
        refuse_other(subject, member.sha256)


def test_the_online_track_has_the_loads_that_it_says():
    members = library_set("online").members
    assert len(members) == 24
    loads = [member.arguments["offered_load"] for member in members]
    assert {load: loads.count(load) for load in sorted({*loads})} == {
        0.3: 5,
        0.5: 4,
        0.7: 5,
        0.9: 6,
        1.1: 4,
    }
    assert len({member.arguments["seed"] for member in members}) == 24
    for member in members:
        if member.jobs <= 200:
            load = offered_load(member.draw())
            assert load == pytest.approx(member.arguments["offered_load"], rel=1e-3)


PHRASE = "sixteen characters"


def test_sealed_members_follow_from_the_phrase_and_keep_what_the_recipe_says():
    known, drawn = library_set("online"), sealed("tiny", PHRASE)
    assert sealed("tiny", PHRASE) == drawn
    others = sealed("tiny", f"{PHRASE}.")
    for one, other, member in zip(
        drawn.members, others.members, library_set("tiny").members, strict=True
    ):
        assert len({one.sha256, other.sha256, member.sha256}) == 3
        assert {**one.arguments, "seed": 0} == {**member.arguments, "seed": 0}
        assert one.draw().digest == one.sha256
        assert (one.optimum, one.status) == (None, "")
    commitment = "13c6d9de11543032"
    assert drawn.phrase_sha256.startswith(commitment)
    assert drawn.name == f"tiny-{commitment[:12]}"
    assert known.phrase_sha256 is None


@pytest.mark.parametrize(
    ("name", "phrase", "told"),
    [
        ("tiny", "short", "found 5 characters, expected a phrase of at least 16"),
        ("tiny", f"x{' ' * 30}", "found 1 characters, expected a phrase of at least 16"),
        (
            "mig-batches",
            PHRASE,
            "found a phrase of which seed .*/size.*expected another phrase",
        ),
        ("points-sts", PHRASE, "found 'points-sts', expected a set that is drawn from seeds"),
        ("tyni", PHRASE, "found 'tyni', expected e.g. tiny"),
    ],
)
def test_what_cannot_be_sealed_is_refused(name, phrase, told):
    with pytest.raises(InputError, match=told):
        sealed(name, phrase)


def test_optima_agree_with_the_best_known_values():
    folder = Path(__file__).parents[3] / "results" / "best_known"
    files = [path.read_text().splitlines() for path in folder.glob("*.jsonl")]
    entries = [json.loads(line) for lines in files for line in lines]
    known = {entry["sha256"]: entry["upper_bound"] for entry in entries}
    tiny = library_set("tiny").members
    assert [m.optimum for m in tiny] == pytest.approx([known[m.sha256] for m in tiny], rel=1e-6)

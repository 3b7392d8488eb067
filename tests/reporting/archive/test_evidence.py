"""Stores as the evidence of a paper: shards, defects, and campaigns that stand elsewhere."""

import shutil
from dataclasses import replace

import pytest

from rsjs.campaigns import runner, spec
from rsjs.campaigns.runner import Part
from rsjs.core.errors import InputError
from rsjs.instances.generators import jahani
from rsjs.instances.io.files import write_instance
from rsjs.reporting.archive.archive_data import (
    doubts,
    experiments,
    read_from_files,
    write_instances,
)
from rsjs.reporting.archive.ijoc import archived

pytestmark = pytest.mark.process

DRAWN = 'generator = "jahani"\nsizes = ["1x2"]'
BOTH = f"""files = [
  "cases/*.json",
]
[[instances]]
{DRAWN}"""


def test_failed_runs_and_several_commits_are_defects(store):
    [found] = experiments([store])
    assert doubts([found]) == []
    limits = [{**row, "ended": "MEMOUT"} for row in found.rows]
    assert doubts([replace(found, found=replace(found.found, rows=limits))]) == []
    one, two, *others = found.rows
    bad = [{**one, "ended": "CRASH(SIGSEGV)"}, {**two, "quality": "WRONG", "commit": "x"}, *others]
    assert doubts([replace(found, found=replace(found.found, rows=bad))]) == [
        "2 runs failed: 1 CRASH(SIGSEGV), 1 WRONG.",
        f"Runs made at several commits: {', '.join(sorted([one['commit'], 'x']))}.",
    ]


def test_shards_count_as_one_campaign(carried, tmp_path):
    parts = {tmp_path / f"shard{i}": Part(shard=(i, 2)) for i in (1, 2)}
    stores = [carried(store, part=part, methods="fifo:paper") for store, part in parts.items()]
    stores.append(carried(tmp_path / "more", name="more", methods="edf:paper", seeds=[0]))
    found = experiments(stores)
    assert [(one.name, len(one.rows)) for one in found] == [("more", 1), ("two", 2)]
    assert doubts(found) == []
    assert [one.rows for one in experiments(stores[::-1])] == [one.rows for one in found]


def test_the_archived_campaign_asks_for_the_same_runs(carried, tmp_path):
    write_instance(jahani.generate(nodes=1, jobs=2, seed=3), tmp_path / "cases/a b.json")
    store = carried(tmp_path / "s", name="mine", instances=BOTH, methods="fifo:paper", seeds=[0])
    [found] = experiments([store])
    data = write_instances([found], tmp_path / "out/data")
    read = read_from_files(found)
    [given] = [f"../data/{entry['file']}" for entry in data if entry["sha256"] in read]
    script = tmp_path / "out/scripts/mine.toml"
    script.parent.mkdir()
    script.write_text(archived(found.text, [given]))
    shutil.rmtree(tmp_path / "cases")
    prepared = runner.prepare(spec.read(script), store, Part(), keep=False)
    assert (len(prepared.survey.done), len(prepared.selected)) == (2, 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[workloads]]\nfiles = ["a.json"]\nredraw = 2\n', "/workloads/0/redraw: found 2"),
        (
            '[[instances]]\ngenerator = "sts"\noptions = { laws = "e.csv" }\n',
            "/instances/0/options/laws: found 'e.csv'",
        ),
    ],
)
def test_what_the_archive_does_not_hold_is_refused(text, told):
    with pytest.raises(InputError, match=told):
        archived(text, ["../data/a.json.gz"])


def test_files_that_are_named_in_other_words_are_refused():
    drawn, both = f"[[instances]]\n{DRAWN}", f"[[instances]]\n{BOTH}"
    assert archived(drawn, []) == drawn
    with pytest.raises(InputError, match="not named by"):
        archived(both.replace("files =", '"files" ='), ["../data/a.json.gz"])

"""The values in results/best_known: right by the exact check, complete, small."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.making import made_again
from rsjs.experiments.best_known.verification import verify
from rsjs.experiments.campaigns import document
from rsjs.experiments.campaigns.sources import sources
from rsjs.formulations.enumeration import run as enumerate_all
from rsjs.instances.exact import check_exact
from rsjs.instances.files import read_exact, read_instance, write_instance
from rsjs.instances.method import Call, Report

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "results" / "best_known"
ENTRIES = [
    entry
    for path in sorted(FOLDER.glob("*.json"))
    for entry in json.loads(path.read_text())["instances"]
]
SETS = ("tiny", "small")
LARGEST_SOLUTION, LARGEST_FOLDER = 16 * 2**10, 2 * 2**20  # bytes


def test_verify_finds_nothing():
    found = verify(FOLDER)
    assert found.findings == []
    assert found.solutions == len(ENTRIES) >= 34


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["instance"] for entry in ENTRIES])
def test_the_head_is_the_best_of_its_history_and_its_solution_costs_that(entry, tmp_path):
    """Read as anybody would who has the file, `rsjs show` and `rsjs check --exact`."""
    costs = [step["value"] for step in entry["ub_data"]]
    bounds = [step["value"] for step in entry["lb_data"]]
    assert (entry["upper_bound"], entry["lower_bound"]) == (min(costs), max(bounds))
    assert entry["lower_bound"] <= entry["upper_bound"] * (1 + 1e-6)
    instance = made_again(BestKnown.of_document(entry), FOLDER)
    write_instance(instance, tmp_path / "instance.json")
    assert read_instance(tmp_path / "instance.json").digest == entry["sha256"]
    solution = read_exact(FOLDER / "solutions" / f"{entry['instance']}.json.gz")
    verdict = check_exact(
        read_exact(tmp_path / "instance.json"), solution, instance_digest=entry["sha256"]
    )
    assert verdict.feasible
    assert str(verdict.objective) == entry["ub_data"][-1]["exact"]
    assert float(verdict.objective) == entry["upper_bound"]


def test_every_instance_of_the_small_sets_is_closed_by_two_solvers_and_two_formulations():
    made = [source.make() for name in SETS for source in sources({"set": name}, ROOT, "")]
    known = {entry["sha256"]: entry for entry in ENTRIES}
    for instance in made:
        entry = known[instance.digest]
        assert entry["status"] == "closed", entry["instance"]
        head = entry["lb_data"][-1]
        proofs = [head, *head["confirmed_by"]]
        assert len({proof["solver"] for proof in proofs}) >= 2, entry["instance"]
        names = {proof["method"].partition("@")[0] for proof in proofs}
        assert len(names) >= 2, entry["instance"]


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e["jobs"] <= 6], ids=lambda e: e["sha256"])
def test_enumeration_finds_the_optimum_of_the_tiny_ones(entry):
    instance = made_again(BestKnown.of_document(entry), FOLDER)
    found = enumerate_all(instance, Call(), Report())
    assert found.objective == pytest.approx(entry["upper_bound"], rel=1e-12)


def test_no_value_is_of_a_tree_with_changes_that_no_commit_holds():
    steps = [step for entry in ENTRIES for key in ("lb_data", "ub_data") for step in entry[key]]
    commits = {step["commit"] for step in steps}
    assert all(commit is None or re.fullmatch("[0-9a-f]{40}", commit) for commit in commits)


def test_the_solu_file_reads_as_miplib_has_it():
    lines = (FOLDER / "best_known.solu").read_text().splitlines()
    found = [re.fullmatch(r"=(opt|best|unkn)=  (\S+)(?: (\S+))?", line) for line in lines]
    assert all(found)
    told = {match[2]: (match[1], match[3]) for match in found if match}
    for entry in ENTRIES:
        word, value = told.pop(entry["instance"])
        assert word == ("opt" if entry["status"] == "closed" else "best")
        assert float(value) == entry["upper_bound"]
    assert told == {}


def test_the_files_are_small():
    sizes = {path: path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()}
    assert max(size for path, size in sizes.items() if path.suffix == ".gz") <= LARGEST_SOLUTION
    assert sum(sizes.values()) <= LARGEST_FOLDER


def test_the_campaign_that_makes_them_asks_for_the_small_sets():
    path = ROOT / "benchmarks" / "best_known.toml"
    campaign = document.read(path)
    assert campaign.gap < 1e-6
    assert [entry["set"] for entry in tomllib.loads(path.read_text())["instances"]] == [*SETS]
    assert {source.make().digest for source in campaign.sources} <= {e["sha256"] for e in ENTRIES}

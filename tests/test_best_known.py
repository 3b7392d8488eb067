"""The values in results/best_known: right by the exact check, complete, confirmed, small."""

import json
import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from rsjs import rsjs_verify, submissions
from rsjs.bks.certify import SOURCE
from rsjs.bks.entries import BestKnown
from rsjs.bks.regenerate import made_again
from rsjs.bks.storage import MOST_JOBS, as_line, coverage, of_one_solver, read, solu
from rsjs.bks.verify import verify
from rsjs.campaigns import spec
from rsjs.core.call import Call
from rsjs.core.report import Report
from rsjs.formulations.enumeration import run as enumerate_all
from rsjs.instances.io.files import read_instance, write_document, write_instance
from rsjs.instances.library.sets import library_set

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "results" / "best_known"
FILES = sorted(FOLDER.glob("*.jsonl"))
WORKLOADS = FOLDER / "workload.jsonl"
LINES = {path: [json.loads(line) for line in path.read_text().splitlines()] for path in FILES}
ENTRIES = {entry["sha256"]: entry for entries in LINES.values() for entry in entries}
KNOWN = [*read(FOLDER).values()]
COVERAGE = {row.name: row for row in coverage(KNOWN)}
CAMPAIGNS = sorted((ROOT / "benchmarks" / "campaigns").glob("best_known*.toml"))
LARGEST_LINE, LARGEST_FOLDER = 64 * 2**10, 8 * 2**20  # bytes, of instances
LARGEST_SCHEDULE, ALL_SCHEDULES = 2**20, 12 * 2**20  # of workloads
CONFIRMED = 0.95  # least share of what is closed


def members(name):
    """Those of a set that are asked for."""
    return [member for member in library_set(name).members if member.jobs <= MOST_JOBS]


def instances(name):
    return [member for member in members(name) if member.kind == "instances"]


CHOSEN = ("benchmark", "challenge", "dev", "jahani-regression")  # from the other sets
OF_WORKLOADS = ("workloads-benchmark", "workloads-open")
SETS = [name for name in COVERAGE if name not in ("all", *OF_WORKLOADS)]
# An instance of each set: all together take minutes.
SAMPLE = sorted({(found := instances(name))[len(found) // 3].sha256 for name in SETS})


@pytest.mark.slow
def test_verify_finds_nothing():
    sample = sorted([*SAMPLE, *(members(name)[0].sha256 for name in OF_WORKLOADS)])
    found = verify(FOLDER, sample)
    assert found.findings == []
    assert found.solutions == len(sample) >= 30
    assert sorted(entry.sha256 for entry in found.known) == sample


@pytest.mark.parametrize("name", [*SETS, *OF_WORKLOADS])
def test_every_instance_of_a_set_is_known(name):
    assert [m.name for m in members(name) if m.sha256 not in ENTRIES] == []
    row = COVERAGE[name]
    assert (row.unknown, row.closed + row.open) == (0, row.members)


def test_workloads_have_schedules_and_bounds_with_certificates():
    entries = [BestKnown.of_document(entry) for entry in LINES[WORKLOADS]]
    assert len(entries) == sum(COVERAGE[name].members for name in OF_WORKLOADS)
    assert all(entry.solution and entry.certificate for entry in entries)
    # in one set the bound is near the best schedule, in the other most jobs of some must be late
    assert COVERAGE["workloads-benchmark"].gap < 0.01
    assert COVERAGE["workloads-open"].gap > 0.05


def test_nearly_all_are_closed_and_confirmed_and_by_two_solvers():
    found = COVERAGE["all"]
    assert found.members - found.unknown == len(ENTRIES) - len(LINES[WORKLOADS]) >= 769
    assert min(found.confirmed, found.two_solvers) >= CONFIRMED * found.closed
    drawn = {n for n in SETS if n.endswith("-charged") or n.startswith("heterogeneous-")}
    assert {name for name in SETS if COVERAGE[name].open} <= drawn | {*CHOSEN[:3]}


def test_the_page_on_the_library_has_these_counts():
    text = (ROOT / "docs/reference/library.md").read_text()
    table = text[text.index("| closed |") :].partition("\n\n")[0].splitlines()[2:]
    assert len(table) >= 5
    counted = []
    for line in table:
        patterns, *numbers = [cell.strip(" `") for cell in line.strip("|").split("|")]
        listed = re.split("[`, ]+", patterns)
        names = [name for name in COVERAGE if any(fnmatchcase(name, one) for one in listed)]
        found = [COVERAGE[name] for name in names]
        keys = ("members", "closed", "confirmed", "two_solvers", "certified", "open")
        sums = [sum(getattr(row, key) for row in found) for key in keys]
        assert [int(number) for number in numbers[:6]] == sums, patterns
        counted += names
    assert sorted(counted) == sorted(COVERAGE)


def test_the_page_on_the_library_lists_what_one_solver_alone_closes():
    text = (ROOT / "docs/reference/library.md").read_text()
    table = text[text.index("| one solver alone |") :].partition("\n\n")[0].splitlines()[2:]
    left = [entry.instance for entry in of_one_solver(KNOWN) if entry.solvers]
    listed = []
    for line in table:
        pattern, number, *_ = [cell.strip(" `") for cell in line.strip("|").split("|")]
        found = [name for name in left if fnmatchcase(name, pattern)]
        assert len(found) == int(number), pattern
        listed += found
    assert sorted(listed) == sorted(left)


@pytest.mark.slow
@pytest.mark.parametrize("sha256", SAMPLE[::7], ids=lambda sha256: ENTRIES[sha256]["instance"])
def test_the_head_is_the_best_of_its_history_and_its_solution_costs_that(sha256, tmp_path):
    """Read as anybody would who has the file, `rsjs show` and `rsjs check --exact`."""
    entry = ENTRIES[sha256]
    costs = [step["value"] for step in entry["ub_data"]]
    bounds = [step["value"] for step in entry["lb_data"]]
    assert (entry["upper_bound"], entry["lower_bound"]) == (min(costs), max(bounds))
    assert entry["lower_bound"] <= entry["upper_bound"] * (1 + 1e-6)
    instance = made_again(BestKnown.of_document(entry))
    write_instance(instance, tmp_path / "instance.json")
    assert read_instance(tmp_path / "instance.json").digest == entry["sha256"]
    solution = tmp_path / "solution.json"
    write_document(entry["solution"], solution)
    report = rsjs_verify.verify_pairs(tmp_path / "instance.json", [solution])
    [(*_, verdict)] = report.verdicts
    assert verdict.feasible
    assert entry["ub_data"][-1]["exact"] in (None, str(verdict.objective))  # None: very long
    assert float(verdict.objective) == entry["upper_bound"]


@pytest.mark.parametrize("name", ["tiny", "small"])
def test_every_instance_of_the_small_sets_is_closed_by_two_solvers_and_two_formulations(name):
    for member in members(name):
        entry = ENTRIES[member.sha256]
        assert entry["status"] == "closed", entry["instance"]
        head = entry["lb_data"][-1]
        proofs = [head, *head["confirmed_by"]]
        assert len({proof["solver"] for proof in proofs}) >= 2, entry["instance"]
        formulations = {proof["method"].partition("@")[0] for proof in proofs}
        assert len(formulations) >= 2, entry["instance"]


@pytest.mark.slow
@pytest.mark.parametrize("member", members("tiny"), ids=lambda member: member.name)
def test_enumeration_finds_the_optimum_of_the_tiny_ones(member):
    entry = ENTRIES[member.sha256]
    instance = made_again(BestKnown.of_document(entry))
    found = enumerate_all(instance, Call(), Report())
    assert found.objective == pytest.approx(entry["upper_bound"], rel=1e-12)


def test_optima_that_the_library_states_are_the_least_costs():
    stated = {m.sha256: m.optimum for name in SETS for m in members(name) if m.optimum is not None}
    assert len(stated) >= 70
    for sha256, optimum in stated.items():
        assert ENTRIES[sha256]["upper_bound"] == pytest.approx(optimum, rel=1e-9)
    # what is planted is known by construction, and confirmed by runs
    for name in ("planted-proportional", "planted-first-ending"):
        for member in members(name):
            entry = ENTRIES[member.sha256]
            assert entry["lb_data"][0]["bound_source"] == "construction"
            assert entry["lb_data"][-1]["confirmed_by"]


def test_the_solu_lines_read_as_miplib_has_them():
    lines = solu(KNOWN)
    found = [re.fullmatch(r"=(opt|best|unkn)=  (\S+)(?: (\S+))?", line) for line in lines]
    assert all(found)
    told = {match[2]: (match[1], match[3]) for match in found if match}
    for entry in ENTRIES.values():
        word, value = told.pop(entry["instance"])
        assert word == ("opt" if entry["status"] == "closed" else "best")
        assert float(value) == entry["upper_bound"]
    assert told == {}


def test_the_files_are_small():
    lines = [line for path in {*FILES} - {WORKLOADS} for line in path.read_bytes().splitlines()]
    assert max(map(len, lines)) <= LARGEST_LINE
    assert sum(map(len, lines)) <= LARGEST_FOLDER
    schedules = WORKLOADS.read_bytes().splitlines()
    assert max(map(len, schedules)) <= LARGEST_SCHEDULE
    assert sum(map(len, schedules)) <= ALL_SCHEDULES


def test_the_files_are_as_the_package_writes_them():
    for path in FILES:
        lines = path.read_text().splitlines(keepends=True)
        assert [as_line(BestKnown.of_document(json.loads(line))) for line in lines] == lines


def test_campaigns_and_submissions_make_every_value():
    tables = {path: tomllib.loads(path.read_text()) for path in CAMPAIGNS}
    lists = {path: table.get("instances", table.get("workloads")) for path, table in tables.items()}
    asked = [entry["set"] for entries in lists.values() for entry in entries]
    assert sorted(asked) == sorted({*SETS, *OF_WORKLOADS} - {*CHOSEN})
    exact = (path for path, table in tables.items() if "instances" in table)
    assert all(spec.read(path).limits.gap < 1e-6 for path in exact)
    others = ["selection", "selection-charged", "selection-heuristics", "heuristics"]
    others += ["challenge", "challenge-workloads"]
    campaigns = [*others, *(table["name"] for table in tables.values())]
    makers = {"construction", SOURCE, *(f"campaign {name}" for name in campaigns)}
    makers |= {row.source for row in submissions.accepted(ROOT / "submissions")}
    steps = [s for e in ENTRIES.values() for key in ("lb_data", "ub_data") for s in e[key]]
    origins = [origin for step in steps for origin in (step, *step["confirmed_by"])]
    assert {origin["source"] for origin in origins} == makers
    commits = {origin["commit"] for origin in origins}  # never a tree with changes
    assert all(commit is None or re.fullmatch("[0-9a-f]{40}", commit) for commit in commits)

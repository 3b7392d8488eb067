"""A site of made-up rows with hostile names, and one of a store that was really run."""

import json
from hashlib import sha256
from itertools import product

import pytest

from rsjs.campaigns import runner, spec
from rsjs.campaigns.pool import Local
from rsjs.reporting.site import build as building
from rsjs.reporting.site.report_data import gathered
from rsjs.rows.csv import csv_text
from tests.campaign_text import campaign_text

HOSTILE = "</script><script>window.harmed = 1</script><b>&'\""
METHODS = ("exact@highs", "rule:x", HOSTILE)
SIZES = ((2, 10), (5, 30), (10, 100))

CAMPAIGN = campaign_text("little", "2x6", "enumeration", "greedy:code", limits="time_s = 20")


def made_row(family, size, method, seed):
    """A run; each method takes a second longer and costs 1 % more than the one before it."""
    nodes, jobs = size
    name = f"{family}-N{nodes}-J{jobs}-s1"
    k, best = METHODS.index(method), 10.0 * nodes
    cost = best * 1.01**k
    failed = method == HOSTILE and size == SIZES[-1]
    run_id = sha256(f"{name}{method}{seed}".encode()).hexdigest()[:16]
    return {
        "instance": name,
        "instance_sha256": sha256(name.encode()).hexdigest(),
        "nodes": nodes,
        "jobs": jobs,
        "method": method,
        "stop": "error" if failed else "optimal",
        "status": "no_solution" if failed else "ok",
        "objective": None if failed else cost,
        "tardiness": 0.0,
        "postponement": 0.0,
        "energy": None if failed else cost,
        "idle": 0.0,
        "bound": best if k == 0 else None,
        "best_bound": best,
        "own_gap": 0.0 if k == 0 else None,
        "gap_to_best": None if failed else 1 - best / cost,
        "executed": jobs,
        "build_s": 0.1,
        "solve_s": 0.4,
        "total_s": float(1 + k),
        "peak_memory_mb": 100.0,
        "rsjs_version": "0.1.0",
        "solver_version": "1.13" if k == 0 else None,
        "time_limit": 10.0,
        "gap_limit": 1e-4,
        "threads": 1,
        "seed": seed,
        "message": f"RuntimeError: {HOSTILE}" if failed else "",
        "run_id": run_id,
        "campaign": "made up",
        "ended": "SOLVER_ERROR" if failed else "FINISHED",
        "quality": "NO_SOLUTION" if failed else "FEASIBLE_VERIFIED" if k else "OPTIMAL_VERIFIED",
        "repetition": 1,
        "timing": "shared" if family == "sts" else "exclusive",
        "options": json.dumps({"threads": 1, "mip_rel_gap": 1e-4}),
        "commit": "c" * 40,
        "dirty": False,
        "begun": "2026-01-02T03:04:05.678Z",
        "cpu_model": "A processor",
        "overshoot_s": 0.0,
    }


def events_of(row):
    """Two incumbents, the second one the decision."""
    if row["objective"] is None:
        return []
    steps = [(0.3 * row["total_s"], 2 * row["objective"]), (row["total_s"], row["objective"])]
    return [{"seconds": s, "incumbent": cost, "bound": row["bound"]} for s, cost in steps]


@pytest.fixture(scope="session")
def rows():
    """Three methods, two seeds, three instances of jahani and of sts; sts with shared timing."""
    return [made_row(*kinds) for kinds in product(("jahani", "sts"), SIZES, METHODS, (0, 1))]


@pytest.fixture(scope="session")
def tables(rows, tmp_path_factory):
    """Those rows as `rsjs collect` writes them, and one run that was skipped."""
    folder = tmp_path_factory.mktemp("made") / "tables"
    folder.mkdir()
    (folder / "rows.csv").write_text(csv_text(rows))
    said = ("run_id", "instance_sha256", "method")
    courses = [{**{key: row[key] for key in said}, "events": events_of(row)} for row in rows]
    (folder / "events.json").write_text(json.dumps(courses))
    skipped = {**rows[0], "method": "absent", "ended": "SKIPPED", "message": "serves no <i>sts</i>"}
    (folder / "skipped.csv").write_text(csv_text([skipped]))
    return folder


@pytest.fixture(scope="session")
def material(tables):
    """What those tables hold."""
    return gathered([tables])


@pytest.fixture(scope="session")
def site(material, tmp_path_factory):
    """The site of those rows, without the PDF files of instances."""
    folder = tmp_path_factory.mktemp("site") / "site"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "FEW_INSTANCES", 0)
        building.build(material, folder, title=HOSTILE, all_pdf=False)
    return folder


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """The store of a campaign of two runs."""
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "little.toml").write_text(CAMPAIGN)
    campaign, place = spec.read(folder / "little.toml"), folder / "runs" / "little"
    prepared = runner.prepare(campaign, place, runner.Part())
    for _ in runner.carry_out(prepared, place, Local(1)):
        pass
    return place

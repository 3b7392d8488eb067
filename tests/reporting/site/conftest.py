"""A site of made-up rows with hostile names, and one of a store that was really run."""

import json
from hashlib import sha256
from itertools import product

import pytest

from rsjs.bks import storage
from rsjs.bks.entries import BestKnown, Bound, Cost, Origin
from rsjs.bks.evidence import track
from rsjs.campaigns import runner, spec
from rsjs.campaigns.pool import Local
from rsjs.instances.library.sets import library_set
from rsjs.reporting.site import board_data
from rsjs.reporting.site import build as building
from rsjs.reporting.site.board import write_board
from rsjs.reporting.site.report_data import gathered
from rsjs.rows.csv import csv_text
from rsjs.submissions.row import CheckedRow
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


SOURCE = "<i>&'\"; a source"  # a folder of results
LATER = "2026-02-02T00:00:00.000Z"


def origin(value, method="exact@highs", **fields):
    """Where a best-known value comes from."""
    told = {"date": "2026-01-02T03:04:05.678Z", "source": "campaign made up", "method": method}
    return {"value": value, "run_id": "a" * 16, **told, **fields}


def entry_of(member, costs, bounds, *, confirmed=False, source="campaign made up"):
    """The best-known values of a member of a set: a step for each value."""
    terms = dict.fromkeys(("tardiness", "postponement", "energy", "idle"), 0.0)
    more = {"exact": None, "terms": terms, "solution_sha256": "0" * 64, "verifier": "made up"}
    other = Origin(**origin(bounds[-1], "another@scip", solver="scip", solver_version="9"))
    dates = ("2026-01-02T00:00:00.000Z", LATER)
    return BestKnown(
        instance=member.name,
        sha256=member.sha256,
        nodes=member.nodes,
        jobs=member.jobs,
        made_by=None,
        ub_data=tuple(
            Cost(**origin(value, date=date, source=source, run_id=None), **more)
            for value, date in zip(costs, dates, strict=False)
        ),
        lb_data=tuple(
            Bound(
                **origin(value, date=date, solver="highs", solver_version="1.15"),
                bound_source="solver",
                confirmed_by=(other,) if confirmed else (),
            )
            for value, date in zip(bounds, dates, strict=False)
        ),
    )


def of_member(member, row, **changes):
    """A row on a member of a set, with a run id of its own."""
    own = {**row, "instance": member.name, "instance_sha256": member.sha256, **changes}
    text = f"{own['instance']} {own['method']} {own['time_limit']} {own.get('solver_version')}"
    return {**own, "run_id": sha256(text.encode()).hexdigest()[:16]}


@pytest.fixture(scope="session")
def results(rows, tmp_path_factory):
    """
    A folder of results: hostile names of instances, methods, sources and people.

    On the four members of `tiny`: three methods in 10 s with exclusive timing, one of them again in
    20 s, and one solver in two versions. On instances of no set the rows of `tables`, one with a
    hostile name. A model with a right and a wrong answer. Best-known values: one confirmed, one
    closed, one open with a step; and a folder without rows of runs.
    """
    folder = tmp_path_factory.mktemp("board") / "results"
    members = library_set("tiny").members
    made = []
    for member in members:
        for method, limit, version in (
            *product(("rule:x", HOSTILE), (10.0,), (None,)),
            ("rule:x", 20.0, None),
            *product(("exact@highs",), (10.0,), ("1.13", "1.15")),
        ):
            row = made_row("jahani", SIZES[0], method, 0)
            named = {"time_limit": limit, "solver_version": version, "spelling": method}
            made.append(of_member(member, row, **named))
    others = [{**row, "timing": None} for row in rows if row["seed"] == 0]
    others[0]["instance"] = f"=cmd|' /C calc'!A0 {HOSTILE}"
    model = next(one for one in track().values() if one.objective)
    for solver, bound in (("highs", 0.5 * model.objective), ("scip", 2 * model.objective)):
        row = made_row("jahani", SIZES[0], "rule:x", 0)
        named = {"instance": model.name, "instance_sha256": model.text_sha256, "bound": bound}
        named |= {"method": f"solve@{solver}", "solver_version": "7", "own_gap": None}
        named |= {"objective": None, "status": "no_solution", "quality": "BOUND_ONLY"}
        others.append({**row, **named, "run_id": f"{len(others):016x}"})
    for name, own in ((SOURCE, made), ("plain", others), ("means", [{"instance": "a"}])):
        (folder / name).mkdir(parents=True)
        (folder / name / "rows.csv").write_text(csv_text(own))
    first, second, third, _ = members
    entries = [
        entry_of(first, (20.0,), (20.0,), confirmed=True),
        entry_of(second, (20.0,), (20.0,), source=HOSTILE),
        entry_of(third, (22.0, 20.0), (10.0, 15.0)),
    ]
    storage.write(folder / "best_known", entries)
    return folder


@pytest.fixture(scope="session")
def board(results, tmp_path_factory):
    """The board of those results, and of one submission with hostile texts."""
    folder = tmp_path_factory.mktemp("board") / "site"
    member = library_set("tiny").members[0]
    row = CheckedRow(
        submission="jahani/mine",
        who=(HOSTILE,),
        date="2026-03-01",
        method=f"=1+1 {HOSTILE}",
        reference="javascript:alert(1)",
        machine=HOSTILE,
        division="closed",
        instance=member.name,
        sha256=member.sha256,
        nodes=2,
        jobs=6,
        sets=("tiny",),
        cost=20.0,
        cost_credit="equal",
        bound=19.0,
        evidence="run",
    )
    (results.parent / "submissions").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board_data, "accepted", lambda *_, **__: [row])
        write_board(results, folder)
    return folder

"""
What a board is made of: stored rows by set and by equal conditions, and values of instances.

Values are best-known ones, and those of submissions that pass their check.

A *ranking* is of runs that may be compared: those on the problems of one set, of one source (a
folder of results), with equal limits and, of simulations, equal options. Of several runs of a
method on one problem the last one counts. A method that ran with several versions of its solver, or
of the package, stands on the board once for each version.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from rsjs.bks import storage
from rsjs.bks.entries import BestKnown
from rsjs.bks.evidence import is_wrong_answer, merged, model_rows, track
from rsjs.core.errors import InputError, described
from rsjs.instances.library.sets import library_set, names
from rsjs.reporting.site.pages import instance_url, slug
from rsjs.reporting.site.report_data import SHOWN, Family, ReportRow, completed
from rsjs.reporting.statistics.fairness import Finding, findings
from rsjs.reporting.statistics.tidy import NEEDED_IN_FILE, ROWS, read_stored
from rsjs.rows.select import AnyRow, best_row, group_by, is_reference, is_wrong, known, problem
from rsjs.rows.status import GAP, Status, is_usual, status
from rsjs.runs.gap import contradicts, gap
from rsjs.simulation.options import Options
from rsjs.submissions import CheckedRow, accepted

TRACK, TRACK_NAME = "solver-track", "Solver track"
LIMITS = ("time_limit", "gap_limit", "threads", "memory_limit_mb")
DIGITS = 8  # of a digest behind a name that several instances have
BUNDLED = files("rsjs.campaigns") / "bundled"
KNOWN = "best_known"  # folder beside those of rows


@dataclass(frozen=True, kw_only=True)
class Subject:
    """An instance, a workload or a model with all that is known of it."""

    name: str  # of its own on the board
    sha256: str
    nodes: int | None
    jobs: int | None
    sets: Sequence[str] = ()
    rows: Sequence[ReportRow] = ()
    entry: BestKnown | None = None
    submissions: Sequence[CheckedRow] = ()
    listed: tuple[float | None, float | None] = (None, None)  # cost and bound of a model [$]

    @property
    def is_shown(self) -> bool:
        """Whether it has a page: it has runs or values."""
        return bool(self.rows or self.submissions) or self.entry is not None

    @property
    def url(self) -> str:
        """Its page."""
        return instance_url({"instance": self.name, "instance_sha256": self.sha256})

    @cached_property
    def comparable(self) -> list[ReportRow]:
        """Its runs but wrong ones; simulations only of the usual options, else of one kind."""
        right = [row for row in self.rows if not is_wrong(row)]
        usual = [row for row in right if is_usual(row)]
        return usual or next(iter(group_by(right, problem).values()), [])

    @cached_property
    def best(self) -> ReportRow | None:
        """The run of the least verified cost."""
        return best_row(self.comparable)

    @cached_property
    def cost(self) -> float | None:
        """The lowest cost: best known, else listed, else of its runs [$]."""
        if self.entry is not None and self.entry.cost is not None:
            return self.entry.cost.value
        return self.listed[0] if self.best is None else self.best["objective"]

    @cached_property
    def bound(self) -> float | None:
        """The greatest lower bound: best known, else listed, else of its runs [$]."""
        if self.entry is not None and self.entry.bound is not None:
            return self.entry.bound.value
        bounds = (known(row, "best_bound") for row in self.comparable)
        return max((bound for bound in bounds if bound is not None), default=self.listed[1])

    @property
    def gap(self) -> float | None:
        """The gap of cost and bound in [0, 1]."""
        return gap(self.cost, self.bound)

    @cached_property
    def effort(self) -> Status:
        """What its runs prove, with what effort, see `rsjs.rows.status`."""
        rows: list[AnyRow] = [*self.rows]
        return status(rows if self.entry is None else merged(rows, self.entry))

    @property
    def word(self) -> str:
        """Its status: "confirmed", "closed", "open" or "unknown"."""
        if self.entry is not None:
            return "confirmed" if self.entry.closed and self.entry.confirmed else self.entry.status
        if self.gap is None or contradicts(self.cost, self.bound):
            return "unknown"
        return "closed" if self.gap <= GAP else "open"


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Runs that may be compared, and their statistics."""

    source: str
    conditions: str  # limits and options that all runs have
    family: Family
    repeated: int  # earlier runs of a method on a problem, which do not count

    @cached_property
    def findings(self) -> list[Finding]:
        """What the fairness audit finds."""
        return findings(self.family.rows)

    @cached_property
    def is_timed(self) -> bool:
        """Whether seconds may be ranked: all of exclusive timing, on a machine without load."""
        exclusive = all(row.get("timing") == "exclusive" for row in self.family.rows)
        return exclusive and not self.family.analysis.is_shared


@dataclass(frozen=True, kw_only=True)
class BoardSet:
    """A set with its members and the rankings of methods on them, that of most runs first."""

    name: str
    summary: str
    kind: str  # instances, workloads, MIG jobs, models or others
    members: Sequence[Subject]
    rankings: Sequence[Ranking]

    @property
    def url(self) -> str:
        """Its page."""
        return f"sets/{self.name}.html"


@dataclass(frozen=True, kw_only=True)
class Board:
    """All that a board shows."""

    folder: Path  # of the results
    rows: Sequence[ReportRow]
    subjects: Sequence[Subject]  # with runs or values
    sets: Sequence[BoardSet]
    sources: Sequence[Mapping[str, Any]]  # folder, runs, and why one is left out

    @cached_property
    def last(self) -> str:
        """The last moment that best-known values tell, "" without any."""
        entries = (one.entry for one in self.subjects if one.entry is not None)
        steps = (step for one in entries for step in (*one.ub_data, *one.lb_data))
        return max((run.date for step in steps for run in (step, *step.confirmed_by)), default="")


@dataclass(kw_only=True)
class _Draft:
    """A subject that is being gathered."""

    name: str
    nodes: int | None
    jobs: int | None
    sets: list[str] = field(default_factory=list)
    rows: list[ReportRow] = field(default_factory=list)
    entry: BestKnown | None = None
    submissions: list[CheckedRow] = field(default_factory=list)
    listed: tuple[float | None, float | None] = (None, None)


def board_data(folder: Path, submissions: Path) -> Board:
    """
    Return what a folder of results has, `*/rows.csv` and `best_known/*.jsonl`, and submissions.

    Those are in FAMILY/NAME/ of their folder, if it exists. Costs are compared with the values that
    `storage.reading` names, also when a ranking is asked for. InputError for results without rows
    of runs and best-known values, and for rows that make no sense.
    """
    rows, sources = _stored(folder)
    values = folder / KNOWN
    entries = storage.read(values) if values.is_dir() else {}
    if not rows and not entries:
        expected = f"rows of runs, */{ROWS}, or best-known values, {KNOWN}/*.jsonl"
        raise InputError("", described("neither"), expected, folder)
    rows = completed(rows, several=True) if rows else []
    submitted = accepted(submissions, best_known=values) if submissions.is_dir() else []
    of_models = model_rows(rows)
    _label_versions(rows)
    drafts = _drafts(rows, entries, submitted)
    models = _models(of_models, drafts)
    subjects = {sha256: Subject(sha256=sha256, **vars(draft)) for sha256, draft in drafts.items()}
    sets = _sets(subjects, models)
    shown = [one for one in subjects.values() if one.is_shown]
    return Board(folder=folder, rows=rows, subjects=shown, sets=sets, sources=sources)


def _stored(folder: Path) -> tuple[list[ReportRow], list[dict[str, Any]]]:
    """Read the rows of runs in the folders of results; of others, why they are left out."""
    if not folder.is_dir():
        expected = "a folder of results, see --results"
        raise InputError("", described("no folder"), expected, folder)
    rows: list[ReportRow] = []
    sources = []
    for path in sorted(folder.glob(f"*/{ROWS}")):
        with path.open(encoding="utf-8-sig", newline="") as lines:
            heads = next(csv.reader(lines), [])
        lacking = [key for key in NEEDED_IN_FILE if key not in heads]
        told: dict[str, Any] = {"source": path.parent.name, "runs": 0, "reason": ""}
        if lacking:
            told["reason"] = f"no rows of single runs: no column {lacking[0]}"
        else:
            found = read_stored(path, events=False)
            rows += [cast(ReportRow, {**row, "source": path.parent.name}) for row in found]
            told["runs"] = len(found)
        sources.append(told)
    return rows, sources


def _label_versions(rows: Sequence[ReportRow]) -> None:
    """Add its version to the name of each method that ran in several, of its solver or ours."""
    for method, own in group_by(rows, lambda row: str(row["method"])).items():
        if is_reference(own[0]):
            continue
        keys = [
            (key, text)
            for key, text in (("solver_version", "{}"), ("rsjs_version", "rsjs-bench {}"))
            if (key != "solver_version" or "@" in method)
            and len({known(row, key) for row in own}) > 1
        ]
        for row in own if keys else ():
            told = (text.format(known(row, key) or "of unknown version") for key, text in keys)
            row["method"] = f"{method} ({', '.join(told)})"


def _drafts(
    rows: Sequence[ReportRow], entries: Mapping[str, BestKnown], submitted: Sequence[CheckedRow]
) -> dict[str, _Draft]:
    """Gather instances by sha256: members of sets, best-known values, runs, submissions."""
    drafts: dict[str, _Draft] = {}
    for name in names():
        for one in library_set(name).members:
            draft = drafts.setdefault(
                one.sha256, _Draft(name=one.name, nodes=one.nodes, jobs=one.jobs)
            )
            draft.sets.append(name)
    for sha256, entry in entries.items():
        draft = drafts.setdefault(
            sha256, _Draft(name=entry.instance, nodes=entry.nodes, jobs=entry.jobs)
        )
        draft.entry = entry
    for row in rows:
        sha256, name = str(row["instance_sha256"]), str(row["instance"])
        draft = drafts.setdefault(
            sha256, _Draft(name=name, nodes=known(row, "nodes"), jobs=known(row, "jobs"))
        )
        draft.rows.append(row)
    for claimed in submitted:
        draft = _Draft(name=claimed.instance, nodes=claimed.nodes, jobs=claimed.jobs)
        drafts.setdefault(claimed.sha256, draft).submissions.append(claimed)
    _prepare_commands(drafts)
    for name, own in group_by(drafts.items(), lambda item: item[1].name).items():
        for sha256, draft in own if len(own) > 1 else ():
            draft.name = f"{name} ({sha256[:DIGITS]})"
    for draft in drafts.values():
        for row in draft.rows:
            row["instance"] = draft.name
    return drafts


def _prepare_commands(drafts: Mapping[str, _Draft]) -> None:
    """Tell each run of a member of a set, or of a bundled campaign, how it is repeated."""
    for draft in drafts.values():
        for row in draft.rows:
            row["spelling"] = known(row, "spelling") or str(row["method"])
            if draft.sets:
                row["fetched"] = shlex.join(["rsjs", "fetch-set", draft.sets[0], "-o", "instances"])
                row["problem_file"] = Path("instances") / f"{draft.name}.json.gz"
            else:
                row["fetched"] = _campaign_command(row)


def _campaign_command(row: ReportRow) -> str:
    """Return the command that repeats a run of a bundled campaign; "" for others."""
    campaign = str(known(row, "campaign") or "")
    if not re.fullmatch(r"[\w-]+", campaign) or not (BUNDLED / f"{campaign}.toml").is_file():
        return ""
    label = f"{row['spelling']} seed {row['seed']} on {row['instance']}"
    return shlex.join(["rsjs", "run", campaign, "--only", label])


def _models(runs: Mapping[str, Sequence[Any]], drafts: dict[str, _Draft]) -> list[str]:
    """
    Add the models of the solver track with the runs of solvers on them; return their digests.

    The method of such a run is its solver with its version.
    """
    models, digests = track(), []
    for name, own in runs.items():
        model = models[name]
        draft = _Draft(name=name, nodes=None, jobs=None, listed=(model.objective, model.bound))
        draft.sets.append(TRACK)
        for row in own:
            copied = cast(ReportRow, {**row, "instance": name})
            copied["instance_sha256"] = model.text_sha256
            if str(row["method"]).startswith("solve@"):
                copied["problem_file"] = None
                copied["fetched"] = _campaign_command(copied)
            if is_wrong_answer(row, model):
                copied["status"], copied["quality"] = "wrong", "WRONG"
            solver = str(row["solver"]).partition(" ")[0]  # without the environment that it is of
            copied["method"] = f"{solver} {known(row, 'solver_version') or ''}".rstrip()
            draft.rows.append(copied)
        drafts[model.text_sha256] = draft
        digests.append(model.text_sha256)
    return digests


def _sets(subjects: Mapping[str, Subject], models: Iterable[str]) -> list[BoardSet]:
    """Return the sets that have runs or best-known values, and what is in no set by source."""
    found = []
    for name in names():
        chosen = library_set(name)
        members = [subjects[one.sha256] for one in chosen.members]
        found.append(_set(name, chosen.summary, " and ".join(chosen.kinds), members))
    found.append(
        _set(
            TRACK,
            "Model files for solvers, and the formulations behind them on their instances.",
            "models",
            [subjects[sha256] for sha256 in models],
        )
    )
    others = [one for one in subjects.values() if not one.sets and one.rows]
    for source, own in group_by(others, lambda one: str(one.rows[0]["source"])).items():
        summary = f"Instances of no set, in results/{source}."
        plain = re.fullmatch(r"[\w.-]+", source, re.ASCII)
        named = f"of-no-set-{source if plain else slug(source)}"
        found.append(_set(named, summary, "others", own))
    return [one for one in found if any(member.is_shown for member in one.members)]


def _set(name: str, summary: str, kind: str, members: Sequence[Subject]) -> BoardSet:
    groups = group_by((row for member in members for row in member.rows), _conditions)
    rankings = [_ranking(name, key, rows) for key, rows in groups.items()]
    rankings.sort(key=lambda one: (-len(one.family.rows), one.source, one.conditions))
    return BoardSet(name=name, summary=summary, kind=kind, members=members, rankings=rankings)


def _conditions(row: ReportRow) -> tuple[Any, ...]:
    """Return what runs must have in common to be compared: source, limits, options."""
    return row["source"], *(known(row, key) for key in LIMITS), known(row, "simulation")


def _ranking(name: str, key: tuple[Any, ...], rows: Sequence[ReportRow]) -> Ranking:
    source, *limits, simulation = key
    told = [
        SHOWN[column](value)
        for column, value in zip(LIMITS, limits, strict=True)
        if value is not None and not (simulation and column == "gap_limit")
    ]
    usual = Options().as_dict()
    given = json.loads(simulation or "{}")
    told += [f"{k} {v}" for k, v in given.items() if k in usual and usual[k] != v]
    told += [f"epochs {given['epochs']}"] if "epochs" in given else []
    last: dict[tuple[Any, ...], ReportRow] = {}
    for row in sorted(rows, key=lambda row: str(known(row, "begun") or "")):
        seed, repetition = row["seed"], known(row, "repetition") or 1
        last[problem(row), seed, repetition, row["method"]] = row
    counted = [*last.values()]
    return Ranking(
        source=str(source),
        conditions=", ".join(told),
        family=Family(name=name, rows=counted),
        repeated=len(rows) - len(counted),
    )

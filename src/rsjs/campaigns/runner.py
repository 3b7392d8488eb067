"""A campaign on a store: its runs in order, what is done, what is left, and doing it."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path

import psutil

from rsjs.campaigns.environments import Environment, asked
from rsjs.campaigns.pool import Dispatch, News
from rsjs.campaigns.pool_worker import Order
from rsjs.campaigns.records import Record
from rsjs.campaigns.run import Run, in_order
from rsjs.campaigns.schema_files import Document
from rsjs.campaigns.session import Session, refuse_more
from rsjs.campaigns.sources import pointed
from rsjs.campaigns.spec import HERE, Campaign, Choice
from rsjs.campaigns.store import (
    INDEX,
    STORE,
    InstanceStore,
    Store,
    Survey,
    discard,
    open_store,
    write_plan,
)
from rsjs.core.errors import InputError, described
from rsjs.core.own_code import relative_to
from rsjs.rows.build import HOW_ENDED, ended
from rsjs.runs import provenance
from rsjs.runs.kinds.base import kind
from rsjs.runs.verified_run import solver_of

MOST_RUNS = 1_000_000  # of a campaign
FEW = 5  # instances that an error names


def plan(
    campaign: Campaign,
    environments: Mapping[str, Environment],
    instances: InstanceStore,
    store: Store,
) -> tuple[list[Run], dict[Run, str]]:
    """
    Expand a campaign: its runs, method by method, and those skipped with the reason.

    Instances are drawn into the store.

    Where the store has all records of a method on an instance, it serves that, which is not read.
    InputError if a method meets no instance, or nothing is left to run.
    """
    each = sum(len(choice.seeds or campaign.seeds) for choice in campaign.choices)
    most = len(campaign.sources) * each * len(campaign.threads) * campaign.repetitions
    if most > MOST_RUNS:
        raise InputError("", described(f"up to {most} runs"), f"at most {MOST_RUNS}")
    drawn = map(instances.entry, campaign.sources)
    entries = [*{entry["sha256"]: entry for entry in drawn}.values()]
    runs: list[dict[str, Run]] = [{} for _ in campaign.choices]
    skipped: dict[Run, str] = {}
    for choice in campaign.choices:
        if not any(choice.is_for(entry["name"]) for entry in entries):
            found = described(f"{choice.request.spelling} on {', '.join(choice.on)}")
            names = ", ".join(entry["name"] for entry in entries[:FEW])
            more = f" and {len(entries) - FEW} more" if entries[FEW:] else ""
            raise InputError("/methods", found, f"instances among {names}{more}")
    for entry, (number, choice) in product(entries, enumerate(campaign.choices)):
        if choice.is_for(entry["name"]):
            environment = environments[choice.environment]
            plugins = environment.sources(choice.request)
            made = [*_runs(campaign, choice, entry, instances, plugins)]
            reason = environment.missing(choice.request)
            if not reason and not all(store.path(run.id).exists() for run in made):
                instance = instances.loaded(entry["sha256"])
                reason = kind(campaign.kind).refusal(choice.request, instance)
            if reason:
                skipped |= dict.fromkeys(made, reason)
            else:
                runs[number] |= {run.id: run for run in made}
    if not any(runs):
        first = next(iter(skipped))
        found = described(f"nothing to run: {first.label}: {skipped[first]}")
        raise InputError("/methods", found, "a method that serves an instance")
    return [*{run_id: run for part in runs for run_id, run in part.items()}.values()], skipped


def _runs(
    campaign: Campaign, choice: Choice, entry: Document, store: InstanceStore, plugins: str | None
) -> Iterator[Run]:
    seeds, repetitions = choice.seeds or campaign.seeds, range(1, campaign.repetitions + 1)
    for seed, threads, repetition in product(seeds, campaign.threads, repetitions):
        permutation = seed if campaign.permute else 0
        yield Run(
            instance=entry["name"],
            instance_sha256=entry["sha256"],
            solved_sha256=store.permuted(entry["sha256"], permutation),
            permutation=permutation,
            nodes=entry["nodes"],
            jobs=entry["jobs"],
            method=choice.request.spelling,
            solver=solver_of(choice.request),
            environment=choice.environment,
            limits=replace(campaign.limits, threads=threads, seed=seed),
            output_limit_mb=campaign.output_limit_mb,
            timing=campaign.timing,
            repetition=repetition,
            kind=campaign.kind,
            kind_options=campaign.kind_options,
            isolation=choice.isolation,
            plugins=plugins,
        )


@dataclass(frozen=True, kw_only=True)
class Part:
    """The requested part of a campaign."""

    shard: tuple[int, int] = (1, 1)  # i of n
    only: str | None = None  # pattern for the labels of runs
    # likewise, of those to be carried out although they are done; or how they ended: CRASH, ...
    again: str | None = None

    def takes(self, run: Run) -> bool:
        """Return whether a run belongs to the part, which depends on its id alone."""
        i, n = self.shard
        return int(run.id, 16) % n == i - 1 and (self.only is None or fits(run, self.only))

    def repeats(self, record: Record) -> bool:
        """Return whether a run is carried out although it is done."""
        if self.again in HOW_ENDED:
            return ended(record.result, record.process).partition("(")[0] == self.again
        return self.again is not None and fits(record.run, self.again)


def fits(run: Run, pattern: str) -> bool:
    """Return whether a run's label, which begins with its method, or its instance begins so."""
    plain = pattern.replace("[", "[[]")  # of a label with an environment
    return any(fnmatchcase(text, f"{plain}*") for text in (run.label, run.instance))


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A campaign, expanded and compared with its store."""

    campaign: Campaign
    environments: Mapping[str, Environment]
    runs: list[Run]  # of the whole campaign, in the order in which they are carried out
    # run -> why not: the method does not serve the instance, or its solver is missing
    skipped: Mapping[Run, str]
    selected: list[Run]  # the part that is asked for, in order
    survey: Survey  # what the store has of it
    instances: InstanceStore

    @property
    def left(self) -> list[Run]:
        """The selected runs without a record that can be read, and those to be repeated."""
        survey = self.survey
        left = {*survey.missing, *survey.again, *(run_id for run_id, _ in survey.corrupt)}
        return [run for run in self.selected if run.id in left]


def prepare(campaign: Campaign, folder: Path | None, part: Part, *, keep: bool = True) -> Prepared:
    """
    Expand a campaign and look at its store; without a folder as if nothing were done.

    To `keep` is to begin the store if it is not there, and to leave in it the instances drawn.
    InputError for whatever would keep a run from being carried out as it is meant.
    """
    # a bundled one with methods of the caller's is in no file
    named = campaign.file if campaign.file.is_file() else None
    methods: dict[str, set[str]] = {choice.environment: set() for choice in campaign.choices}
    if kind(campaign.kind).plugins:  # others have methods of their own, whatever their names
        for choice in campaign.choices:
            methods[choice.environment] |= choice.request.names
    shown: dict[str, str] = {}
    for choice in campaign.choices:
        methods[choice.environment] |= choice.request.programs
        specification = choice.request.spelling
        if shown.setdefault(choice.request.label, specification) != specification:
            expected = "one program of that name: tables with names of their own, see [[solvers]]"
            raise InputError("/methods", choice.request.label, expected, named)
    with pointed(file=named), relative_to(campaign.file.parent):
        environments = asked(campaign.environments, methods)
    begun = (
        folder is not None and keep and not ((folder / STORE).exists() or (folder / INDEX).exists())
    )
    if folder is not None and keep:
        open_store(folder, campaign, environments)
    instances = InstanceStore(folder if keep else None, campaign.kind)
    store = Store(folder or Path(os.devnull))  # where nothing is done
    try:
        with pointed(file=named), relative_to(campaign.file.parent):
            runs, skipped = plan(campaign, environments, instances, store)
        _refuse_patterns(part, runs)
    except InputError:
        if begun and folder is not None:
            discard(folder)
        raise
    except KeyboardInterrupt:  # what is drawn is not drawn again
        instances.save()
        raise
    selected = in_order([run for run in runs if part.takes(run)])
    return Prepared(
        campaign=campaign,
        environments=environments,
        runs=runs,
        skipped=skipped,
        selected=selected,
        survey=store.survey([run.id for run in selected], part.repeats),
        instances=instances,
    )


def _refuse_patterns(part: Part, runs: list[Run]) -> None:
    """Raise InputError if a pattern takes none of the runs."""
    again = None if part.again in HOW_ENDED else part.again
    for option, pattern in (("--only", part.only), ("--again", again)):
        if pattern is None or any(fits(run, pattern) for run in runs):
            continue
        found = described(f"{pattern} in none of {len(runs)} runs")
        raise InputError(option, found, f"how e.g. {runs[0].label} begins")


def slots_here(campaign: Campaign, jobs: int | None) -> int:
    """
    Return the number of runs to carry out side by side on this machine.

    `jobs` if given; else as many as the campaign asks for, fewer where the machine has fewer cores.
    InputError if they would get in each other's way, or are less than one.
    """
    machine = provenance.machine()
    cores, memory = machine["hardware_threads_usable"], machine["memory_mb"]
    place = "jobs of the campaign" if jobs is None else "--jobs"
    fitting = max(1, cores // max(campaign.threads))
    slots = min(campaign.jobs, fitting) if jobs is None else jobs
    if slots < 1:
        raise InputError(place, slots, "a number of runs >= 1")
    refuse_more(campaign, place, slots, cores=cores, memory_mb=memory)
    return slots


def carry_out(prepared: Prepared, folder: Path, dispatch: Dispatch) -> Generator[News, None, None]:
    """Carry out the runs that are left; a session file tells under what conditions."""
    store = Store(folder)
    store.sweep()
    prepared.instances.save()
    write_plan(folder, prepared)
    for run_id, _ in prepared.survey.corrupt:
        store.set_aside(run_id, "corrupt")
    for run_id in prepared.survey.again:
        store.set_aside(run_id, "replaced")
    if not prepared.left:
        return
    session = Session(folder, prepared.campaign, prepared.environments)
    interpreters = {**prepared.campaign.environments, HERE: sys.executable}
    orders = [
        Order(
            run=run,
            instance=str(prepared.instances.path(run.solved_sha256)),
            python=interpreters[run.environment],
            origin={
                "rsjs_version": environment.rsjs_version,
                "solver_version": environment.solvers.get(run.solver or "") or None,
                "session": session.id,
            },
        )
        for run in prepared.left
        for environment in [prepared.environments[run.environment]]
    ]
    with relative_to(prepared.campaign.file.parent):
        yield from dispatch(orders, store, session)


def remarks(campaign: Campaign) -> list[str]:
    """Return reasons to doubt running times, known before the runs."""
    load, cores = provenance.load(), psutil.cpu_count() or 1
    if campaign.timing != "exclusive" or load <= provenance.BUSY * cores:
        return []
    return [f"load average {load:.1f} on {cores} threads: seconds are not fit for a ranking"]


def of_other_code(prepared: Prepared) -> list[str]:
    """Return in one line whether runs in the store were made by other code of this version."""
    done, others = prepared.survey.done, 0
    for record in done:
        session = prepared.survey.sessions.get(record.session, {"environments": {}})
        before = session["environments"].get(record.run.environment, {}).get("code")
        now = prepared.environments[record.run.environment].code
        others += bool(before and now and before != now)
    told = (
        f"{others} of {len(done)} runs that are done were made by other code of rsjs-bench than is "
        "installed now: --again PATTERN, or another folder, does not mix them"
    )
    return [told] if others else []

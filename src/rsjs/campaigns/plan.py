"""A campaign's runs, in order, and the pairs of method and instance that cannot be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from rsjs.campaigns.environments import Environment
from rsjs.campaigns.instance_store import Entry, InstanceStore
from rsjs.campaigns.method_selection import Choice
from rsjs.campaigns.run import Run, in_order
from rsjs.campaigns.spec import Campaign
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.runs.verified_run import solver_of

MOST_RUNS = 1_000_000  # of a campaign


@dataclass(frozen=True, kw_only=True)
class Plan:
    """
    What a campaign comes to.

    Attributes
    ----------
    runs : list of Run
        In the order in which they are carried out.
    skipped : mapping
        Run -> why it is not carried out: the method does not serve the instance, or its solver
        is missing.
    """

    runs: list[Run] = field(default_factory=list)
    skipped: Mapping[Run, str] = field(default_factory=dict)


def plan(
    campaign: Campaign,
    store: InstanceStore,
    environments: Mapping[str, Environment],
    is_done: Callable[[Run], bool],
) -> Plan:
    """
    Expand a campaign; instances that the store lacks are drawn and kept there.

    Parameters
    ----------
    is_done : callable
        Whether a run has a record: then its method serves its instance, which is not read.

    Raises
    ------
    InputError
        If a method meets no instance, or nothing is left to run.
    """
    each = sum(len(campaign.seeds if c.seeds is None else c.seeds) for c in campaign.choices)
    most = len(campaign.sources) * each * len(campaign.threads) * campaign.repetitions
    if most > MOST_RUNS:
        raise InputError("", described(f"up to {most} runs"), f"at most {MOST_RUNS}")
    entries = list({entry.sha256: entry for entry in map(store.entry, campaign.sources)}.values())
    runs: dict[str, Run] = {}
    skipped: dict[Run, str] = {}
    for choice in campaign.choices:
        if not any(_meant(choice, entry) for entry in entries):
            found = described(f"{choice.request.spelling} on {', '.join(choice.on)}")
            raise InputError("/methods", found, f"instances among {_listed(entries)}")
    for entry in entries:
        for choice in campaign.choices:
            if not _meant(choice, entry):
                continue
            sources = environments[choice.environment].sources(choice.request)
            made = _runs(campaign, choice, entry, store, sources)
            reason = environments[choice.environment].missing(choice.request)
            if not reason and not all(map(is_done, made)):
                reason = store.refusal(choice.request, entry)
            if reason:
                skipped |= dict.fromkeys(made, reason)
            else:
                runs |= {run.id: run for run in made}
    if not runs:
        first = next(iter(skipped))
        found = described(f"nothing to run: {first.label}: {skipped[first]}")
        raise InputError("/methods", found, "a method that serves an instance")
    return Plan(runs=in_order(list(runs.values())), skipped=skipped)


def _meant(choice: Choice, entry: Entry) -> bool:
    return any(fnmatchcase(entry.name, pattern) for pattern in choice.on)


def _runs(
    campaign: Campaign, choice: Choice, entry: Entry, store: InstanceStore, plugins: str | None
) -> list[Run]:
    made = []
    for seed in campaign.seeds if choice.seeds is None else choice.seeds:
        permutation = seed if campaign.permute else 0
        solved = store.permuted(entry, permutation)
        for threads in campaign.threads:
            limits = Limits(
                time_limit=campaign.time_limit,
                gap=campaign.gap,
                threads=threads,
                seed=seed,
                memory_limit_mb=campaign.memory_limit_mb,
            )
            for repetition in range(1, campaign.repetitions + 1):
                run = Run(
                    instance=entry.name,
                    instance_sha256=entry.sha256,
                    solved_sha256=solved,
                    permutation=permutation,
                    nodes=entry.nodes,
                    jobs=entry.jobs,
                    method=choice.request.spelling,
                    solver=solver_of(choice.request),
                    environment=choice.environment,
                    limits=limits,
                    output_limit_mb=campaign.output_limit_mb,
                    timing=campaign.timing,
                    repetition=repetition,
                    kind=campaign.kind,
                    kind_options=campaign.kind_options,
                    isolation=choice.isolation,
                    plugins=plugins,
                )
                made.append(run)
    return made


def _listed(entries: list[Entry], most: int = 5) -> str:
    names = [entry.name for entry in entries]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if names[most:] else "")

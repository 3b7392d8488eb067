"""Campaigns from Python, `rsjs.run_campaign`: how they are found, what is changed, and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from rsjs.campaigns import runner
from rsjs.campaigns.pool import Local
from rsjs.campaigns.run import Run
from rsjs.campaigns.runner import Part
from rsjs.campaigns.sources import pointed
from rsjs.campaigns.spec import Campaign, read, with_methods
from rsjs.comparison import Comparison, Watch, carried_out, several
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described, integer, nearest
from rsjs.core.method import Method
from rsjs.core.own_code import relative_to
from rsjs.methods import Request, parse
from rsjs.runs.kinds import base


def run_campaign(
    campaign: str | Path,
    store: str | Path,
    *,
    jobs: int | None = None,
    only: str | None = None,
    again: str | None = None,
    shard: tuple[int, int] = (1, 1),
    methods: str | Sequence[str] | None = None,
    time_limit: float | None = None,
    watch: Watch | None = None,
) -> Comparison:
    """
    Carry out the runs of a campaign that its store lacks, and return all requested runs.

    Parameters
    ----------
    campaign : str or path
        A TOML file, or the name of a bundled campaign, e.g. smoke.
    store : path
        The folder that keeps the runs.
    jobs : int, optional
        Runs side by side; as the campaign says by default.
    only, again : str, optional
        Patterns for `method seed S on INSTANCE`: which runs, and which of them again.
    shard : (i, n)
        Part i of n, for one of n machines.
    methods : str or sequence of str, optional
        These in place of the campaign's, e.g. "mine.py:decide"; a file is in the campaign's folder,
        of a bundled one in the working directory.
    time_limit : float, optional [s]
        Of each run in place of the campaign's; runs of other limits stay.

    Raises
    ------
    InputError
        Naming the file, the entry, what was found and what was expected.
    """
    asked = find_campaign(str(campaign))
    if methods is not None:
        given = several("methods", methods, str)
        asked = own_methods(asked, str(campaign), partial(_requests, given))
    if time_limit is not None:
        asked = with_time_limit(asked, "/time_limit", time_limit)
    shards = several("shard", shard, int)
    if len(shards) != 2 or not 1 <= shards[0] <= shards[1]:
        raise InputError("/shard", described(str(shard)), "(i, n) with 1 <= i <= n")
    for name, pattern in (("only", only), ("again", again)):
        if not isinstance(pattern, str | None):
            raise InputError(f"/{name}", pattern, "a pattern, e.g. *seed 1*")
    slots = runner.slots_here(asked, None if jobs is None else integer("jobs", jobs, 1))
    prepared = runner.prepare(asked, Path(store), Part(shard=shard, only=only, again=again))
    methods = [choice.request.spelling for choice in asked.choices]

    def place(run: Run) -> tuple[Any, ...]:
        size = run.nodes, run.jobs, run.instance, run.instance_sha256
        return *size, methods.index(run.method), run.limits.seed, run.limits.threads, run.repetition

    return carried_out(prepared, Path(store), Local(slots), place, watch)


def _requests(given: Sequence[str], known: Mapping[str, Method]) -> list[Request]:
    """Return methods in their order, each once; InputError with the place of one not known."""
    found: dict[str, Request] = {}
    for i, one in enumerate(given):
        with pointed(f"/methods/{i}"):
            request = parse(one, known)
        found.setdefault(request.spelling, request)
    return [*found.values()]


def own_methods(
    campaign: Campaign, named: str, requests: Callable[[Mapping[str, Method]], list[Request]]
) -> Campaign:
    """
    Return a campaign with other methods, their files in its folder or, of a bundled one, in this.

    `requests` returns them, from the methods of the campaign's kind of problem by name.
    """
    if not Path(named).is_file():
        campaign = replace(campaign, file=Path.cwd() / campaign.file.name)
    with relative_to(campaign.file.parent):
        return with_methods(campaign, requests(base.kind(campaign.kind).methods()))


def with_time_limit(campaign: Campaign, place: str, seconds: float) -> Campaign:
    """Return a campaign whose runs have another time limit; InputError at `place` for none."""
    try:
        limit = Limits.asked(time_limit=seconds).time_limit
    except InputError as error:
        raise InputError(place, seconds, error.expected) from None
    return replace(campaign, limits=replace(campaign.limits, time_limit=limit))


def bundled() -> list[str]:
    """Return the names of the campaigns that come with the package."""
    folder = files("rsjs.campaigns") / "bundled"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def find_campaign(named: str) -> Campaign:
    """Read the campaign in a file, or a bundled one by its name."""
    known = bundled()
    if named in known and not Path(named).is_file():
        with as_file(files("rsjs.campaigns") / "bundled" / f"{named}.toml") as path:
            return read(path)
    if named.endswith(".toml") or Path(named).exists():
        return read(Path(named))
    raise InputError("", described(f"campaign {named}"), f"a TOML file, or {nearest(named, known)}")

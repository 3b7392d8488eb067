"""
Workloads and instances of traces: what is recorded stays, the rest is drawn from named streams.

Recorded: order and times of submission, GPUs, share, run time, GPU type as far as it is known; in
tables of a user's own perhaps due date, weight and memory, too.
Invented: network and batch, times on other GPUs, prices of nodes and stand-ins of GPU types (see
`imputation`), epochs (distributions of Filippini 2024, or always 100), memory (of network and
batch, at most the recorded share of the recorded GPU), due dates and weights (STS (31), or Jahani
2019 V-A), and that a job on a share f of a GPU is not faster on more of one.

The number of epochs W is drawn, and an epoch takes t / W: on the recorded GPUs the run takes the
recorded time, to a unit in the last place. A rigid job runs on as many GPUs as were recorded and on
no others.

An instance is the queue at one moment: jobs submitted until then that have not ended, by the
recorded times. One that had started has done the part of its epochs that had passed. Without a
recorded start a job of a user's own tables waits; one of a trace is taken to start at once.

Rows with a flaw are left out or taken only if their kind is named; `Selection` counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described, integer, one_of
from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.catalogue.gpus import gpu_type, memory_gb
from rsjs.instances.cluster import Cluster
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.generators import jahani, random_streams, sts
from rsjs.instances.generators.assemble import RHO, H, due_window, made_by
from rsjs.instances.instance import FAMILIES, Instance, Workload
from rsjs.instances.jobs import Jobs
from rsjs.instances.traces.flaws import KINDS, NO_DURATION, FlawKind, chosen, mask
from rsjs.instances.traces.imputation import (
    FAMILY,
    UNITS,
    UNRECORDED,
    build_cluster,
    draw_networks,
    gpus_of,
    hours_on_whole_gpus,
    named_networks,
)
from rsjs.instances.traces.io.streams import Truncated
from rsjs.instances.traces.moment import (
    DIGITS,
    Queue,
    hours_until,
    instance_at,
    moment_text,
    queue_at,
)
from rsjs.instances.traces.quality_report import HOUR, QualityReport
from rsjs.instances.traces.records import JobRecords, recode

RULES = ("sts", "jahani")
SHARING = ("none", "recorded")
MAX_JOBS = 100_000  # of a workload: larger files are read by nobody
_SPARE = 50_000  # rows beyond those wanted that are held for a while
_DUE = MappingProxyType({"sts": "at_most_thrice", "jahani": "base"})
_WEIGHT = MappingProxyType({"sts": sts.WEIGHT, "jahani": jahani.WEIGHT})
_NAMES = 10  # that a message has room for
OWN = "own"  # format of a user's own tables


@dataclass(frozen=True, kw_only=True)
class ConversionOptions:
    """Options of `convert`."""

    drop: Sequence[str] = ()  #: kinds whose rows are left out
    keep: Sequence[str] = ()  #: kinds whose rows are taken although they have a flaw
    after: float = 0.0  #: [h] from the first submission of the trace; earlier ones are left out
    #: this many jobs, the first submitted; None = all, if they are not too many
    jobs: int | None = None
    #: "sts" | "jahani"; objective, due dates and weights of Filippini 2024 or of Jahani 2019
    rules: str = "sts"
    #: "base" | "mild" | "strong" | "fixed"; distribution of the number of epochs; Jahani's jobs
    #: always run all
    laws: str = "base"
    #: "none" | "recorded"; whether jobs that had a share of a GPU may run on one as large, in
    #: quarters
    sharing: str = "none"
    rigid: bool = False  #: whether jobs run on the recorded number of GPUs, or share, only
    #: [h] from the first submission, or a date: an instance at that moment; None = a workload
    at: float | str | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        one_of("rules", self.rules, RULES)
        one_of("laws", self.laws, sts.LAWS)
        one_of("sharing", self.sharing, SHARING)
        integer("seed", self.seed, 0)
        if self.jobs is not None:
            integer("jobs", self.jobs, 1)
        if not 0 <= self.after < np.inf:
            raise InputError("/after", self.after, "hours >= 0")
        for option in ("drop", "keep"):
            chosen(option, getattr(self, option))
        is_hours = isinstance(self.at, Real) and 0 <= self.at < np.inf
        if not (is_hours or self.at is None or isinstance(self.at, str)):
            raise InputError("/at", self.at, "hours >= 0, or a date")
        plain = {"laws": FIXED, "sharing": "none"} if self.rules == "jahani" else {}
        for option, value in plain.items():
            if getattr(self, option) != value:
                raise InputError(f"/{option}", getattr(self, option), f"{value} with jahani")


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """The rows of a trace that a workload is made of."""

    rows: JobRecords  #: in order of submission, ties as in the file
    #: kind -> number of rows; each row counts once, as the first of its kinds
    dropped: Mapping[str, int]
    #: rows without a flaw that were not wanted: before `after` or beyond the number of jobs
    left: int
    at: str = ""  #: the moment of an instance, as a date if there are dates and in hours


def convert(
    report: QualityReport, options: ConversionOptions
) -> tuple[Workload | Instance, Selection]:
    """
    Build the workload, or the instance, and say which rows it is made of.

    It is an instance if `options.at` is given, or if the trace has no times of submission.

    Parameters
    ----------
    report : QualityReport
        Of `inspect`, with the nodes of the cluster and the stand-ins of GPU types.

    Raises
    ------
    InputError
        No nodes; rows of a kind that is neither dropped nor kept; a bad option; no job that
        waits or runs at that moment.
    """
    format, at = report.trace.format, options.at
    cluster = build_cluster(
        report.nodes,
        report.known,
        shared=options.sharing == "recorded",
        flat=options.rules == "jahani",
    )
    selection = select(report, options)
    if isinstance(at, str):
        at = hours_until(at, selection.rows.submit[0], format.zoned)
    elif at is None and not format.arrivals:
        at = 0.0
    queue = None
    if at is not None:
        selection = replace(selection, at=moment_text(at, selection.rows.submit[0], format.zoned))
        queue = queue_at(selection.rows, at, selection.at, own=format.name == OWN)
    jobs, laws, realised = build_jobs(selection.rows, report, cluster, options)
    name = f"trace-{format.name}-{options.rules}-{options.laws}-{options.sharing}"
    if format.name == OWN:
        name = Path(report.trace.file).name.partition(".")[0] + "-rigid" * options.rigid
    workload = Workload(
        name=f"{name}-N{cluster.nodes}-J{len(jobs)}-s{options.seed}",
        cluster=cluster,
        jobs=jobs,
        laws=laws,
        H=H,
        rho=RHO,
        objective=FAMILIES[options.rules],
        realised_epochs=realised,
        generator=made_by("trace", **_provenance(report, selection, options, queue)),
    )
    return (workload if queue is None else instance_at(workload, selection.rows, queue)), selection


def options_of_own(report: QualityReport, options: ConversionOptions) -> ConversionOptions:
    """Return options for tables of a user's own: with the shares that jobs have."""
    shares = "recorded" if report.tally.gpus[0] and options.rules != "jahani" else "none"
    return replace(options, sharing=shares)


def imputed(rows: JobRecords, report: QualityReport, options: ConversionOptions) -> dict[str, str]:
    """Return what is not recorded of the rows, and the rule by which it was made, with counts."""
    n, known, networks = len(rows), report.known, report.trace.format.network
    source = "Filippini 2024 (31)" if options.rules == "sts" else "Jahani 2019 V-A"
    low, high = _WEIGHT[options.rules]
    rules = {
        "due": f"uniform in the window of {source} over the run times",
        "weight": f"uniform from {low:g} to {high:g} $/h, as {source}",
        "memory": "of network and batch in the catalogue, at most that of the recorded GPU",
    }
    text = {}
    for name, rule in rules.items():
        if missing := int(np.isnan(getattr(rows, name)).sum()):
            text[name] = f"{rule}; {missing} of {n} jobs"
    # GPU types that others stand for, of jobs and of nodes.
    models = Counter(rows.spelled_models)
    for model in sorted({*models, *(group.model for group in report.nodes)}):
        if model not in (types := gpus_of(model, known)):
            spelled = model or "a GPU type that is not recorded"
            text[f"gpu {model}".strip()] = f"{' or '.join(types)} for {spelled}"
            text[f"gpu {model}".strip()] += f"; {models[model]} of {n} jobs"
    named = named_networks(rows, networks)
    if unnamed := [j for j in range(n) if j not in named]:
        codes = {*rows.application[unnamed].tolist()} - {-1}
        others = ", ".join([rows.applications[code] for code in sorted(codes)][:_NAMES])
        instead = f" instead of {others}" if others else ""
        text["application"] = (
            f"a network of the catalogue, drawn by GPU-hours{instead}; {len(unnamed)} of {n} jobs"
        )
    if options.rules == "jahani" and (rows.share < 1).any():
        text["share"] = f"a whole GPU; {int((rows.share < 1).sum())} of {n} jobs"
    text["epochs"] = (
        f"{epoch_models.LAST} of each job"
        if options.laws == FIXED
        else f"{options.laws} distributions of Filippini 2024"
    )
    others = "other GPU types" if options.rigid else "other GPU types and counts"
    text[f"times on {others}"] = "by the ratios of the catalogue"
    text["H, rho"] = f"{H:g} h and {RHO:g}, as in the papers"
    text["prices of nodes"] = "base power and training power at the price of energy of ANDREAS"
    return text


def _provenance(
    report: QualityReport, selection: Selection, options: ConversionOptions, queue: Queue | None
) -> dict[str, Any]:
    rows = selection.rows
    models = sorted(set(rows.spelled_models))
    of_own: dict[str, Any] = {}
    if report.trace.format.name == OWN:
        if queue is not None:
            rows = rows.subset(queue.there)
            of_own = {"ended_before_at": queue.ended, "submitted_after_at": queue.later}
        of_own["imputed"] = imputed(rows, report, options)
    return {
        "format": report.trace.format.name,
        "files": {name: source.digest() for name, source in report.trace.tables.items()},
        "dropped": dict(selection.dropped),
        "kept": list(options.keep),
        "after_hours": options.after,
        "jobs": options.jobs,
        "gpus": {name or "not recorded": list(gpus_of(name, report.known)) for name in models},
        "rules": options.rules,
        "laws": options.laws,
        "sharing": options.sharing,
        **({"rigid": True} if options.rigid else {}),
        **of_own,
        "seed": options.seed,
    }


def select(report: QualityReport, options: ConversionOptions) -> Selection:
    """
    Read the trace again and take the rows without flaws, but for those that are kept.

    Raises
    ------
    InputError
        A kind that the report has and neither list names; no row that is left.
    """
    dropped, kept = chosen("drop", options.drop), chosen("keep", options.keep)
    _refuse_unnamed(report, unnamed_kinds(report, options))
    count = {kind.name: 0 for kind in dropped}
    held: list[JobRecords] = []
    good = 0
    limit = MAX_JOBS + 1 if options.jobs is None else options.jobs
    begin = report.tally.first + options.after * HOUR
    with suppress(Truncated):  # it is in the report, and kept
        for rows in report.rows():
            flaw = rows.flaw & ~mask(kept)
            fine = flaw == 0
            # Each row that is dropped counts as the first of its kinds.
            for kind in dropped:
                of_kind = (flaw & kind.bit) != 0
                count[kind.name] += int(of_kind.sum())
                flaw[of_kind] = 0
            # of a job that runs on, not every format tells how long it has run
            silent = fine & np.isnan(rows.duration)
            count[NO_DURATION.name] = count.get(NO_DURATION.name, 0) + int(silent.sum())
            fine &= ~silent
            good += int(fine.sum())
            held.append(rows.subset(fine & (rows.submit >= begin)))
            if sum(map(len, held)) > limit + _SPARE:
                held = [_first_submitted(held, limit)]
    if not any(map(len, held)):
        raise InputError("", described("no row without a flaw"), "a job", report.trace.file)
    rows = _first_submitted(held, limit)
    if options.jobs is None and len(rows) > MAX_JOBS:
        raise InputError("/jobs", described(f"{good} rows"), f"-J of at most {MAX_JOBS}")
    return Selection(
        rows=rows,
        dropped={name: number for name, number in count.items() if number},
        left=good - len(rows),
    )


def unnamed_kinds(report: QualityReport, options: ConversionOptions) -> list[FlawKind]:
    """Return the kinds that rows have and neither `drop` nor `keep` names."""
    named = (*chosen("drop", options.drop), *chosen("keep", options.keep))
    return [kind for kind in KINDS if report.tally.flaws[kind.name] and kind not in named]


def _refuse_unnamed(report: QualityReport, unnamed: Sequence[FlawKind]) -> None:
    if not unnamed:
        return
    tally, unit = report.tally, next(iter(report.trace.tables.values())).unit
    kinds = [kind.name for kind in unnamed if not kind.whole]
    first = sorted({place.line for name in kinds for place in tally.places[name]})[:_NAMES]
    lines = f" at {unit} {', '.join(map(str, first))}" if first else ""
    counts = ", ".join(f"{tally.flaws[kind.name]} {kind.name}" for kind in unnamed)
    readable = not any(kind.whole and not kind.kept for kind in unnamed)
    command = "import" if report.trace.format.name == OWN else "trace"
    allowed = "each kind in drop or keep" if readable else "a table that can be read"
    more = f"; rsjs {command} tells them" if unit == "line" else ""
    raise InputError("/drop", described(counts + lines), allowed + more)


def _first_submitted(held: Sequence[JobRecords], limit: int) -> JobRecords:
    """Return the first rows by submission of several chunks, as one."""
    models: dict[str, int] = {}
    applications: dict[str, int] = {}
    # One numbering of GPU types and applications for all chunks.
    parts = [
        replace(
            rows,
            model=recode(rows.model, rows.models, models),
            application=recode(rows.application, rows.applications, applications),
        )
        for rows in held
    ]
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(rows, name) for rows in parts])
        for name, value in vars(held[0]).items()
        if isinstance(value, np.ndarray)
    }
    order = np.argsort(columns["submit"], kind="stable")[:limit]
    whole = replace(held[0], **columns, models=tuple(models), applications=tuple(applications))
    return whole.subset(order)


def build_jobs(
    rows: JobRecords, report: QualityReport, cluster: Cluster, options: ConversionOptions
) -> tuple[Jobs, Mapping[str, EpochDistribution], Ints]:
    """Build the jobs, the distributions of their epochs, and the epochs that each job runs."""
    n = len(rows)
    u = partial(random_streams.uniforms, FAMILY, options.seed, n=n)
    # GPU types of the catalogue for the recorded one; the run time is that on the first.
    types = {name: gpus_of(name, report.known) for name in (*rows.models, UNRECORDED)}
    may = [types[name] for name in rows.spelled_models]
    network, batch = draw_networks(rows, report.trace.format.network, options.seed)
    # (n, T, G + 1) hours on whole GPUs, and the due dates that follow from them.
    whole, recorded = hours_on_whole_gpus(rows, network, batch, [gpus[0] for gpus in may], cluster)
    if report.trace.format.binding:
        whole[~_allowed(rows, may, cluster)] = np.inf
    if options.rigid:
        recorded_gpus = np.arange(whole.shape[2]) == rows.gpus[:, None, None]
        whole = np.where(recorded_gpus, whole, np.inf)
    memory = np.where(np.isnan(rows.memory), _memory(rows, network, batch, may), rows.memory)
    fits = memory[:, None] <= np.array([gpu.memory_gb for gpu in cluster.gpu_types])
    admissible = np.where(fits[:, :, None], whole, np.inf)
    for j in np.flatnonzero(np.isinf(admissible).all(axis=(1, 2)))[:1].tolist():
        found = described(f"{network[j]} with {memory[j]:.3g} GB on {rows.gpus[j]:g} GPUs")
        where = f"line {rows.line[j]}"
        raise InputError(where, found, "a job that some node of the cluster may run", rows.file)
    due = due_window(_DUE[options.rules], admissible)
    release = np.round((rows.submit - rows.submit[0]) / 3600, DIGITS)
    # Epochs that each job runs, by the distribution of its network.
    _, names, laws = sts.distributions(options.laws)
    law = tuple(names.get(each, FIXED) for each in network)  # without one, all epochs are run
    realised = np.full(n, epoch_models.LAST, dtype=np.int64)
    draws = u("realised")
    for name, distribution in laws.items():
        jobs = np.array([name == other for other in law])
        realised[jobs] = distribution.quantile(draws[jobs])
    epoch = whole / realised[:, None, None]
    drawn = random_streams.rounded(random_streams.uniform(u("weight"), *_WEIGHT[options.rules]))
    latest = release + random_streams.uniform(u("due"), *due)
    latest = np.where(np.isnan(rows.due), latest, (rows.due - rows.submit[0]) / HOUR)
    built = Jobs(
        id=tuple(_id(rows, j) for j in range(n)),
        application=network,
        release=release,
        due=np.round(latest, DIGITS),
        weight=np.where(np.isnan(rows.weight), drawn, rows.weight),
        memory_gb=memory,
        epochs_max=np.full(n, epoch_models.LAST, dtype=np.int64),
        epochs_done=np.zeros(n),
        law=law,
        hours_per_epoch=np.where(recorded, epoch, random_streams.rounded(epoch)),
        inflation=_inflation(rows, cluster, rigid=options.rigid),
        meta=tuple(_meta(rows, j, batch[j]) for j in range(n)),
    )
    return built, laws, realised


def _allowed(rows: JobRecords, may: Sequence[tuple[str, ...]], cluster: Cluster) -> Bools:
    """Return whether a job may run on a GPU type, if the recorded ones bind: (n, T)."""
    names = [gpu.name for gpu in cluster.gpu_types]
    free = np.array([model == UNRECORDED for model in rows.spelled_models])
    listed = np.array([[name in gpus for name in names] for gpus in may], dtype=bool)
    return np.asarray(free[:, None] | listed)


def _memory(
    rows: JobRecords,
    network: Sequence[str],
    batch: Sequence[int],
    may: Sequence[tuple[str, ...]],
) -> Floats:
    """Return (n,) [GB] of network and batch, at most the recorded share of the GPU."""
    needed = random_streams.rounded([*map(memory_gb, network, batch)])
    return np.minimum(needed, rows.share * [gpu_type(gpus[0]).memory_gb for gpus in may])


def _inflation(rows: JobRecords, cluster: Cluster, *, rigid: bool) -> Floats:
    """Return (n, T, L) 1 on levels of at least the recorded share, or on the first, else inf."""
    level = np.arange(1, len(cluster.gpu_types[0].levels) + 1) / UNITS
    share = rows.share[:, None]
    fits = (share < 1) & (share <= level)
    if rigid:
        fits &= level < share + 1 / UNITS
    return np.repeat(np.where(fits, 1.0, np.inf)[:, None, :], len(cluster.gpu_types), axis=1)


def _id(rows: JobRecords, j: int) -> str:
    return rows.id[j].decode("utf-8", "backslashreplace") or f"line{rows.line[j]}"


def _meta(rows: JobRecords, j: int, batch: int) -> dict[str, object]:
    """Return what was recorded, and the batch."""
    code = int(rows.model[j])
    return {
        "line": int(rows.line[j]),
        "gpu": rows.models[code] if code >= 0 else None,
        "gpus": int(rows.gpus[j]),
        "share": float(rows.share[j]),
        "batch": batch,
    }

"""
Methods compared on instances, from Python: `rsjs.compare`; and the runs of a campaign as a whole.

A comparison is a campaign in a temporary store, or in one that is kept: each run is a process of
its own, verified, with a record that holds commit, versions, host, CPU and limits.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rsjs.campaigns import runner
from rsjs.campaigns.collection import collect
from rsjs.campaigns.pool import Dispatch, Local, News
from rsjs.campaigns.run import Run
from rsjs.campaigns.runner import Part, Prepared
from rsjs.campaigns.sources import Source, pointed
from rsjs.campaigns.spec import MEMORY_MB, Campaign, Choice
from rsjs.campaigns.store import CAMPAIGN, SHIPPED
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described, one_of
from rsjs.core.method import Method, MethodFunction
from rsjs.instances.instance import Instance
from rsjs.methods import Request, instead, request_of, several_methods, ship
from rsjs.rows.columns import Row
from rsjs.rows.select import problem as problem_of
from rsjs.runs.kinds.base import ProblemKind, kind_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from rsjs.reporting.statistics.analysis import Analysis
    from rsjs.reporting.tables.table import Table

T = TypeVar("T")
Watch = Callable[[Prepared], Callable[[News], None]]


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A method that was skipped on an instance, and the reason."""

    instance: str
    method: str
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """
    The runs of a comparison or a campaign.

    Attributes
    ----------
    rows : list of Row
        One per run, in the order of instances and methods; see docs/reference for the columns.
    skipped : list of Skipped
        What could not run, and why.
    trajectories : list of mapping
        Of each row: instance, method, seed, best_bound, and `events` with seconds, incumbent and
        bound.
    interrupted : bool
        Ctrl-C came before all runs had ended.
    left : int
        Runs without a row, since they were interrupted or not begun.
    """

    rows: list[Row]
    skipped: list[Skipped] = field(default_factory=list)
    trajectories: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False
    left: int = 0

    def to_pandas(self) -> DataFrame:
        """Return the rows as a data frame."""
        import pandas as pd

        return pd.DataFrame(self.rows)

    def table(self) -> Table:
        """Return the table that `rsjs compare` prints; its methods write it in other formats."""
        from rsjs.reporting.tables import comparison

        return comparison.table(self.rows)

    def summary(self) -> Table:
        """Return the ranked summary: method, solved, median cost / best, median time, wins."""
        from rsjs.reporting.statistics.tables import summary_table

        return summary_table({"": self._analysis(None)})

    def pairs(
        self, baseline: str | None = None, *, measure: Literal["cost", "time"] = "cost"
    ) -> Table:
        """
        Return pairwise comparisons, with Wilcoxon's test and Holm's correction.

        Parameters
        ----------
        baseline : str, optional
            The method that each other one is compared with; by default all pairs are compared. A
            name without solver, rule and options will do if only one method has it.
        measure : "cost" | "time"
            Costs by their gaps to the best, or running times.

        Raises
        ------
        InputError
            For a baseline that is none of the methods; it names those that there are.
        """
        from rsjs.reporting.statistics.tables import pairs_table

        one_of("measure", measure, ("cost", "time"))
        return pairs_table(measure, self._analysis(baseline))

    def _analysis(self, baseline: str | None) -> Analysis:
        from rsjs.reporting.statistics.analysis import Analysis, baseline_of

        rows: list[Any] = self.rows
        return Analysis(rows=rows, baseline=baseline_of(rows, baseline))

    def plot(self, what: str | None = None) -> NDArray[Any]:
        """
        Draw the comparison with matplotlib; return the axes, one for each instance.

        Parameters
        ----------
        what : "ratio" | "gap" | "cost", optional
            Cost / best or gap against time, or the terms of the cost: by default the gap, if there
            is a bound, or else the terms.
        """
        from rsjs.reporting.figures.runs import cost_over_time, cost_split, gap_over_time
        from rsjs.reporting.notebook import axes_of

        if what is None:
            bounded = any(run["best_bound"] is not None for run in self.trajectories)
            what = "gap" if bounded else "cost"
        one_of("what", what, ("ratio", "gap", "cost"))
        if what == "cost":
            return axes_of(cost_split(self.rows))
        if what == "gap":
            return axes_of(gap_over_time(self.trajectories))
        return axes_of(cost_over_time(self.runs_over_time()))

    def runs_over_time(self) -> list[dict[str, Any]]:
        """Return the trajectories with the best cost of each instance, as figures take them."""
        from rsjs.reporting.references import references

        names = {row["instance_sha256"]: problem_of(row) for row in self.rows}
        best = references(self.rows)
        return [
            {**run, "best_cost": best[names[run["instance_sha256"]]].cost}
            for run in self.trajectories
        ]

    def _repr_html_(self) -> str:
        from rsjs.reporting.notebook import table_html
        from rsjs.reporting.tables.comparison import shortened_table

        if not self.rows:
            return escape(repr(self))
        return "\n".join(map(table_html, (self.summary(), shortened_table(self.rows))))

    def __repr__(self) -> str:
        instances, methods = ({row[key] for row in self.rows} for key in ("instance", "method"))
        counts = f"{len(methods)} methods, {len(instances)} instances"
        others = {"skipped": len(self.skipped), "left": self.left}
        told = "".join(f", {count} {word}" for word, count in others.items() if count)
        return f"Comparison({len(self.rows)} runs: {counts}{told})"


def compare(
    instances: Instance | Sequence[Instance],
    methods: str | Method | MethodFunction | Sequence[str | Method | MethodFunction],
    *,
    time_limit: float = 60.0,
    gap: float = 1e-4,
    threads: int = 1,
    seed: int = 0,
    memory_limit_mb: float | None = None,
    store: str | Path | None = None,
) -> Comparison:
    """
    Run methods on instances, one after the other, verify their solutions, and compare them.

    Parameters
    ----------
    instances : Instance or sequence of Instance
    methods : str, function or Method, or a sequence of these
        As of `rsjs.solve`.
    time_limit : float [s]
    memory_limit_mb : float, optional [MB]
        Resident memory of a run, 4096 by default.
    store : path, optional
        A folder that keeps the runs: those that it has are not carried out again, and `rsjs report`
        reads it. A temporary one by default.

    Raises
    ------
    InputError
        For an unknown method or limit, and where no method serves any instance.

    Examples
    --------
    >>> instance = rsjs.generate("jahani", nodes=2, jobs=8, seed=1)  # doctest: +SKIP
    >>> rsjs.compare(instance, ["greedy:code", "edf:paper"]).table().markdown()  # doctest: +SKIP
    """
    problems = several("instances", instances, Instance)
    given, _ = several_methods("methods", methods)
    limits = Limits.asked(
        time_limit=time_limit,
        gap=gap,
        threads=threads,
        seed=seed,
        memory_limit_mb=memory_limit_mb,
    )
    requests: list[Request] = []
    functions: dict[str, object] = {}
    for i, one in enumerate(given):
        with pointed(f"/methods/{i}"):
            requests.append(request_of(one))
        name = requests[-1].method.name
        if not isinstance(one, str) and functions.setdefault(name, one) is not one:
            raise InputError("/methods", described(f"two functions {name}"), "names of their own")
    return compare_pairs([(problem, requests) for problem in problems], limits, store=store)


def several(argument: str, given: Any, kind: type[T]) -> list[T]:
    """Return one or several values of a type; InputError for none, and for any other."""
    values = [given] if isinstance(given, kind) else given
    if not isinstance(values, Sequence) or not values:
        found = described("none" if values in ([], ()) else type(given).__name__)
        raise InputError(f"/{argument}", found, f"{kind.__name__} or a sequence of them")
    for i, one in enumerate(values):
        if not isinstance(one, kind):
            raise InputError(f"/{argument}/{i}", described(type(one).__name__), kind.__name__)
    return [*values]


def compare_pairs(
    pairs: Sequence[tuple[Any, Sequence[Request]]],
    limits: Limits,
    *,
    store: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    watch: Watch | None = None,
) -> Comparison:
    """
    Run on each problem its methods; see `compare`.

    Parameters
    ----------
    pairs : sequence of (problem, methods)
        Problems of one kind.
    options : mapping, optional
        Of simulations, all but the seed.
    watch : callable, optional
        From the prepared campaign to the observer of its progress.
    """
    if not pairs:
        raise InputError("", described("no instances"), "at least one")
    kind = kind_of(pairs[0][0])
    reasons = [
        kind.refusal(one, problem) or one.missing() for problem, ones in pairs for one in ones
    ]
    if all(reasons):
        expected = instead(kind.serving(pairs[0][0]), str(reasons[0]))
        raise InputError("/methods", described("nothing to run"), expected)
    order: dict[tuple[str, str], int] = {}
    choices: dict[str, Choice] = {}
    for problem, requests in pairs:
        for request in requests:
            order.setdefault((problem.digest, request.spelling), len(order))
            before = choices.get(request.spelling, Choice(request=request, on=()))
            name = re.sub(r"[*?\[]", "[\\g<0>]", problem.name)  # a pattern that fits no other
            choices[request.spelling] = replace(before, on=(*before.on, name))
    sources = tuple(
        Source(key=f"given {problem.digest}", make=partial(next, repeat(problem)))
        for problem, _ in pairs
    )
    campaign = Campaign(
        name="comparison",
        shows="methods side by side",
        timing="exclusive",
        calibrated=False,
        seeds=(limits.seed,),
        limits=replace(limits, memory_limit_mb=limits.memory_limit_mb or MEMORY_MB),
        threads=(limits.threads,),
        kind=kind.name,
        sources=sources,
        choices=tuple(choices.values()),
        kind_options=options or {},
        file=Path("comparison"),
        text="",
    )
    text = _text(campaign, [problem for problem, _ in pairs], kind)
    campaign = replace(campaign, text=text)

    def place(run: Run) -> int:
        return order[run.instance_sha256, run.method]

    with tempfile.TemporaryDirectory(prefix="rsjs-") as scratch:
        folder = Path(store) if store is not None else Path(scratch) / "store"
        held = folder / CAMPAIGN
        if held.is_file() and f"[[{kind.keys[0]}]]" not in held.read_text("utf-8"):
            raise InputError(
                "", described("runs on problems of another kind"), "another folder", folder
            )
        prepared = runner.prepare(campaign, folder, Part())
        ship({name for one in campaign.choices for name in one.request.names}, folder / SHIPPED)
        prepared = replace(prepared, selected=sorted(prepared.selected, key=place))
        return carried_out(prepared, folder, Local(1), place, watch)


def carried_out(
    prepared: Prepared,
    folder: Path,
    dispatch: Dispatch,
    order: Callable[[Run], Any],
    watch: Watch | None,
) -> Comparison:
    """Carry out the runs that are left, and collect the selected ones in their order."""
    hear = (lambda _: None) if watch is None else watch(prepared)
    interrupted = False
    try:
        with closing(runner.carry_out(prepared, folder, dispatch)) as news:
            for item in news:
                hear(item)
    except KeyboardInterrupt:
        interrupted = True
    place = {run.id: k for k, run in enumerate(sorted(prepared.selected, key=order))}
    found = collect([folder])

    def by_place(row: Mapping[str, Any]) -> int:
        return place[row["run_id"]]

    rows = sorted((row for row in found.rows if row["run_id"] in place), key=by_place)
    trajectories = (one for one in found.trajectories if one["run_id"] in place)
    return Comparison(
        rows=rows,
        skipped=[
            Skipped(instance=run.instance, method=run.shown, reason=reason)
            for run, reason in prepared.skipped.items()
        ],
        trajectories=sorted(trajectories, key=by_place),
        interrupted=interrupted,
        left=len(place) - len(rows),
    )


def _toml(value: Any) -> str:
    """Return a value as TOML has it: JSON, but for characters that JSON tells in two parts."""
    return json.dumps(value, ensure_ascii=False)


def _text(campaign: Campaign, problems: Sequence[Any], kind: ProblemKind) -> str:
    """Return a comparison as the TOML file of a campaign beside its instances."""
    problem_key, method_key, *further = kind.keys
    values = {
        "format": "rsjs-campaign/1",
        "name": campaign.name,
        "shows": campaign.shows,
        "timing": campaign.timing,
        "seeds": campaign.seeds,
        "limits.time_s": campaign.limits.time_limit,
        "limits.gap": campaign.limits.gap,
        "limits.threads": campaign.threads,
        "limits.memory_mb": campaign.limits.memory_limit_mb,
        **{f"{further[0]}.{key}": v for key, v in campaign.kind_options.items() if v is not None},
    }
    parts = [
        (problem_key, {"files": [f"instances/{one.digest}.json.gz" for one in problems]}),
        *(
            (method_key, {"run": [choice.request.spelling], "on": [*choice.on]})
            for choice in campaign.choices
        ),
    ]
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    for heading, entry in parts:
        lines += ["", f"[[{heading}]]"]
        lines += [f"{key} = {_toml(value)}" for key, value in entry.items()]
    return "\n".join([*lines, ""])

"""Tables and picture of docs/results/screening.md from rows of campaigns/screening.toml."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from docs.make.tables import methods_of, proved, stored, table, versions
from rsjs.methods import parse
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables import formats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAMPAIGN = "screening.toml"
GAP = 1e-4  # of the campaign, relative
_NAME = re.compile(
    r"heterogeneous-(?P<kind>\w+)-(?P<gpus>\w+)gpus-(?P<types>\d+)types-(?P<classes>\d+)classes"
    r"-(?P<prices>\w+)-at0-(?P<scaling>\w+)-(?P<counts>\w+)-(?P<due>\w+)-shares(?P<shares>\w+)"
    r"-load(?P<load>[\d.]+)-rho(?P<rho>[\d.]+)-N(?P<nodes>\d+)-J(?P<jobs>\d+)-s\d+"
)
BOTTOM = 1e-4  # %, of the picture


@cache
def runs() -> pd.DataFrame:
    """Return the rows with a letter for each instance, the widest gap first."""
    rows = stored("screening/rows.csv")
    letters = {name: chr(ord("A") + i) for i, name in enumerate(_gaps(rows))}
    return rows.assign(letter=rows["instance"].map(letters)).sort_values("letter", kind="stable")


def _gaps(rows: pd.DataFrame) -> dict[str, float]:
    """Return instance -> gap of best cost and best bound, 1 without one; widest first."""
    found = {}
    for name, own in rows.groupby("instance"):
        cost, bound = own["objective"].astype(float).min(), own["bound"].astype(float).max()
        found[str(name)] = 1.0 if pd.isna(bound) else max(0.0, (cost - bound) / cost)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def exact() -> list[str]:
    """Return the exact methods of the campaign."""
    return [m for m in methods_of(CAMPAIGN) if parse(m).method.kind == "exact"]


def instances() -> str:
    """Parameters of each instance, best cost, gap, and how many exact methods closed it."""
    rows, gaps = runs(), _gaps(runs())
    lines = []
    for letter, own in rows.groupby("letter"):
        name = own["instance"].iloc[0]
        found = _NAME.fullmatch(name)
        assert found is not None, name
        part = found.groupdict()
        tried = own[own["method"].isin(exact())]
        closed = sum(proved(run) for _, run in tried.iterrows())
        keys = ("gpus", "types", "classes", "prices", "scaling", "counts", "due", "shares")
        lines.append(
            [
                f"{letter} {part['kind'].replace('_', '-')}",
                f"{part['nodes']} x {part['jobs']}",
                *(part[key] for key in (*keys, "load", "rho")),
                formats.cost(own["objective"].astype(float).min()),
                f"{formats.percent(gaps[name])} %",
                f"{closed} of {len(tried)}",
            ]
        )
    heads = ("instance", "size", "GPUs", "types", "classes", "prices", "scaling", "counts", "due")
    return table([*heads, "shares", "load", "rho", "best cost", "gap", "closed by"], lines)


def methods() -> str:
    """Each exact method on each instance: CPU seconds to the proof, or own gap and CPU seconds."""

    def cell(run: Any) -> str:
        used = f"{formats.measured(run['cpu_s'])} s"
        if run["status"] != "ok":
            return f"no solution, {used}"
        if proved(run):
            return f"closed, {used}"
        gap = run["own_gap"]
        return f"{'no bound' if pd.isna(gap) else formats.percent(gap) + ' %'}, {used}"

    return _by_instance(exact(), cell)


def costs() -> str:
    """Cost of each method / best cost."""
    best = runs().groupby("letter")["objective"].min().astype(float)

    def cell(run: Any) -> str:
        cost = run["objective"]
        return formats.MISSING if pd.isna(cost) else formats.ratio(cost / best[run["letter"]])

    return _by_instance(methods_of(CAMPAIGN), cell)


def _by_instance(names: list[str], cell: Any) -> str:
    letters = sorted(set(runs()["letter"]))
    of_run = {(run["method"], run["letter"]): cell(run) for _, run in runs().iterrows()}
    names = [name for name in names if any((name, letter) in of_run for letter in letters)]
    rows = [[name, *(of_run.get((name, letter), "") for letter in letters)] for name in names]
    return table(["method", *letters], rows)


def machine() -> str:
    """Commits, load and versions of the rows."""
    rows = runs()
    load = rows["load_before"].astype(float)
    commits = ", ".join(sorted({f"{commit:.8}" for commit in rows["commit"]}))
    share = rows["cpu_s"].astype(float).sum() / rows["whole_s"].astype(float).sum()
    return (
        f"{len(rows)} runs at commit {commits}, {versions(rows)}; load average "
        f"{load.min():.1f} to {load.max():.1f}, so that a run had {share:.0%} of a core on average."
    )


def gaps_drawn() -> Figure:
    """Draw the own gap of each exact method on each instance; closed ones at the bottom."""
    rows = runs()
    made = figure_style.figure(5.6, 3.0, layout="constrained")
    ax = made.subplots()
    letters = sorted(set(rows["letter"]))
    for method, style in figure_style.styles(exact()).items():
        own = rows[(rows["method"] == method) & rows["own_gap"].notna()]
        gap = (100 * own["own_gap"].astype(float)).clip(lower=BOTTOM)
        place = [letters.index(letter) for letter in own["letter"]]
        ax.plot(place, gap, label=method, markersize=6, **{**style, "linestyle": ""})
    ax.axhline(100 * GAP, color="#999999", linewidth=0.7, linestyle=(0, (2, 2)))
    ax.set(yscale="log", xlabel="instance", ylabel="own gap [%] (below the line: closed)")
    ax.set_ylim(BOTTOM / 2, 200)
    ax.set_xticks(range(len(letters)), letters)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.minorticks_off()
    ax.legend(fontsize=6, frameon=False)
    return made


TABLES = {"machine": machine, "instances": instances, "methods": methods, "costs": costs}
PICTURES = {"screening": partial(figure_style.write, gaps_drawn)}

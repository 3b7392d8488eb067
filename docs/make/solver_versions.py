"""Tables and picture of docs/results/solver-versions.md from rows of `rsjs run solver-versions`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from docs.make.solver_track import SHIFT
from docs.make.tables import number, proved, stored, table
from rsjs.bks.evidence import is_wrong_answer, track
from rsjs.campaigns.solver_versions import locks
from rsjs.formulations.milp.models import models
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.statistics.means import penalised, shifted_means
from rsjs.reporting.tables import formats

SOLVERS = {"highs": "HiGHS", "scip": "SCIP", "cpsat": "CP-SAT", "cbc": "CBC"}
SLOWER, LEAST = 1.5, 5.0  # ratio and difference [s] from which a release is slower on a model
ENDED = ("FINISHED", "TIMEOUT")
LIMITED = ("TIMEOUT", "MEMOUT")


@cache
def runs() -> pd.DataFrame:
    """Return the stored runs: `solver`, `seconds` of CPU, nan where nothing was proved, `wrong`."""
    known = track()
    rows = stored("solver_versions/rows.csv")
    wrong = rows.apply(lambda row: is_wrong_answer(row, known[row["instance"]]), axis=1)
    done = rows.apply(proved, axis=1) & ~wrong
    return rows.assign(
        solver=rows["method"].str.extract(r"@(\w+)")[0],
        wrong=wrong,
        seconds=rows["cpu_s"].astype(float).where(done),
    )


@cache
def times(solver: str) -> tuple[pd.DataFrame, pd.Series[float]]:
    """
    Return CPU seconds of a solver's releases by model, nan where not proved, and the limits.

    Of the models that all its releases ran. The limit of a model is the least CPU time of a run
    that reached the limit of time or memory; where none did, what the slowest proof took, and
    without any what the slowest run took. What took longer than the limit counts as not proved.
    """
    rows = runs()[runs()["solver"] == solver]
    found = rows.pivot(index="instance", columns="environment", values="seconds")
    found = found.loc[[model.name for model in models() if model.name in found.index]]
    found = found[[name for name in locks() if name in found]]
    found = found[rows.groupby("instance").size().reindex(found.index) == len(found.columns)]
    short = rows[rows["ended"].isin(LIMITED)].groupby("instance")["cpu_s"].min().astype(float)
    slowest = rows.groupby("instance")["cpu_s"].max().astype(float)
    limits = short.reindex(found.index).fillna(found.max(axis=1)).fillna(slowest)
    return found.where(found.le(limits, axis=0)), limits


def means(solver: str) -> pd.DataFrame:
    """Return the means of `shifted_means` by release."""
    return shifted_means(*times(solver), SHIFT)


def releases() -> str:
    """Return a line per release: what it proved, what was wrong, and means of its CPU time."""
    lines = []
    for solver in SOLVERS:
        found, mean = times(solver)[0], means(solver)
        for name in found:
            rows = runs()[runs()["environment"] == name]
            failed = (~rows["ended"].isin(ENDED)).sum()
            told = [formats.measured(mean.loc[name, key]) for key in ("penalised", "intersection")]
            ratio = number(mean.loc[name, "ratio"])
            counts = [len(found), found[name].notna().sum(), rows["wrong"].sum(), failed]
            lines.append([name, *counts, *told, ratio])
    heads = ["models", "proved", "wrong", "failed", "mean [s]", "all proved [s]", "to the best"]
    return table(["release", *heads], lines)


def wrong() -> str:
    """Return a line per wrong answer, or that there is none."""
    known = track()
    rows = runs()[runs()["wrong"]]
    if rows.empty:
        return f"None of the {len(runs())} runs."
    lines = [
        [row["environment"], row["instance"], *map(_number, values)]
        for _, row in rows.iterrows()
        for values in [(row["objective"], row["bound"], known[row["instance"]].objective)]
    ]
    return table(["release", "model", "cost", "bound", "optimum"], lines)


def _number(value: float | None) -> str:
    return "" if pd.isna(value) else f"{value:.8g}"


def slower() -> str:
    """Return a line per model and release that needs much more CPU time than the one before it."""
    lines = []
    for solver in SOLVERS:
        found, limits = times(solver)
        filled = penalised(found, limits)
        for before, name in zip(found, [*found][1:], strict=False):
            ratios = filled[name] / filled[before]
            more = (filled[name] - filled[before] >= LEAST) & (ratios >= SLOWER)
            for model in found.index[(more | found[name].isna()) & found[before].notna()]:
                told = [_told(found, limits, model, one) for one in (before, name)]
                lines.append([f"{name}, before: {before}", model, *told])
    return table(["release", "model", "before [s]", "now [s]"], lines)


def by_model(solver: str) -> str:
    """Return a line per model: CPU seconds of each release."""
    found, limits = times(solver)
    lines = [[model, *(_told(found, limits, model, one) for one in found)] for model in found.index]
    return table(["model", *found], lines)


def _told(found: pd.DataFrame, limits: pd.Series[float], model: str, release: str) -> str:
    seconds = found.loc[model, release]
    cut = pd.isna(seconds)
    return ("> " if cut else "") + formats.measured(limits[model] if cut else seconds)


def conditions() -> str:
    """Return commit, load, time limit and CPU share of the runs."""
    rows = runs()
    ended = rows[rows["ended"] == "TIMEOUT"]
    share = ended["cpu_s"].astype(float) / ended["process_s"].astype(float)
    load = rows["load_before"].map(lambda text: float(str(text).strip("[]").split(",")[0]))
    commits = ", ".join(f"{commit[:7]}" for commit in sorted(rows["commit"].unique()))
    return (
        f"{len(rows)} runs with a limit of {rows['time_limit'].astype(float).max():g} s at commit "
        f"{commits}, on {rows['cpu_model'].iloc[0]} with {rows['hardware_threads'].iloc[0]} cores; "
        f"load {load.min():.0f} to {load.max():.0f}, median {load.median():.0f}. Runs that reached "
        f"the limit had {100 * share.min():.0f} to {100 * share.max():.0f} % of it as CPU time, "
        f"median {100 * share.median():.0f} %."
    )


def course(path: Path) -> Path:
    """Draw the CPU seconds of each model, and their mean, over the releases of each solver."""
    panels = [_panel(solver) for solver in SOLVERS if len(times(solver)[0].columns) > 1]
    made = Figure(
        name="solver-versions", title="", panels=panels, size=(3.0, 3.0), is_shared=(False, True)
    )
    return write(made, path)


def _panel(solver: str) -> Panel:
    found, limits = times(solver)
    filled, at = penalised(found, limits), np.arange(len(found.columns))
    grey = {"colour": "0.7", "look": "thin", "marked": ()}
    series = [Series(name="", x=at, y=filled.loc[one].to_numpy(), **grey) for one in found.index]
    cut = [(i, limits[one]) for one in found.index for i in at[found.loc[one].isna()]]
    series += [
        Series(name="a model", x=[], y=[], **grey),
        Series(
            name="not proved by then",
            kind="points",
            x=[x for x, _ in cut],
            y=[y for _, y in cut],
            look="hollow",
            colour="0.4",
        ),
        Series(name="mean", x=at, y=means(solver)["penalised"].to_numpy(), colour="C0"),
    ]
    ticks = {i: name.rpartition("-")[2] for i, name in enumerate(found)}
    y = Axis(title="CPU time [s]" if solver == "highs" else "", is_log=True)
    return Panel(series=series, x=Axis(ticks=ticks), y=y, title=SOLVERS[solver])


TABLES: dict[str, Callable[[], str]] = {
    "conditions": conditions,
    "releases": releases,
    "wrong": wrong,
    "slower": slower,
    **{solver: partial(by_model, solver) for solver in SOLVERS},
}
PICTURES = {"solver-versions": course}

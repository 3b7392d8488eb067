"""Tables and picture of docs/results/solver-track.md from rows of `rsjs run solver-track`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from docs.make.tables import proved, table, versions
from rsjs.bks.evidence import NOT_RUN, is_wrong_answer, model_rows, status_of_model, track
from rsjs.formulations.milp.models import TrackModel, models
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.methods import profiles
from rsjs.reporting.statistics.means import geometric_means
from rsjs.reporting.tables import formats
from rsjs.rows.select import known
from rsjs.rows.status import LIMITS

SOLVERS = ("highs", "scip", "cpsat", "cbc")
CPSAT = "cpsat"  # takes models with integer columns only
SHIFT = 10.0  # s, of the shifted geometric mean
CLASSES = dict(zip(("< 1 min", "1 to 10 min", "10 to 60 min", "> 60 min"), LIMITS, strict=True))


@cache
def runs() -> pd.DataFrame:
    """
    Return a row per model and solver: of several runs the one of the largest limit, the last one.

    `seconds` are those to the proof of the gap asked for, nan where a run proved nothing.
    """
    known = track()
    rows = [{**row, "model": name} for name in known for row in model_rows().get(name, ())]
    frame = pd.DataFrame(rows).sort_values(["time_limit", "begun"], kind="stable")
    frame = frame.groupby(["model", "solver"], sort=False).tail(1)
    taken = frame["total_s"].fillna(frame["process_s"]).astype(float)
    solved = frame.apply(proved, axis=1) & (taken <= frame["time_limit"].astype(float))
    wrong = frame.apply(lambda row: is_wrong_answer(row, known[row["model"]]), axis=1)
    return frame.assign(seconds=taken.where(solved & ~wrong), wrong=wrong)


def wide(values: str) -> pd.DataFrame:
    """Return a column of the runs by model and solver, nan where there is none."""
    found = runs().pivot(index="model", columns="solver", values=values)
    order = [model.name for model in models() if model.name in found.index]
    return found.loc[order, [one for one in SOLVERS if one in found]].astype(float)


def censored(solvers: Sequence[str]) -> tuple[pd.DataFrame, pd.Series[float]]:
    """
    Return times and limits of the models that all these solvers ran, at one limit per model.

    That is the least limit of the runs that proved nothing: what took longer counts as not proved.
    """
    limits, times = (wide(name)[[*solvers]] for name in ("time_limit", "seconds"))
    everywhere = limits.notna().all(axis=1)
    times = times[everywhere]
    most = limits[everywhere].where(times.isna(), np.inf).min(axis=1)
    return times.where(times.le(most, axis=0)), most


def limits() -> str:
    """Return a line per limit: how many models each solver ran, and the load when runs began."""
    found = runs()
    lines = []
    for limit, some in found.groupby("time_limit"):
        counts = some["solver"].value_counts()
        load = some["load_before"].agg(["min", "max"])
        told = " to ".join(formats.measured(one) for one in load)
        lines.append([f"{limit:g} s", *(int(counts.get(one, 0)) for one in SOLVERS), told])
    return table(["limit", *SOLVERS, "load"], lines)


def solvers() -> str:
    """Return a line per solver: models run, proved, wrong, and means of the time."""
    found = [one for one in SOLVERS if one in wide("seconds")]
    groups = [censored(found), censored([one for one in found if one != CPSAT])]
    means = [
        geometric_means(times.apply(lambda own, most=most: own.fillna(most)), SHIFT)
        for times, most in groups
    ]
    lines = []
    for solver in found:
        own = runs()[runs()["solver"] == solver]
        counts = [len(own), int(own["seconds"].notna().sum()), int(own["wrong"].sum())]
        told = [formats.measured(mean[solver]) if solver in mean else "" for mean in means]
        lines.append([solver, *counts, *told])
    heads = [f"mean [s], {len(times)} models" for times, _ in groups]
    return table(["solver", "models", "proved", "wrong answers", *heads], lines)


def hardness(model: str) -> str:
    """Return the class of a model by the best solver, or after which limit none had proved it."""
    seconds, limits = wide("seconds"), wide("time_limit")
    if model not in seconds.index:
        return NOT_RUN
    best = seconds.loc[model].min()
    if pd.isna(best):
        most = limits.loc[model].max()
        return "> 60 min" if most >= LIMITS["medium"] else f"> {most:g} s"
    return next(word for word, kind in CLASSES.items() if best <= LIMITS[kind])


def classes() -> str:
    """Return how many models of each formulation are in each class."""
    found = pd.DataFrame([(one.method, hardness(one.name)) for one in models()])
    counts = pd.crosstab(found[0], found[1])
    more = sorted({*counts} - {*CLASSES, NOT_RUN}, key=lambda word: float(word.split()[1]))
    heads = [*CLASSES, *more, *([NOT_RUN] if NOT_RUN in counts else [])]
    order = dict.fromkeys(model.method for model in models())
    lines = [
        [one, *(int(counts[c].get(one, 0)) if c in counts else 0 for c in heads)] for one in order
    ]
    total = ["all", *(sum(line[i] for line in lines) for i in range(1, len(heads) + 1))]
    return table(["formulation", *heads], [*lines, total])


def beyond() -> str:
    """Return a line per model that an hour did not suffice for: how far each solver came."""
    ran = runs().set_index(["model", "solver"])
    takers = [one for one in SOLVERS if one != CPSAT]
    lines = []
    for model in models():
        if hardness(model.name) == "> 60 min":
            keys = [(model.name, one) for one in takers]
            cells = [_reached(ran.loc[key], model) if key in ran.index else "" for key in keys]
            lines.append([model.name, _optimum(model), *cells])
    return table(["model", "optimum", *takers], lines)


def _reached(row: pd.Series[Any], model: TrackModel) -> str:
    """Return the CPU time of a run, and how far its cost and its bound are from the optimum."""
    ends = [known(row, key) for key in ("objective", "bound")]
    away = [
        "none"
        if end is None or model.objective is None
        else f"{formats.percent(abs(end - model.objective) / model.objective)} %"
        for end in ends
    ]
    return f"{formats.measured(float(row['cpu_s']) / 60)} min: {', '.join(away)}"


def by_model() -> str:
    """Return a line per model: size, optimum, status, and the seconds of each solver."""
    seconds, limits, rows = wide("seconds"), wide("time_limit"), model_rows()
    lines = []
    for model in models():
        cells = [
            ""
            if model.name not in limits.index or pd.isna(limits.loc[model.name, solver])
            else f"> {limits.loc[model.name, solver]:g}"
            if pd.isna(seconds.loc[model.name, solver])
            else formats.measured(seconds.loc[model.name, solver])
            for solver in seconds
        ]
        size = f"{model.rows} x {model.columns}, {model.integers}"
        told = [model.name, size, _optimum(model), status_of_model(model, rows)]
        lines.append([*told, *cells])
    return table(["model", "rows x columns, integers", "optimum", "status", *seconds], lines)


def _optimum(model: TrackModel) -> str:
    low, high = ("?" if v is None else f"{v:.8g}" for v in (model.bound, model.objective))
    return high if model.closed else f"{low} to {high}"


def profile(path: Path) -> Path:
    """Draw the performance profile of the solvers on the models that all of them ran."""
    return write(profiles(censored([one for one in SOLVERS if one in wide("seconds")])[0]), path)


TABLES = {
    "limits": limits,
    "solvers": solvers,
    "classes": classes,
    "beyond": beyond,
    "models": by_model,
    "versions": lambda: versions(runs()),
}
PICTURES = {"solver-track": profile}

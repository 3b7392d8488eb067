"""Tables and picture of docs/results/solver-track.md from rows of `rsjs run solver-track`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from docs.make.tables import proved, stored, table, versions
from rsjs.formulations.milp.models import TrackModel, models
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.methods import profiles
from rsjs.reporting.statistics.means import geometric_means
from rsjs.reporting.tables import formats

SOLVERS = ("highs", "scip", "cpsat", "cbc")
SHIFT = 10.0  # s, of the shifted geometric mean
CLASSES = {60.0: "< 1 min", 600.0: "1 to 10 min", 3600.0: "10 to 60 min"}


@cache
def runs() -> pd.DataFrame:
    """Return the rows with the model and the solver of each; references are left out."""
    rows = stored("solver_track/rows.csv")
    rows[["formulation", "solver"]] = rows["method"].str.split("@", expand=True)
    rows["model"] = rows["formulation"] + "-" + rows["instance"]
    known = {model.name for model in models()}
    rows = rows[rows["model"].isin(known)]
    return rows.assign(seconds=rows["total_s"].fillna(rows["process_s"]).astype(float))


def wrong(row: Any, model: TrackModel) -> bool:
    """Return whether a solver's bound is above a cost that is known to be reached."""
    bound, slack = row["bound"], 1e-6 * max(1.0, abs(model.objective))
    return row["status"] == "wrong" or (not pd.isna(bound) and bound > model.objective + slack)


def times() -> pd.DataFrame:
    """Return seconds by model and solver, nan where it proved nothing or was not run."""
    rows = runs()
    seconds = rows["seconds"].where(rows.apply(proved, axis=1))
    wide = rows.assign(s=seconds).pivot(index="model", columns="solver", values="s")
    order = [model.name for model in models() if model.name in wide.index]
    return wide.loc[order, [one for one in SOLVERS if one in wide]]


def solvers() -> str:
    """Return a line per solver: models run, proved, wrong, and means of the time."""
    rows, by_name = runs(), {model.name: model for model in models()}
    lines = []
    for solver in times():
        own = rows[rows["solver"] == solver]
        solved = own.apply(proved, axis=1)
        seconds = own[["seconds"]].where(solved, own["time_limit"].astype(float), axis=0)
        faults = sum(wrong(row, by_name[row["model"]]) for _, row in own.iterrows())
        lines.append(
            [
                solver,
                len(own),
                int(solved.sum()),
                faults,
                formats.measured(float(geometric_means(seconds, SHIFT).iloc[0])),
            ]
        )
    heads = ["solver", "models", "proved", "wrong answers", f"shifted mean [s], s = {SHIFT:g}"]
    return table(heads, lines)


def hardness(best: float, limit: float) -> str:
    """Return the class of a model by the seconds of the best solver."""
    if not pd.isna(best):
        return next((word for most, word in CLASSES.items() if best < most), "> 60 min")
    return f"> {limit:g} s"


def by_model() -> str:
    """Return a line per model: size, optimum, class, and the seconds of each solver."""
    wide, limits = times(), runs().groupby("model")["time_limit"].max()
    asked = {*zip(runs()["model"], runs()["solver"], strict=True)}
    lines = []
    for model in models():
        if model.name not in wide.index:
            continue
        own = wide.loc[model.name]
        limit = float(limits[model.name])
        optimum = f"{model.objective:.8g}"
        cells = [
            ("" if (model.name, solver) not in asked else "limit")
            if pd.isna(seconds)
            else formats.measured(seconds)
            for solver, seconds in own.items()
        ]
        size = f"{model.rows} x {model.columns}, {model.integers}"
        known = optimum if model.closed else f"{model.bound:.8g} to {optimum}"
        lines.append([model.name, size, known, hardness(own.min(), limit), *cells])
    return table(["model", "rows x columns, integers", "optimum [$]", "class", *wide], lines)


def classes() -> str:
    """Return how many models each class has."""
    wide, limits = times(), runs().groupby("model")["time_limit"].max()
    found = [hardness(own.min(), float(limits[name])) for name, own in wide.iterrows()]
    order = [*CLASSES.values(), *sorted({*found} - {*CLASSES.values()})]
    return table(
        ["class, by the best solver", "models"], [[one, found.count(one)] for one in order]
    )


def profile(path: Path) -> Path:
    """Draw the performance profile of the solvers."""
    return write(profiles(times()), path)


TABLES = {
    "solvers": solvers,
    "classes": classes,
    "models": by_model,
    "versions": lambda: versions(runs()),
}
PICTURES = {"solver-track": profile}

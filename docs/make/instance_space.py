"""Tables and picture of features and of the sets that are chosen by them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from docs.make.tables import RESULTS, share, table
from rsjs.bks.evidence import statuses
from rsjs.instances.features import FEATURES
from rsjs.instances.library.sets import library_set, recipes
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.figure import Axis, Figure, Panel, Series
from rsjs.reporting.tables import formats
from rsjs.rows.csv import read_table

SETS = ("benchmark", "dev")


def features() -> str:
    """Return a line per feature."""
    lines = [f"| `{name}` | {text} |" for name, text in FEATURES.items()]
    return "\n".join(["| feature | what it is |", "|---|---|", *lines])


@cache
def candidates() -> pd.DataFrame:
    """Return the candidates, with a column for each set that is true of its members."""
    found = pd.DataFrame(read_table(RESULTS / "selection" / "candidates.csv"))
    for name in SETS:
        members = {member.sha256 for member in library_set(name).members}
        found[name] = found["sha256"].isin(members)
    found["winner"] = found["winner"].str.split("[@?]", regex=True).str[0]
    return found


def reached() -> str:
    """Return the shares that the selection asks for and what the candidates allow."""
    found = candidates()
    chosen = found[found["benchmark"]]

    def told(column: str) -> list[str]:
        true = [rows[column].isin([True, "True"]) for rows in (found, chosen)]
        return [f"{int(flags.sum())} of {len(flags)}" for flags in true] + [share(true[1].mean())]

    rows = [
        ["all exact methods that ran close it within 60 s", "20 to 40 %", *told("all")],
        ["none of them closes it within 60 s", "20 to 40 %", *told("none")],
        ["the first three heuristics change places", "at least 30 %", *told("changed")],
    ]
    return table(["members", "asked for", "of the candidates", "of benchmark", "share"], rows)


def members() -> str:
    """Return the number of candidates and members by family, size and winner."""
    found = candidates()
    rows = []
    for key in ("family", "size", "winner"):
        for value, part in found.groupby(key):
            name = f"first: {value}" if key == "winner" else str(value)
            rows.append([name, len(part), *(int(part[one].sum()) for one in SETS)])
    return table(["", "candidates", *SETS], rows)


def challenge() -> str:
    """Return status, least cost, greatest bound and gap of each member of `challenge`."""
    chosen = library_set("challenge")
    places = [
        f"{entry['set']} {number}"
        for entry in recipes()["challenge"]["instances"]
        for number in entry["numbers"]
    ]
    rows = []
    for place, told in zip(places, statuses(chosen), strict=True):
        values = [formats.significant(value, 6) for value in (told.cost, told.bound)]
        rows.append([place, str(told), *values, share(told.gap)])
    return table(["set and number", "status", "best cost", "best bound", "gap"], rows)


def picture(path: Path) -> Path:
    """Draw the candidates in the plane of the two first principal components, twice."""
    from benchmarks.selection import space

    found = candidates()
    points = space(found.to_dict("records"))
    points = points - points.mean(axis=0)
    _, scale, axes = np.linalg.svd(points, full_matrices=False)
    plane = points @ axes[:2].T
    part = scale[:2] ** 2 / (scale**2).sum()
    chosen = found["benchmark"].to_numpy()
    ends = [Axis(title=f"component {i + 1}, {share(part[i])} of the variance") for i in (0, 1)]

    def panel(title: str, kinds: pd.Series) -> Panel:
        series = [
            Series(
                name=str(kind),
                x=plane[mask, 0],
                y=plane[mask, 1],
                kind="points",
            )
            for kind in sorted(kinds.unique())
            if (mask := (kinds == kind).to_numpy() & chosen).any()
        ]
        others = Series(
            name="candidate",
            x=plane[~chosen, 0],
            y=plane[~chosen, 1],
            kind="points",
            look="hollow",
            colour="0.75",
        )
        return Panel(series=[others, *series], x=ends[0], y=ends[1], title=title)

    told = {("True", "False"): "all close", ("False", "True"): "none closes"}
    told |= {("False", "False"): "some close"}
    flags = zip(found["all"].astype(str), found["none"].astype(str), strict=True)
    closed = pd.Series([told.get(pair, "fewer than two ran") for pair in flags])
    figure = Figure(
        name="instance-space",
        title="Instance space",
        panels=[
            panel("Families of benchmark", found["family"]),
            panel("First method", "first: " + found["winner"]),
            panel("Exact methods in 60 s", closed),
        ],
        size=(3.4, 3.0),
    )
    return write(figure, path)


TABLES = {"features": features}
SELECTION = {"reached": reached, "members": members, "challenge": challenge}
PICTURES = {"instance-space": picture}

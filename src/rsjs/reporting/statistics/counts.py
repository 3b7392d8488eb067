"""
Counts of each method, which stand before any mean.

Two partitions of the same runs, for a run may hit its limit and still have a decision:

    what it has      proved | certified | valid | says infeasible | nothing | wrong
    why it stopped   by itself | time limit | memory limit | error | interrupted
"""

from __future__ import annotations

import pandas as pd

from rsjs.reporting.statistics.measures import solved
from rsjs.reporting.statistics.runs import PROBLEM, methods

QUALITIES = ("proved", "certified", "valid", "says infeasible", "nothing", "wrong")
CAUSES = ("by itself", "time limit", "memory limit", "error", "interrupted")


def counts(runs: pd.DataFrame, target: float | None = None) -> pd.DataFrame:
    """
    Runs of each method by what they have and by why they stopped.

    Parameters
    ----------
    target : float, optional
        As in `measures.solved`.

    Returns
    -------
    DataFrame
        By method: runs; one column for each of QUALITIES and CAUSES; not_run, the problems that
        other methods were run on and this one was not.
    """
    marked = runs.assign(quality=_quality(runs, target), cause=runs["stop"].map(_cause))
    problems = len(runs.groupby(PROBLEM))
    lines = {}
    for name in methods(runs):
        of_method = marked[marked["method"] == name]
        quality, cause = of_method["quality"].value_counts(), of_method["cause"].value_counts()
        lines[name] = {
            "runs": len(of_method),
            **{word: int(quality.get(word, 0)) for word in QUALITIES},
            **{word: int(cause.get(word, 0)) for word in CAUSES},
            "not_run": problems - len(of_method),
        }
    return pd.DataFrame.from_dict(lines, orient="index")


def _quality(runs: pd.DataFrame, target: float | None) -> pd.Series:
    quality = pd.Series("nothing", index=runs.index)
    quality[runs["stop"] == "infeasible"] = "says infeasible"
    quality[runs["status"].isin(["wrong", "infeasible"])] = "wrong"
    quality[runs["valid"]] = "valid"
    quality[solved(runs, "reached", target)] = "certified"
    quality[solved(runs, "proved", target)] = "proved"
    return quality


def _cause(stop: str) -> str:
    words = stop.replace("_", " ")
    return words if words in CAUSES else CAUSES[0]

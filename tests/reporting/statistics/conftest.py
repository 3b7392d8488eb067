"""Rows of made-up runs, and matrices of seconds written down by hand."""

import numpy as np
import pandas as pd
import pytest

NAN = float("nan")


def _row(instance, method, **other):
    known = {
        "instance": instance,
        "instance_sha256": instance.ljust(64, "0"),
        "method": method,
        "stop": "optimal",
        "status": "ok",
        "objective": 10.0,
        "bound": None,
        "best_bound": None,
        "total_s": 1.0,
        "peak_memory_mb": 100.0,
        "rsjs_version": "0.1.0",
        "time_limit": 10.0,
        "gap_limit": 1e-4,
        "threads": 1,
        "seed": 0,
        "message": "",
    }
    return known | other


def _table(columns, seeds=1):
    problems = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_tuples(
        [(f"i{p // seeds}", p % seeds) for p in range(problems)], names=["instance", "seed"]
    )
    return pd.DataFrame({name: np.array(column) for name, column in columns.items()}, index=index)


@pytest.fixture(scope="session")
def row():
    """The builder of a row: a verified run that ended by itself, unless told otherwise."""
    return _row


@pytest.fixture(scope="session")
def table():
    """The builder of a matrix, problems x methods, of `seeds` problems per instance."""
    return _table


@pytest.fixture(scope="session")
def rows():
    """
    Three methods on two instances with two seeds, with the course of each run.

    `exact` proves all; `rule` finds costs 1 % and 50 % above; `slow` needs the limit and finds
    nothing on the second instance.
    """
    made = []
    for instance, best, above in (("a", 100.0, 0.01), ("b", 20.0, 0.5)):
        for seed in (0, 1):
            exact = _row(instance, "exact", objective=best, bound=best, total_s=2.0 + seed)
            exact["events"] = [_event(1.0, 2 * best, None), _event(2.0, best, best)]
            rule = _row(instance, "rule:x", objective=best * (1 + above), stop="iterations")
            rule |= {"total_s": 0.5, "events": [_event(0.5, best * (1 + above), None)]}
            slow = _row(instance, "slow", stop="time_limit", total_s=10.5, bound=best / 2)
            found = {"objective": best} if instance == "a" else {"objective": None}
            slow |= found | {"status": "ok" if instance == "a" else "no_solution"}
            slow["events"] = [_event(4.0, best, best / 2)] if instance == "a" else []
            made += [one | {"seed": seed} for one in (exact, rule, slow)]
    return made


def _event(seconds, incumbent, bound):
    return {"seconds": seconds, "incumbent": incumbent, "bound": bound}

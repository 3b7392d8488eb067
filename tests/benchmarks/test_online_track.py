"""The page of the online track: scores of policies, and what its stored rows hold."""

import pandas as pd
import pytest

from docs.make import online_track
from docs.make.online_track import by_load, members, ranked, ratios, score

FIRST, SECOND, THIRD = [*members()][:3]  # loads 0.3, 0.5, 0.7


def rows(costs):
    bounds = {FIRST: 10.0, SECOND: 20.0, THIRD: 40.0}
    found = [
        {"instance_sha256": one, "method": policy, "objective": cost, "best_bound": bounds[one]}
        for policy, of in costs.items()
        for one, cost in zip(bounds, of, strict=True)
    ]
    more = {"method": "references", "objective": None}
    return pd.DataFrame(
        [*found, *({"instance_sha256": one, "best_bound": b, **more} for one, b in bounds.items())]
    )


def test_a_policy_that_does_not_complete_a_workload_has_no_score_and_stands_last():
    found = ranked(
        ratios(rows({"a": (11.0, None, 40.0), "b": (20.0, 40.0, 320.0), "c": (20.0, 40.0, 80.0)}))
    )
    assert [*found.index] == ["c", "b", "a"]
    assert score(found).tolist() == pytest.approx(
        [2.0, (2 * 2 * 8) ** (1 / 3), float("nan")], nan_ok=True
    )
    loads = by_load(found)
    assert [*loads] == [0.3, 0.5, 0.7]
    assert score(loads[0.3]).tolist() == pytest.approx([2.0, 2.0, 1.1])


def test_every_policy_of_the_campaign_completed_every_workload_above_its_bound():
    found = ratios(online_track.runs())
    assert found.shape == (13, 24)
    assert found.notna().all().all()
    assert (found >= 1 - 1e-9).all().all()


def test_the_rows_are_of_commits_and_of_the_set():
    stored = online_track.runs()
    assert {*stored["instance_sha256"]} == {*members()}
    assert not stored["dirty"].any()
    assert {*stored["status"]} <= {"ok", "no_solution"}

"""The demonstration, made small: it ends in a table and says what the table shows."""

import pytest

from rsjs.campaign_runs import find_campaign
from rsjs.campaigns.spec import read
from rsjs.cli.compare import story

SMALL = """
format = "rsjs-campaign/1"
name = "demo"
shows = "One node or two, no solver"
timing = "shared"

[limits]
time_s = 60

[[instances]]
generator = "jahani"
sizes = ["1x10", "2x20"]

[[methods]]
run = ["edf:paper"]
on = ["*-N1-*"]

[[methods]]
run = ["greedy:paper"]
"""


@pytest.fixture
def small(monkeypatch, tmp_path):
    """One node or two, no solver."""
    (tmp_path / "demo.toml").write_text(SMALL)
    asked = read(tmp_path / "demo.toml")
    monkeypatch.setattr("rsjs.campaign_runs.find_campaign", lambda name: asked)


@pytest.mark.process
@pytest.mark.usefixtures("small", "blank")
def test_it_ends_in_a_table_over_the_sizes(rsjs, tmp_path):
    ended = rsjs("demo", "-o", tmp_path / "d")
    assert ended.code == 0
    assert "N1-J10" in ended.out
    assert "N2-J20" in ended.out
    assert len(list((tmp_path / "d" / "store" / "instances").glob("*.json.gz"))) == 2
    assert len(list((tmp_path / "d" / "solutions").iterdir())) == 3
    assert "3/3 " in ended.err
    assert "3 of 3 runs are in" in rsjs("demo", "-o", tmp_path / "d").err


NOTHING = """
from rsjs.core.report import SolveResult, Stop

def late(instance, call, report):
    return SolveResult(stop=Stop.TIME_LIMIT)

def broken(instance, call, report):
    raise ValueError("broken")
"""


@pytest.mark.process
@pytest.mark.usefixtures("blank")
@pytest.mark.parametrize(("method", "code"), [("late", 0), ("broken", 1)])
def test_a_run_that_finds_nothing_within_its_limit_is_no_failure(
    rsjs, tmp_path, monkeypatch, method, code
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(NOTHING)
    (tmp_path / "demo.toml").write_text(SMALL + f'[[methods]]\nrun = ["own.py:{method}"]\n')
    asked = read(tmp_path / "demo.toml")
    monkeypatch.setattr("rsjs.campaign_runs.find_campaign", lambda name: asked)
    assert rsjs("demo", "-o", tmp_path / "d").code == code


def test_its_campaign_is_bundled():
    methods = [choice.request.method.name for choice in find_campaign("demo").choices]
    assert len(methods) == 8
    assert {"jahani_literal", "jahani_patterns", "ruin_recreate", "greedy", "edf"} <= {*methods}


def _row(method, nodes, cost, bound, postponed=0.0):
    gap = None if cost is None or bound is None else (cost - bound) / cost
    row = {"method": method, "nodes": nodes, "objective": cost, "bound": bound, "own_gap": gap}
    row |= {"stop": "time_limit", "message": ""}
    return {**row, "gap_to_best": gap, "postponement": postponed}


ROWS = [
    _row("jahani_literal@highs", 2, 4.0, 1.0),
    _row("jahani_patterns@highs", 2, 4.0, 4.0),
    _row("jahani_patterns@highs", 9, 10.0, 9.9),
    _row("greedy:paper", 9, 30.0, None),
    _row("edf:paper", 9, 200.0, None, 150.0),
]


def test_the_story_is_told_from_the_rows():
    assert story(ROWS) == (
        "The pattern model comes within 1.0 % of the best bound in 2 of 2 runs. "
        "On 9 nodes the best rule, greedy:paper, costs 3.00 times the best solution."
    )


@pytest.mark.parametrize("gone", [*range(5)])
def test_a_story_can_be_told_whatever_has_failed(gone):
    rows = [dict(row) for row in ROWS]
    rows[gone].update(objective=None, gap=None, gap_to_best=None, bound=None)
    assert "None" not in story(rows)


def test_of_nothing_there_is_no_story():
    assert story([]) == ""

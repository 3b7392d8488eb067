"""`rsjs report`: which store it takes, where the site goes, what it says."""

import json
import os
from pathlib import Path

import pytest

from rsjs.cli.report import beside, last_store
from rsjs.core.errors import InputError
from rsjs.reporting.site import build as building
from tests.campaign_text import campaign_text

CAMPAIGN = campaign_text("one", "1x2", "greedy:code")


@pytest.fixture
def no_pictures(monkeypatch):
    """Without the PDF files, which take longest."""
    monkeypatch.setattr(building, "draw", list)


def stores(folder, ages):
    """Stores whose plans were written so many seconds ago."""
    for name, age in ages.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "store.json").write_text("{}")
        plan = folder / name / "plan.json"
        plan.write_text("{}")
        os.utime(plan, (10_000 - age, 10_000 - age))


@pytest.mark.process
def test_run_then_report_gives_the_site(rsjs, tmp_path, monkeypatch, no_pictures):
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(CAMPAIGN)
    assert rsjs("run", "one.toml").code == 0
    ended = rsjs("report")
    assert ended.code == 0
    assert "runs/one (the store in ./runs that was worked on last): 1 run." in ended.out
    assert ended.out.splitlines()[-1] == "runs/one-report/index.html"
    assert Path("runs/one-report/index.html").is_file()
    again = rsjs("report", "runs/one", "-o", "site", "--json").json
    assert (again["runs"], again["folder"], again["missing"]) == (1, "site", [])
    monkeypatch.chdir("runs/one")
    assert "Reported: .: 1 run." in rsjs("report").output
    assert Path("../one-report/index.html").is_file()


@pytest.mark.process
def test_a_comparison_is_reported_too(rsjs, folder, tmp_path, no_pictures):
    assert rsjs("compare", folder / "small.json", "--methods", "greedy:code,edf:paper",
                "-o", tmp_path / "results").code == 0  # fmt: skip
    assert rsjs("report", tmp_path / "results").code == 0
    assert (tmp_path / "results-report" / "index.html").is_file()


def test_the_store_worked_on_last_is_taken(tmp_path):
    stores(tmp_path, {"old": 900, "new": 10, "older": 950})
    assert last_store(tmp_path) == tmp_path / "new"
    assert last_store(tmp_path / "new") == tmp_path / "new"
    session = tmp_path / "older" / "sessions" / "s.json"
    session.parent.mkdir()
    session.write_text("{}")
    os.utime(session, (10_500, 10_500))
    assert last_store(tmp_path) == tmp_path / "older"


def test_without_a_store_it_is_told_what_to_do(rsjs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "runs: found no store, expected a store of `rsjs run`" in rsjs("report").refusal
    with pytest.raises(InputError):
        last_store(tmp_path)


def test_a_folder_with_other_files_is_refused_before_anything_is_read(rsjs, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("mine")
    refusal = rsjs("report", tmp_path / "absent", "-o", tmp_path / "thesis").refusal
    assert "thesis: found a folder with other files, expected a report" in refusal
    assert rsjs("report", tmp_path / "absent").refusal


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("runs/smoke", "runs/smoke-report"),
        ("tables/rows.csv", "tables-report"),
        ("a/v1.5/", "a/v1.5-report"),
    ],
)
def test_a_report_goes_beside_its_source(source, place):
    assert beside(Path(source)).as_posix() == place


@pytest.mark.process
def test_a_damaged_record_is_told(rsjs, tmp_path, monkeypatch, no_pictures):
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(CAMPAIGN.replace('"greedy:code"', '"greedy:code", "edf:paper"'))
    assert rsjs("run", "one.toml").code == 0
    next(Path("runs/one/runs").glob("*/*/result.json")).write_text(json.dumps({}))
    assert "Left out, as its record cannot be read" in rsjs("report").output
    assert "cannot be read" in Path("runs/one-report/failures.html").read_text()

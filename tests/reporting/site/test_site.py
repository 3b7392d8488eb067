"""The files of a site: whole, linked, harmless, and traceable to runs."""

import csv
import json
import re
import shlex
from collections.abc import Callable
from html.parser import HTMLParser
from importlib import util
from urllib.parse import unquote

import pytest

from rsjs.cli.main import main
from rsjs.core.errors import InputError
from rsjs.reporting.site import audit_pages
from rsjs.reporting.site import build as building
from rsjs.reporting.site.report_data import gathered

pytestmark = pytest.mark.slow  # the site is built


class Page(HTMLParser):
    """The links, ids, scripts and text of a page."""

    def __init__(self, path):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.tags: list[str] = []
        self.text = ""
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("href", "src", "data-facts", "data-index") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.add(value)

    def handle_data(self, data):
        self.text += data


def facts(script):
    """What a script of data/ hands over."""
    text = re.fullmatch(r'rsjsFacts\("[^"]+", (.*)\);\n', script.read_text("utf-8"))[1]
    return json.loads(text)


def page_of(site, pattern):
    [path] = site.glob(pattern)
    return path.read_text("utf-8")


def test_there_is_a_page_of_every_kind(site):
    names = {path.relative_to(site).as_posix() for path in site.glob("*.html")}
    kinds = {"index", "instances", "pairwise", "failures", "fairness", "provenance"}
    assert names == {f"{kind}.html" for kind in kinds}
    assert len([*site.glob("instances/*.html")]) == len([*site.glob("data/*-*.js")]) == 6
    assert len([*site.glob("methods/*.html")]) == 3
    assert {path.stem for path in site.glob("families/*.html")} == {"jahani", "sts"}


def runs_that_links_lead_to(folder):
    """Follow every link and anchor of a site; return how many lead to a run."""
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    runs = 0
    for path, page in pages.items():
        for link in page.links:
            if link == "data:,":
                continue
            assert ":" not in link, (path, link)
            target, _, anchor = link.partition("#")
            file = (path.parent / unquote(target)).resolve() if target else path
            assert file.is_file(), (path, link)
            if anchor.startswith("r-"):
                assert anchor[2:] in facts(folder / "data" / f"{file.stem}.js")["runs"]
                runs += 1
            elif anchor:
                assert anchor.partition("=")[0] in pages[file].ids, (path, link)
    return runs


def test_every_link_leads_to_a_file_and_every_anchor_to_a_run_or_a_place(site):
    assert runs_that_links_lead_to(site) > 100


def test_nothing_is_fetched_from_elsewhere_and_the_opening_page_is_small(site):
    loaded = {link for link in Page(site / "index.html").links if link.startswith("assets/")}
    files = {site / "index.html", *(site / "assets").iterdir()}
    assert {site / name for name in loaded} < files
    assert sum(path.stat().st_size for path in files) < 5_000_000
    own = [path for path in (site / "assets").iterdir() if path.name != "plotly.min.js"]
    for path in [*own, *site.rglob("*.html"), *site.glob("data/*.js")]:
        text = path.read_text("utf-8")
        assert not re.search(r"https?://(?!www\.w3\.org)|fetch\(|@import|XMLHttp", text), path


def test_a_name_with_html_in_it_is_text_on_every_page(site):
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert "window.harmed" in text
        assert "<script>window.harmed" not in text
        assert "b" not in Page(path).tags
    for path in site.glob("data/*.js"):
        assert "<" not in path.read_text("utf-8")


def test_every_number_of_a_method_leads_to_its_runs(site):
    text = page_of(site, "families/jahani.html")
    line = re.search(r"<tr><td><a [^>]*>rule:x</a></td>.*?</tr>", text)[0]
    cells = re.findall(r"<td[^>]*>.*?</td>", line)
    assert len(cells) >= 6
    assert all('href="../methods/rule-x-' in cell for cell in cells)
    assert all("#runs=jahani" in cell for cell in cells[1:])


def test_the_facts_of_a_run_name_its_digests(site, material):
    row = material.rows[0]
    found = [facts(path) for path in site.glob("data/*-*.js")]
    run = next(one["runs"][row["anchor"]] for one in found if row["anchor"] in one["runs"])
    told = dict(zip((label for _, label, _ in found[0]["fields"]), run["values"], strict=True))
    assert told["run id"] == row["run_id"]
    assert told["instance sha256"] == row["instance_sha256"]
    assert told["objective"] == f"{row['objective']!r} $"
    assert told["options"] == "threads = 1, mip_rel_gap = 0.0001"


def test_shared_seconds_are_marked_and_rank_nothing(site):
    shared, exclusive = (page_of(site, f"families/{name}.html") for name in ("sts", "jahani"))
    for text, present in ((shared, False), (exclusive, True)):
        for id_ in ("ranks-by-time", "virtual-best", "plot-profiles-", "plot-ranks-by-time-"):
            assert (f'id="{id_}' in text) is present
        assert ('class="n shared"' in text) is not present
    pairs = page_of(site, "pairwise.html")
    assert 'id="jahani-pairs-by-time"' in pairs
    assert 'id="sts-pairs-by-time"' not in pairs
    assert "rank nothing" in page_of(site, "index.html")


def test_each_table_is_there_as_csv_markdown_and_latex(site, rows):
    tables = {path.stem for path in site.glob("downloads/*.md")}
    assert tables == {path.stem for path in site.glob("downloads/*.tex")}
    assert tables | {"provenance-runs"} == {path.stem for path in site.glob("downloads/*.csv")}
    with (site / "downloads" / "provenance-runs.csv").open() as lines:
        assert {line["run_id"] for line in csv.DictReader(lines)} == {row["run_id"] for row in rows}
    assert "Run set " in (site / "downloads" / "jahani-gaps.md").read_text()
    for name in ("gaps", "targets", "ranking", "profiles", "ranks-by-cost", "ranks-by-time"):
        data = (site / "downloads" / f"jahani-{name}.pdf").read_bytes()
        assert data.startswith(b"%PDF")
        assert f"jahani-{name}.pdf" in page_of(site, "families/jahani.html")
    assert not (site / "downloads" / "sts-profiles.pdf").exists()


def test_the_opening_page_tells_the_result_before_anything_else(site):
    page = Page(site / "index.html")
    text = " ".join(page.text.split())
    assert "jahani: exact@highs leads, least cost on 6 of 6 problems, mean rank 1.0 of 3" in text
    assert "next is rule:x at 1.01 times the cost" in text
    parts = ("leads", "Who is best", "Summary", "Findings", "Outcomes", "Optimal")
    places = [text.index(word) for word in parts]
    assert places == sorted(places)
    assert "5 of 6" not in text
    assert "4 of 6" in text  # solutions of the method that failed on the largest instance
    assert not re.search("OPTIMAL_VERIFIED|NO_SOLUTION|SOLVER_ERROR", text)


def test_a_method_has_one_colour_in_all_families(material):
    from rsjs.reporting.site.report_data import families

    turned = [*reversed(material.rows)]
    for found in (families(material.rows), families(turned)):
        assert found[0].styles == found[1].styles


def test_pairs_tell_effort_and_versions(site):
    holder = re.search(r'id="pairs-data"[^>]*>(.*?)</script>', page_of(site, "pairwise.html"), re.S)
    family = json.loads(holder[1])["jahani"]
    told = dict(zip(family["labels"], family["effort"]["exact@highs"], strict=True))
    assert (told["build [s]"], told["solve [s]"]) == ("0.100", "0.400")
    assert told["version"] == "highs 1.13, rsjs-bench 0.1.0"


def test_failures_that_look_alike_stand_together(site):
    page = Page(site / "failures.html")
    assert page.text.count("Error without solution") == 1
    assert "4 runs" in page.text
    assert "serves no <i>sts</i>" in page.text


def test_a_difference_between_runs_of_an_instance_is_unfair(rows, material):
    from rsjs.reporting.site.report_data import families

    unequal = [{**row, "threads": 2} if i == 0 else row for i, row in enumerate(material.rows)]
    table = audit_pages.conditions_table(families(unequal))
    line = next(one for one in table.rows if one["aspect"] == "threads")
    assert (line["jahani"], line["sts"]) == ("1; 2", "1")
    assert (table.mark(line, "jahani"), table.mark(line, "sts")) == ("warn", "")


@pytest.mark.process
def test_a_report_of_a_store_shows_its_best_decision_and_repeats_its_runs(store, tmp_path):
    built = building.build(gathered([store]), tmp_path / "site", title="little", all_pdf=False)
    assert (built["without_pdf"], built["pages"]) == (0, 10)
    text = page_of(tmp_path / "site", "instances/*.html")
    best = min(gathered([store]).rows, key=lambda row: row["objective"])
    assert best["solution_sha256"] in text
    assert 'id="plot-occupancy"' in text
    assert len([*(tmp_path / "site" / "downloads").glob("*-occupancy.pdf")]) == 1
    [script] = (tmp_path / "site" / "data").glob("jahani-*.js")
    command = facts(script)["runs"][best["run_id"]]["command"]
    line = [*shlex.split(command)[1:-1], str(tmp_path / "again.json")]
    assert main(line) == 0
    again = json.loads((tmp_path / "again.json").read_text())
    assert again["objective"] == pytest.approx(best["objective"], rel=1e-9)


def test_a_folder_that_is_no_report_is_left_alone(material, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="expected a report of `rsjs report`, or no such folder"):
        building.build(material, tmp_path, title="t", all_pdf=False)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_report_that_fails_leaves_the_one_before(material, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    mark = json.dumps({"format": building.FORMAT})
    (folder / building.MARK).write_text(mark)

    def fail(*_):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(building.audit_pages, "fairness", fail)
    monkeypatch.setattr(building, "draw", list)
    with pytest.raises(RuntimeError, match="the disk is full"):
        building.build(material, folder, title="t", all_pdf=False)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    assert (folder / building.MARK).read_text() == mark


def test_a_report_replaces_the_last_one_with_the_same_bytes(material, site, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "FEW_INSTANCES", 0)
    monkeypatch.setattr(building, "draw", list)
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / building.MARK).write_text(json.dumps({"format": building.FORMAT}))
    (folder / "old.html").write_text("old")
    title = json.loads((site / building.MARK).read_text())["title"]
    building.build(material, folder, title=title, all_pdf=False)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
    made = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    kept = {path.relative_to(site) for path in site.rglob("*") if path.suffix not in ("", ".pdf")}
    assert made == kept
    for path in made:
        assert (folder / path).read_bytes() == (site / path).read_bytes()


def test_a_missing_package_is_told_with_the_command_that_installs_it(tmp_path, monkeypatch):
    real: Callable[..., object] = util.find_spec
    monkeypatch.setattr(building, "find_spec", lambda x: None if x == "plotly" else real(x))
    with pytest.raises(InputError, match=r"no plotly, .*pip install 'rsjs-bench\[report\]"):
        building.refuse(tmp_path)

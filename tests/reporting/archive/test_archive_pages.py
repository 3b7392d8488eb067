"""What an archive holds: the journal's layout, its pages, tables, data and source."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rsjs.cli.main import main
from rsjs.core.errors import InputError
from rsjs.instances.io.files import read_instance, read_solution
from rsjs.reporting.archive.ijoc import PLACEHOLDERS, paper
from rsjs.reporting.site.report_data import families, gathered
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import tables
from rsjs.reporting.statistics.tidy import read_stored
from rsjs.rows.csv import read_rows

pytestmark = pytest.mark.process

HEADINGS = ["Cite", "Description", "Building", "Results", "Replicating"]
HEADINGS += ["Ongoing Development", "Support"]


def _readme(folder):
    return (folder / "README.md").read_text("utf-8")


def test_the_layout_and_the_headings_are_the_journal_s(archive):
    files = {"README.md", "LICENSE", "AUTHORS", "SHA256SUMS"}
    folders = {"src", "data", "scripts", "docs", "results"}
    assert {path.name for path in archive.iterdir()} == files | folders
    readme = _readme(archive)
    assert re.findall(r"^## (.*)$", readme, re.MULTILINE) == HEADINGS
    assert re.findall(r"^# (.*)$", readme, re.MULTILINE) == ["On Shares"]
    assert "under the [MIT License](LICENSE)" in readme
    assert (archive / "AUTHORS").read_text() == "Ada First\nBo Second\n"


def test_both_dois_the_commit_and_the_entry_to_cite_are_there(archive, repository):
    readme = _readme(archive)
    assert "\nhttps://doi.org/10.1287/ijoc.2026.0001\n" in readme
    assert "\nhttps://doi.org/10.1287/ijoc.2026.0001.cd\n" in readme
    assert f"[this SHA](https://github.com/a/b/commit/{repository[1]})" in readme
    entry = re.search(r"```\n(@misc{.*?\n})\n```", readme, re.DOTALL)[1]
    fields = dict(re.findall(r"^  (\w+) = +(.*),$", entry, re.MULTILINE))
    assert fields["author"] == "{Ada First and Bo Second}"
    assert fields["title"] == "{{On Shares}}"
    assert fields["doi"] == "{10.1287/ijoc.2026.0001.cd}"
    assert fields["url"] == "{https://github.com/INFORMSJoC/2026.0001}"
    assert "**Note.**" not in readme
    assert not [text for text in PLACEHOLDERS.values() if text in readme]


def test_every_file_that_a_page_links_is_there(archive):
    pages = [archive / "README.md", archive / "data/README.md", archive / "docs/README.md"]
    linked = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)\)", page.read_text())
    ]
    inside = [(page, link) for page, link in linked if "://" not in link]
    assert len(inside) > 25
    for page, link in inside:
        assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_every_table_and_figure_has_its_link_and_its_command(archive, store, tmp_path):
    readme, kept = _readme(archive), archive / "results/two"
    commands = re.findall(r"^rsjs (?:collect|statistics) .*$", readme, re.MULTILINE)
    assert len(commands) == 2
    (tmp_path / "results").mkdir()
    for line in commands:
        line = line.replace("replicated/runs/two", str(store)).replace("replicated", str(tmp_path))
        assert main(line.split()[1:]) == 0
    names = {path.name for path in kept.iterdir()}
    assert names == {*re.findall(r"\]\(results/two/(\S+)\)", readme)}
    assert {"statistics.md", "summary.tex", "counts.csv", "costs.pdf", "rows.csv"} <= names
    for name in names - {"rows.csv", "events.json", "rows.parquet", "events.parquet"}:
        assert (tmp_path / "results/two" / name).read_bytes() == (kept / name).read_bytes()


def test_rows_and_tables_are_those_of_the_runs_and_of_the_statistics(archive, store):
    rows = read_rows(archive / "results/two/rows.csv")
    assert len(rows) == 4
    assert all((store / "runs" / row["run_id"][:2] / row["run_id"]).is_dir() for row in rows)
    [reported] = families(gathered([store]).rows)
    for table in tables(Analysis(rows=read_stored(archive / "results/two"))):
        kept = (archive / f"results/two/{table.name}.csv").read_text()
        assert table.csv() == reported.tables[table.name].csv() == kept


def test_the_sums_are_those_of_all_files(archive):
    listed = (archive / "SHA256SUMS").read_text().splitlines()
    every = [path for path in archive.rglob("*") if path.is_file() and not path.is_symlink()]
    files = {str(path.relative_to(archive)) for path in every}
    assert {line[66:] for line in listed} == files - {"SHA256SUMS"} - {
        path for path in files if path.startswith("src/link/")
    }
    if shutil.which("sha256sum"):
        command = ["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"]
        done = subprocess.run(command, cwd=archive, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"number": "26.1"}, "--number"),
        ({"doi": "ijoc.2026.0001"}, "--paper-doi"),
        ({"repository": "a/b"}, "--repository"),
    ],
)
def test_a_number_a_doi_and_an_address_have_their_form(given, told):
    with pytest.raises(InputError, match=told):
        paper(**given)


def test_the_script_carries_out_every_campaign(archive):
    script = archive / "scripts/reproduce.sh"
    assert 'rsjs run "$scripts/two.toml" -o "$folder/runs/two"' in script.read_text()
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0
    assert Path(archive / "scripts/two.toml").read_text().startswith("\nformat =")


def test_the_source_is_that_of_the_commit_without_continuous_integration(archive):
    files = {str(path.relative_to(archive / "src")) for path in (archive / "src").rglob("*")}
    assert {"LICENSE", "docs/concepts/problem.md", "heuristics/greedy/greedy.py", "link"} <= files
    assert not any(name.startswith((".ci", ".github", ".git/")) for name in files)
    assert (archive / "src/heuristics/greedy/greedy.py").read_text() == "GREEDY = 1\n"
    assert (archive / "src/link").is_symlink()


def test_the_best_solution_is_that_of_the_cheapest_run(archive):
    rows = read_rows(archive / "results/two/rows.csv")
    [path] = (archive / "results/best_solutions").iterdir()
    best = min(row["objective"] for row in rows)
    assert read_solution(path).objective == pytest.approx(best, rel=1e-9)
    digests = {read_instance(file).digest for file in (archive / "data").glob("*.gz")}
    assert digests == {row["solved_sha256"] for row in rows}
    assert read_solution(path).instance_digest in digests

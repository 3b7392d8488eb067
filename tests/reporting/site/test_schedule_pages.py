"""The pages of schedules on MIG instances: a family of its own, no $, the best schedule drawn."""

import json
from pathlib import Path
from typing import Any

import pytest

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import named, paper_problem, write_problem
from rsjs.instances.mig.scheduling.schedule import write_schedule
from rsjs.reporting.figures.draw import write
from rsjs.reporting.site import comparison_pages, instance_page
from rsjs.reporting.site.pages import Downloads, page_writer
from rsjs.reporting.site.report_data import families, gathered
from rsjs.reporting.site.run_table import command, facts_script
from rsjs.rows import build, select
from rsjs.rows.csv import csv_text, read_rows
from rsjs.runs import verified_run
from rsjs.runs.kinds.base import kind

LIMITS = Limits(time_limit=30, gap=0.0)
METHODS = ("fcfs", "bigrem", "bigfirst_srpt")


class Drawn(Downloads):
    """Draws at once, and writes no tables."""

    def __init__(self, root):
        self.root, self.drawn = root, list[Path]()

    def figure(self, name, figure, styles):
        self.drawn.append(write(figure, self.root / f"{name}.pdf", styles))
        return f"{name}.pdf"

    def with_files(self, table, place):
        return table


@pytest.fixture(scope="module")
def outcomes():
    """Three rules on a set of the paper, the stages late and completion."""
    jobs = generate(mig_config("section4.json"), 2)
    problem = named(paper_problem(jobs, "A", parse_objective("late,completion")))
    return [
        verified_run.run(problem, kind("mig_scheduling").request(method), LIMITS)
        for method in METHODS
    ]


@pytest.fixture(scope="module")
def material(outcomes, tmp_path_factory):
    """Their rows, read back."""
    folder = tmp_path_factory.mktemp("rows")
    (folder / "rows.csv").write_text(csv_text(build.rows(outcomes, LIMITS)))
    return gathered([folder / "rows.csv"])


def test_rows_come_back_from_csv_with_text_as_text(outcomes, tmp_path):
    rows = build.rows(outcomes, LIMITS)
    (tmp_path / "rows.csv").write_text(csv_text(rows))
    for row, back in zip(rows, read_rows(tmp_path / "rows.csv"), strict=True):
        assert {key: back[key] for key in row if key != "dirty"} == {
            key: value for key, value in row.items() if key != "dirty"
        }
    assert rows[0]["units"] == "2000,1000,1000"


def test_schedules_are_a_family_of_their_own_whose_objectives_are_no_dollars(material, tmp_path):
    [family] = families(material.rows)
    assert family.name == "mig"
    page = instance_page.content(material.rows, family.styles, Drawn(tmp_path), pdf=False)
    page_writer(tmp_path, "mig", "rsjs report", [])("instance.html", "instance", page)
    text = (tmp_path / "instance.html").read_text()
    assert "3 units of 2000,1000,1000 MB, 50 jobs; reading A, objective late,completion" in text
    assert (page["best_cost"], page["best_bound"]) == ("0", "0")
    assert page["solution"] is None
    listed = instance_page.list_content(material.rows, Drawn(tmp_path))["instances"]
    shown = [page["runs"], listed, comparison_pages.results_table(family)]
    headings = [column.full_heading for one in shown for column in one.columns]
    assert not [heading for heading in headings if "$" in heading]
    assert {"objective", "weighted completion", "best cost", "best bound"} <= {*headings}
    assert not {"energy [$]", "gap w/o postp. [%]"} & {*headings}
    assert [plot.id for plot in page["plots"]] == []
    told = facts_script("mig", material.rows)
    assert "$" not in told
    stages = [row["stages"] for row in material.rows]
    assert len({*stages}) == len(METHODS)
    assert all(f'"{text}"' in told for text in stages)


@pytest.mark.slow
def test_the_best_schedule_is_so_stage_by_stage_and_is_drawn(outcomes, material, tmp_path):
    rows = material.rows
    best = select.best_row(rows)
    assert best is not None
    assert best["method"] == "bigfirst_srpt"
    assert {row["objective"] for row in rows} == {0}
    found = outcomes[METHODS.index("bigfirst_srpt")]
    assert found.solution is not None
    record = tmp_path / "runs" / "ab" / "ab1"
    (tmp_path / "instances").mkdir(parents=True)
    file = tmp_path / "instances" / f"{found.problem.digest}.json.gz"
    write_problem(found.problem, file)
    write_schedule(found.problem, found.solution, record / "schedule.json.gz")
    digests = {"solution_sha256": "0", "solved_sha256": found.problem.digest}
    kept: Any = {**best, "anchor": "ab1", "record": record, "problem_file": file, **digests}
    chosen = instance_page.best_solution([kept])
    assert chosen is not None
    row, problem, made = chosen
    assert (row["method"], problem.digest) == ("bigfirst_srpt", found.problem.digest)
    assert made.minute.tolist() == found.solution.minute.tolist()
    styles, downloads = families(rows)[0].styles, Drawn(tmp_path)
    page = instance_page.content([kept], styles, downloads, pdf=False)
    assert (page["solution"]["cost"], page["solution"]["plot"].pdf) == ("0", "")
    page = instance_page.content([kept], styles, downloads, pdf=True)
    assert page["solution"]["plot"].pdf.endswith("-schedule.pdf")
    assert [path.suffix for path in downloads.drawn] == [".pdf"]
    assert all(path.stat().st_size > 1000 for path in downloads.drawn)
    other = tmp_path / "instances" / "c0ffee.json.gz"
    other.write_bytes(file.read_bytes())
    with pytest.raises(InputError, match="expected the instance of sha256 c0ffee"):
        instance_page.best_solution([kept | {"solved_sha256": "c0ffee", "problem_file": other}])


def test_the_command_of_a_run_is_that_of_schedules(material, tmp_path):
    file = tmp_path / "instances/c0ffee.json.gz"
    row = {**material.rows[0], "problem_file": file, "spelling": "fcfs"}
    told = command(row)
    assert told.startswith(f"rsjs mig schedule {tmp_path}/instances/c0ffee.json.gz --method fcfs")
    assert "--gap" not in told
    exact = {"seed": 1234567, "time_limit": 123456.75, "memory_limit_mb": 1e6, "threads": 2.0}
    told = command(row | exact)
    assert "--time-limit 123456.75 --threads 2 --seed 1234567 --memory-limit 1000000 " in told
    assert json.loads(material.rows[0]["stages"])[0] == 0


def test_a_simulation_has_no_solution_to_draw(material, tmp_path):
    file = tmp_path / "c0ffee.json.gz"
    file.write_text("a workload")
    more = {"simulation": "{}", "solution_sha256": "0", "record": tmp_path, "problem_file": file}
    assert instance_page.best_solution([material.rows[0] | more]) is None

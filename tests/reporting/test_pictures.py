"""Pictures of decisions, runs, laws, profiles, traces and schedules: what they tell."""

import subprocess
import sys
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.heuristics.sts.job_profiles import job_profiles
from rsjs.heuristics.sts.single_job import law_of_job
from rsjs.instances.catalogue import epoch_models
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators import sts
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import paper_problem
from rsjs.instances.mig.scheduling.schedule import Schedule
from rsjs.instances.traces.quality_report import inspect
from rsjs.instances.traces.registry import open_trace
from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.claim import claim_figure
from rsjs.reporting.figures.draw import draw as drawn_figure
from rsjs.reporting.figures.draw import write
from rsjs.reporting.figures.inputs import distribution_picture, profile_picture, trace_picture
from rsjs.reporting.figures.mig import schedule_figure
from rsjs.reporting.figures.occupancy import occupancy_figure
from rsjs.reporting.figures.runs import FLOOR, cost_split, gap_curve, gap_over_time

pytestmark = pytest.mark.slow


SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
DRAWN = {  # each picture in one format, each format by some
    "occupancy": "pdf",
    "gap_over_time": "svg",
    "cost_split": "png",
    "law": "pdf",
    "profile": "svg",
    "trace": "svg",
    "mig_gantt": "png",
}
LAWS = {
    "catalogue": epoch_models.epoch_distribution("VGG16"),
    "one epoch": EpochDistribution.of([[1, 1]]),
    "far apart": EpochDistribution.of([[1, 1], [10**9, 1]]),
    "conditional": epoch_models.epoch_distribution("AlexNet").given(95.5),
    "no mass at the end": EpochDistribution.of([[3, 1], [5, 2], [9, 0]]),
}
HEADER = "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
MODELS = ("A10", "A100", "V100", "T4", "P100", "K80")
LONG = "hierarchical?controllers=10,method=first_ending_patterns@highs"


@pytest.fixture
def draw(rows, runs, decide, tmp_path):
    instance, solution = decide(3, [(0, 2), (0, "half"), (0, "quarter"), (1, 4), None], spare=1)
    shared = sts.generate(nodes=3, jobs=4, seed=1, mix="kma", sharing="paper")
    return {
        "occupancy": lambda path: write(occupancy_figure(instance, solution), path),
        "gap_over_time": lambda path: write(gap_over_time(runs), path),
        "cost_split": lambda path: write(cost_split(rows), path),
        "law": lambda path: distribution_picture(LAWS["catalogue"], path),
        "profile": lambda path: _profile(shared, 0, path),
        "trace": lambda path: trace_picture(_trace(tmp_path, 40), path),
        "mig_gantt": lambda path: _schedule(3, path),
    }


def texts(path):
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()).strip() for element in root.iter() if "text" in element.tag]


def _profile(instance, job, path):
    time = float(instance.jobs.due[job]) - instance.now
    found = job_profiles(instance, job, time)
    done = float(instance.jobs.epochs_done[job])
    law = law_of_job(instance, job)
    return profile_picture(found, law, path, done=done, time=time, title="a job")


def _trace(folder, jobs):
    lines = [
        f"{i},1,{MODELS[i % 6]},8,{1 + i % 3},1,{5000 * i},{100 + 7 * i},HP" for i in range(jobs)
    ]
    (folder / "jobs.csv").write_text("\n".join([f"{HEADER}job_type", *lines]))
    return inspect(open_trace([folder / "jobs.csv"]))


def _schedule(deadline, path):
    """Two jobs of two steps on MIG instances."""
    jobs = JobSet(
        name="two",
        time_unit="minute",
        arrival=np.zeros(2),
        priority=np.ones(2, dtype=np.int64),
        run_length=np.array([2, 2]),
        memory=np.array([1500.0, 700.0, 900.0, 1990.0]),
        cuda_cores=np.ones(2, dtype=np.int64),
        interruptible=np.ones(2, dtype=np.bool_),
        migratable=np.ones(2, dtype=np.bool_),
        deadline=np.full(2, deadline),
        job_class=np.zeros(2, dtype=np.int64),
        classes=("job",),
    )
    schedule = Schedule(minute=np.array([0, 2, 0, 1]), unit=np.array([0, 0, 1, 0]))
    problem = paper_problem(jobs, "A", parse_objective("late"))
    return write(schedule_figure(problem, schedule, "by hand"), path)


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_have_the_same_bytes_each_time_and_no_other_suffix(draw, name, tmp_path):
    suffix = DRAWN[name]
    first, second = (draw[name](tmp_path / f"{i}.{suffix}").read_bytes() for i in range(2))
    assert first.startswith(SIGNATURES[suffix])
    assert first == second
    with pytest.raises(InputError, match=r"expected a picture's suffix: \.png, \.svg, \.pdf"):
        draw[name](tmp_path / "picture.jpg")
    assert not (tmp_path / "picture.jpg").exists()


def test_gap_curves_name_methods_once_and_what_has_no_gap(draw, tmp_path):
    shown = texts(draw["gap_over_time"](tmp_path / "gap.svg"))
    for name in ("jahani_patterns@highs", "greedy:code", "gap to its own bound", "N2-J4"):
        assert shown.count(name) == 1
    assert shown.count("(no gap: jahani_literal@highs)") == 2
    assert "gap to the best bound [%]" in shown
    assert "wall-clock time [s]" in shown
    assert "\N{LESS-THAN OR EQUAL TO} 0.001" in shown


def test_a_gap_curve_follows_the_incumbents_down_to_the_floor_and_on_to_the_end():
    events = [
        {"seconds": 0.0, "incumbent": None, "bound": 5.0},  # no incumbent yet
        {"seconds": 0.5, "incumbent": 20.0, "bound": 5.0},
        {"seconds": 1.0, "incumbent": 10.0, "bound": 5.0},
    ]
    run: dict[str, Any] = {"events": events, "best_bound": 10.0}
    assert gap_curve(run) == [(0.5, 50.0), (1.0, FLOOR)]
    assert gap_curve(run, own=True) == [(0.5, 75.0), (1.0, 50.0)]
    assert gap_curve({**run, "events": events[:2], "seconds": 60.0})[-1] == (60.0, 50.0)
    for bound in (None, 12.0):
        assert gap_curve({"events": [], "best_bound": bound}) == []


def test_cost_bars_name_terms_totals_and_missing_solutions(draw, rows, tmp_path):
    shown = texts(draw["cost_split"](tmp_path / "cost.svg"))
    for name in ("energy", "idle", "tardiness", "postponement", "N2-J4", "N10-J40"):
        assert shown.count(name) == 1
    for name in ("greedy:code", "13.9748", "30657.9", "no solution (time limit)"):
        assert shown.count(name) == 2
    rows[0]["status"] = "wrong"
    assert "13.9748  WRONG" in texts(draw["cost_split"](tmp_path / "cost.svg"))


def test_occupancy_names_jobs_nodes_and_totals(draw, tmp_path):
    shown = texts(draw["occupancy"](tmp_path / "occupancy.svg"))
    assert {"j0", "j1", "j3"} <= set(shown)
    assert "j4" not in shown  # postponed
    assert any(line.startswith("4 of 5 jobs run (2 on shares) on 2 of 3 nodes") for line in shown)
    assert "time to completion [h]" in shown


@pytest.mark.parametrize("nodes", [0, 12, 13])
def test_occupancy_draws_no_few_and_many_nodes(decide, nodes, tmp_path):
    places = [(node, 3) for node in range(nodes)]
    instance, solution = decide(nodes or 2, places or [None, None], spare=0 if nodes else 2)
    shown = texts(write(occupancy_figure(instance, solution), tmp_path / "many.svg"))
    assert sum(text.startswith("j") for text in shown) == nodes


@pytest.mark.parametrize("made", [gap_over_time, cost_split])
def test_no_rows_are_refused(made):
    with pytest.raises(InputError, match="expected at least one run to draw"):
        made([])


def test_runs_without_any_solution_are_drawn(runs, rows, tmp_path):
    empty = [run | {"events": [], "best_bound": None} for run in runs]
    assert write(gap_over_time(empty), tmp_path / "gap.svg").exists()
    assert write(cost_split(rows[2:3]), tmp_path / "cost.svg").exists()


def test_dollar_signs_in_names_are_no_mathematics(rows, runs, tmp_path):
    for entry in (*rows, *runs):
        entry["method"] = r"a$\b"
    assert r"a$\b" in texts(write(cost_split(rows), tmp_path / "cost.svg"))
    assert r"a$\b" in texts(write(gap_over_time(runs), tmp_path / "gap.svg"))


def test_pictures_leave_no_global_state_behind_and_do_without_pyplot(draw, tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw["cost_split"](tmp_path / "cost.svg")
    assert dict(matplotlib.rcParams) == before
    code = (
        "import sys; from rsjs.reporting.figures.draw import write\n"
        "from rsjs.reporting.figures.runs import cost_split\n"
        "row = {'instance': 'x', 'method': 'y', 'objective': 1.0, 'energy': 1.0}\n"
        f"write(cost_split([row]), {str(tmp_path / 'cost.svg')!r})\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", LAWS)
def test_title_and_moments_of_a_law_are_told(name, tmp_path):
    law = LAWS[name]
    path = distribution_picture(law, tmp_path / "law.svg", title=f"the {name} law of $5")
    text = "\n".join(texts(path))
    for part in (f"the {name} law of $5", f"mean {law.mean:.1f}", "P(W = w)", "P(W > w)"):
        assert part in text


def test_a_job_under_way_and_overdue_is_drawn_from_its_epoch_on(tmp_path):
    instance = sts.generate(nodes=3, jobs=4, seed=1)
    new = texts(_profile(instance, 1, tmp_path / "p.svg"))
    assert "due date" in new
    assert "P(W > w)" in new
    jobs = replace(instance.jobs, epochs_done=np.full(4, 42.5), due=np.full(4, -1.0))
    shown = "\n".join(texts(_profile(replace(instance, jobs=jobs), 1, tmp_path / "p.svg")))
    for part in ("K80: infeasible", "a job", "due 1 h ago", "P(W > w | W > 42.5)"):
        assert part in shown
    assert "due date" not in shown


def test_bars_of_a_trace_add_up_to_the_load(tmp_path, monkeypatch):
    report = _trace(tmp_path, 300)
    drawn = []
    monkeypatch.setattr(figure_style, "write", lambda draw, path: drawn.append(draw()) or path)
    trace_picture(report, tmp_path / "a.png")
    work, jobs, run_times, gpus = drawn[0].axes
    hours = float(jobs.get_ylabel().split()[-2])
    area = sum(bar.get_height() for bar in work.patches) * hours
    assert area == pytest.approx(sum(load.gpu_hours for load in report.loads))
    for ax in (jobs, run_times, gpus):
        assert sum(bar.get_height() for bar in ax.patches) == 300
    assert len(drawn[0].legends[0].get_texts()) == 5
    assert [label.get_text() for label in gpus.get_xticklabels()] == ["1", "2", "3"]


@pytest.mark.parametrize("jobs", [0, 1])
def test_a_trace_of_few_jobs_can_be_drawn(tmp_path, jobs):
    shown = texts(trace_picture(_trace(tmp_path, jobs), tmp_path / "a.svg"))
    assert any(f"{jobs} rows, {jobs} with a load" in text for text in shown)


@pytest.mark.parametrize(("deadline", "told"), [(2, True), (3, False)])
def test_units_jobs_and_late_ones_are_named(tmp_path, deadline, told):
    text = _schedule(deadline, tmp_path / "s.svg").read_text()
    assert "two, reading A, by hand" in text
    assert all(f"{unit}: {size} MB" in text for unit, size in enumerate([2000, 1000, 1000]))
    assert ("of a late job" in text) is told


@pytest.mark.parametrize(("cases", "columns"), [(1, 1), (4, 2), (6, 3)])
def test_the_legend_of_a_claim_is_whole_and_panels_stand_in_rows(cases, columns):
    rows = [
        {"case": f"case {c}", "nodes": n, "method": method, "objective": float(n + c + 1)}
        for c in range(cases)
        for n in (10, 20)
        for method in ("greedy:paper", "edf:code", LONG)
    ]
    made = drawn_figure(claim_figure(rows, {"x": "nodes", "y": "objective", "log": True}))
    made.canvas.draw()
    (legend,) = made.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= made.bbox.width
    assert [text.get_text().replace("\n", "") for text in legend.get_texts()][-1] == LONG
    assert [axes.get_title() for axes in made.axes] == [f"case {c}" for c in range(cases)]
    assert len({round(axes.get_position().x0, 2) for axes in made.axes}) == columns

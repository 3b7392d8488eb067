"""What a notebook shows: one line, a table of HTML, axes, data frames."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rsjs
from rsjs.core.errors import InputError
from rsjs.core.report import Event, SolveResult, Stop
from rsjs.instances.solution import Solution
from rsjs.reporting.notebook import outcome_row, table_html
from rsjs.reporting.tables import comparison
from rsjs.reporting.tables.facts import violation_lines

pytest.importorskip("matplotlib").use("agg")
FOREIGN = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def _closed():
    from matplotlib import pyplot

    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def instance():
    return rsjs.generate("sts", nodes=2, jobs=6, seed=1)


@pytest.fixture(scope="module")
def workload():
    return rsjs.generate("sts", nodes=2, jobs=6, arrivals="exp", seed=1)


@pytest.fixture(scope="module")
def outcomes(workload):
    return rsjs.simulate(workload, ["queue:edf", "queue:fifo"])


@pytest.fixture(scope="module")
def solution():
    return Solution.of([0, 1, -1, -1, -1, -1], [8, 2, 0, 0, 0, 0], [0, 1])


RESULT = SolveResult(
    stop=Stop.TIME_LIMIT,
    objective=12.0,
    bound=9.0,
    solution=Solution.empty(6, 2),
    seconds={"total": 4.0},
    events=(Event(seconds=1.0, incumbent=15.0, bound=8.0), Event(seconds=2.0, incumbent=12.0)),
)


def text(html):
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def test_every_repr_is_short_and_without_arrays(instance, workload, outcomes, solution):
    verdict = rsjs.check(instance, solution)
    claimed = rsjs.check(instance, solution, objective=1.0)
    law = next(iter(instance.laws.values()))
    parts = (instance, workload, instance.jobs, law, solution, verdict, claimed, RESULT)
    for shown in map(repr, (*parts, *outcomes)):
        assert len(shown) < 200
        assert "array" not in shown
        assert "\n" not in shown
    assert repr(instance.jobs) == "Jobs(6: j1, j2, ..., j6)"
    assert repr(solution) == "Solution(2 of 6 jobs run, 2 of 2 nodes are on)"
    assert repr(RESULT) == "SolveResult(time_limit, objective 12 $, bound 9 $)"
    assert repr(replace(RESULT, solution=None, objective=None)).startswith(
        "SolveResult(time_limit, no solution"
    )
    assert repr(claimed).startswith("Verdict(not feasible, ")
    assert "claimed_objective: /objective: found 1.0" in repr(claimed)
    assert repr(outcomes) == "\n".join(map(repr, outcomes))


def test_tables_have_what_commands_print(instance, workload, outcomes, solution):
    shown = text(instance._repr_html_())
    assert instance.digest in shown
    assert "Node types; nodes that may be of each name GPUs $/h nodes" in shown
    assert "offered load" in text(workload._repr_html_()).replace("_", " ")
    assert text(solution._repr_html_()).startswith("solution jobs 6 nodes 2 executed 2")
    verdict = rsjs.check(instance, solution)
    assert f"feasible yes objective {verdict.objective:.6g} $ = tardiness" in text(
        verdict._repr_html_()
    )
    claimed = rsjs.check(instance, solution, objective=1.0)
    assert "violation claimed_objective: /objective: found 1.0" in text(claimed._repr_html_())
    assert "stop time_limit objective 12.0000 $ bound 9.00000 $, gap 25 %" in text(
        RESULT._repr_html_()
    )
    assert "cost" in text(outcomes[0]._repr_html_())
    rows = [outcome_row(one) for one in outcomes]
    table = comparison.shortened_table(rows, comparison.simulations)
    assert outcomes._repr_html_() == table_html(table)
    assert type(outcomes)()._repr_html_() == "Outcomes([])"
    assert text(outcomes._repr_html_()).count("queue:") == 2


def test_of_very_many_violations_the_first_ones_are_shown():
    violation = {"constraint": "c", "where": "/w", "found": 1, "expected": "2"}
    lines = violation_lines([violation] * 25)
    assert lines[0] == "c: /w: found 1, expected 2"
    assert lines[20:] == ["... and 5 more"]


def test_foreign_names_are_escaped(instance, outcomes):
    jobs = replace(instance.jobs, application=(FOREIGN, *instance.jobs.application[1:]))
    named = replace(instance, name=FOREIGN, jobs=jobs)
    policies = type(outcomes)(replace(one, policy=FOREIGN) for one in outcomes)
    result = replace(RESULT, message=FOREIGN)
    for shown in (named, policies, policies[0], result):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "&lt;script&gt;" in html


def test_data_frames_have_a_row_per_job(instance, workload, outcomes):
    frame = instance.to_pandas()
    assert [*frame.index] == [*instance.jobs.id]
    assert (frame.fastest_h <= frame.cheapest_h).all()
    np.testing.assert_array_equal(frame.due_h, instance.jobs.due)
    np.testing.assert_array_equal(workload.to_pandas().realised_epochs, workload.realised_epochs)
    done = outcomes[0].to_pandas()
    np.testing.assert_array_equal(done.completed_h, outcomes[0].completed_at)
    total = outcomes[0].totals
    assert done.tardiness_usd.sum() == pytest.approx(total.tardiness)
    assert done.tardiness_h.sum() == pytest.approx(total.tardiness_hours)


def test_a_data_frame_of_policies_has_their_totals_with_units(outcomes):
    frame = outcomes.to_pandas()
    assert [*frame.index] == ["queue:edf", "queue:fifo"]
    assert frame.cost_usd.tolist() == [one.totals.cost for one in outcomes]
    assert {"energy_usd", "tardiness_usd", "makespan_h", "decision_median_s"} <= {*frame}
    assert isinstance(frame, pd.DataFrame)


def test_pictures_are_axes_that_pyplot_knows(instance, outcomes, solution):
    from matplotlib import pyplot
    from matplotlib.axes import Axes

    single = [instance.plot(), solution.plot(instance), RESULT.plot()]
    assert all(isinstance(ax, Axes) for ax in single)
    gpus = len(outcomes[0].workload.cluster.gpu_types)
    several = {2 + gpus: outcomes.plot(), 1: outcomes[0].plot("gantt")}
    for count, axes in several.items():
        assert len(axes) == count
        assert all(isinstance(ax, Axes) for ax in axes)
    assert len(pyplot.get_fignums()) == 5
    labels = [label.get_text() for label in single[0].get_yticklabels()]
    assert sorted(labels) == sorted(instance.jobs.id)


def test_a_picture_of_no_node_that_is_on_says_so(instance):
    ax = Solution.empty(len(instance.jobs), instance.cluster.nodes).plot(instance)
    assert [text.get_text() for text in ax.texts] == ["no node is on"]
    assert "".join(label.get_text() for label in ax.get_yticklabels()) == ""
    assert ax.figure.legends == []


def test_what_cannot_be_drawn_is_refused(instance, outcomes):
    with pytest.raises(InputError, match="what: found 'nothing', expected one of course, gantt"):
        outcomes[0].plot("nothing")
    with pytest.raises(InputError, match="no incumbent and no bound"):
        SolveResult(stop=Stop.TIME_LIMIT).plot()
    with pytest.raises(InputError, match="one that fits"):
        Solution.of([0] * 6, [8] * 6, [0, 1]).plot(instance)


@pytest.mark.process
def test_a_comparison_shows_its_table_and_draws_an_axes_for_each_instance(instance):
    found = rsjs.compare([instance, rsjs.generate("sts", nodes=2, jobs=5, seed=2)], "edf:paper")
    assert repr(found) == "Comparison(2 runs: 1 methods, 2 instances)"
    assert "edf:paper" in text(found._repr_html_())
    assert len(found.plot()) == len(found.plot("gap")) == len(found.to_pandas()) == 2
    assert rsjs.Comparison(rows=[])._repr_html_() == "Comparison(0 runs: 0 methods, 0 instances)"


def test_panels_that_share_an_axis_show_all_points():
    runs = [
        {
            "instance": name,
            "method": "m",
            "best_bound": 1.0,
            "events": [{"seconds": at, "incumbent": 2.0}],
        }
        for name, at in (("first", 0.5), ("second", 30.0))
    ]
    for ax in rsjs.Comparison(rows=[], trajectories=runs).plot("gap"):
        low, high = ax.get_xlim()
        assert low < 0.5 < 30 < high

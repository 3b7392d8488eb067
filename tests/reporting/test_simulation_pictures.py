"""Gantt charts and courses of simulations: what is laid out where, and that it is drawn."""

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.reporting.figures.draw import draw, write
from rsjs.reporting.figures.simulation import (
    Stay,
    course_figure,
    gantt_figure,
    stays,
)
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import policy

pytestmark = pytest.mark.slow

POLICIES = ("queue:edf", "sts:fallback")


@pytest.fixture(scope="module")
def workload():
    return sts.workload(nodes=4, jobs=20, seed=2, gap_seconds=6000, sharing="paper")


@pytest.fixture(scope="module", params=POLICIES)
def outcome(workload, request):
    return simulate(workload, policy(request.param, workload), Options(period=3.0))


def _gantt(outcome, path):
    return write(gantt_figure(outcome), path)


def _course(outcomes, path):
    return write(course_figure(outcomes), path)


def _overlap(a, b):
    tiny = 1e-9
    in_time = min(a.end, b.end) - max(a.begin, b.begin) > tiny
    return in_time and min(a.start + a.width, b.start + b.width) - max(a.start, b.start) > tiny


def test_no_gpu_has_two_jobs_and_no_job_a_gpu_that_its_node_lacks(outcome):
    cluster = outcome.workload.cluster
    by_node: dict[int, list[Stay]] = {}
    for stay in stays(outcome.workload, outcome.records):
        by_node.setdefault(stay.node, []).append(stay)
        size = cluster.gpus_of_type[cluster.allowed[stay.node]].max()
        assert 0 <= stay.start <= stay.start + stay.width <= size + 1e-9
        if stay.width < 1:  # a share is of one GPU
            assert int(stay.start + 1e-9) == int(stay.start + stay.width - 1e-9)
    assert len(by_node) > 1
    for members in by_node.values():
        pairs = [(a, b) for i, a in enumerate(members) for b in members[:i]]
        assert not [pair for pair in pairs if _overlap(*pair)]


def test_stays_add_up_to_the_gpu_hours_of_jobs(outcome):
    found = stays(outcome.workload, outcome.records)
    dedicated = sum((s.end - s.begin) * s.width for s in found if s.width >= 1)
    shared = sum((s.end - s.begin) * s.width for s in found if s.width < 1)
    used = sum(outcome.totals.gpu_hours.values())
    assert (shared > 0) == (outcome.policy == "sts:fallback")
    most = dedicated + 20 * shared  # a share is at least 1/20 of its GPU
    assert dedicated * (1 - 1e-9) <= used <= most * (1 + 1e-9)
    ends = {stay.job: stay.end for stay in found}
    assert ends == pytest.approx(dict(enumerate(outcome.completed_at.tolist())))


def test_jobs_left_alone_stay_where_they_are():
    alone = sts.workload(nodes=4, jobs=20, seed=2, gap_seconds=6000)
    found = simulate(alone, policy("queue:edf_alone", alone))
    assert len(stays(alone, found.records)) == len(alone.jobs)


def test_pictures_name_nodes_jobs_and_policies_with_the_same_bytes(workload, tmp_path):
    outcomes = [simulate(workload, policy(name, workload)) for name in POLICIES]
    for picture, what, told in (
        (_gantt, outcomes[0], [POLICIES[0], "n1: ", ">j"]),
        (_course, outcomes, [*POLICIES, "K80 in use", "jobs waiting"]),
    ):
        first, second = (picture(what, tmp_path / f"{i}.svg").read_text() for i in range(2))
        assert first == second
        assert all(text in first for text in told)


def test_nothing_to_draw_is_told():
    with pytest.raises(InputError, match="at least one run"):
        course_figure([])


def test_a_run_that_failed_at_once_is_drawn_too(workload, tmp_path):
    from rsjs.simulation.policy import Policy

    def fails(state, memory):
        raise ValueError("no")

    found = simulate(workload, Policy(spelling="fails", decide=fails))
    assert len(found.records) == 1
    _gantt(found, tmp_path / "gantt.svg")
    _course([found], tmp_path / "course.svg")


def test_axes_of_jobs_and_gpus_count_in_whole_numbers():
    light = sts.workload(nodes=2, jobs=3, seed=1)
    found = simulate(light, policy("queue:pedf", light))
    assert found.totals.longest_queue == 0
    _, waiting, *in_use = draw(course_figure([found])).axes
    for ax in (waiting, *in_use):
        assert ax.get_ylim()[0] == 0
        assert ax.get_ylim()[1] >= 1
        assert all(tick == int(tick) for tick in ax.get_yticks())

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from rsjs.core.errors import InputError
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.reporting.figures.occupancy import (
    common_prefix,
    occupancy_figure,
    occupancy_text,
    packed,
    shelves,
)


def printed(decision, width=100):
    """Lines of a terminal of so many columns."""
    console = Console(width=width)
    with console.capture() as capture:
        console.print(occupancy_text(*decision, width))
    return capture.get().splitlines()


def test_jobs_lie_side_by_side_the_largest_first_shares_last(decide):
    shelf, other = shelves(*decide(2, [(0, "half"), (0, 1), (0, 2), (0, "quarter"), None]))
    found = [(block.job, block.start, block.width) for block in shelf.blocks]
    assert found == [("j2", 0, 2), ("j1", 2, 1), ("j0", 3, 0.5), ("j3", 3.5, 0.25)]
    assert shelf.idle == []
    assert (other.blocks, other.idle) == ((), [0, 1, 2, 3])


def test_nodes_that_are_off_are_left_out_and_what_does_not_fit_is_refused(decide):
    assert [shelf.node for shelf in shelves(*decide(3, [(0, 1)], spare=2))] == ["n1"]
    with pytest.raises(InputError, match="found a decision that fails: capacity"):
        shelves(*decide(1, [(0, 3), (0, 3)]))


@given(st.dictionaries(st.integers(0, 99), st.integers(1, 6)), st.sampled_from([4, 7, 8, 20]))
def test_shares_fit_on_as_few_gpus_as_the_checker_counts(shares, units):
    shares = {job: min(size, units - 1) for job, size in shares.items()}
    groups = packed(shares, units)
    assert len(groups) == gpus_for_shares(shares.values(), units)
    assert sorted(job for group in groups for job in group) == sorted(shares)
    assert all(sum(shares[job] for job in group) <= units for group in groups)


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_columns_hold_every_node_once_and_none_is_much_longer(decide, number):
    instance, solution = decide(25, [(node, 1) for node in range(25)])
    panels = occupancy_figure(instance, solution, columns=number).panels
    ticks = [[*panel.y.ticks.values()] for panel in panels]
    assert [name for column in ticks for name in column] == [f"n{node + 1}" for node in range(25)]
    assert len(panels) <= number
    assert max(map(len, ticks)) <= -(-25 // number) + 1


def test_text_shows_jobs_between_bars_and_idle_gpus_as_dots(decide):
    lines = printed(decide(2, [(0, 2), (0, "half"), (0, "quarter"), (1, 4), None]), 80)
    assert lines[0] == "by hand"
    assert lines[1].startswith("4 of 5 jobs run (2 on shares) on 2 of 2 nodes; 7 of 8 GPUs busy")
    n1, n2 = (
        [cell.strip() for cell in line.split("\N{BOX DRAWINGS LIGHT VERTICAL}")]
        for line in lines
        if "\N{BOX DRAWINGS LIGHT VERTICAL}" in line
    )
    assert n1 == ["n1", "j0", "j1+j2", "\N{MIDDLE DOT}", ""]
    assert n2 == ["n2", "j3", ""]
    assert lines[-1].startswith("time to completion [h]")
    assert "0 of 1 job run on 0 of 1 node" in "".join(printed(decide(1, [None], spare=1)))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_text_of_many_nodes_keeps_to_the_width_and_shows_every_job(decide, width):
    lines = printed(decide(30, [(node, 2) for node in range(30)]), width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).replace("\N{BOX DRAWINGS LIGHT VERTICAL}", " ").split()
    assert {f"j{job}" for job in range(30)} <= set(words)


def test_long_job_ids_lose_what_they_share(decide):
    instance, solution = decide(2, [(0, 1), (1, 2)], ids="job-2024-{:04d}")
    on = shelves(instance, solution)
    assert common_prefix(on) == "job-2024-000"
    (panel,) = occupancy_figure(instance, solution).panels
    assert {
        text for bars in panel.series if bars.kind == "bars" for text in bars.texts if text
    } == {*("0", "1")}
    assert common_prefix(on[:1]) == ""

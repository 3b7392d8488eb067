"""Greedy on cases worked out by hand, most of which part the two rules, and as published."""

from random import Random

import pytest

from rsjs.heuristics.greedy.greedy import decide
from rsjs.heuristics.greedy.rules import GREEDY_RULES, cheaper_equivalents, smaller_equivalents
from rsjs.instances.generators import jahani
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.deserialization import to_instance
from tests.heuristics.greedy.plain_greedy import PlainGreedy

NEVER = 1000.0  # a due date no job misses


def _schedule(instance, rule):
    """Node and GPUs of each job, name of each node's type."""
    solution = decide(instance, rule)
    names = [*(node_type.name for node_type in instance.cluster.node_types), "off"]
    types = [names[v] for v in solution.node_type]
    return solution.job_node.tolist(), solution.job_gpus.tolist(), types


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("code", ([0], [1], ["A1"])),  # 4 <= 4: one GPU for 4 $; two cost 5 $
        ("paper", ([0], [2], ["A2"])),  # not 4 < 4: only two GPUs are in time
    ],
)
def test_ending_at_the_due_date(make, rule, expected):
    instance = make({"A1": 1, "A2": 2}, [{"A": [4, 2.5]}], groups=[(1, ["A1", "A2"])], due=[4])
    assert _schedule(instance, rule) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # 1 GPU costs 4 h x 2 $/h (A2), 2 GPUs 2.5 x 2, 4 GPUs 2 x 3.6
        ("code", ([0, 0], [2, 2], ["A4"])),
        # 1 GPU on A2 costs 4 x 1, on A4 4 x 0.9; then A4 with 2 in use becomes A2
        ("paper", ([0, 0], [1, 1], ["A2"])),
    ],
)
def test_price_of_the_whole_vm_or_of_a_share(make, rule, expected):
    types = {"A2": 2, "A4": 3.6}
    hours = [{"A": [4, 2.5, None, 2]}] * 2
    instance = make(types, hours, groups=[(1, [*types])], due=[NEVER] * 2)
    assert _schedule(instance, rule) == expected


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_nodes_of_the_same_gpu_type_are_compatible(make, rule):
    types = {"A1": [1], "A2": [0.5, 3], "A4": [2, 2.5, 3, 4]}
    hours = [{"A": [None, 3]}, {"A": [6, 2]}]
    instance = make(types, hours, groups=[(2, [*types])], due=[3.5, 100])
    # the second job, cheapest on an A2, finds 2 idle GPUs of type A on the first one's node; 3 in
    # use: stays A4, and the fourth GPU goes to the job that saves time, 6 -> 2 h on 2 GPUs
    assert _schedule(instance, rule) == ([0, 0], [2, 2], ["A4", "off"])


@pytest.mark.parametrize(
    ("rule", "gpus"),
    [
        ("code", [2, 1, 1]),  # j0 saves 2 h, j1 1 h, j2 1.5 h: one job in the cluster
        ("paper", [1, 2, 2]),  # speed-ups 1.25, 1.5 on the first node; 1.25 on the second
    ],
)
def test_idle_gpus_go_to_one_job_or_one_of_each_node(make, rule, gpus):
    hours = [{"A": [10, 8]}, {"A": [3, 2]}, {"B": [7.5, 6]}]
    instance = make({"A3": [0.1, 1, 2], "B2": [0.1, 2]}, hours, due=[NEVER] * 3)
    assert _schedule(instance, rule) == ([0, 0, 1], gpus, ["A3", "B2"])


def test_most_pressing_job_goes_first(make):
    instance = make(
        types={"A1": 1},
        hours=[{"A": [3]}, {"A": [9]}, {"A": [1]}],
        due=[10, 12, 7.5],  # pressures -7, -3, -6.5
    )
    assert _schedule(instance, "code")[0] == [-1, 0, -1]


def test_late_job_takes_its_fastest_configuration(make):
    types = {"A2": 1, "B2": 9}
    instance = make(types, [{"A": [4, 3], "B": [3, 2]}], groups=[(1, [*types])], due=[1])
    assert _schedule(instance, "code") == ([0], [2], ["B2"])
    assert _schedule(instance, "paper") == ([0], [2], ["B2"])


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_suboptimal_configuration_where_all_nodes_are_open(make, rule):
    instance = make(
        types={"A4": [1, 2, 3, 4]},
        hours=[{"A": [9, 6, 4.5]}, {"A": [10, 6]}, {"A": [2]}],
        due=[5, 7, NEVER],  # j0 is in time on 3 GPUs, j1 on 2: the one that is left makes it late
    )
    assert _schedule(instance, rule) == ([0, 0, -1], [3, 1, 0], ["A4"])


def test_best_fit_takes_the_fullest_node(make):
    hours = [{"A": [None, None, None, 9]}, {"A": [None, 9]}, {"A": [1]}]
    instance = make({"A4": [1, 2, 3, 4], "A2": [1, 2]}, hours, due=[9, 10, 11])
    # j0 fills node 0, j1 fills node 1, nothing is left for j2
    assert _schedule(instance, "code")[0] == [0, 1, -1]
    hours = [{"A": [None, 9]}, {"A": [None, None, 9]}, {"A": [1]}, {"A": [1]}]
    instance = make({"A4": [1, 2, 3, 4], "A3": [1, 2, 3]}, hours, due=[9, 10, 11, 12])
    # j0 opens the larger node 0 (2 idle), j1 node 1; 1 GPU each for j2 and j3 on node 0
    assert _schedule(instance, "code")[0] == [0, 1, 0, 0]


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_a_node_opens_with_the_most_gpus_of_its_type(make, rule):
    """Kiros 2020, 3.1.3 (b); Table 4.1 has its types of VM with 1, 2 and 4 GPUs."""
    slack = {"hours": [{"A": [3]}] * 3, "due": [NEVER] * 3}
    chosen = make(types={"A1": 0.9, "A2": 2, "A4": 4}, groups=[(1, ["A1", "A2", "A4"])], **slack)
    assert _schedule(chosen, rule) == ([0, 0, 0], [1, 1, 1], ["A4"])
    fixed = make(types={"A1": 0.9, "A4": 4}, **slack)
    assert _schedule(fixed, rule) == ([1, 1, 1], [1, 1, 1], ["off", "A4"])


def test_fixed_node_without_room_sends_the_job_to_its_next_candidate(make):
    hours = [{"A": [None, 3]}, {"A": [None, 3], "B": [None, 2]}, {"A": [None, 3]}]
    instance = make({"A2": 1, "B2": 9}, hours, due=[4, 5, 6])
    for rule in ("code", "paper"):
        assert _schedule(instance, rule) == ([0, 1, -1], [2, 2, 0], ["A2", "B2"])


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_more_nodes_than_jobs_leaves_nodes_off(make, rule):
    instance = make({"A1": 1, "A2": 2}, [{"A": [None, 3]}], groups=[(3, ["A1", "A2"])], due=[NEVER])
    assert _schedule(instance, rule) == ([0], [2], ["A2", "off", "off"])


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_more_jobs_than_gpus(make, rule):
    instance = make({"A2": [1, 2]}, [{"A": [3, 2.9]}] * 7, groups=[(2, ["A2"])], due=[9] * 7)
    node, gpus, _ = _schedule(instance, rule)
    assert node == [0, 0, 1, 1, -1, -1, -1]
    assert gpus == [1, 1, 1, 1, 0, 0, 0]


def test_equivalent_nodes(make):
    types = {"A2": 3, "A4": 2.5, "A8": 5, "B1": 0.1}
    instance = make(types, [{"A": [1]}], groups=[(1, [*types]), (1, ["A8"])], due=[NEVER])
    a2, a4, a8, _ = range(4)
    # with exactly the GPUs in use or one more: A2 is cheaper than A8, dearer than A4
    code = cheaper_equivalents(instance.cluster)
    assert code[0, a8, 1:8].tolist() == [a2, a2, a4, a4, a8, a8, a8]
    assert code[0, a4, 1:4].tolist() == [a4, a4, a4]
    # the fewest GPUs that hold those in use, whatever they cost
    paper = smaller_equivalents(instance.cluster)
    assert paper[0, a8, 1:8].tolist() == [a2, a2, a4, a4, a8, a8, a8]
    assert paper[0, a4, 1:4].tolist() == [a2, a2, a4]
    # a node that may only be an A8 stays one
    assert (code[1, a8] == a8).all()
    assert (paper[1, a8] == a8).all()


@pytest.mark.parametrize("rule", GREEDY_RULES)
def test_decisions_are_as_published(random_document, random_instance, rule):
    instances = [to_instance(random_document(Random(seed))) for seed in range(60)]
    instances += [random_instance(seed, FAMILIES["kiros"]) for seed in range(20)]
    # 130 nodes: sets of them take several words
    instances += [jahani.generate(nodes=n, jobs=150, seed=1, due="tight") for n in (10, 130)]
    for instance in instances:
        assert decide(instance, rule).same_as(PlainGreedy(instance, rule).decide()), instance.name


@pytest.mark.parametrize("rule", GREEDY_RULES)
@pytest.mark.parametrize("due", [(900, 901, 902), (901, 900, 902)])
def test_of_jobs_that_gain_as_much_the_first_gets_them_whoever_was_placed(make, rule, due):
    """Each runs on one GPU of four, the cheapest; the most pressing one is placed first."""
    instance = make({"A4": [0.1, 1, 2, 3]}, [{"A": [10, 8]}] * 3, due=due)
    found = decide(instance, rule)
    assert (found.job_node.tolist(), found.job_gpus.tolist()) == ([0, 0, 0], [2, 1, 1])

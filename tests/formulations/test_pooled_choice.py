"""The choice of one configuration per job from pooled GPUs, against all choices there are."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.backend import RawResult
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.simulation.policies.pooled_relaxation import Offers, Pools, arrays, choose

HALF = (ShareLevel(units=1, max_memory_gb=0.0),)


def cluster(*groups):
    """Groups of (count, node types); node type "A4" has 4 GPUs of type A, 2 units each."""
    names = sorted({name for _, types in groups for name in types})
    gpus = sorted({name[0] for name in names})
    return Cluster(
        gpu_types=tuple(GpuType(name=g, memory_gb=0.0, units=2, levels=HALF) for g in gpus),
        node_types=tuple(
            NodeType(name=v, gpu_type=v[0], cost=(*range(int(v[1]) + 1),)) for v in names
        ),
        groups=tuple(NodeGroup(count=count, types=types) for count, types in groups),
    )


CLUSTERS = {
    "one type": cluster((1, ("A4",)), (1, ("A2",))),
    "two types": cluster((1, ("A3",)), (1, ("B4",))),
    "a node of either": cluster((2, ("A3", "B4", "A1")), (1, ("A2",))),
}


def offers(rows):
    """Offers (job, GPU type, k or 0 = half a GPU, saving)."""
    job, gpu, count, saving = map(
        np.array, zip(*sorted(rows, key=lambda r: (r[0], -r[3])), strict=True)
    )
    share = np.where(count == 0, 1, 0)
    return Offers(job=job, gpu=gpu, count=count, units=share, saving=saving.astype(float))


def admitted(shape, taken):
    """Whether (2) holds for some types of the nodes."""
    nodes = [
        [shape.node_types[v] for v in np.flatnonzero(shape.allowed[n])] for n in range(shape.nodes)
    ]
    for kinds in product(*nodes):
        if all(
            sum(k // s for _, i, k, _ in taken if shape.gpu_types[i].name == gpu.name)
            + (s == 1)
            * -(-sum(shape.gpu_types[i].name == gpu.name and k == 0 for _, i, k, _ in taken) // 2)
            <= sum((len(v.cost) - 1) // s for v in kinds if v.gpu_type == gpu.name)
            for gpu in shape.gpu_types
            for s in range(1, shape.largest + 1)
        ):
            return True
    return False


def best(shape, rows):
    """The largest saving by trying every choice."""
    each = [[None, *(r for r in rows if r[0] == j)] for j in sorted({r[0] for r in rows})]
    choices = ([r for r in choice if r] for choice in product(*each))
    return max(sum(r[3] for r in taken) for taken in choices if admitted(shape, taken))


@st.composite
def cases(draw):
    shape = CLUSTERS[draw(st.sampled_from(sorted(CLUSTERS)))]
    types = len(shape.gpu_types)
    codes = st.tuples(st.integers(0, types - 1), st.integers(0, shape.largest))
    rows = [
        (j, *code, float(draw(st.integers(1, 30))))
        for j in range(draw(st.integers(1, 5)))
        for code in draw(st.lists(codes, min_size=1, max_size=3, unique=True))
    ]
    return shape, rows


@pytest.mark.solver
@given(case=cases())
def test_the_choice_is_the_best_of_all(case):
    shape, rows = case
    of = offers(rows)
    taken = choose(Pools(shape), of, Limits(gap=0.0))
    assert len(set(of.job[taken].tolist())) == len(taken)
    chosen = [(int(of.job[q]), int(of.gpu[q]), int(of.count[q]), of.saving[q]) for q in taken]
    assert admitted(shape, chosen)
    assert sum(r[3] for r in chosen) == pytest.approx(best(shape, rows))


def test_gpus_of_small_nodes_do_not_add_up_to_a_large_one():
    """Two jobs that want 3 GPUs each, 4 + 2 GPUs: by number they fit, by floor(k / 3) one does."""
    of = offers([(0, 0, 3, 5.0), (1, 0, 3, 4.0), (1, 0, 2, 1.0)])
    taken = choose(Pools(CLUSTERS["one type"]), of, Limits())
    assert of.saving[taken].tolist() == [5.0, 1.0]


def test_there_is_no_model_to_solve_where_every_job_gets_its_best(monkeypatch):
    monkeypatch.delattr("rsjs.simulation.policies.pooled_relaxation.backend")
    of = offers([(0, 0, 4, 5.0), (0, 0, 1, 4.0), (1, 0, 2, 3.0)])
    assert choose(Pools(CLUSTERS["one type"]), of, Limits()).tolist() == [0, 2]


def test_without_an_answer_in_time_there_is_no_choice(monkeypatch):
    of = offers([(0, 0, 4, 5.0), (1, 0, 4, 5.0)])
    late = RawResult(stop=Stop.TIME_LIMIT, status="Time limit reached")
    solver = SimpleNamespace(load=lambda: lambda *_, **__: late)
    monkeypatch.setattr("rsjs.simulation.policies.pooled_relaxation.backend", lambda name: solver)
    with pytest.raises(TimeoutError, match="Time limit reached, no choice within 2 s"):
        choose(Pools(CLUSTERS["one type"]), of, Limits(time_limit=2.0))


def test_the_model_has_a_row_for_each_job_size_and_class():
    pools = Pools(CLUSTERS["a node of either"])
    assert pools.fixed.tolist() == [[2, 1, 0, 0], [0, 0, 0, 0]]
    assert [*zip(pools.open_gpu, pools.open_size, strict=True)] == [(0, 3), (1, 4)]
    model = arrays(pools, offers([(0, 0, 2, 5.0), (3, 1, 4, 4.0)]))
    assert model.counts == {"rows": 2 + 8 + 2 + 1, "columns": 6, "nonzeros": 21, "integers": 6}

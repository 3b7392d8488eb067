"""What the tests of every formulation ask."""

import numpy as np
import pytest

from rsjs.formulations.milp.from_pyomo import from_pyomo, variables_of


@pytest.fixture(scope="session")
def assert_same_matrix():
    """A check that a formulation's Pyomo model and its arrays are the same, column by column."""

    def check(formulation, data):
        model = formulation.build(data)
        theirs, variables = from_pyomo(model)
        ours = formulation.arrays(data)
        position = {id(variable): i for i, variable in enumerate(variables)}
        order = [position.get(id(variable), -1) for variable in variables_of(model)]
        used = np.flatnonzero(np.array(order) >= 0)  # Pyomo drops columns without a row or cost
        order = [order[i] for i in used]
        assert sorted(order) == list(range(len(variables)))
        assert _rows(theirs, order) == _rows(ours, used)
        np.testing.assert_allclose(theirs.cost[order], ours.cost[used], rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(theirs.kind[order], ours.kind[used])
        np.testing.assert_array_equal(theirs.lower[order], ours.lower[used])
        np.testing.assert_array_equal(theirs.upper[order], ours.upper[used])
        unused = np.setdiff1d(np.arange(len(ours.cost)), used)
        assert not ours.cost[unused].any()
        assert not ours.A.tocsc()[:, unused].count_nonzero()
        assert theirs.offset == pytest.approx(ours.offset)

    return check


def _rows(model, order):
    """The rows as a sorted list of (entries, lower, upper), zeros left out."""
    A = model.A.tocsc()[:, list(order)].tocsr()
    A.eliminate_zeros()
    A.sort_indices()
    rows = []
    for r in range(A.shape[0]):
        part = slice(A.indptr[r], A.indptr[r + 1])
        entries = tuple(zip(A.indices[part].tolist(), A.data[part].round(9).tolist(), strict=True))
        bounds = (round(float(b[r]), 9) + 0.0 for b in (model.row_lower, model.row_upper))
        if entries:  # nor has Pyomo rows without one
            rows.append((entries, *bounds))
    return sorted(rows)

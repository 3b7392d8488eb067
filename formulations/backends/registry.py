"""The solvers at hand."""

from __future__ import annotations

from rsjs.formulations.backends.backend import Backend
from rsjs.formulations.backends.cpsat import CPSAT
from rsjs.formulations.backends.gurobi import GUROBI
from rsjs.formulations.backends.highs import HIGHS, RELAXATION
from rsjs.formulations.backends.scip import SCIP

BACKENDS = {declared.name: declared for declared in (HIGHS, SCIP, CPSAT, GUROBI, RELAXATION)}


def backend(name: str) -> Backend:
    """Return the backend of that name."""
    if name not in BACKENDS:
        raise ValueError(f"unknown solver {name!r}; known: {', '.join(sorted(BACKENDS))}")
    return BACKENDS[name]

"""The solvers at hand: those of the suite, and any program that a table declares."""

from __future__ import annotations

import json

from rsjs.formulations.backends.backend import Backend
from rsjs.formulations.backends.cbc import CBC
from rsjs.formulations.backends.cpsat import CPSAT
from rsjs.formulations.backends.external import ExternalSolver, from_table
from rsjs.formulations.backends.gurobi import GUROBI
from rsjs.formulations.backends.highs import HIGHS, RELAXATION
from rsjs.formulations.backends.scip import SCIP

BACKENDS = {declared.name: declared for declared in (HIGHS, SCIP, CPSAT, CBC, GUROBI, RELAXATION)}


def backend(name: str) -> Backend:
    """Return the backend of that name, or the one that a table as JSON text declares."""
    return BACKENDS[name] if name in BACKENDS else program(name)


def program(table: str) -> ExternalSolver:
    """Return the solver that a table as JSON text declares; ValueError for other text."""
    if not is_program(table):
        raise ValueError(f"unknown solver {table!r}; known: {', '.join(sorted(BACKENDS))}")
    return from_table(json.loads(table))


def is_program(solver: str | None) -> bool:
    """Return whether a solver is a table as JSON text."""
    return solver is not None and solver.startswith("{")

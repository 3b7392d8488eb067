"""Options of when jobs arrive, where gaps are divided by the number of nodes."""

from __future__ import annotations

from typing import Annotated

import typer

Law = Annotated[
    str,
    typer.Option(
        metavar="LAW",
        help="Gaps: exp, integer_poisson or constant; or a load, high, low or mixed.",
    ),
]
Gap = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Mean time between two submissions times the number of nodes; the paper's by default.",
    ),
]

"""The exact methods, declared as data; each family of models has its own list."""

from __future__ import annotations

from rsjs.core.method import Method
from rsjs.formulations.first_ending import methods as first_ending
from rsjs.formulations.jahani import methods as jahani
from rsjs.formulations.rsjs import methods as rsjs

ORACLE = Method(
    name="enumeration",
    summary="every decision of a tiny instance, by subsets: the oracle",
    kind="exact",
    run="rsjs.formulations.enumeration:run",
    max_jobs=10,
)

METHODS = {
    method.name: method
    for method in (
        *jahani.METHODS,
        *first_ending.METHODS,
        *rsjs.METHODS,
        ORACLE,
    )
}

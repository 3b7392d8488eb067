"""The exact methods, declared as data; each family of models has its own list."""

from __future__ import annotations

from rsjs.formulations import first_ending_methods, jahani_methods, rsjs_bound_methods, rsjs_methods
from rsjs.instances.method import Method

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
        *jahani_methods.METHODS,
        *first_ending_methods.METHODS,
        *rsjs_methods.METHODS,
        *rsjs_bound_methods.METHODS,
        ORACLE,
    )
}

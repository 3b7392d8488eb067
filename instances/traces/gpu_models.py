"""
GPU types as traces spell them, and those of the catalogue that stand for them.

Exact are P100, T4, K80, M60, A100 and V100 whatever their memory. Invented, for want of times:
A10 and G2 (a code of openb) as V100, G3 as A100, MISC of PAI (K40, K80, M60) as K80. Others, such
as H800, have no stand-in unless the user names one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rsjs.instances.arguments import one_of
from rsjs.instances.catalogue.tables import gpu_names
from rsjs.instances.traces.trace_format import NodeGroup

INVENTED: Mapping[str, str] = MappingProxyType(
    {"A10": "V100", "G2": "V100", "G3": "A100", "MISC": "K80"}
)
_EXACT = MappingProxyType({"V100M16": "V100", "V100M32": "V100"})
UNRECORDED = ""
_OR = "|"


def stand_ins(given: Mapping[str, str], unrecorded: str) -> dict[str, str]:
    """
    Spelling -> GPU type of the catalogue, for those that `gpu_of` does not know by itself.

    Parameters
    ----------
    given : mapping
        The user's, which go first.
    unrecorded : str
        For jobs and nodes whose GPU type is not recorded.
    """
    for gpu in given.values():
        one_of("gpus", gpu, gpu_names())
    return {**_EXACT, **INVENTED, UNRECORDED: unrecorded, **given}


def gpus_of(model: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """
    GPU types of the catalogue for a spelling; none if there is no stand-in.

    >>> gpus_of("V100M16|T4", stand_ins({}, "V100")), gpus_of("A100-SXM4-80GB", {})
    (('V100', 'T4'), ('A100',))
    """
    found = (_gpu_of(name.strip(), known) for name in model.split(_OR))
    return tuple(dict.fromkeys(gpu for gpu in found if gpu))


def nodes_for(
    model: str, nodes: Sequence[NodeGroup], known: Mapping[str, str], *, binding: bool
) -> list[NodeGroup]:
    """
    Return the nodes on which a job of a recorded GPU type may run.

    These are the nodes of that type; without any, the nodes of types with its stand-in. A job
    without a type may run on all nodes, and so may one without such nodes if types do not bind.
    Nodes of types without a stand-in run nothing.
    """
    usable = [group for group in nodes if gpus_of(group.model, known)]
    names, gpus = {name.strip() for name in model.split(_OR)}, {*gpus_of(model, known)}
    own = [group for group in usable if group.model in names]
    own = own or [group for group in usable if not gpus.isdisjoint(gpus_of(group.model, known))]
    return usable if model == UNRECORDED or not (own or binding) else own


def _gpu_of(name: str, known: Mapping[str, str]) -> str | None:
    if name in known:
        return known[name]
    return next((gpu for gpu in gpu_names() if name == gpu or name.startswith(f"{gpu}-")), None)

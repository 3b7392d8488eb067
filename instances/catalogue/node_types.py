"""
Named sets of node types that a node may be configured as, with their prices.

`table2` is Jahani 2019, Table II. At its prices the eight GTX 1080Ti of in-house server 2 beat
everything, so that selecting types is trivial; `server2-11usd` (our price, 11 $/h), `no-server2`
and `azure` leave a choice. `kiros` adds the two nodes that Kiros 2020, section 4.1, names without
a price; theirs is linear in the catalogue (status `estimated`). `homogeneous` leaves one node type,
as in the data centres of Kiros 2020, section 4.4, which does not say which.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from rsjs.core.errors import one_of
from rsjs.instances.catalogue.gpus import gpu_type, row
from rsjs.instances.cluster import GpuType, NodeType

_AZURE = tuple(f"Standard {name}" for name in ("NC6", "NC12", "NC24", "NV6", "NV12", "NV24"))
_SERVERS = tuple(f"In-house server {i}" for i in (1, 2, 3))
_SERVER_2 = "In-house server 2"

MEMBERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "table2": (*_AZURE, *_SERVERS),
        "azure": _AZURE,
        "server2-11usd": (*_AZURE, *_SERVERS),
        "no-server2": (*_AZURE, *(name for name in _SERVERS if name != _SERVER_2)),
        "kiros": (*_AZURE, *_SERVERS, "Standard NC24X", "Standard NV24X"),
        "homogeneous": ("Standard NC24",),
    }
)
# Ours: expensive enough that optima mix three to six types.
_OTHER_PRICES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("server2-11usd", _SERVER_2): {
        "cost_per_hour": "11",
        "source": "RSJS-Bench",
        "status": "invented",
    }
}


@cache
def price(catalogue: str, node: str) -> Mapping[str, str]:
    """Return the row of "vm_costs" of one node type of a catalogue, at the catalogue's price."""
    one_of("node", node, MEMBERS[one_of("catalogue", catalogue, MEMBERS)])
    published = row("vm_costs", vm_type=node)
    return {**published, **_OTHER_PRICES.get((catalogue, node), {})}


@cache
def node_types(catalogue: str) -> tuple[NodeType, ...]:
    """Return the node types of a catalogue: one price [$/h] for any GPUs in use."""
    members = MEMBERS[one_of("catalogue", catalogue, MEMBERS)]
    priced = [price(catalogue, node) for node in members]
    return tuple(
        NodeType(
            name=entry["vm_type"],
            gpu_type=entry["gpu"],
            cost=(0.0, *[float(entry["cost_per_hour"])] * int(entry["gpus"])),
        )
        for entry in priced
    )


@cache
def gpu_types(catalogue: str) -> tuple[GpuType, ...]:
    """Return the GPU types of a catalogue, in the order of its node types."""
    return tuple(
        gpu_type(name) for name in dict.fromkeys(v.gpu_type for v in node_types(catalogue))
    )

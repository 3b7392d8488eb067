"""
Names of columns and rows in model files, legal in LP and in MPS: x_j3_v1_g2, cover_j3.

    j job, n node, k class, v node type, s slot, p place, r row, i option: by their position
    g dedicated GPUs, u units of a share (0 = dedicated), q GPUs that a node is charged for,
    d GPU by number, m fill pattern

Components with tuples as indices give them; those with a flat index are told what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Index = tuple[Any, ...]
Labels = Mapping[str, tuple[str, Sequence[Index] | None]]
"""Component -> the letters of its indices, and for a flat index the tuples it stands for."""


def namer(labels: Labels) -> Callable[[Any], str]:
    """The function that names a Pyomo variable or constraint."""

    def name(part: Any) -> str:
        component, index = part.parent_component().local_name, part.index()
        letters, tuples = labels.get(component, ("", None))
        if index is None:
            return str(component)
        if tuples is not None:
            index = tuples[index]
        steps = index if isinstance(index, tuple) else (index,)
        return "_".join([component, *map(_step, letters.ljust(len(steps)), steps)])

    return name


def _step(letter: str, value: Any) -> str:
    text = "_".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return letter.strip() + text


def _zipped(*arrays: Any) -> list[Index]:
    return list(zip(*(array.tolist() for array in arrays), strict=True))


def jahani_patterns(data: Any) -> Labels:
    """L is named by class, type and the parts of its pattern."""
    options = _zipped(data.job, data.node_type, data.gpus)
    rows = {"cover": ("j", None), "slots": ("vg", None), "classes": ("k", None)}
    return {"x": ("jvg", options), "L": ("kvp", data.cut), **rows}


def jahani_literal(_data: Any) -> Labels:
    """As the paper's indices."""
    columns = {"w": "n", "y": "nv", "z": "j", "x": "jnvg", "tau": "j", "tau_hat": "j"}
    rows = {"c1": "n", "c2": "jnvg", "c3": "jnvg", "c4": "jn"}
    rows |= {"c5": "j", "c6": "nv", "c7": "j", "c8": "j"}
    return {name: (letters, None) for name, letters in (columns | rows).items()}


def first_ending_patterns(data: Any) -> Labels:
    """Leaders and followers by job and slot, L by its cut: leader g, followers f."""
    slots = [tuple(slot) for slot in data.slots]
    options = [(j, *slots[s]) for j, s in _zipped(data.job, data.slot)]
    return {
        "l": ("jvqg", options),
        "f": ("jvqg", options),
        "L": ("kvqgf", [tuple(cut) for cut in data.cuts]),
        "cover": ("j", None),
        "slots": ("vqg", slots),
        "classes": ("k", None),
    }


def first_ending_nodes(data: Any) -> Labels:
    """States (n, v, q), options (j, n, v, g), leaders (option, q)."""
    states, options = [tuple(s) for s in data.states], [tuple(o) for o in data.options]
    return {
        "u": ("nvq", states),
        "x": ("jnvg", options),
        "a": ("jnvgq", [(*options[i], states[s][2]) for s, i in data.leaders]),
        "cover": ("j", None),
        "one": ("n", None),
        "gpus": ("nv", None),
        "leader": ("nvq", states),
        "runs": ("jnvg", options),
    }


def rsjs_nodes(data: Any) -> Labels:
    """Places are nodes as one of their types."""
    crews = data.crews
    places = _zipped(data.node, crews.node_type)
    q = crews.configurations

    def at(place: Iterable[int], *more: Any) -> list[Index]:
        return [(*places[p], *rest) for p, *rest in zip(place, *more, strict=True)]

    def members(of: Any) -> tuple[list[int], list[int], list[int]]:
        return q.job[of].tolist(), q.gpus[of].tolist(), q.units[of].tolist()

    leaders = at(crews.leader_place.tolist(), *members(crews.leader), crews.paid.tolist())
    return {
        "f": ("nvjgu", at(crews.follower_place.tolist(), *members(crews.follower))),
        "l": ("nvjguq", leaders),
        "y": ("nvm", at(crews.fill_place.tolist(), crews.fill.tolist())),
        "cover": ("j", None),
        "shares": ("pr", None),
        "gpus": ("p", None),
        "nu": ("nv", places),
        "leader": ("nv", places),
        "link": ("jp", None),
        "one": ("n", None),
    }


def rsjs_gpu(data: Any) -> Labels:
    """Options by job, node and configuration."""
    q = data.nodes.configurations
    of = data.config
    options = _zipped(data.job, data.node, q.gpus[of], q.units[of])
    return {
        "x": ("jngu", options),
        "z": ("id", None),
        "u": ("d", None),
        "gamma": ("nq", None),
        "r": ("iq", None),
        "c4": ("j", None),
        "c5": ("jn", None),
        "c9": ("d", None),
        "c11": ("jngu", options),
        "c13a": ("jd", None),
        "c13b": ("n", None),
        "c14": ("n", None),
        "c17": ("nq", None),
        "c18": ("jngu", options),
    }


def rsjs_classes(data: Any) -> Labels:
    """Roles by class, type, configuration and charge; q0 = a follower."""
    roles, role = data.roles, data.role
    place, shape = roles.place[role], roles.shape[role]
    at = (roles.node_class[place], roles.node_type[place])
    columns = _zipped(data.job, *at, roles.gpus[shape], roles.units[shape], roles.paid[role])
    return {"x": ("jkvguq", columns), "s": ("m", None), "cover": ("j", None), "rows": ("r", None)}

"""
Linear models as files for any solver: `.mps`, `.lp`, each also `.gz`.

Pyomo's writers: numbers with 17 significant digits, read back as they were (HiGHS and SCIP write
15, which moves costs), rows and columns in the order of the model, which is named
METHOD.INSTANCE. The constant of the objective
is the cost of a column ONE_VAR_CONSTANT that is fixed at 1, which every reader understands.

Names of columns and rows in model files, legal in LP and in MPS: x_j3_v1_g2, cover_j3.

    j job, n node, k class, v node type, s slot, p place, r row, i option: by their position
    g dedicated GPUs, u units of a share (0 = dedicated), q GPUs that a node is charged for,
    d GPU by number, m fill pattern

Components with tuples as indices give them; those with a flat index are told what it stands for.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.errors import InputError
from rsjs.formulations.milp.solve import LINEAR
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


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


ZIPPED = ".gz"


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """
    A model file that was written.

    Attributes
    ----------
    path : Path
    size : int
        Bytes of the file.
    sha256 : str
        Of the file.
    text_sha256 : str
        Of the text in it: the same on every machine, while what gzip makes of it is not.
    counts : mapping
        Rows, columns, nonzeros and integers of the model, ONE_VAR_CONSTANT left out.
    """

    path: Path
    size: int
    sha256: str
    text_sha256: str
    counts: Mapping[str, int]


def export(name: str, instance: Instance, options: Mapping[str, Any], path: Path) -> ModelFile:
    """
    Build the model of a method and write it, whole or not at all.

    Parameters
    ----------
    name : str
        A method with a linear model.
    options : mapping
        The method's options.
    path : Path
        Its suffix says the format.
    """
    refuse(name, path)
    from rsjs.formulations.milp.from_pyomo import from_pyomo

    model, labels = LINEAR[name].build(instance, options)
    counts = from_pyomo(model)[0].counts
    model.name = re.sub(r"[^\w.-]", "_", f"{name}.{instance.name}", flags=re.ASCII)
    text = WRITERS[_suffix(path)](model, namer(labels))
    data = gzip.compress(text, mtime=0) if path.name.endswith(ZIPPED) else text
    write_bytes(data, path)
    digest, text_digest = (hashlib.sha256(part).hexdigest() for part in (data, text))
    return ModelFile(
        path=path, size=len(data), sha256=digest, text_sha256=text_digest, counts=counts
    )


def refuse(name: str, path: Path) -> None:
    """Raise InputError if the method has no linear model or the suffix says no format."""
    if name not in LINEAR:
        known = ", ".join(LINEAR)
        raise InputError("", name, f"a method with a linear model: {known}")
    if _suffix(path) not in WRITERS:
        known = ", ".join(f"{known}, {known}{ZIPPED}" for known in WRITERS)
        raise InputError("", "".join(path.suffixes), f"a model's suffix: {known}", path)


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(ZIPPED)).suffix


def _lp(model: ConcreteModel, name: Callable[[Any], str]) -> bytes:
    from pyomo.repn.plugins.lp_writer import LPWriter

    text = io.StringIO()
    LPWriter().write(model, text, labeler=name)
    return text.getvalue().encode("ascii")


def _mps(model: ConcreteModel, name: Callable[[Any], str]) -> bytes:
    from pyomo.repn.plugins.mps import ProblemWriter_mps

    with tempfile.TemporaryDirectory(prefix="rsjs-") as folder:
        path = Path(folder) / "model.mps"
        # integers between markers, which every reader takes, beside the kinds of their bounds
        write = ProblemWriter_mps(int_marker=True)
        write(model, str(path), lambda _: False, {"labeler": name})
        return path.read_bytes()


WRITERS = {".mps": _mps, ".lp": _lp}

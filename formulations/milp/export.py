"""
Linear models as files for any solver: `.mps`, `.lp`, each also `.gz`.

Pyomo's writers: numbers with 17 significant digits, read back as they were (HiGHS and SCIP write
15, which moves costs), rows and columns in the order of the model, which is named METHOD.INSTANCE.
The constant of the objective is the cost of a column ONE_VAR_CONSTANT that is fixed at 1, which
every reader understands.

Columns and rows are named by component and index, legal in LP and in MPS: x_j3_v1_g2, cover_j3.

    j job, n node, k class, v node type, s slot, p place, r row, i option: by their position
    g dedicated GPUs, u units of a share (0 = dedicated), q GPUs that a node is charged for,
    d GPU by number, m fill pattern
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.errors import InputError
from rsjs.formulations.milp.solve import formulation_of
from rsjs.formulations.registry import METHODS
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


def namer(letters: Mapping[str, str]) -> Callable[[Any], str]:
    """
    Return the function that names a Pyomo variable or constraint.

    `letters` has one letter for each index of a component; the last stands for all that are left.
    """

    def name(part: Any) -> str:
        component, index = part.parent_component().local_name, part.index()
        if index is None:
            return str(component)
        values = [str(value) for value in (index if isinstance(index, tuple) else (index,))]
        first, last = letters[component][:-1], letters[component][-1]
        steps = [letter + value for letter, value in zip(first, values, strict=False)]
        return "_".join([component, *steps, last + "_".join(values[len(first) :])])

    return name


ZIPPED = ".gz"


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """A model file that was written."""

    path: Path
    size: int  #: bytes of the file
    sha256: str  #: of the file
    #: of the text in it: the same on every machine, while what gzip makes of it is not
    text_sha256: str
    #: rows, columns, nonzeros and integers of the model, ONE_VAR_CONSTANT left out
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

    formulation = formulation_of(METHODS[name])
    model = formulation.build(formulation.data_of(instance, **options))
    counts = from_pyomo(model)[0].counts
    model.name = re.sub(r"[^\w.-]", "_", f"{name}.{instance.name}", flags=re.ASCII)
    text = WRITERS[_suffix(path)](model, namer(formulation.INDEX_LETTERS))
    data = gzip.compress(text, mtime=0) if path.name.endswith(ZIPPED) else text
    write_bytes(data, path)
    digest, text_digest = (hashlib.sha256(part).hexdigest() for part in (data, text))
    return ModelFile(
        path=path, size=len(data), sha256=digest, text_sha256=text_digest, counts=counts
    )


def refuse(name: str, path: Path) -> None:
    """Raise InputError if the method has no linear model or the suffix says no format."""
    linear = [method.name for method in METHODS.values() if method.linear]
    if name not in linear:
        known = ", ".join(linear)
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
        write(model, str(path), lambda _: False, {"labeler": name, "file_determinism": 0})
        return path.read_bytes()


WRITERS = {".mps": _mps, ".lp": _lp}

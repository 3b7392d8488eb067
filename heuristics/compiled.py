"""
Kernels compiled by numba where it is installed; elsewhere they run as the Python they are.

numba is imported with the first module of kernels, which takes most of a second: so methods import
those only when they are about to run one. Compiled code is kept in NUMBA_CACHE_DIR if that is set,
else beside the package, or in the user's cache where the package is read-only, or else not at all.
numba notices that the file of a kernel has changed, but not those of the kernels it calls: so all
are kept together, in a folder that is named for the text of every file of this package.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from rsjs.instances.schema import Instance

F = TypeVar("F", bound=Callable[..., Any])

at = np.uint64  # an index known not to be negative: numba looks at the sign of all others
AVAILABLE = importlib.util.find_spec("numba") is not None
PACKAGE = Path(__file__).parent
PREFIX, VERSIONS = "rsjs-kernels-", 6
INNER = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: F) -> F:
    """A function on arrays and numbers, compiled when it is first called."""
    return _compiled(function)


def inner(function: F) -> F:
    """
    The same for a function that makes no arrays, nor slices of them: it counts no references.

    Only kernels can call it. Where they hand arrays to one another in inner loops, counting takes
    most of the time.
    """
    return _compiled(function, **INNER)


def inlined(function: F) -> F:
    """
    The same, and its code is copied into its callers.

    For what a loop calls all the time: passing a few tables of arrays takes some 40 ns.
    """
    return _compiled(function, **INNER, forceinline=True)


def one_instruction(name: str) -> Callable[[F], F]:
    """In kernels, a function of bits != 0 is an instruction of LLVM, such as "cttz"."""

    def replaced(function: F) -> F:
        if engine() == "numba":
            _replace(function, name)
        return function

    return replaced


def smallest() -> Instance:
    """One job and one node: to run kernels on, so that they are compiled before they are timed."""
    from rsjs.instances.generators import jahani

    return jahani.generate(nodes=1, jobs=1, seed=0)


def engine() -> str:
    """What kernels run on: "numba", or "python" where it is not there or cannot be imported."""
    return "python" if not AVAILABLE or _broken() else "numba"


@cache
def _broken() -> bool:
    """Whether numba is installed and cannot be imported, as beside a NumPy that is too new."""
    try:
        importlib.import_module("numba")
    except ImportError as error:
        warnings.warn(f"kernels run uncompiled: {error}", RuntimeWarning, stacklevel=2)
        return True
    return False


def _compiled(function: F, **options: bool) -> F:
    if engine() == "python":
        return function
    from numba import config, njit

    folder, usual = cache_folder(), config.CACHE_DIR
    config.CACHE_DIR = str(folder or usual)  # read when a function is decorated
    try:
        kernel: F = njit(cache=folder is not None, nogil=True, error_model="numpy", **options)(
            function
        )
    finally:
        config.CACHE_DIR = usual
    return kernel


def _replace(function: Callable[..., Any], name: str) -> None:
    from numba import types
    from numba.extending import intrinsic, overload

    def typed(_context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            never_zero = context.get_constant(types.boolean, True)
            return getattr(builder, name)(arguments[0], never_zero)

        return bits(bits), generate

    instruction = intrinsic(typed)

    def chosen(bits):  # type: ignore[no-untyped-def]  # numba compares the words of both heads
        def found(bits):  # type: ignore[no-untyped-def]
            return instruction(bits)

        return found if isinstance(bits, types.Integer) else None

    overload(function)(chosen)


def is_kept(module: str) -> bool:
    """Whether kernels of a module have been compiled before, so that loading them is enough."""
    folder = cache_folder()
    return folder is not None and any(folder.rglob(f"{module.rpartition('.')[2]}.*.nbi"))


@cache
def cache_folder() -> Path | None:
    """Where compiled code is kept: the first place that can be written to; None = nowhere."""
    for place in _places():
        folder = place / f"{PREFIX}{_digest()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):  # which also makes it the newest
                pass
        except OSError:
            continue
        with suppress(OSError):  # another process removes the same
            _remove_old(place)
        return folder
    advice = "set NUMBA_CACHE_DIR to a folder that can be written"
    warnings.warn(f"every process compiles its kernels anew: {advice}", stacklevel=2)
    return None


def _remove_old(place: Path) -> None:
    """Leave a few versions; whoever still uses another one compiles again."""
    folders = sorted(place.glob(f"{PREFIX}*"), key=lambda folder: folder.stat().st_mtime)
    for folder in folders[:-VERSIONS]:
        shutil.rmtree(folder, ignore_errors=True)


def _places() -> Iterator[Path]:
    if asked := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(asked)
    yield PACKAGE / "__pycache__"
    if cache := os.environ.get("XDG_CACHE_HOME"):
        yield Path(cache) / "rsjs"
    else:
        with suppress(RuntimeError):  # a user without a home
            yield Path("~/.cache").expanduser() / "rsjs"


def _digest() -> str:
    """Of all files of the package: kernels read constants and tuple types from their neighbours."""
    digest = sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]

"""
Kernels compiled by numba, and the folder in which compiled code is kept.

numba is imported with the first module of kernels, which takes most of a second: so nothing imports
these before a method is about to run. With numba's NUMBA_DISABLE_JIT=1 kernels run as the Python
they are, to debug them. Compiled code is kept in NUMBA_CACHE_DIR if that is set, else beside the
package, or in the user's cache where the package is read-only, or else not at all. numba notices
that the file of a kernel has changed, but not those of the kernels it calls: so all are kept
together, in a folder that is named for the text of every file of this package.
"""

from __future__ import annotations

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
    from rsjs.instances.instance import Instance


F = TypeVar("F", bound=Callable[..., Any])

at = np.uint64  # an index known not to be negative: numba looks at the sign of all others
PACKAGE = Path(__file__).parents[1]
PREFIX, VERSIONS = "rsjs-kernels-", 6
INNER = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: F) -> F:
    """Compile a function on arrays and numbers when it is first called."""
    from numba import config

    if config.DISABLE_JIT:  # NumPy warns of a uint64 that wraps around
        function = np.errstate(over="ignore")(function)
    return _compiled(function)


def inner(function: F) -> F:
    """
    Compile a function that makes no arrays, nor slices of them: it counts no references.

    Only kernels can call it. Where they hand arrays to one another in inner loops, counting takes
    most of the time.
    """
    return _compiled(function, **INNER)


def inlined(function: F) -> F:
    """
    Compile an inner function and copy its code into its callers.

    For what a loop calls all the time: passing a few tables of arrays takes some 40 ns.
    """
    return _compiled(function, **INNER, forceinline=True)


def counts_trailing_zeros(function: F) -> F:
    """Replace a function of bits != 0, in kernels, by LLVM's instruction cttz."""
    from numba import types
    from numba.extending import intrinsic, overload

    def typed(_context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

        return bits(bits), generate

    instruction = intrinsic(typed)

    def chosen(bits):  # type: ignore[no-untyped-def]  # numba compares the words of both heads
        def found(bits):  # type: ignore[no-untyped-def]
            return instruction(bits)

        return found if isinstance(bits, types.Integer) else None

    overload(function)(chosen)
    return function


def smallest() -> Instance:
    """Return an instance of one job and one node: to compile kernels before they are timed."""
    from rsjs.instances.generators import jahani

    return jahani.generate(nodes=1, jobs=1, seed=0)


def _compiled(function: F, **options: bool) -> F:
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


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled code, the first that can be written to; None = nowhere."""
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
    """Return the digest of all files: kernels read constants and types from their neighbours."""
    digest = sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@counts_trailing_zeros
def lowest_bit(bits: int) -> int:
    """Return the position of the lowest bit that is set; bits != 0."""
    return (int(bits) & -int(bits)).bit_length() - 1

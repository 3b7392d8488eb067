"""
What other packages offer by entry points: found without importing, imported one at a time.

Whatever an import raises, `SystemExit` too, becomes an `InputError` that names the package.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, EntryPoint, entry_points
from importlib.util import resolve_name
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from rsjs.core.errors import InputError, described, told


@dataclass(frozen=True)
class Offer:
    """A name in a group of entry points, and the packages that offer it."""

    name: str
    points: tuple[EntryPoint, ...]  # more than one is a collision, which is refused

    @property
    def package(self) -> str:
        """Name and version of the package, or of each of them."""
        return " and ".join(_package(point.dist) for point in self.points)

    def load(self) -> Any:
        """Import the object of the entry point; InputError for any exception, or a collision."""
        if len(self.points) > 1:
            raise InputError("", self.name, f"an entry point of one package, not of {self.package}")
        [point] = self.points
        try:
            return point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit, too
            found = described(f"{point.value} of {self.package}")
            raise InputError("", found, f"an entry point that loads: {told(error)}") from None


def offers(group: str) -> dict[str, Offer]:
    """Return the entry points of a group by name; nothing is imported."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in sorted(entry_points(group=group), key=lambda one: _package(one.dist)):
        found[point.name] = (*found.get(point.name, ()), point)
    return {name: Offer(name, points) for name, points in sorted(found.items())}


def source_of(offer: Offer, module: str) -> Mapping[str, str]:
    """
    Identify the code behind an entry point: distribution, version and sha256 of its source.

    The digest is of the files of its module, of `module` (where the function is), and of what these
    import, by `import` statements anywhere in them, from the same top-level packages or the same
    distribution.
    """
    [point] = offer.points
    modules, distribution = [point.module, module], point.dist
    listed = [] if distribution is None else distribution.files or []
    installed = {Path(str(file.locate())).resolve() for file in listed}
    project = None if distribution is None else _project(distribution)
    packages = {name.partition(".")[0] for name in modules} - {"rsjs"}

    def is_own(package: str) -> bool:
        path = _file(_spec(package))
        if package in packages or path is None:
            return package in packages
        return path in installed or (project in path.parents and "site-packages" not in path.parts)

    return {
        "distribution": distribution.name if distribution else "",
        "version": distribution.version if distribution else "",
        "sha256": digest_of(own_files(modules, is_own)),
    }


def source_text(source: Mapping[str, str], digits: int = 64) -> str:
    """Return the result of `source_of` in one line."""
    parts = source["distribution"], source["version"], source["sha256"][:digits]
    return " ".join(filter(None, parts))


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the sha256 of files and their names."""
    digests = {name: sha256(data).hexdigest() for name, data in files.items()}
    text = json.dumps(digests, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def own_files(
    modules: Sequence[str], is_own: Callable[[str], bool], below: Path | None = None
) -> dict[str, bytes]:
    """
    Return the files of modules, by their names, and of what they import.

    Parameters
    ----------
    is_own : callable
        Whether modules of a top-level package count.
    below : Path, optional
        The folder that files must be in to count.
    """
    counts = cache(is_own)
    found: dict[str, bytes] = {}
    waiting, seen = [*modules], {""}
    while waiting:
        name = waiting.pop()
        if name in seen or not counts(name.partition(".")[0]):
            continue
        seen.add(name)
        waiting.append(name.rpartition(".")[0])  # a package is imported before its modules
        spec = _spec(name)
        path = _file(spec)
        if path is not None and (below is None or below in path.parents):
            found[name] = path.read_bytes()
            if path.suffix == ".py":
                waiting += imported(found[name], spec.parent)
    return found


def _spec(name: str) -> Any:
    """Find a module as an import would, without importing the packages that it is in."""
    package, _, _ = name.rpartition(".")
    parent = _spec(package) if package else None
    places = getattr(parent, "submodule_search_locations", None)
    if package and places is None:  # nothing is in a module that is no package
        return None
    return next(filter(None, (finder.find_spec(name, places) for finder in sys.meta_path)), None)


def _file(spec: Any) -> Path | None:
    path = None if spec is None or not spec.has_location else Path(spec.origin)
    return path.resolve() if path is not None and path.is_file() else None


def imported(text: bytes, package: str) -> list[str]:
    """List the modules that import statements may mean; `from a import b` may mean a.b."""
    names: list[str] = []
    with suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                with suppress(ImportError):  # beyond the top-level package
                    place = resolve_name(f"{'.' * node.level}{node.module or ''}", package)
                    names += [place, *(f"{place}.{alias.name}" for alias in node.names)]
    return names


def _project(distribution: Distribution) -> Path | None:
    """Return the folder of a distribution that is installed editable, or only on the path."""
    if distribution.files is None:
        return Path(str(distribution.locate_file(""))).resolve()
    with suppress(ValueError, TypeError, KeyError):
        found = json.loads(distribution.read_text("direct_url.json") or "{}")
        if found.get("dir_info", {}).get("editable"):
            return Path(url2pathname(urlsplit(found["url"]).path)).resolve()
    return None


def _package(distribution: Distribution | None) -> str:
    return "" if distribution is None else f"{distribution.name} {distribution.version}"

"""
Code of a user's own that is no package: objects in files, `path.py:name`, and pickled functions.

A file is imported by itself, under a name that no other module has; one in a package as a module of
that. Its folder, or the one that the package is in, is importable while it is loaded and while its
functions run.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import sys
from collections import ChainMap
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import import_module, invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import CodeType, ModuleType
from typing import Any, ClassVar

from rsjs.core.entry_points import digest_of, imported, own_files
from rsjs.core.errors import InputError, described, told

DIRECTORY = "RSJS_DIRECTORY"  # of the environment: what paths are relative to, also in workers
IN_FILE = re.compile(r"[^?@]+\.py:[^\W\d]\w*")
NAME = re.compile(r"[^\W\d]\w*")

_LOADED: dict[Path, tuple[str, ModuleType]] = {}  # file -> digest of its code, its module
_BESIDE: set[str] = set()  # modules that such files have imported from their folders
_LOADING: list[Path] = []


def directory() -> Path:
    """Return the folder of the campaign, or the working directory, which a worker's own is not."""
    return Path(os.environ.get(DIRECTORY) or Path.cwd())


def as_given(path: str | Path) -> Path:
    """Return a path that a user wrote: in a campaign relative to its folder."""
    return Path(os.environ.get(DIRECTORY) or "") / path


@contextmanager
def relative_to(folder: Path) -> Iterator[None]:
    """Resolve relative paths in a folder, in this process and in those started meanwhile."""
    before = os.environ.get(DIRECTORY)
    os.environ[DIRECTORY] = str(folder.resolve())
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(DIRECTORY, None)
        else:
            os.environ[DIRECTORY] = before


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Make modules of a folder importable, before others of their names."""
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(folder))
    invalidate_caches()  # a file may be newer than what finders remember of its folder
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        with suppress(ValueError):
            sys.path.remove(str(folder))


@dataclass(frozen=True)
class InFile:
    """A function or other object in a Python file, as `path.py:name`."""

    name: str  # as it is typed, relative to `directory()`

    @property
    def path(self) -> Path:
        """The file; InputError if there is none."""
        typed = self.name.rpartition(":")[0]
        path = (directory() / Path(typed).expanduser()).resolve()
        if not path.is_file():
            raise InputError("", self.name, f"a Python file: there is no {path}")
        return path

    @property
    def folder(self) -> Path:
        """Folder that is importable while the function is loaded and runs."""
        return _place(self.path)[0]

    def source(self) -> Mapping[str, str]:
        """Identify the code, see `rsjs.core.entry_points.source_of`: of no distribution."""
        return {"distribution": "", "version": "", "sha256": _digest(self.path)}

    def load(self) -> Any:
        """Import the file, unless it is unchanged; InputError for any exception."""
        module, wanted = self._module(), self.name.rpartition(":")[2]
        with suppress(AttributeError):
            return getattr(module, wanted)
        own = [key for key, one in vars(module).items() if _is_own(one, module)]
        raise InputError("", self.name, f"a function in that file: {', '.join(own) or 'none'}")

    def _module(self) -> ModuleType:
        path = self.path
        digest = _digest(path)
        loaded, module = _LOADED.get(path, ("", None))
        if module is not None and loaded == digest:
            return module
        if path in _LOADING:
            expected = "a file that compares or solves under `if __name__ == '__main__':` only"
            raise InputError("", self.name, expected)
        for name in _BESIDE:  # of another folder, or not as they were
            sys.modules.pop(name, None)
        _BESIDE.clear()
        _LOADING.append(path)
        try:
            module = _imported(path)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit, too
            _, line = _innermost(error, {str(path)})
            found = described(f"{self.name}, line {line}" if line else self.name)
            raise InputError("", found, f"a file that can be imported: {told(error)}") from None
        finally:
            _LOADING.pop()
        _LOADED[path] = digest, module
        return module


def _is_own(value: Any, module: ModuleType) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__


def _place(path: Path) -> tuple[Path, str]:
    """Return the folder that a file is imported from and, in a package, the module's name."""
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(names) if names[1:] else ""


def _imported(path: Path) -> ModuleType:
    folder, name = _place(path)
    before = {*sys.modules}
    with importable(folder):
        try:
            if name:
                return import_module(name)
            alone = f"rsjs_file_{sha256(str(path).encode()).hexdigest()[:16]}"
            spec = spec_from_file_location(alone, path)
            assert spec is not None
            module = sys.modules[alone] = module_from_spec(spec)
            # not by its loader, to which a file of the same second and size is the same
            exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
            return module
        finally:
            _BESIDE.update(
                new for new in {*sys.modules} - before if _in_folder(sys.modules[new], folder)
            )


def _in_folder(module: Any, folder: Path) -> bool:
    """Whether a module is of a folder, and not of the suite or what is installed below it."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or module.__name__.partition(".")[0] == "rsjs":
        return False
    path = Path(file)
    return folder in path.parents and "site-packages" not in path.parts


def _digest(path: Path) -> str:
    """Return the sha256 of a file and what it imports, by statements, from its folder."""
    folder, name = _place(path)
    data = path.read_bytes()

    def is_own(package: str) -> bool:
        return (folder / f"{package}.py").is_file() or (folder / package).is_dir()

    with importable(folder):
        parent = name.rpartition(".")[0]
        beside = own_files([parent, *imported(data, parent)], is_own, folder)
    return digest_of({**beside, f"{path.name}:": data})


def place_of(error: BaseException, pickled: Iterable[str] = ()) -> str:
    """
    Return ` (FILE, line N)`, the innermost in own code that an exception came from; "" if none.

    `pickled` are names of functions, whose lines count from their first.
    """
    beside = (getattr(sys.modules.get(name), "__file__", None) for name in _BESIDE)
    own = {*map(str, _LOADED), *filter(None, beside), *(f"<{name}>" for name in pickled)}
    file, line = _innermost(error, own)
    return f" ({Path(file).name.strip('<>')}, line {line})" if file else ""


def _innermost(error: BaseException, files: Container[str]) -> tuple[str, int]:
    """Return the innermost file, of some, and line that an exception came from; "" if none."""
    found = ("", 0)
    for frame, line in walk_tb(error.__traceback__):
        if frame.f_code.co_filename in files:
            found = (frame.f_code.co_filename, line)
    return found


def in_file(value: Any, module: str, name: str) -> str | None:
    """Return `path.py:name` of an object that a module has by that name; None if it has not."""
    home = sys.modules.get(module)
    file = getattr(home, "__file__", None)
    if module == "__main__" or file is None or getattr(home, name, None) is not value:
        return None
    path = Path(file).resolve()
    with suppress(ValueError):
        path = path.relative_to(directory().resolve())
    found = f"{path.as_posix()}:{name}"
    return found if IN_FILE.fullmatch(found) else None


@dataclass(frozen=True)
class Pickled:
    """A pickled function or object, by value: with all that it needs outside packages."""

    name: str
    data: bytes

    @staticmethod
    def of(name: str, value: Any) -> Pickled:
        """Pickle an object; InputError if something in it cannot be."""
        import cloudpickle

        reduce = cloudpickle.Pickler.dispatch_table[CodeType]

        class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
            """Lines count from the function's first: code is the same wherever it was typed."""

            dispatch_table: ClassVar[Any] = ChainMap(
                {
                    CodeType: lambda code: reduce(
                        code.replace(co_filename=f"<{name}>", co_firstlineno=1)
                    )
                },
                cloudpickle.Pickler.dispatch_table,
            )

        folder, target = directory().resolve(), io.BytesIO()
        own = [
            module
            for key, module in [*sys.modules.items()]
            if key != "__main__" and _in_folder(module, folder) and module.__name__ == key
        ]
        for module in own:
            cloudpickle.register_pickle_by_value(module)
        try:
            Pickler(target).dump(value)
        except Exception as error:
            found = f"the function {name}"
            if variable := _unpicklable(value, Pickler, set()):
                found += f" with the variable {variable}"
            expected = f"one whose variables can be pickled, or one in a file: {told(error)}"
            raise InputError("", described(found), expected) from None
        finally:
            for module in own:
                cloudpickle.unregister_pickle_by_value(module)
        return Pickled(name, target.getvalue())

    @property
    def folder(self) -> Path:
        """Folder that is importable while the function is loaded and runs."""
        return directory()

    @cached_property
    def digest(self) -> str:
        """The sha256 of the pickle."""
        return sha256(self.data).hexdigest()

    def source(self) -> Mapping[str, str]:
        """Identify the code, see `rsjs.core.entry_points.source_of`: of no distribution."""
        return {"distribution": "", "version": "", "sha256": self.digest}

    def load(self) -> Any:
        """Return the unpickled object; InputError for any exception."""
        import cloudpickle

        try:
            with importable(self.folder):
                return cloudpickle.loads(self.data)
        except Exception as error:
            found = described(f"the pickled function {self.name}")
            raise InputError("", found, f"one that can be read: {told(error)}") from None

    def write(self, folder: Path) -> Path:
        """Write the pickle into a folder, under a name with its digest, and return its path."""
        path = pickle_file(folder, self.name, self.digest)
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}")
            part.write_bytes(self.data)
            part.replace(path)
        return path


def _unpicklable(value: Any, pickler: Any, seen: set[int]) -> str | None:
    """Return the first variable of a function, or of one it calls, that cannot be pickled."""
    seen.add(id(value))
    variables: Mapping[str, Any] = getattr(value, "__dict__", {})
    if inspect.isfunction(value):
        with suppress(ValueError):  # of a variable that has no value yet
            of_function = inspect.getclosurevars(value)
            variables = {**of_function.nonlocals, **of_function.globals}
    for name, one in variables.items():
        if id(one) in seen or inspect.ismodule(one):
            continue
        try:
            pickler(io.BytesIO()).dump(one)
        except Exception:
            is_code = inspect.isfunction(one)
            return (_unpicklable(one, pickler, seen) if is_code else None) or name
    return None


def pickle_file(folder: Path, name: str, digest: str) -> Path:
    """Return where a folder has the pickle of a function."""
    return folder / f"{name}-{digest[:16]}.pkl"

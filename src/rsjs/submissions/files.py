"""
The files of a submission, of a folder or an archive, without writing any of them.

Only names that a submission may have are taken: `submission.toml`, and `SHA256.json`, .gz or not,
in `solutions` (there also .jsonl), `bounds` and `instances`. So no name leads out of the folder,
and what else there is (links, devices, hidden files, code) is refused by its name before anything
of it is read.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from gzip import GzipFile
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_bytes, read_whole, unpacked

TOML = "submission.toml"
FOLDERS = ("solutions", "bounds", "instances")
SUFFIXES = (".zip", ".tar.gz", ".tgz")
MOST_FILES = 5000
MOST_TOML = 2**14  # bytes: dotted keys take memory by the square of their length
MOST_HEADER = 2**14  # bytes of a header that names the next member of an archive
MOST_FILE = 2**24  # bytes of a file, unpacked: 16 MiB
MOST_PACKED = 2**25  # bytes of an archive, and of all files of a folder as they are: 32 MiB
MOST_UNPACKED = 2**28  # bytes of all files of a submission, unpacked: 256 MiB
MEMBER = re.compile(
    r"(?:solutions/[0-9a-f]{64}\.jsonl?|(?:bounds|instances)/[0-9a-f]{64}\.json)(?:\.gz)?", re.ASCII
)
PLAIN = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}/)*", re.ASCII)  # folders around them
EXTENDED = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, ValueError),
    *(RuntimeError, NotImplementedError, RecursionError, struct.error, OverflowError, KeyError),
)


@dataclass
class Files:
    """The files of one submission by name, as they are; `place` is for messages."""

    place: Path
    data: dict[str, bytes]
    #: names of the two folders that it lies in, family and name; of an archive what there is
    folders: tuple[str, ...]
    left: int = field(default_factory=lambda: MOST_UNPACKED)  # bytes that may still be unpacked

    def path(self, name: str) -> Path:
        """Return what messages call a file."""
        return self.place / name

    def text(self, name: str) -> bytes:
        """Return a file unpacked; InputError for one that is too large, or all that were read."""
        data, path, most = self.data[name], self.path(name), min(MOST_FILE, self.left)
        if name.endswith(".gz"):
            data = unpacked(data, path, most)
        elif len(data) > most:
            raise InputError("", described(f"{len(data)} bytes"), _at_most(most), path)
        self.left -= len(data)
        return data

    def named(self, folder: str) -> dict[str, str]:
        """Return the names of the files in a folder by sha256; InputError for one that is twice."""
        found: dict[str, str] = {}
        for name in sorted(self.data):
            if name.startswith(f"{folder}/"):
                sha256 = PurePosixPath(name).name.partition(".")[0]
                if sha256 in found:
                    expected = f"one file for an instance: remove it or {found[sha256]}"
                    raise InputError("", described("a second file"), expected, self.path(name))
                found[sha256] = name
        return found


def _at_most(size: int) -> str:
    return f"at most {size / 2**20:g} MiB: leave out what is not needed, or split the submission"


def submissions(path: Path) -> Iterator[Files | InputError]:
    """
    Yield the files of each submission: of an archive, a folder, or a folder of FAMILY/NAME/.

    An InputError in place of the files tells why one cannot be read.
    """
    try:
        if path.name.endswith(SUFFIXES) and not path.is_dir():
            yield of_archive(path)
            return
        if not path.is_dir():
            found = described("a file" if path.exists() else "no such file or folder")
            raise InputError("", found, f"a folder, or an archive ({', '.join(SUFFIXES)})", path)
        if (path / TOML).exists() or any((path / name).exists() for name in FOLDERS):
            yield of_folder(path)
            return
        places = [place for family in _folders(path) for place in _folders(family)]
        if not places and not (path / "README.md").is_file():
            raise InputError("", described(f"no {TOML}"), "this file in the folder", path)
    except InputError as error:
        yield error
        return
    except OSError as error:
        yield InputError("", described(error.strerror or str(error)), "a readable folder", path)
        return
    for place in places:
        try:
            yield of_folder(place)
        except InputError as error:
            yield error


def _folders(path: Path) -> list[Path]:
    """Return the folders in one of submissions, which has besides at most a README.md."""
    entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    for entry in entries[: MOST_FILES + 1]:
        if not entry.is_dir(follow_symlinks=False) and entry.name != "README.md":
            expected = "folders FAMILY/NAME with submissions: remove it"
            raise InputError("", described("another file"), expected, path / entry.name)
    return [path / entry.name for entry in entries if entry.name != "README.md"]


def of_folder(folder: Path) -> Files:
    """Read the files of a submission; InputError for what may not be there."""
    data: dict[str, bytes] = {}
    size = 0
    for name, entry in _entries(folder, ""):
        _refuse_name(name, folder)
        mode = entry.stat(follow_symlinks=False)
        if not stat.S_ISREG(mode.st_mode):
            kind = "a link" if stat.S_ISLNK(mode.st_mode) else "a pipe, a device or a socket"
            expected = "a regular file: put the file itself there"
            raise InputError("", described(kind), expected, folder / name)
        data[name] = read_bytes(folder / name, MOST_TOML if name == TOML else MOST_FILE)
        size += len(data[name])
        if len(data) > MOST_FILES or size > MOST_PACKED:
            raise _too_many(folder, len(data))
    whole = folder.absolute()
    return _complete(Files(place=folder, data=data, folders=(whole.parent.name, whole.name)))


def _entries(folder: Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield files and whatever else there is, but the folders that a submission has."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not prefix and entry.name in FOLDERS and entry.is_dir(follow_symlinks=False):
                    yield from _entries(folder / entry.name, f"{entry.name}/")
                else:
                    yield f"{prefix}{entry.name}", entry
    except OSError as error:
        found = described(error.strerror or str(error))
        raise InputError("", found, "a readable folder", folder) from None


def _refuse_name(name: str, place: Path) -> None:
    if name != TOML and not MEMBER.fullmatch(name):
        expected = f"{TOML} or {{{','.join(FOLDERS)}}}/SHA256.json[.gz] only: remove it"
        raise InputError("", described("a file of another name"), expected, place / name)


def _too_many(place: Path, files: int) -> InputError:
    expected = f"at most {MOST_FILES} files of {MOST_PACKED >> 20} MiB together: split it"
    return InputError("", described(f"more than that, {files} files so far"), expected, place)


def _complete(files: Files) -> Files:
    if TOML not in files.data:
        raise InputError("", described(f"no {TOML}"), "this file: who, when, how", files.place)
    if len(files.data[TOML]) > MOST_TOML:
        found = described(f"{len(files.data[TOML])} bytes")
        raise InputError("", found, f"at most {MOST_TOML} bytes", files.path(TOML))
    return files


# ------------------------------------------------------------------------------------------------
# Archives


def of_archive(path: Path) -> Files:
    """Read the files in an archive into memory; none is written anywhere."""
    data = read_bytes(path, MOST_PACKED)
    members = _of_zip if path.name.endswith(".zip") else _of_tar
    found: dict[str, bytes] = {}
    try:
        for name, content in members(data, path):
            if name in found:
                raise InputError("", described("the name twice"), "it once", path / name)
            found[name] = content
            if len(found) > MOST_FILES:
                raise _too_many(path, len(found))
    except InputError:
        raise
    except DAMAGE as error:
        told = described(f"a damaged archive ({' '.join(str(error).split())})")
        raise InputError("", told, "a whole one: make it again", path) from None
    return _complete(_below(found, path))


def _below(found: dict[str, bytes], path: Path) -> Files:
    """Return the files without the folders around all of them."""
    roots = [name.removesuffix(TOML) for name in found if PurePosixPath(name).name == TOML]
    if len(roots) != 1:
        told = described(f"{len(roots)} files {TOML}")
        raise InputError("", told, "one: an archive holds one submission", path)
    for name in found:
        if not name.startswith(roots[0]):
            expected = f"files below {roots[0]} only: remove it"
            raise InputError("", described("a file elsewhere"), expected, path / name)
        _refuse_name(name.removeprefix(roots[0]), path / roots[0])
    data = {name.removeprefix(roots[0]): content for name, content in found.items()}
    return Files(place=path, data=data, folders=PurePosixPath(roots[0]).parts[-2:])


def _refuse_member(name: str, path: Path, *, folder: bool = False) -> None:
    """Refuse a member whose name is not that of a file in plain folders, or of such a folder."""
    head, _, last = name.removesuffix("/").rpartition("/")
    plain = PLAIN.fullmatch(f"{head}/" if head else "") and PLAIN.fullmatch(f"{last}/")
    if not plain or (name.endswith("/") and not folder) or "\0" in name:
        expected = (
            f"{TOML} or {{{','.join(FOLDERS)}}}/SHA256.json[.gz], in plain folders: remove it"
        )
        raise InputError(
            f"member {name}", described("a name that may lead elsewhere"), expected, path
        )


def _refuse_kind(name: str, kind: str, path: Path) -> None:
    expected = "regular files and folders only: put the file itself there"
    raise InputError(f"member {name}", described(kind), expected, path)


def _of_zip(data: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    if data.count(b"PK\x01\x02") > 2 * MOST_FILES:  # entries, before they are made objects
        raise _too_many(path, 2 * MOST_FILES)
    left = MOST_UNPACKED
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for member in archive.infolist():
            mode = member.external_attr >> 16
            name = member.orig_filename  # `filename` ends at a NUL
            _refuse_member(name, path, folder=member.is_dir())
            if member.flag_bits & 1:
                _refuse_kind(name, "an encrypted file", path)
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                _refuse_kind(name, "a link or a device", path)
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                _refuse_kind(name, "a file that is not packed by deflate", path)
            if member.is_dir():
                continue
            if stat.S_ISDIR(mode):
                _refuse_kind(name, "a folder without / at its end", path)
            with archive.open(member) as file:
                content = _content(file, path / name, left)
            left -= len(content)
            yield name, content


def _of_tar(data: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    left = MOST_UNPACKED
    stream: Any = _Bounded(GzipFile(fileobj=BytesIO(data)), path)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
        for number, member in enumerate(archive):
            if number > 2 * MOST_FILES:
                raise _too_many(path, number)
            name = member.name.removeprefix("./")
            if member.isdir() and name == ".":
                continue
            _refuse_member(name, path, folder=member.isdir())
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                _refuse_kind(name, "a link, a device or a sparse file", path)
            file = archive.extractfile(member)
            assert file is not None, "a regular file"
            content = _content(file, path / name, left)
            if len(content) != member.size:
                raise EOFError(f"{name} is cut off")
            left -= len(content)
            yield name, content
        while stream.read(2**16):  # to the end, where the checksum is
            pass


def _content(file: IO[bytes], path: Path, left: int) -> bytes:
    most = min(MOST_TOML if path.name == TOML else MOST_FILE, left)
    return read_whole(file, path, most, " unpacked")


class _Header(tarfile.TarInfo):
    """A header of an archive; one that names the next member is not longer than names are."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the header in a block."""
        made = super().frombuf(buf, encoding, errors)
        if made.type in EXTENDED and made.size > MOST_HEADER:
            raise tarfile.ReadError(f"a header of {made.size} bytes, not {MOST_HEADER} at most")
        return made


class _Bounded:
    """A stream that ends with an error once more was read than a submission may have."""

    def __init__(self, file: GzipFile, path: Path) -> None:
        self._file, self._path, self._left = file, path, MOST_UNPACKED + 2**20

    def read(self, size: int) -> bytes:
        data = self._file.read(min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise InputError(
                "", described("more than that unpacked"), _at_most(MOST_UNPACKED), self._path
            )
        return data

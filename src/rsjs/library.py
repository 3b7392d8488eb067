"""
The instance library: named sets of instances, each member identified by its sha256.

>>> from rsjs import library
>>> [instance.name for instance in library.load("tiny")][:2]
['jahani-table2-base-at0-synthetic-N2-J6-s1', 'kiros-kiros-base-at0-synthetic-N2-J6-s1']
"""

from __future__ import annotations

from rsjs.instances.library.sets import LibrarySet, Subject, library_set, names


def sets() -> list[LibrarySet]:
    """Return all sets of the library with their members: names, sizes, digests."""
    return [library_set(name) for name in names()]


def load(name: str) -> list[Subject]:
    """
    Generate the members of a set and compare each with its digest in the library.

    Parameters
    ----------
    name : str
        The name of a set, see `sets`.

    Returns
    -------
    list
        Instances; workloads, or sets of jobs, of the sets that are made of these.

    Raises
    ------
    InputError
        If there is no such set, or a member has not the digest of the library.
    """
    return [member.draw() for member in library_set(name).members]

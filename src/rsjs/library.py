"""
The instance library: named sets of instances, each member identified by its sha256.

>>> from rsjs import library
>>> [instance.name for instance in library.load("tiny")][:2]
['jahani-table2-base-at0-synthetic-N2-J6-s1', 'kiros-kiros-base-at0-synthetic-N2-J6-s1']
"""

from __future__ import annotations

from rsjs.instances.instance import Instance
from rsjs.instances.library.sets import LibrarySet, draw, library_set, names, refuse_other
from rsjs.instances.mig.jobs import JobSet


def sets() -> list[LibrarySet]:
    """Return all sets of the library with their members: names, sizes, digests."""
    return [library_set(name) for name in names()]


def load(name: str) -> list[Instance | JobSet]:
    """
    Generate the members of a set and compare each with its digest in the library.

    Parameters
    ----------
    name : str
        The name of a set, see `sets`.

    Returns
    -------
    list
        Instances; sets of jobs for the sets of MIG jobs.

    Raises
    ------
    InputError
        If there is no such set, or a member has not the digest of the library.
    """
    members = library_set(name).members
    subjects = [draw(member.generator, member.arguments) for member in members]
    for member, subject in zip(members, subjects, strict=True):
        refuse_other(subject, member.sha256)
    return subjects

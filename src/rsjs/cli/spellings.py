"""`--methods`: several spellings between commas, some of which have commas themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from re import split as split_at
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rsjs.core.method import Method
    from rsjs.methods import Request


def split(text: str, known: Collection[str]) -> list[str]:
    """
    The spellings in a list; `key=value` after a comma belongs to the options before it.

    >>> split("greedy:code,sts?iterations=5,seed=2,edf", ["greedy", "sts", "edf"])
    ['greedy:code', 'sts?iterations=5,seed=2', 'edf']
    """
    spellings: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        option = "=" in part and split_at("[@:?]", part)[0] not in known
        if option and spellings and "?" in spellings[-1]:
            spellings[-1] += f",{part}"
        else:
            spellings.append(part)
    return spellings


def requests(text: str, known: Mapping[str, Method] | None = None) -> list[Request]:
    """
    The methods in a list, each once; InputError for one that is not known, or none at all.

    Parameters
    ----------
    known : mapping, optional
        What may be in the list, by name; all methods if not given.
    """
    from rsjs.core.errors import InputError
    from rsjs.methods import all_methods, parse

    known = all_methods() if known is None else known
    found = {one.spelling: one for one in (parse(part, known) for part in split(text, known))}
    if not found:
        raise InputError("--methods", text, "methods, e.g. jahani_patterns@highs,greedy:code")
    return list(found.values())

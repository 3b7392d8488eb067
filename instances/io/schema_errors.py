"""What a JSON Schema violation means, in words: what was found, what was expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rsjs.instances.errors import described, escaped


class TextLike(str):
    """What is expected where a text does not fit a pattern."""


_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": lambda kind: " or ".join(_TYPES[name] for name in kind.types),
    "minimum": lambda kind: f"a number >= {kind.limit}",
    "maximum": lambda kind: f"a number <= {kind.limit}",
    "exclusiveMinimum": lambda kind: f"a number > {kind.limit}",
    "minLength": lambda kind: f"at least {kind.limit} character",
    "minItems": lambda kind: f"at least {kind.limit} {'entry' if kind.limit == 1 else 'entries'}",
    "maxItems": lambda kind: f"at most {kind.limit} entries",
    "minProperties": lambda kind: f"at least {kind.limit} {'key' if kind.limit == 1 else 'keys'}",
    "const": lambda kind: repr(kind.expected_value),
    "enum": lambda kind: f"one of {', '.join(map(str, kind.options))}",
    "pattern": lambda kind: TextLike(f"text like {kind.pattern}"),
}


def explain(kind: Any, value: Any) -> tuple[str, Any, str]:
    """
    One step further to the entry, value found and what was expected.

    From a validator's error kind and the value it complains of.
    """
    if kind.name == "required":
        return "", described(f"no key {kind.property!r}"), "this key"
    if kind.name == "additionalProperties":
        key = kind.unexpected[0]
        return f"/{escaped(key)}", described(f"unknown key {key!r}"), "known keys only"
    if isinstance(value, dict | list):
        value = described(
            f"{'an object' if isinstance(value, dict) else 'an array'} of {len(value)}"
        )
    return "", value, _EXPECTED.get(kind.name, _of_keyword)(kind)


def _of_keyword(kind: Any) -> str:
    """Describe a keyword of JSON Schema that has no words above: its name and its argument."""
    argument = ", ".join(map(str, kind.as_dict().values()))
    return f"what the schema's keyword {kind.name} {argument}".rstrip() + " asks for"

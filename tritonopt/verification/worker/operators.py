"""What torch says of the operator that a launcher is called like.

Libraries that replace torch's operators keep their names and the order of their parameters;
torch has a schema for each, with a type for every parameter. It is where a guess begins: what
the original does not take is not kept.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any


def types_of(launcher: str, parameters: Sequence[str]) -> tuple[str, ...]:
    """As annotations, the types of the parameters of torch's operator; nothing if it has none.

    Of several overloads it is the one with the most of the names. `norm_scalar` may be one
    too: `norm.Scalar`.
    """
    fitting = [s for s in _schemas(launcher) if len(s.arguments) >= len(parameters)]
    if not fitting:
        return ()

    def strange(schema: Any) -> int:
        named = zip(schema.arguments, parameters, strict=False)
        return sum(argument.name != name for argument, name in named)

    chosen = min(fitting, key=strange)
    return tuple(_annotation(a) for a in chosen.arguments[: len(parameters)])


def _schemas(launcher: str) -> list[Any]:
    torch: Any = importlib.import_module("torch")
    find = torch._C._jit_get_schemas_for_operator
    own = find(f"aten::{launcher}")
    if own:
        return list(own)
    at = [i for i, letter in enumerate(launcher) if letter == "_" and i]
    return [
        schema
        for i in reversed(at)
        for schema in find(f"aten::{launcher[:i]}")
        if schema.overload_name.lower() == launcher[i + 1 :].rstrip("_").lower()
    ]


def _annotation(argument: Any) -> str:
    text = str(argument.type)
    if argument.N and text == "List[int]":
        return f"Tuple[{', '.join(['int'] * argument.N)}]"
    if argument.N and text == "List[bool]":
        return f"Tuple[{', '.join(['bool'] * argument.N)}]"
    return text

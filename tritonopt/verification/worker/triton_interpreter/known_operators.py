"""Operators of kernels, done as they were done on operands of the same types before.

What `a + b` comes to is decided by the types of both, in Python, which takes several times as long
as the arithmetic. The first time it goes the usual way, and what that asks of the builder is noted.
Where it was one operation on both operands, perhaps after one of them was spread over the shape of
the other, that operation alone is asked for from then on: numpy spreads by itself.

A run that follows floats (see `algebra`) is told where they are spread, and of constants among
them: such operators go the usual way there.
"""

from __future__ import annotations

import contextlib
import importlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_OPERATORS = {
    f"__{before}{name}__"
    for before in ("", "r")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor")
} | {f"__{name}__" for name in ("lt", "le", "gt", "ge", "eq", "ne")}
SPREADING = ("create_splat", "create_broadcast", "create_expand_dims")
_CONSTANTS = ("int32", "int64", "uint32", "uint64", "fp16", "bf16", "fp32", "fp64")
"""Types of which every plain number is one, but for those below 0."""
_LEAST, _MOST = 2.0**-126, (2 - 2.0**-23) * 2.0**127
"""Floats that are no float32 are of another type by themselves, as whole numbers beyond 32 bits."""
_MOST_CONSTANTS = 4096

Asked = tuple[str, tuple[Any, ...], Any]
"""What was asked of the builder, of which operands, and what it gave."""


@dataclass(frozen=True)
class _Known:
    """What an operator came to."""

    operation: str
    """The builder's."""
    swapped: bool
    """Whether its first operand is the other one."""
    type: Any
    """Of the result; None where it is that of the object whose operator this is."""
    spread: bool
    """Whether an operand was spread over the shape of the other."""
    constant: Any
    """The type that a number of Python became of, if one did."""
    on_floats: bool


class Noting:
    """The builder, with what is asked of it."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.asked: list[Asked] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.builder, name)
        if not name.startswith(("create_", "get_")) or name.endswith("_ty"):
            return found

        def noted(*operands: Any) -> Any:
            result = found(*operands)
            self.asked.append((name, operands, result))
            return result

        return noted

    @contextlib.contextmanager
    def instead(self, semantic: Any) -> Iterator[None]:
        """Let it be asked in the builder's place."""
        semantic.builder = self
        try:
            yield
        finally:
            semantic.builder = self.builder


def install() -> None:
    """From now on, in this process."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    tensor = importlib.import_module("triton.language").tensor
    original = getattr(interpreter, "_patch_attr", None)
    semantic = getattr(interpreter, "interpreter_semantic", None)
    if original is None or not hasattr(semantic, "builder"):
        return
    operators = _Operators(semantic, tensor)

    def patch_attr(obj: Any, name: str, *rest: Any) -> None:
        original(obj, name, *rest)
        if obj is tensor and name in _OPERATORS:
            setattr(tensor, name, operators.known(getattr(tensor, name)))

    interpreter._patch_attr = patch_attr


class _Operators:
    def __init__(self, semantic: Any, tensor: Any) -> None:
        self.semantic = semantic
        self.builder = semantic.builder
        self.tensor = tensor
        self.constants: dict[tuple[str, Any], Any] = {}

    def known(self, usual: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """An operator that is done as it was done before."""
        tensor, semantic, builder = self.tensor, self.semantic, self.builder
        replaced = vars(builder)
        known: dict[tuple[str, Any], _Known | None] = {}

        def operator(this: Any, other: Any) -> Any:
            if semantic.builder is not builder:  # what this is part of is noted
                return usual(this, other)
            kind = type(other)
            if kind is tensor:
                key = this.type.name, other.type.name
            elif _is_plain(other, kind):
                # Whether a number is below 0 decides whether it may stand beside unsigned ones.
                key = this.type.name, (kind, other < 0)
            else:
                return usual(this, other)
            if key not in known:
                noting = Noting(builder)
                with noting.instead(semantic):
                    result = usual(this, other)
                known[key] = _how(this, other, result, noting.asked)
                return result
            how = known[key]
            if how is None:
                return usual(this, other)
            constant = how.constant
            if (
                "create_splat" in replaced
                and how.on_floats
                and (how.spread or constant is not None)
            ):
                return usual(this, other)
            operand = other.handle if constant is None else self._constant(other, constant)
            operation = getattr(builder, how.operation)
            pair = (operand, this.handle) if how.swapped else (this.handle, operand)
            return tensor(operation(*pair), how.type or this.type)

        return operator

    def _constant(self, number: Any, dtype: Any) -> Any:
        """A number of Python as an operand of that type."""
        key = (dtype.name, number)
        found = self.constants.get(key)
        if found is None:
            if number == 0:
                found = self.builder.get_null_value(dtype)
            else:
                found = getattr(self.builder, f"get_{dtype.name}")(number)
            found.data.flags.writeable = False
            if len(self.constants) >= _MOST_CONSTANTS:
                self.constants.clear()
            self.constants[key] = found
        return found


def _how(this: Any, other: Any, result: Any, asked: list[Asked]) -> _Known | None:
    """What one operation gave that result, of both operands as they were or spread."""
    if not asked:
        return None
    *before, (operation, operands, last) = asked
    if last is not getattr(result, "handle", None) or len(operands) != 2:
        return None
    constant, is_number = None, type(other) in (int, float)
    origin = {id(this.handle): "this"}
    if not is_number:
        origin[id(other.handle)] = "other"
    for name, given, found in before:
        if name in SPREADING:
            sources = [origin[id(g)] for g in given if id(g) in origin]
            if len(sources) != 1:
                return None
            origin[id(found)] = sources[0]
        elif name.startswith("get_") and is_number and found.dtype.name in _CONSTANTS:
            constant = found.dtype
            origin[id(found)] = "other"
        else:
            return None
    places = [origin.get(id(operand)) for operand in operands]
    # Of `x + x` both are the other one.
    if places not in (["this", "other"], ["other", "this"], ["other", "other"]):
        return None
    return _Known(
        operation,
        places == ["other", "this"],
        None if result.type is this.type else result.type,
        any(name in SPREADING for name, _, _ in before),
        constant,
        any(operand.dtype.is_floating() for operand in operands),
    )


def _is_plain(number: Any, kind: type) -> bool:
    """Whether this is a number that is treated as every other of its kind and sign."""
    if kind is int:
        return bool(-(2**31) <= number < 2**31)
    size = abs(number) if kind is float else math.nan
    return bool(size == 0 or _LEAST <= size <= _MOST or size == math.inf)

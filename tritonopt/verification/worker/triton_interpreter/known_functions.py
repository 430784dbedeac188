"""Functions of the language, called as they were called with arguments of the same types before.

`tl.load`, `tl.where`, `x[:, None]`, `x.to(...)`: which operation of the builder each comes to, and
with which constants, is decided by the types of the tensors and the other arguments, in Python,
which takes several times as long as the operation. The first call with such arguments goes the
usual way, and what that asks of the builder is noted. Where it was one operation on arguments as
they were, and on constants, that operation alone is asked for from then on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tritonopt.verification.worker.triton_interpreter.known_operators import (
    SPREADING,
    Asked,
    Noting,
)

_PLAIN = frozenset((int, bool, str, type(None)))
_MOST = 4096
_CASTS = ("create_fp_trunc", "create_fp_ext", "create_si_to_fp", "create_int_cast")
_STORES = ("create_store", "create_masked_store")


class _Unknown(Exception):
    """An argument of which it is not known what it decides."""


@dataclass(frozen=True)
class _Argument:
    """The handle of the argument in this place."""

    place: int


@dataclass(frozen=True)
class _Known:
    """What a call came to."""

    operation: str
    """The builder's; empty where the result is the argument itself that the type tells."""
    operands: tuple[Any, ...]
    type: Any
    """Of the result; or the place of the argument that it is."""
    constants: bool
    """Whether floats among the operands were made of numbers."""


class Functions:
    """The functions of the language in this process."""

    def __init__(self, semantic: Any) -> None:
        core: Any = importlib.import_module("triton.language.core")
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        self.semantic = semantic
        self.builder = semantic.builder
        self.tensor = core.tensor
        self.module = interpreter.__name__
        self.dtypes = (core.dtype, core.pointer_type, core.block_type)
        self.constant = core.constexpr

    def known(self, usual: Callable[..., Any]) -> Callable[..., Any]:
        """A function that does as it did before."""
        builder, tensor, semantic = self.builder, self.tensor, self.semantic
        replaced = vars(builder)
        known: dict[Any, _Known | None] = {}

        def call(*args: Any, _semantic: Any = None, **named: Any) -> Any:
            if semantic.builder is not builder:  # what this is part of is noted
                return usual(*args, _semantic=semantic, **named)
            given = (*args, *named.values()) if named else args
            try:
                key = (*map(self._key, given), tuple(named))
            except _Unknown:
                return usual(*args, _semantic=semantic, **named)
            if key not in known:
                if len(known) >= _MOST:
                    known.clear()
                noting = Noting(builder)
                with noting.instead(semantic):
                    result = usual(*args, _semantic=semantic, **named)
                known[key] = self._how(given, result, noting.asked)
                return result
            how = known[key]
            if how is None or (how.constants and "create_splat" in replaced):
                return usual(*args, _semantic=semantic, **named)
            if not how.operation:
                return given[how.type]
            operands = [given[o.place].handle if type(o) is _Argument else o for o in how.operands]
            return tensor(getattr(builder, how.operation)(*operands), how.type)

        return call

    def _key(self, value: Any) -> Any:
        """What an argument decides."""
        kind = type(value)
        if kind is self.tensor:
            return value.type.name
        if kind in _PLAIN:
            return kind, value
        if kind is float and value == value:
            return kind, value or str(value)
        if kind in self.dtypes:
            return kind, value.name
        if kind is slice:
            return kind, self._key(value.start), self._key(value.stop), self._key(value.step)
        if kind is self.constant:
            return kind, self._key(value.value)
        if kind is tuple or kind is list:
            return kind, *map(self._key, value)
        raise _Unknown

    def _how(self, given: tuple[Any, ...], result: Any, asked: list[Asked]) -> _Known | None:
        """What one operation gave that result, of arguments and of constants."""
        tensors = {n: a for n, a in enumerate(given) if type(a) is self.tensor}
        if len(tensors) > 1 and any(np.size(t.handle.data) == 1 for t in tensors.values()):
            # What is asked may depend on the value: such an `other` that is 0 is dropped.
            return None
        if len({id(t.handle) for t in tensors.values()}) < len(tensors):
            return None  # of `f(x, x)` it is not seen which is which
        if not asked:
            passed_on = [n for n, argument in tensors.items() if argument is result]
            return _Known("", (), passed_on[0], False) if passed_on else None
        *before, (operation, operands, last) = asked
        returned = type(result) is self.tensor and result.handle is last
        if not returned or (last is None and operation not in _STORES):
            return None
        constants: dict[int, Any] = {}
        for name, parts, found in before:
            if not self._is_constant(name, parts, constants):
                return None
            constants[id(found)] = found
        places = {id(argument.handle): n for n, argument in tensors.items()}
        used = [o for o in operands if id(o) in constants]
        if any(self._is_strange(o) for o in operands if id(o) not in {*places, *constants}):
            return None
        for constant in used:
            constant.data.flags.writeable = False
        return _Known(
            operation,
            tuple(_Argument(places[id(o)]) if id(o) in places else o for o in operands),
            result.type,
            any(constant.dtype.scalar.is_floating() for constant in used),
        )

    def _is_constant(self, name: str, parts: tuple[Any, ...], constants: Mapping[int, Any]) -> bool:
        """Whether an operation gives the same whenever it is asked for, in every kind of run."""
        sources = [part for part in parts if self._is_strange(part)]
        if not all(id(source) in constants for source in sources):
            return False
        if name in _CASTS:
            # What is rounded there may be rounded otherwise in another run.
            values = np.abs(sources[0].data)
            return bool(((values == 0) | (values == np.inf)).all())
        return name.startswith("get_") or name in SPREADING

    def _is_strange(self, operand: Any) -> bool:
        """Whether this holds values: a handle, or a list of some."""
        if isinstance(operand, (list, tuple)):
            return any(map(self._is_strange, operand))
        return bool(type(operand).__module__ == self.module)

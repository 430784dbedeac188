"""What Triton's interpreter asks again at every operation, asked once.

It decides in Python by the types of the operands what an operation is, and makes and spells the
types of the result, which takes several times as long as the arithmetic.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tritonopt.verification.worker.probes import RECORDER

_AS_LONG = 2**13
"""To compute so many elements takes as long as everything around it."""


def install() -> None:
    """From now on, in this process; what another version of Triton has otherwise stays."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    core: Any = importlib.import_module("triton.language.core")
    _replace_the_language_once(interpreter)
    _look_types_up_once(interpreter)
    _wrap_shapes_once()
    _call_builtins_at_once(interpreter, core)
    _make_handles_at_once(interpreter)


def _call_builtins_at_once(interpreter: Any, core: Any) -> None:
    """Each function of the language is wrapped by one that looks whether it was called by a
    kernel, and that one by the interpreter's, which says so."""
    original = getattr(interpreter, "_patch_attr", None)
    semantic = getattr(interpreter, "interpreter_semantic", None)
    if original is None or semantic is None:
        return
    asking = core.builtin(lambda: None).__code__
    functions = Functions(semantic)

    def patch_attr(obj: Any, name: str, member: Any, builder: Any, scope: Any) -> None:
        if getattr(member, "__code__", None) is not asking:
            original(obj, name, member, builder, scope)
            return
        operator = obj is core.tensor and name in _OPERATORS
        scope.set_attr(obj, name, functions.known(member.__wrapped__, operator=operator))

    interpreter._patch_attr = patch_attr


def _make_handles_at_once(interpreter: Any) -> None:
    """A handle looks at each array, whether its elements fit the type: by their sizes alone."""
    kind = interpreter.TensorHandle
    names = [field.name for field in dataclasses.fields(kind)]
    if names != ["data", "dtype", "attr"] or not hasattr(kind, "__post_init__"):
        return
    fitting: set[tuple[int, str]] = set()

    def init(this: Any, data: Any, dtype: Any, attr: Any = None) -> None:
        RECORDER.operations += 1 + data.size // _AS_LONG
        this.data, this.dtype, this.attr = data, dtype, {} if attr is None else attr
        sizes = (data.itemsize, dtype.name)
        if sizes not in fitting:
            this.__post_init__()
            fitting.add(sizes)

    kind.__init__ = init


# Functions of the language, called as they were called with arguments of the same types before.
#
# `a + b`, `tl.load`, `tl.where`, `x[:, None]`, `x.to(...)`: which operation of the builder each is,
# and with which constants, is decided by the types of the tensors and the other arguments, in
# Python, which takes several times as long as the operation. The first call with such arguments
# goes the usual way, and what that asks of the builder is noted. Where it was one operation on
# arguments, as they were or cast to another type, and on constants, these alone are asked for from
# then on. An operator may have spread one of the two over the shape of the other before: numpy does
# so itself.

_PLAIN = frozenset((int, bool, str, type(None)))
_MOST = 4096
_NEW = object()
"""In the place of what is not known yet."""
_CASTS = ("create_fp_trunc", "create_fp_ext", "create_si_to_fp", "create_int_cast")
_STORES = ("create_store", "create_masked_store")
_SPREADING = ("create_splat", "create_broadcast", "create_expand_dims")
_OPERATORS = {
    f"__{before}{name}__"
    for before in ("", "r")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor")
} | {f"__{name}__" for name in ("lt", "le", "gt", "ge", "eq", "ne")}

Asked = tuple[str, tuple[Any, ...], Any]
"""What was asked of the builder, of which operands, and what it gave."""


class _Unknown(Exception):
    """An argument of which it is not known what it decides."""


class _Noting:
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


@dataclass(frozen=True)
class _Argument:
    """The handle of the argument in this place."""

    place: int


@dataclass(frozen=True)
class _Cast:
    """That of another type: the operation, and what it is told beside the handle."""

    place: int
    operation: str
    rest: tuple[Any, ...]


@dataclass(frozen=True)
class _Known:
    """What a call came to."""

    operation: str
    """The builder's; empty where the result is the argument itself that the type tells."""
    operands: tuple[Any, ...]
    type: Any
    """Of the result; or the place of the argument that it is."""
    told: bool
    """Whether floats were made of numbers, or spread: a run that follows floats (see `algebra`) is
    told of these, and goes the usual way."""


class Functions:
    """The functions of the language in this process."""

    def __init__(self, semantic: Any) -> None:
        core: Any = importlib.import_module("triton.language.core")
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        self.semantic = semantic
        self.builder = semantic.builder
        self.tensor = core.tensor
        self.handle = interpreter.TensorHandle
        self.module = interpreter.__name__
        self.dtypes = (core.dtype, core.pointer_type, core.block_type)
        self.constant = core.constexpr

    def known(self, usual: Callable[..., Any], *, operator: bool = False) -> Callable[..., Any]:
        """A function that does as it did before; an `operator` of two operands may spread them."""
        builder, tensor, semantic = self.builder, self.tensor, self.semantic
        replaced = vars(builder)
        known: dict[Any, Any] = {}

        def call(*args: Any, _semantic: Any = None, **named: Any) -> Any:
            if semantic.builder is not builder:  # what this is part of is noted
                return usual(*args, _semantic=semantic, **named)
            given = (*args, *named.values()) if named else args
            try:
                key = (*map(self._key, given), tuple(named))
            except _Unknown:
                return usual(*args, _semantic=semantic, **named)
            how = known.get(key, _NEW)
            if how is _NEW:
                if len(known) >= _MOST:
                    known.clear()
                noting = _Noting(builder)
                with noting.instead(semantic):
                    result = usual(*args, _semantic=semantic, **named)
                known[key] = self._how(given, result, noting.asked, operator)
                return result
            if how is None or (how.told and "create_splat" in replaced):
                return usual(*args, _semantic=semantic, **named)
            if not how.operation:
                return given[how.type]
            operands = [
                given[o.place].handle
                if type(o) is _Argument
                else getattr(builder, o.operation)(given[o.place].handle, *o.rest)
                if type(o) is _Cast
                else o
                for o in how.operands
            ]
            return tensor(getattr(builder, how.operation)(*operands), how.type)

        return call

    def _key(self, value: Any) -> Any:
        """What an argument decides."""
        kind = type(value)
        if kind is self.tensor:
            if type(value.handle) is not self.handle:
                raise _Unknown  # a block pointer: more than its type decides
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

    def _how(
        self, given: tuple[Any, ...], result: Any, asked: list[Asked], operator: bool
    ) -> _Known | None:
        """What one operation gave that result, of arguments and of constants."""
        tensors = {n: a for n, a in enumerate(given) if type(a) is self.tensor}
        single = any(np.size(t.handle.data) == 1 for t in tensors.values())
        if len(tensors) > 1 and single and not operator:
            # What is asked may depend on the value: such an `other` that is 0 is dropped.
            return None
        places = {id(argument.handle): n for n, argument in tensors.items()}
        if len(places) < len(tensors) and not operator:
            return None  # of `f(x, x)` it is not seen which is which
        if not asked:
            passed_on = [n for n, argument in tensors.items() if argument is result]
            return _Known("", (), passed_on[0], False) if passed_on else None
        *before, (operation, operands, last) = asked
        returned = type(result) is self.tensor and result.handle is last
        if not returned or (last is None and operation not in _STORES):
            return None
        constants: dict[int, Any] = {}
        casts: dict[int, _Cast] = {}
        known_so_far: tuple[dict[int, Any], ...] = places, constants, casts
        spread = False
        for name, parts, found in before:
            sources = [part for part in parts if self._is_strange(part)]
            if name in _CASTS and len(sources) == 1 and id(parts[0]) in places:
                casts[id(found)] = _Cast(places[id(parts[0])], name, parts[1:])
                continue
            if operator and name in _SPREADING and len(sources) == 1:
                for known in known_so_far:
                    if id(sources[0]) in known:
                        known[id(found)], spread = known[id(sources[0])], True
            if any(id(found) in known for known in known_so_far):
                continue
            if not self._is_constant(name, sources, constants):
                return None
            if found is not None:
                constants[id(found)] = found
        strange = [o for o in operands if id(o) not in {*places, *constants, *casts}]
        if any(map(self._is_strange, strange)) or (operator and (strange or len(operands) != 2)):
            return None
        used = [constants[id(o)] for o in operands if id(o) in constants]
        for constant in used:
            constant.data.flags.writeable = False
        of = [places.get(id(operand)) for operand in operands]
        if len(places) < len(tensors):
            of = [*tensors]  # of `x + x` both are the same
        floats = used if not spread else operands
        return _Known(
            operation,
            tuple(
                casts.get(id(o)) or (constants.get(id(o), o) if n is None else _Argument(n))
                for n, o in zip(of, operands, strict=True)
            ),
            result.type,
            any(operand.dtype.scalar.is_floating() for operand in floats),
        )

    def _is_constant(self, name: str, sources: list[Any], constants: dict[int, Any]) -> bool:
        """Whether an operation gives the same whenever it is asked for, in every kind of run."""
        if not all(id(source) in constants for source in sources):
            return False
        if name in _CASTS:
            # What is rounded there may be rounded otherwise in another run.
            values = np.abs(sources[0].data)
            return bool(((values == 0) | (values == np.inf)).all())
        return name.startswith("get_") or name in _SPREADING

    def _is_strange(self, operand: Any) -> bool:
        """Whether this holds values: a handle, or a list of some."""
        if isinstance(operand, (list, tuple)):
            return any(map(self._is_strange, operand))
        return bool(type(operand).__module__ == self.module)


# The functions of `triton.language` are replaced by interpreted ones at every launch, and at every
# call from a kernel to another one, of which `tl.sum` is one; each time the interpreter looks
# through all of them, which took half of the time. What such a call has replaced stays so anyway,
# in older versions all of it.


class _Kept:
    """In place of Triton's scope, which would put everything back when a launch ends."""

    def restore(self) -> None:
        """Nothing else runs in this process that could want the functions back."""


def _replace_the_language_once(interpreter: Any) -> None:
    original = getattr(interpreter, "_patch_lang", None)
    if original is None:
        return
    language: Any = importlib.import_module("triton.language")
    modules = (language, language.core)
    replaced: set[str] = set()
    known: set[Any] = set()
    kept = _Kept()

    def patch_lang(function: Any) -> _Kept:
        if function in known:
            return kept
        # It replaces what the function's own names lead to, and fails where that is neither.
        values = [v for v in function.__globals__.values() if any(v is m for m in modules)]
        names = {module.__name__ for module in values}
        if not names or names - replaced:
            original(function)
            replaced.update(names)
        known.add(function)
        return kept

    interpreter._patch_lang = patch_lang


def _look_types_up_once(interpreter: Any) -> None:
    original = getattr(interpreter, "_get_np_dtype", None)
    if original is None:
        return
    known: dict[str, Any] = {}

    def get_np_dtype(dtype: Any) -> Any:
        # A block is held in the type of its elements, and all pointers are in one.
        name = dtype.scalar.name
        found = known.get(name)
        if found is None:
            found = known[name] = original(dtype)
        return found

    interpreter._get_np_dtype = get_np_dtype


def _wrap_shapes_once() -> None:
    """A tensor holds its shape as constants of the language, which take a while to make."""
    tensor: Any = importlib.import_module("triton.language").tensor
    original = tensor.__init__
    known: dict[str, tuple[Any, Any]] = {}

    def init(this: Any, handle: Any, type: Any) -> None:
        found = known.get(type.name)
        if found is not None:
            this.handle, this.type, this.dtype = handle, type, type.scalar
            this.shape, this.numel = found
            return
        original(this, handle, type)
        if vars(this).keys() == {"handle", "type", "dtype", "shape", "numel"}:
            known[type.name] = this.shape, this.numel

    tensor.__init__ = init

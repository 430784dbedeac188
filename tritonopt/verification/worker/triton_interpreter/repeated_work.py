"""What Triton's interpreter does again at every step, done once.

It replaces the functions of `triton.language` by interpreted ones at every launch, and at every
call from a kernel to another one, of which `tl.sum` is one; each time it looks through all of
them, which took half of the time. What such a call has replaced stays so anyway, in older
versions all of it.
"""

from __future__ import annotations

import importlib
from typing import Any


class _Kept:
    """In place of Triton's scope, which would put everything back when a launch ends."""

    def restore(self) -> None:
        """Nothing else runs in this process that could want the functions back."""


def install() -> None:
    """From now on it is done once in this process."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    _replace_the_language_once(interpreter)
    _look_types_up_once(interpreter)
    _wrap_shapes_once()
    _make_types_once()
    _see_plain_values_at_once()
    _leave_equal_shapes_alone()


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


def _make_types_once() -> None:
    """A type of blocks checks its shape, wraps it and spells its name each time it is made."""
    language: Any = importlib.import_module("triton.language")
    kind = language.core.block_type
    original = kind.__init__
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    shapes: dict[tuple[int, ...], Any] = {}

    def init(this: Any, element_ty: Any, shape: Any) -> None:
        lengths = shape.values if type(shape) is language.core.tuple else shape
        # `True` is equal to 1, and a constant of the language to what it holds.
        if not all(type(length) is int for length in lengths):
            original(this, element_ty, shape)
            return
        key = (element_ty.name, *lengths)
        found = known.get(key)
        if found is None:
            original(this, element_ty, shape)
            # Blocks of other elements share it, so that it is seen to be the same.
            this.shape = shapes.setdefault(key[1:], this.shape)
            known[key] = dict(vars(this))
            return
        vars(this).update(found)
        this.element_ty = element_ty

    kind.__init__ = init


def _see_plain_values_at_once() -> None:
    """What may be a constant of the language is asked for four kinds before it counts as none."""
    core: Any = importlib.import_module("triton.language.core")
    original = getattr(core, "_unwrap_if_constexpr", None)
    if original is None:
        return
    plain = {int, float, bool, str, type(None)}
    plain |= {core.dtype, core.block_type, core.pointer_type, core.tensor}

    def unwrap(value: Any) -> Any:
        return value if type(value) in plain else original(value)

    core._unwrap_if_constexpr = unwrap


def _leave_equal_shapes_alone() -> None:
    """Two blocks of one shape are compared length by length before they are left as they are."""
    semantic: Any = importlib.import_module("triton.language.semantic")
    kind = getattr(semantic, "TritonSemantic", None)
    original = getattr(kind, "broadcast_impl_value", None)
    if kind is None or original is None:
        return

    def broadcast(this: Any, left: Any, right: Any) -> Any:
        shape = getattr(left.type, "shape", None)
        if shape is not None and shape is getattr(right.type, "shape", None):
            return left, right
        return original(this, left, right)

    kind.broadcast_impl_value = broadcast

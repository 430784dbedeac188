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
        name = type.name if type.is_block() else ""
        found = known.get(name)
        if found is not None:
            this.handle, this.type, this.dtype = handle, type, type.scalar
            this.shape, this.numel = found
            return
        original(this, handle, type)
        if vars(this).keys() == {"handle", "type", "dtype", "shape", "numel"}:
            known[name] = this.shape, this.numel

    tensor.__init__ = init

"""Counters of loops in interpreted kernels: tensors, as the compiler makes them.

Compiled, the counter of `range` and `tl.range` is a scalar tensor of the type that the bounds
have together, int32 unless one of them is wider: `//` and `%` truncate, sums wrap around, and
it has `.to` and `.dtype`. Interpreted it was a number of Python, which has none of this. The
counter of `tl.static_range` is a constant of the compiler, so a number of Python stays.
"""

from __future__ import annotations

import builtins
import importlib
import operator
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from tritonopt.verification.worker.triton_interpreter.corrected import Refused


class Counted:
    """What a loop runs over."""

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None, **options: Any) -> None:
        start, stop = (0, arg1) if arg2 is None else (arg1, arg2)
        bounds = (start, stop, 1 if step is None else step)
        self.dtype = _language().counter_type(bounds)
        self.start, self.stop, self.step = map(operator.index, bounds)
        if self.step <= 0 and isinstance(step, _language().tensor):
            if self.start < self.stop:
                raise Refused(f"a loop whose step is {self.step} at run time")
            self.step = 1

    def __iter__(self) -> Iterator[Any]:
        language, dtype = _language(), self.dtype
        handle, tensor, kind = language.handle, language.tensor, language.numpy_type(dtype)
        for number in range(self.start, self.stop, self.step):
            yield tensor(handle(np.array([number], kind), dtype), dtype)


def counting(iterable: Any) -> Any:
    """What a loop calls for its values: `range` counts with tensors."""
    return Counted if iterable is builtins.range else iterable


def install() -> None:
    """From now on `tl.range` does as well, in this process; `tl.static_range` stays."""
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    original: Callable[..., Any] = interpreter._patch_lang_core

    def patch(language: Any, *scope: Any) -> None:
        original(language, *scope)
        replace = scope[0].set_attr if scope else setattr
        replace(language, "range", Counted)

    interpreter._patch_lang_core = patch


class _Language:
    def __init__(self) -> None:
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")
        language: Any = importlib.import_module("triton.language")
        self.tensor, self.handle = language.tensor, interpreter.TensorHandle
        self.numpy_type = interpreter._get_np_dtype
        self._int32 = language.int32
        self._semantic = interpreter.interpreter_semantic

    def counter_type(self, bounds: tuple[Any, ...]) -> Any:
        found = self._int32
        for bound in bounds:
            if type(bound) is not int or not -(2**31) <= bound < 2**31:
                dtype = self._semantic.to_tensor(bound).dtype
                if not dtype.is_int():
                    raise TypeError(f"a loop counts with integers, not with {dtype}")
                if dtype is not found:
                    found = self._semantic.integer_promote_impl(found, dtype)
        return found


@cache
def _language() -> _Language:
    return _Language()

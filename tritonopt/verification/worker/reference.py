"""A reference without a kernel in its worker: what it says of itself, and its run in float64."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Mapping, Sequence
from types import MethodType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from tritonopt.facts.host.torch_api import WITHOUT_ARITHMETIC
from tritonopt.verification.process.messages import DURING
from tritonopt.verification.worker.guarded_memory import COMPARED
from tritonopt.verification.worker.oracle import in_float64

_NARROW = (torch.float16, torch.bfloat16)
_SINGLE = (torch.float32, *_NARROW)
_MOST_BYTES = 2**28
"""Inputs that are larger are not made: what they hold is not tried."""


def described(module: Any, kind: str) -> dict[str, Any]:
    """The inputs in words, the text of what the module is made with, and its parameters."""
    torch.manual_seed(0)
    given = list(_inputs(module.get_inputs))
    init = [] if not hasattr(module, "get_init_inputs") else module.get_init_inputs()
    found: dict[str, Any] = {"inputs": [_form(value) for value in given], "init": _text(init)}
    found["state"] = {}
    if kind:
        made = getattr(module, kind)(*init)
        found["state"] = state_of(made)
    return found


def _inputs(get_inputs: Any) -> Any:
    try:
        with torch.device("meta"):
            found = get_inputs()
        size = sum(t.numel() * t.element_size() for t in found if isinstance(t, torch.Tensor))
        if size > _MOST_BYTES:
            return found
    except Exception:
        pass  # it makes them of what cannot be had without values
    return get_inputs()


def _text(init: Any) -> str | None:
    """What reads as these values; None where nothing does."""
    try:
        text = repr(list(init))
        ast.literal_eval(text)
    except Exception:
        return None
    return text


def _form(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value):
        return [_form(v) for v in value]
    if not isinstance(value, torch.Tensor):
        return value
    known = not value.is_meta and value.numel() > 0
    whole = known and not value.is_floating_point() and not value.is_complex()
    return {
        "dtype": COMPARED.get(value.dtype, str(value.dtype)),
        "shape": tuple(value.shape),
        "low": int(value.min()) if whole else 0,
        "high": int(value.max()) if whole else None,
    }


def state_of(made: Any) -> dict[str, tuple[tuple[int, ...], float | None]]:
    """The floating-point parameters and buffers: shapes, and the number that all elements are."""
    found: dict[str, tuple[tuple[int, ...], float | None]] = {}
    for name, value in made.state_dict().items():
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            flat = value.detach().reshape(-1)
            same = flat.numel() > 0 and bool((flat == flat[0]).all())
            base = float(flat[0]) if same and math.isfinite(float(flat[0])) else None
            found[name] = (tuple(value.shape), base)
    return found


class _Mode(TorchDispatchMode):  # type: ignore[misc]  # torch is untyped here
    """Torch imports its compiler to keep it out of a mode, which takes seconds of each worker.

    So it is kept out only where somebody has imported it.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __enter__(self) -> Any:
        compiler: Any = sys.modules.get("torch._dynamo")
        if compiler is not None:
            dispatch = "__torch_dispatch__"
            kept_out = compiler.disable(getattr(type(self), dispatch))
            self.__dict__[dispatch] = MethodType(kept_out, self)
        return super().__enter__()


# The run in float64


class InFloat64(_Mode):
    """Every tensor of floats is of float64; what the code rounds to less than float32 is rounded.

    As `widening` has it of kernels: a cast to a narrower type is what the code says.
    """

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        dtype = kwargs.get("dtype")
        if dtype in _NARROW and func is torch.ops.aten._to_copy.default:
            return func(*args, **kwargs).double()
        if dtype in _SINGLE:
            kwargs["dtype"] = torch.float64
        return func(*args, **kwargs)

    def __enter__(self) -> Any:
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *error: Any) -> Any:
        torch.set_default_dtype(self.before)
        return super().__exit__(*error)


def widened(
    arguments: list[Any], tensors: Mapping[str, Any], perturbation: int
) -> tuple[list[Any], dict[str, Any]]:
    """The same arguments in float64, in memory of their own; what was one memory still is."""
    storages: dict[int, Any] = {}

    def of(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(of, value))
        if not isinstance(value, torch.Tensor) or value.dtype not in _SINGLE:
            return value
        key = value.untyped_storage().data_ptr()
        if key not in storages:
            _, storages[key] = in_float64(value, perturbation, len(storages))
        found = storages[key]
        return found.as_strided(value.shape, value.stride(), value.storage_offset())

    return [of(value) for value in arguments], {name: of(t) for name, t in tensors.items()}


# What torch computes.


_ARRANGING = ("cat", "stack", "constant_pad", "im2col", "index", "gather", "flip", "roll", "repeat")


_LEAVING = ("numpy", "tolist", "__array__", "__dlpack__")
"""Methods behind which numbers go where no operator of torch is seen: `x.numpy()`."""


class Work(_Mode):
    """Notes the operators that run on floats which no kernel has written, and where inputs are.

    Where no tensor that is given holds floats, also those on whole numbers. What only moves
    numbers is work where a run says that there is no other.
    """

    def __init__(self, session: Any, path: str) -> None:
        super().__init__()
        self.session = session
        self.path = path
        self.operators: set[str] = set()
        self.leaving = _Leaving(self)

    def __enter__(self) -> Any:
        self.leaving.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> Any:
        super().__exit__(*error)
        return self.leaving.__exit__(*error)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.partition("::")[2]
        given = list(_tensors((args, kwargs or {})))
        plain = name == "t" or name.startswith(WITHOUT_ARITHMETIC)
        moving = self.session.options.moving and _moves(name, given, [*_tensors(result)])
        computes = (moving or not plain) and any(self.counts(t) for t in given)
        if self.session.depth:
            if computes and self._in_the_file():
                self.operators.add(name.rstrip("_") + DURING)
            return result  # of a launch
        inputs, written = self.session.inputs, self.session.by_kernels
        made = set(map(_memory, _tensors(result)))
        if any(_memory(t) in written for t in given):
            written |= made
            return result
        written -= made  # memory that was freed, and is another's now
        adds = name.rstrip("_").endswith(("add", "reduce"))
        arranges = not (adds or moving) and (plain or name.startswith(_ARRANGING))
        if arranges and any(_memory(t) in inputs for t in _sources(name, given)):
            inputs |= made
        else:
            inputs -= made
        if computes:
            self.operators.add(name.rstrip("_"))
        return result

    def counts(self, tensor: Any) -> bool:
        floats = self.session.only_whole or tensor.is_floating_point()
        return bool(floats and tensor.numel() > 1)

    def _in_the_file(self) -> bool:
        """Whether code of the file runs, though a kernel is being launched: what gives its grid."""
        frame: Any = sys._getframe(2)
        while frame is not None and frame.f_code.co_name != "_seen":
            if frame.f_code.co_filename == self.path:
                return True
            frame = frame.f_back
        return False


_ALLOCATING = ("empty", "new_", "zeros", "ones", "full", "rand")
_COPYING = ("clone", "copy", "_to_copy")
_PUTTING = ("index_put", "_index_put", "index_copy", "scatter", "slice_scatter", "select_scatter")


def _sources(name: str, given: Sequence[Any]) -> Sequence[Any]:
    """Of what an operator is given, that of which the numbers are."""
    if name.startswith(_ALLOCATING):
        return ()
    return given[-1:] if name.startswith((*_COPYING, *_PUTTING)) else given


def _moves(name: str, given: Sequence[Any], made: Sequence[Any]) -> bool:
    """Whether numbers come to lie elsewhere: neither in a view, nor in a copy of the same form."""
    sources = _sources(name, given)
    if not sources or not made or name.startswith(_PUTTING):
        return bool(sources)
    into = made[0]
    if name.startswith(_COPYING):
        return (sources[0].shape, sources[0].stride()) != (into.shape, into.stride())
    return all(_memory(t) != _memory(into) for t in sources)


class _Leaving(TorchFunctionMode):  # type: ignore[misc]  # torch is untyped here
    """Tells `Work` of numbers that are taken out of tensors: numpy and Python compute unseen."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self.work = work

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name, session = getattr(func, "__name__", ""), self.work.session
        if name in _LEAVING and not session.depth:
            given = (t for t in _tensors(args) if _memory(t) not in session.by_kernels)
            if any(self.work.counts(t) for t in given):
                self.work.operators.add(name)
        return func(*args, **(kwargs or {}))


def _memory(tensor: Any) -> int:
    return int(tensor.untyped_storage().data_ptr())


def _tensors(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _tensors(part)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))

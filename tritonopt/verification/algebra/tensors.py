"""The residues of torch's tensors: before a launch, between two, and of what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch

from tritonopt.facts.host import torch_api
from tritonopt.verification.algebra.field import VARIABLE, Carried, Degree, of_integers
from tritonopt.verification.algebra.following import Run
from tritonopt.verification.algebra.laws import inverse, narrowed

_NAMES = {
    torch.float64: "fp64",
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
}
_INTEGER = {2: torch.int16, 4: torch.int32, 8: torch.int64}

_LOOKING = torch_api.SIZE_METHODS | {
    *("__get__", "__set__", "__len__", "is_contiguous", "is_floating_point", "data_ptr"),
    *("storage_offset", "requires_grad_", "untyped_storage", "storage", "ndimension"),
    *("is_complex", "get_device", "_is_view", "backward", "register_hook", "apply"),
}
"""What asks nothing of the values, or is seen from inside."""


class Tensors:
    """Beside the kernels: what torch does to what they compute."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.computed: set[int] = set()
        """Storages that kernels may have written to, and those that torch made of them."""
        self.visible: set[int] = set()
        """Storages of which it is known where their numbers come from."""

    def came(self, tensors: Iterable[Any]) -> None:
        """These were given to the launcher, or made by a function that was seen."""
        self.visible.update(_storage(tensor) for tensor in tensors)

    def begin(self, name: str, tensors: list[Any]) -> None:
        """A kernel is launched, and given these."""
        if self.run.trace is not None:
            self.run.trace.launch = name
        self.launch(tensors)

    def launch(self, tensors: list[Any]) -> None:
        """A kernel is given these, or torch made them of what kernels were given."""
        self.cover(tensors)
        self.computed.update(_storage(t) for t in tensors)

    def cover(self, tensors: Iterable[Any]) -> None:
        """What lies in these from now on is known, and what they hold now is looked up."""
        for tensor in tensors:
            if tensor.dtype in _NAMES and tensor.numel():
                self._cover(tensor)
                self._look(tensor.detach())

    def _cover(self, tensor: Any) -> None:
        low = tensor.untyped_storage().data_ptr()
        high = low + tensor.untyped_storage().nbytes()
        size = tensor.element_size()
        self.run.memory.cover(low, low + (high - low) // size * size, *_kind(tensor))

    def host(
        self, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], result: Any
    ) -> None:
        """The launcher has called a function of torch."""
        name = getattr(function, "__name__", "")
        if name == "grad":
            return  # what it calls is seen, but for what autograd computes itself
        self.came(strided_tensors(result))
        if name in _LOOKING or not self.computed:
            return
        known = {_storage(t) for t in strided_tensors((args, kwargs))}
        for tensor in strided_tensors(result):
            if _storage(tensor) not in known:
                self._made(tensor)
        given = [t for t in strided_tensors((args, kwargs)) if self._is_computed(t)]
        if not given:
            return
        found = list(strided_tensors(result))
        if name in torch_api.KEPT_VALUES and not _narrows(given, found):
            self.computed.update(_storage(t) for t in found)
            self.computed.update(
                _storage(t) for t in strided_tensors(args[:1]) if name.endswith("_")
            )
            self._moved(function, args, kwargs, result)
            return
        if not any(t.dtype in _NAMES for t in given):
            return
        try:
            law = LAWS[name]
            carried = law(self.run, self._operand, result, *args, **kwargs)
        except (KeyError, TypeError, Unknown):
            self.run.lose(f"torch.{name}, applied to the result of a kernel")
        else:
            self._give(result, carried)

    def _made(self, tensor: Any) -> None:
        """New memory, whose address may have been that of a tensor which is gone."""
        memory = tensor.untyped_storage()
        self.computed.discard(_storage(tensor))
        self.run.memory.forget(memory.data_ptr(), memory.data_ptr() + memory.nbytes())

    def _moved(
        self, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], result: Any
    ) -> None:
        """What numbers carry that torch moved to other memory.

        Where this cannot be told they are known again by their values, if these are unique.
        """
        name = getattr(function, "__name__", "")
        if name == "copy_" and len(args) == 2 and not kwargs:
            self._give(result, self._operand(args[1]).carried)
            return
        storages = {_storage(t) for t in strided_tensors((args, kwargs))}
        found = [t for t in strided_tensors(result) if t.dtype in _NAMES and t.numel()]
        if not found or any(_storage(t) in storages for t in found):
            return  # they are where they were
        if name in LAWS:
            self._give(result, self._operand(args[0]).carried)  # a wider type, or none
        elif name in torch_api.ARRANGING:
            both = [self._arranged(function, args, kwargs, part) for part in (0, 1)]
            for tensor, *parts in zip(found, *both, strict=True):
                residues = np.stack([p.numpy().astype(np.uint64) for p in parts])
                self._give(tensor, Carried(residues, self.degree))

    def _arranged(
        self, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], part: int
    ) -> list[Any]:
        """What a function that only arranges makes of one of the two residues."""

        def of(value: Any) -> Any:
            if isinstance(value, torch.Tensor) and value.dtype in _NAMES:
                residues = self._look(value.detach()).residues[part]
                return torch.from_numpy(residues.astype(np.int64)).reshape(value.shape)
            if isinstance(value, (list, tuple)):
                return type(value)(map(of, value))
            return value

        return list(strided_tensors(function(*of(args), **{k: of(v) for k, v in kwargs.items()})))

    def _operand(self, value: Any) -> Operand:
        """A tensor or a number, as an operand of a law."""
        if isinstance(value, torch.Tensor) and value.dtype in _NAMES:
            carried, values = self._look(value.detach()), value.detach().double().numpy()
            shaped = carried.of(carried.residues.reshape(2, *value.shape))
            return Operand(shaped, values, _NAMES[value.dtype])
        if isinstance(value, torch.Tensor) and not value.dtype.is_complex:
            whole = value.detach().numpy()
            return Operand(Carried(of_integers(whole)), whole.astype(np.float64), "")
        if isinstance(value, (int, float)):
            constant = self.run.ring.of_constant(float(value), 0)
            return Operand(Carried(constant), np.float64(value), "")
        raise Unknown

    def _give(self, tensor: Any, carried: Carried) -> None:
        """What torch computed carries this, and is followed as what kernels compute."""
        if not tensor.numel():
            return
        self._cover(tensor)
        self.computed.add(_storage(tensor))
        flat = carried.spread(tuple(tensor.shape))
        flat = flat.of(flat.residues.reshape(2, -1))
        addresses, values, name = _cells(tensor.detach())
        self.run.memory.store(addresses, values, flat, name)

    def parting(self, tensor: Any, at: int) -> str:
        """Where the way back from an element ends, by its place in the flat tensor."""
        trace = self.run.trace
        addresses, _, _ = _cells(tensor.detach())
        node = self.run.writers.get(int(addresses[at]))
        return "" if trace is None or node is None else trace.parting(node)

    def of(self, tensor: Any) -> Carried:
        """What a tensor carries, flat."""
        if not tensor.numel():
            return Carried(np.zeros((2, 0), np.uint64))
        return self._look(tensor.detach())

    def _look(self, tensor: Any) -> Carried:
        addresses, values, name = _cells(tensor)
        if _storage(tensor) not in self.visible:
            # A function that torch calls by itself, as autograd does, is not seen.
            strange = self.run.memory.unknown(addresses, values, name)
            if strange.any():
                self.run.lose("computations of autograd between two kernels")
        moved = _storage(tensor) in self.computed or _storage(tensor) not in self.visible
        return self.run.memory.load(addresses, values, name, moved=moved)

    def _is_computed(self, tensor: Any) -> bool:
        return _storage(tensor) in self.computed

    @property
    def degree(self) -> Degree:
        """The largest of all that lies in memory."""
        found = VARIABLE
        for region in self.run.memory.regions:
            found = found.largest(region.degree)
        return found


def _kind(tensor: Any) -> tuple[str, int]:
    return _NAMES[tensor.dtype], tensor.element_size()


def _cells(tensor: Any) -> tuple[Any, Any, str]:
    """The addresses of the elements, the elements, and their type."""
    name, size = _kind(tensor)
    offsets = np.zeros((1,) * tensor.dim(), dtype=np.int64)
    for axis, (count, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        shape = [1] * tensor.dim()
        shape[axis] = count
        offsets = offsets + np.arange(count, dtype=np.int64).reshape(shape) * stride
    offsets = np.broadcast_to(offsets, tuple(tensor.shape)).reshape(-1)
    addresses = (np.int64(tensor.data_ptr()) + offsets * size).astype(np.uint64)
    bits = tensor.contiguous().view(_INTEGER[size]).reshape(-1).numpy()
    return addresses, bits.view("u2" if name == "bf16" else f"f{size}"), name


def _storage(tensor: Any) -> int:
    try:
        return int(tensor.untyped_storage().data_ptr())
    except RuntimeError:  # a tensor without storage
        return 0


def _narrows(given: list[Any], found: list[Any]) -> bool:
    """Whether floats become floats of fewer bits, or whole numbers."""
    widths = [t.element_size() for t in given if t.dtype in _NAMES]
    return any((t.dtype in _NAMES and t.element_size() < max(widths, default=0)) for t in found)


def strided_tensors(value: object) -> Iterator[Any]:
    """The tensors in what a function of torch is given or returns, but for sparse ones."""
    if isinstance(value, torch.Tensor):
        if value.layout is torch.strided:
            yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from strided_tensors(part)
    elif isinstance(value, Mapping):
        yield from strided_tensors(tuple(value.values()))


# What torch's own functions do to residues, between the launches of a launcher.

_WIDTHS = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16}


class Unknown(Exception):
    """A form of a call that no law is written for."""


class Operand(NamedTuple):
    """A tensor or a number."""

    carried: Carried
    values: Any
    type_name: str
    """Of floats, as Triton calls it; nothing for whole numbers and Python's."""


Operands = Callable[[Any], Operand]


def _sum(
    run: Run,
    operand: Operands,
    result: Any,
    tensor: Any,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
) -> Carried:
    given = operand(tensor)
    dim = axis if dim is None else dim
    axes = range(tensor.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    carried = given.carried
    for at in sorted((a % tensor.dim() for a in axes), reverse=True):
        carried = carried.summed(at)
    return carried.of(carried.residues.reshape(2, *result.shape))


def _mean(
    run: Run, operand: Operands, result: Any, tensor: Any, *rest: Any, **named: Any
) -> Carried:
    found = _sum(run, operand, result, tensor, *rest, **named)
    share = max(result.numel(), 1) / max(tensor.numel(), 1)
    return found.times(operand(share).carried)


def _binary(combine: Callable[[Carried, Carried], Carried]) -> Callable[..., Carried]:
    def law(run: Run, operand: Operands, result: Any, left: Any, right: Any) -> Carried:
        return combine(operand(left).carried, operand(right).carried)

    return law


def _divide(run: Run, operand: Operands, result: Any, left: Any, right: Any) -> Carried:
    below = operand(right)
    return operand(left).carried.times(inverse(run, below.carried, below.values))


_Law = Callable[..., Carried]


def _rounding(law: _Law) -> _Law:
    """The law, and the rounding to the type of the result, where that is a narrower one."""

    def rounded(run: Run, operand: Operands, result: Any, *args: Any, **named: Any) -> Carried:
        exact = law(run, operand, result, *args, **named)
        before, after = operand(args[0]), operand(result)
        if _WIDTHS.get(after.type_name, 0) >= _WIDTHS.get(before.type_name, 0):
            return exact
        values = np.broadcast_to(np.nan, after.values.shape)
        if before.values.shape == after.values.shape:
            values = before.values
        return narrowed(
            run, exact.spread(after.values.shape), values, after.values, after.type_name
        )

    return rounded


LAWS: Mapping[str, _Law] = {
    "sum": _rounding(_sum),
    "mean": _rounding(_mean),
    "add": _binary(Carried.plus),
    "sub": _binary(Carried.minus),
    **dict.fromkeys(("rsub", "__rsub__"), _binary(lambda one, other: other.minus(one))),
    "mul": _binary(Carried.times),
    "div": _divide,
    "true_divide": _divide,
    **dict.fromkeys(
        ("__rdiv__", "__rtruediv__"),
        lambda run, operand, result, left, right: _divide(run, operand, result, right, left),
    ),
    "neg": lambda run, operand, result, tensor: operand(tensor).carried.negated(),
    **dict.fromkeys(
        ("to", "half", "bfloat16", "float", "type", "type_as"),
        _rounding(lambda run, operand, result, tensor, *_, **named: operand(tensor).carried),
    ),
}
"""By the name of torch's function or method; what takes more arguments is not known."""

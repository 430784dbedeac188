"""Triton's interpreter, made to answer as a GPU does or not at all.

Each correction is probed for, never assumed from a version. What cannot be
corrected raises `Refused`, and the verification reports that the interpreter
cannot tell instead of comparing wrong numbers.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from tritonopt.verification.algebra.field import lanes_of
from tritonopt.verification.process.messages import FORWARD, NARROW, REVERSED, ROUNDED, TF32
from tritonopt.verification.worker.probes import RECORDER
from tritonopt.verification.worker.triton_interpreter import bfloat16
from tritonopt.verification.worker.triton_interpreter.ordering import Launch, OwnFolds, Touch

_BINARY = frozenset(
    f"__{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor"),
        *("lshift", "rshift", "gt", "ge", "lt", "le", "eq", "ne"),
    )
)
_LIMITING = frozenset(
    f"create_{name}" for name in ("maximumf", "maxnumf", "minimumf", "minnumf", "clampf")
)

_BELOW_TF32 = 2**13 - 1
"""The bits of a float32 that TF32 lacks."""


class Refused(Exception):
    """The interpreter is known to be wrong here."""


@dataclass
class Access:
    """The memory that kernels of the current run may touch, and what else they touched."""

    extents: list[tuple[int, int]] = field(default_factory=list)
    """First and past-the-last address of every tensor."""
    mapped: list[tuple[int, int]] = field(default_factory=list)
    """The same with the memory around, which can be touched without a crash."""
    owners: list[str] = field(default_factory=list)
    """What each of these is called."""
    out_of_bounds_loads: list[str] = field(default_factory=list)
    out_of_bounds_stores: list[str] = field(default_factory=list)
    poison_lanes: bool = False
    order: int = FORWARD
    """In which order programs run; see `RunOptions.order`."""
    grid: tuple[int, ...] = ()
    """Of a launch of which only some programs run."""
    atomics: bool = False
    """Whether some kernel used an atomic operation: its programs may meet in memory."""
    locks: bool = False
    """Whether the current launch has taken a lock."""
    races: list[str] = field(default_factory=list)
    """Where two programs of one launch stored different values, without a lock."""
    false_hints: list[str] = field(default_factory=list)
    """Promises to the compiler (`tl.max_contiguous` and the like) that values broke."""
    undefined: list[str] = field(default_factory=list)
    """Loads with an `other` that their type has not, where lanes were off."""
    stores: list[tuple[int, Any, Any]] = field(default_factory=list)
    """Of the current launch: the program, the addresses and the values' bits of every store."""
    launch: Launch = field(default_factory=Launch)
    """What the current one has touched."""
    unordered: list[str] = field(default_factory=list)
    """Loads of what was stored in the same launch, which nothing orders after that."""
    products: set[str] = field(default_factory=set)
    """In which precisions `tl.dot` multiplied: see `Outcome`."""
    anywhere: bool = False
    """Whether addresses go unchecked: for launches on the oracle's own clones."""

    def beside(self, addresses: Any, size: int) -> str:
        """Around which tensor the first of these accesses is that hits none, if that is known."""
        outside = (a for a in addresses.ravel() if not _within(a, size, self.extents))
        first = next(outside, None)
        for (low, high), owner in zip(self.mapped, self.owners, strict=True):
            if first is not None and low <= first < high:
                return f", next to {owner}"
        return ""

    def launch_ends(self) -> None:
        """Look for programs that overwrote each other: on a GPU either may come last.

        Running one program after the other hides it where each adds to what it
        finds, and the sum is the same in every order. What a program itself
        overwrote is gone, and two that leave the same value do no harm.
        """
        launch, self.launch = self.launch, Launch()
        if not self.unordered and (found := launch.unordered()):
            self.unordered.append(found)
        stores, self.stores = self.stores, []
        locks, self.locks = self.locks, False
        programs = {program for program, _, _ in stores}
        if locks or len(programs) < 2 or _lie_apart(addresses for _, addresses, _ in stores):
            return
        every = np.concatenate([addresses for _, addresses, _ in stores])
        every.sort()
        if (every[1:] != every[:-1]).all():
            return  # as it is nearly always: nothing is stored twice
        last: dict[tuple[int, int], int] = {}
        for program, addresses, bits in stores:
            last.update(
                ((address, program), value)
                for address, value in zip(addresses.tolist(), bits.tolist(), strict=True)
            )
        first: dict[int, tuple[int, int]] = {}
        for (address, program), value in last.items():
            before = first.setdefault(address, (program, value))
            if before[1] != value:
                self.races.append(
                    f"programs {before[0]} and {program} of one launch store different values "
                    "to one address, and nothing keeps them apart"
                )
                return


def _lie_apart(stores: Iterable[Any]) -> bool:
    """Whether each store ends before the next one begins, wherever they are in time."""
    ranges = sorted((int(a.min()), int(a.max())) for a in stores if a.size)
    return all(last < first for (_, last), (first, _) in pairwise(ranges))


class Interpreter:
    """The patches, installed once per process; `access` changes from run to run."""

    def __init__(self) -> None:
        self.module: Any = importlib.import_module("triton.runtime.interpreter")
        self.language: Any = importlib.import_module("triton.language")
        self.access = Access()
        builder = self.module.interpreter_builder
        kind = type(builder)
        self._nan_dropping(kind)
        self._spread_outcomes(kind)
        bfloat16.Arithmetic().install()
        _note_undefined(kind)
        OwnFolds().install()
        self._loads_and_stores(builder)
        self._atomics(builder)
        self._comparisons(builder)
        _order_programs(self, builder)
        self._block_shapes(builder)
        self._products(builder)
        self._wrapping(builder)
        self._hints()
        self._blocks_as_python_values()
        self._constants_beside_blocks()

    def _nan_dropping(self, kind: Any) -> None:
        """`tl.maximum` and `tl.minimum` give the other operand for a NaN, as on a GPU."""
        for name, operation in (("create_maxnumf", larger), ("create_minnumf", smaller)):
            if hasattr(kind, name):
                setattr(
                    kind,
                    name,
                    lambda this, left, right, op=operation: this.binary_op(left, right, op),
                )

    def _spread_outcomes(self, kind: Any) -> None:
        """A block filled with what a comparison of two numbers gave holds true and false.

        The interpreter goes by the type of what was compared, and would fill it with floats.
        """
        original = kind.create_splat
        truth, handle = self.language.int1, self.module.TensorHandle

        def splat(this: Any, block: Any, value: Any) -> Any:
            outcome = value.data.dtype.char == "?" and value.dtype.scalar != truth
            return original(this, block, handle(value.data, truth) if outcome else value)

        kind.create_splat = splat

    def _loads_and_stores(self, builder: Any) -> None:
        original_load = builder.create_masked_load
        original_store = builder.create_masked_store
        module = self.module

        def load(pointers: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
            lanes = lanes_of(mask, pointers.data.shape)
            count = int(np.count_nonzero(lanes))
            RECORDER.access(count, store=False)
            every = count == lanes.size
            addresses = pointers.data if every else pointers.data[lanes]
            self._check(addresses, pointers, "load")
            self._touched(Touch("load", addresses=addresses, lanes=lanes))
            # A single lane's `other` of 0 is dropped before it comes here: it counts as false.
            single = pointers.data.size == 1
            if other is None and self.access.poison_lanes and not single and not every:
                dtype = pointers.get_element_ty()
                kind = module._get_np_dtype(dtype)
                value: float = np.nan if kind.kind == "f" else 1
                if dtype == self.language.bfloat16:
                    value = bfloat16.NAN
                fill = np.full(pointers.data.shape, value, dtype=kind)
                other = module.TensorHandle(fill, dtype)
            lost = _lost(other)
            if lost is not None and (lost & ~lanes).any():
                self.access.undefined.append(_told(pointers.get_element_ty()))
                if self.access.poison_lanes:
                    other = module.TensorHandle(_otherwise(other), other.dtype)
            return original_load(pointers, mask, other, *rest, **named)

        def store(pointers: Any, value: Any, mask: Any, *rest: Any, **named: Any) -> Any:
            lanes = lanes_of(mask, pointers.data.shape)
            RECORDER.access(int(np.count_nonzero(lanes)), store=True)
            addresses = pointers.data[lanes]
            self._check(addresses, pointers, "store")
            self._remember(addresses, value, lanes)
            bits = self.access.stores[-1][2] if self.access.stores else None
            self._touched(Touch("store", addresses=addresses, lanes=lanes, bits=bits))
            return original_store(pointers, value, mask, *rest, **named)

        builder.create_masked_load = load
        builder.create_masked_store = store

    def _atomics(self, builder: Any) -> None:
        barrier = builder.create_barrier
        word = lru_cache(str)  # of a constant of Triton's, which takes as long as an operation

        def wait() -> Any:
            self._touched(Touch("barrier"))
            return barrier()

        builder.create_barrier = wait
        for name in ("create_atomic_rmw", "create_atomic_cas"):
            original = getattr(builder, name)

            def atomic(*arguments: Any, name: str = name, original: Any = original) -> Any:
                self.access.atomics = True
                pointers = next(a for a in arguments if _is_pointer(a))
                if pointers.get_element_ty() == self.language.bfloat16:
                    raise Refused("atomic operations on bfloat16, which the interpreter gets wrong")
                mask = arguments[3] if name == "create_atomic_rmw" else None
                kind = name if name == "create_atomic_cas" else word(arguments[0])
                exchanges = "XCHG" in kind
                self.access.locks |= name == "create_atomic_cas" or exchanges
                lanes = (
                    lanes_of(mask, pointers.data.shape)
                    if mask is not None
                    else np.ones(pointers.data.shape, dtype=bool)
                )
                RECORDER.access(int(np.count_nonzero(lanes)), store=True)
                addresses = pointers.data[lanes]
                self._check(addresses, pointers, "store")
                how = " ".join((kind, *map(word, arguments[-2:]))).upper()
                self._touched(Touch("atomic", addresses=addresses, lanes=lanes, operation=how))
                arguments = tuple(map(_side_by_side, arguments))
                if exchanges:
                    return self._exchanged(original, *arguments)
                return original(*arguments)

            setattr(builder, name, atomic)

    def _exchanged(
        self, original: Any, operation: Any, pointers: Any, value: Any, *rest: Any
    ) -> Any:
        """`tl.atomic_xchg`: of floats their bits, for the interpreter exchanges whole numbers."""
        bits = value.data
        if bits.dtype.kind != "f" or bits.dtype.itemsize < 4:
            return original(operation, pointers, value, *rest)
        handle = self.module.TensorHandle
        whole = handle(bits.view(f"i{bits.dtype.itemsize}"), value.dtype)
        found = original(operation, pointers, whole, *rest)
        return handle(found.data.view(bits.dtype), found.dtype)

    def _comparisons(self, builder: Any) -> None:
        """What floats are compared with is noted: calls are made with such numbers in tensors."""
        for name in dir(builder):
            if name.startswith("create_fcmp") or name in _LIMITING:
                setattr(builder, name, _noting(getattr(builder, name)))

    def _check(self, addresses: Any, pointers: Any, kind: str) -> None:
        """Record lanes outside of every tensor; refuse to touch what may not be there at all.

        The addresses are those of the lanes that are on.
        """
        if addresses.size == 0 or self.access.anywhere:
            return
        size = max(1, pointers.get_element_ty().primitive_bitwidth // 8)
        if _within(addresses, size, self.access.extents):
            return
        place = self.module.interpreter_builder.grid_idx
        found = f"program {tuple(int(i) for i in place)} {kind}s outside of every tensor"
        found += self.access.beside(addresses, size)
        (
            self.access.out_of_bounds_loads if kind == "load" else self.access.out_of_bounds_stores
        ).append(found)
        if not _within(addresses, size, self.access.mapped):
            raise IndexError(found)

    def _block_shapes(self, builder: Any) -> None:
        """A block pointer to a block that the compiler does not take, as one of no columns."""
        if not hasattr(builder, "create_make_block_ptr"):
            return  # Triton 3.9 has no block pointers
        original = builder.create_make_block_ptr

        def make(base: Any, shape: Any, strides: Any, offsets: Any, block: Any, order: Any) -> Any:
            wrong = [n for n in map(int, block) if n < 1 or n & (n - 1)]
            if wrong:
                text = f"a block of {wrong[0]} elements along an axis: it has to be a power of 2"
                raise ValueError(text)
            return original(base, shape, strides, offsets, block, order)

        builder.create_make_block_ptr = make

    def _products(self, builder: Any) -> None:
        """The precision of `tl.dot`, which the interpreter ignores: it never rounds to TF32."""
        original, float32 = builder.create_dot, self.language.float32

        def dot(left: Any, right: Any, added: Any, precision: Any, *rest: Any) -> Any:
            kinds, found = {left.dtype.scalar, right.dtype.scalar}, self.access.products
            if kinds == {float32} and not self.access.anywhere:
                name = precision.name
                wide = ((h.data.view(np.uint32) & _BELOW_TF32).any() for h in (left, right))
                if name == TF32:
                    found.add(TF32)
                    name = ROUNDED
                if name not in found and any(wide):
                    found.add(name)
            elif any(kind.primitive_bitwidth < 32 for kind in kinds):
                found.add(NARROW)
            return original(left, right, added, precision, *rest)

        builder.create_dot = dot

    def _wrapping(self, builder: Any) -> None:
        """Whole numbers wrap around, as on a GPU; checking each sum takes a third of the time."""
        options: Any = getattr(builder, "options", None)
        if getattr(options, "sanitize_overflow", False):
            builder.options = dataclasses.replace(options, sanitize_overflow=False)
        original = builder.get_all_ones_value

        def all_ones(kind: Any) -> Any:
            data = np.dtype(self.module._get_np_dtype(kind))
            if data.kind != "u":
                return original(kind)
            # For `~` of unsigned numbers it asks numpy for -1, which has none.
            return self.module.TensorHandle(np.full(1, np.iinfo(data).max, data), kind.scalar)

        builder.get_all_ones_value = all_ones

    def _hints(self) -> None:
        """What `multiple_of`, `max_contiguous` and `max_constancy` promise is looked up."""
        kind = self.module.TensorHandle
        original = kind.set_attr

        def set_attr(handle: Any, key: str, value: Any) -> None:
            original(handle, key, value)
            broken = broken_promise(handle.data, handle.attr)
            if broken and not self.access.anywhere:
                place = tuple(int(i) for i in self.module.interpreter_builder.grid_idx)
                self.access.false_hints.append(f"{broken} (in program {place})")

        kind.set_attr = set_attr

    def _blocks_as_python_values(self) -> None:
        """A block in `if` counts as true here, whatever it holds (`logic` sees to the others)."""
        original = self.module._patch_lang_tensor
        library = os.path.dirname(importlib.import_module("triton").__file__ or "")

        def patch(tensor: Any, scope: Any) -> Any:
            result = original(tensor, scope)
            truth = tensor.__bool__

            def checked(block: Any) -> bool:
                asked_by = sys._getframe(1).f_code.co_filename
                if block.handle.data.size > 1 and not asked_by.startswith(library):
                    raise Refused(
                        "`if` on a block, or `and`, `or`, `not` on one in a place that this "
                        "interpreter leaves to Python; write tl.where, &, | or ~"
                    )
                return bool(truth(block))

            scope.set_attr(tensor, "__bool__", checked)
            # Up to Triton 3.6 it takes arrays of one element for numbers; numpy 2.4 does not.
            scope.set_attr(tensor, "__index__", lambda block: int(block.handle.data.item()))
            return result

        self.module._patch_lang_tensor = patch

    def _constants_beside_blocks(self) -> None:
        """`LOG2E * x` with a constant of the module: the block multiplies, as in the compiler.

        The constant itself would make another constant of what comes out.
        """
        tensor, constant = self.language.tensor, self.language.constexpr
        for name in _BINARY & vars(constant).keys():
            setattr(constant, name, _leaving_blocks(vars(constant)[name], tensor))

    def _touched(self, touch: Touch) -> None:
        if not self.access.anywhere:
            self.access.launch.add(touch)

    def _remember(self, addresses: Any, value: Any, lanes: Any) -> None:
        if self.access.anywhere:
            return
        builder = self.module.interpreter_builder
        (x, y, z), (_, ny, nz) = builder.grid_idx, builder.grid_dim
        data = value.data
        bits = (data if data.shape == lanes.shape else np.broadcast_to(data, lanes.shape))[lanes]
        whole = bits.view(f"u{bits.dtype.itemsize}")
        self.access.stores.append((int((x * ny + y) * nz + z), addresses, whole))


def _order_programs(interpreter: Interpreter, builder: Any) -> None:
    """Run the programs of a launch in the order that is asked for, or some of them."""
    original, sized = builder.set_grid_idx, builder.set_grid_dim
    places: Any = None

    def set_grid_dim(*sizes: int) -> None:
        nonlocal places
        some, count = interpreter.access.grid, math.prod(sizes)
        sized(*(some or sizes))
        places = None
        if some:
            places = _some(math.prod(some), count)
        elif interpreter.access.order != FORWARD:
            places = _order(interpreter.access.order, count)

    def set_grid_idx(x: int, y: int, z: int) -> None:
        RECORDER.program_begins()
        _, ny, nz = grid = tuple(builder.grid_dim)
        begun = (x * ny + y) * nz + z if not interpreter.access.grid else x
        RECORDER.expect(begun, math.prod(grid) if not interpreter.access.grid else len(places))
        place = begun if places is None else int(places[begun])
        interpreter._touched(Touch("program", place))
        original(place // (ny * nz), place // nz % ny, place % nz)

    builder.set_grid_dim, builder.set_grid_idx = set_grid_dim, set_grid_idx


def _leaving_blocks(original: Callable[..., Any], tensor: type) -> Callable[..., Any]:
    def operation(constant: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, tensor) else original(constant, other)

    return operation


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    """The same operation, which tells the recorder what it compares."""

    def compared(*operands: Any) -> Any:
        for operand in operands:
            if hasattr(operand, "get_element_ty"):
                RECORDER.compares(operand.data)
        return original(*operands)

    return compared


def broken_promise(values: Any, promises: Mapping[str, Any]) -> str:
    """Which promise does not hold for these values, in words; nothing where all do.

    Contiguity C along an axis: groups of C lanes hold consecutive numbers.
    Divisibility D along it: each of these groups starts at a multiple of D (so
    of a block nothing can be said as long as its contiguity is not promised).
    Constancy K: groups of K lanes hold one number.
    """
    data = np.asarray(values)
    if data.dtype.kind not in "iu" and "tt.constancy" not in promises:
        return ""
    contiguity = _numbers(promises, "tt.contiguity")
    divisibility = _numbers(promises, "tt.divisibility") or _numbers(promises, "tt.divisiblity")
    constancy = _numbers(promises, "tt.constancy")
    if data.size == 1:
        wrong = divisibility and int(data.reshape(-1)[0]) % divisibility[0]
        return f"multiple_of {divisibility[0]}: the value is {data.reshape(-1)[0]}" if wrong else ""
    for axis in range(data.ndim):
        lanes = np.moveaxis(data, axis, -1)
        length = lanes.shape[-1]
        found = _groups(lanes, contiguity[axis]) if axis < len(contiguity) else None
        if found is not None:
            whole = found.astype(np.int64)
            if (whole != whole[..., :1] + np.arange(whole.shape[-1])).any():
                return f"max_contiguous {contiguity[axis]} along axis {axis} of {length} lanes"
            starts = whole[..., 0].reshape(-1)
            unit = divisibility[axis] if axis < len(divisibility) else 1
            if (starts % unit).any():
                return (
                    f"multiple_of {unit} along axis {axis}: a group of {whole.shape[-1]} lanes "
                    f"starts at {starts[starts % unit != 0][0]}"
                )
        found = _groups(lanes, constancy[axis]) if axis < len(constancy) else None
        if found is not None and (found != found[..., :1]).any():
            return f"max_constancy {constancy[axis]} along axis {axis} of {length} lanes"
    return ""


def _numbers(promises: Mapping[str, Any], name: str) -> tuple[int, ...]:
    given = promises.get(name, ())
    return tuple(int(n) for n in (given if isinstance(given, (list, tuple)) else (given,)))


def _groups(lanes: Any, width: int) -> Any:
    """The last axis in groups; None where a group of one lane says nothing, or none is whole."""
    width = min(width, lanes.shape[-1])
    if width <= 1 or lanes.shape[-1] % width:
        return None
    return lanes.reshape(*lanes.shape[:-1], -1, width)


def _order(order: int, programs: int) -> Any:
    """Which program takes each turn."""
    if order == REVERSED:
        return np.arange(programs)[::-1]
    return np.random.default_rng(order).permutation(programs)


def _some(programs: int, count: int) -> Any:
    """So many of the programs: the first, the last, and others between these."""
    third = count // 3
    between = np.linspace(third, programs - third, count - 2 * third, endpoint=False)
    ends = np.arange(third), np.arange(programs - third, programs)
    return np.concatenate([ends[0], between.astype(int), ends[1]])


def larger(left: Any, right: Any) -> Any:
    """A NaN gives the other operand, and 0.0 is above -0.0; numpy takes either zero."""
    return np.where((left == 0) & (right == 0), left + right, np.fmax(left, right))


def smaller(left: Any, right: Any) -> Any:
    return -larger(-left, -right)


def _is_pointer(value: Any) -> bool:
    return hasattr(value, "data") and hasattr(value, "get_element_ty") and value.data.dtype == "u8"


def _side_by_side(handle: Any) -> Any:
    """A handle of lanes that follow each other in memory: atomics read them by their place.

    What `tl.split` gives, for one, are every second ones of a block.
    """
    lanes = getattr(handle, "data", None)
    if not isinstance(lanes, np.ndarray) or lanes.flags.c_contiguous:
        return handle
    return type(handle)(lanes.copy(order="C"), handle.dtype)


def _within(addresses: Any, size: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether every access lies in one of the ranges; the common case is one range."""
    # As `addresses.min()`, without its way through Python.
    first = int(np.minimum.reduce(addresses, axis=None))
    last = int(np.maximum.reduce(addresses, axis=None)) + size
    for low, high in ranges:
        if low <= first and last <= high:
            return True
    inside = np.zeros(addresses.shape, dtype=bool)
    for low, high in ranges:
        if high - low >= size:
            inside |= (addresses >= low) & (addresses <= high - size)
    return bool(inside.all())


@contextlib.contextmanager
def accesses(interpreter: Interpreter | None, access: Access) -> Iterator[None]:
    """Make `access` the current one."""
    if interpreter is None:
        yield
        return
    before = interpreter.access
    interpreter.access = access
    try:
        yield
    finally:
        interpreter.access = before


# Floats that become whole numbers of a type which has no such number: infinity, NaN, 1e9 as i16.
#
# What comes of it is not defined. A load of whole numbers makes such a conversion of its `other`
# where that is a float (`other=-float("inf")`): what lanes that are off get then differs between
# compilers, and between two versions of a kernel that one compiler makes.

_UNDEFINED = "tritonopt_lost"
_CONVERTED = re.compile(r"%(\S+) = arith\.fpto[su]i %(\S+) : .* to (?:tensor<\S*x)?(i\d+)")
_CONSTANTS = re.compile(r"%(\S+) = arith\.constant ")
_SPREAD = re.compile(r"%(\S+) = tt\.splat %(\S+) :")
_LOAD = re.compile(r"tt\.load %[^,\s]+, %[^,\s]+, %(\S+)")


def _note_undefined(kind: Any) -> None:
    """From now on the interpreter's builder of this kind notes which elements are undefined."""
    for name in ("create_fp_to_si", "create_fp_to_ui"):
        setattr(kind, name, _noting_undefined(getattr(kind, name)))


def _noting_undefined(original: Any) -> Any:
    def converted(builder: Any, source: Any, *rest: Any) -> Any:
        result = original(builder, source, *rest)
        given, found = np.asarray(source.data), np.asarray(result.data)
        if given.dtype.kind == "f" and found.dtype.kind in "iu":
            limits = np.iinfo(found.dtype)
            whole = np.trunc(given.astype(np.float64))  # float16 has no room for the limits
            # Below 2**63, for no float is 2**63 - 1.
            held = (whole >= limits.min) & (whole < 2.0**limits.bits / (1 + (limits.min < 0)))
            if not held.all():
                setattr(result, _UNDEFINED, ~held)
        return result

    return converted


def _lost(handle: Any) -> Any:
    """Which elements of a block came of such a conversion; None where none did."""
    return getattr(handle, _UNDEFINED, None)


def _otherwise(handle: Any) -> Any:
    """The elements with other numbers for these: what does not depend on them stays as it is."""
    found = np.asarray(handle.data)
    limits = np.iinfo(found.dtype)
    other = np.where(found == limits.max, limits.min, limits.max).astype(found.dtype)
    return np.where(_lost(handle), other, found)


def _told(kind: object) -> str:
    """In words, of a load of numbers of a type."""
    return f"a load of {kind} has an `other` which is no number of that type"


@lru_cache(maxsize=64)
def in_compiled(ttir: str) -> tuple[str, ...]:
    """The same of what was compiled: conversions of constants that the compiler leaves alone.

    It makes those that are defined itself.
    """
    constants = {found[1] for found in _CONSTANTS.finditer(ttir)}
    undefined = {f[1]: f[3] for f in _CONVERTED.finditer(ttir) if f[2] in constants}
    for found in _SPREAD.finditer(ttir) if undefined else ():
        if found[2] in undefined:
            undefined[found[1]] = undefined[found[2]]
    loads = (undefined.get(found[1]) for found in _LOAD.finditer(ttir))
    return tuple(dict.fromkeys(_told(kind) for kind in loads if kind))

"""Loads that nothing orders after the store whose value they take.

The interpreter runs one program after the other, and all lanes of one at once, so a load sees
whatever was stored before it. On a GPU it need not. Here the accesses of a launch are held against
what orders them: of one program `tl.debug_barrier()`, and an atomic operation whose result all of
its threads get; of two programs an atomic operation that releases and one on the same address that
acquires. A barrier has to come between a block's store and the release, which one thread does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_MOST_LANES = 2**22
"""A launch that touches more than this is not tried: addresses are kept until it ends."""

Clock = dict[int, tuple[int, int]]
"""By program, up to which moment of it the stores of blocks, and of single lanes, are seen."""


@dataclass(frozen=True)
class Touch:
    """An access of one program, or one of the operations that order accesses."""

    kind: str
    """`load`, `store`, `atomic`, `barrier`, or `program`, which begins."""
    program: int = 0
    addresses: Any = None
    """Of the lanes that are on."""
    lanes: Any = None
    """Which lanes are on; its shape is the block's."""
    bits: Any = None
    """What is stored in these lanes."""
    operation: str = ""
    """Of an atomic one: its kind, its order and its scope, in capitals."""

    @property
    def is_block(self) -> bool:
        return self.lanes is not None and self.lanes.size > 1


@dataclass
class _Progress:
    """One program, on its way."""

    seen: Clock = field(default_factory=dict)
    moment: int = 0
    barrier: int = 0
    own: dict[int, int | None] = field(default_factory=dict)
    """What it stored itself, by address."""


@dataclass
class Launch:
    """The accesses of one launch, in the order of the interpreter."""

    touches: list[Touch] = field(default_factory=list)
    lanes: int = 0

    def add(self, touch: Touch) -> None:
        self.lanes += 0 if touch.addresses is None else touch.addresses.size
        if self.lanes <= _MOST_LANES:
            self.touches.append(touch)

    def unordered(self) -> str:
        """The first load that need not see what was stored; nothing where there is none."""
        if self.lanes > _MOST_LANES:
            return ""
        kinds: dict[str, list[Any]] = {"load": [], "store": [], "atomic": []}
        for touch in self.touches:
            if touch.addresses is not None and touch.addresses.size:
                kinds[touch.kind].append(touch.addresses.ravel())
        if not kinds["load"] or not kinds["store"] + kinds["atomic"]:
            return ""
        written = _distinct(kinds["store"] + kinds["atomic"])
        loaded = np.concatenate(kinds["load"])
        if loaded.max() < written[0] or loaded.min() > written[-1]:
            return ""
        both = np.intersect1d(_distinct([loaded]), written, assume_unique=True)
        if not both.size:
            return ""
        # What is stored where others synchronize counts as well.
        meeting = _distinct([both, *kinds["atomic"]])
        return _Walk(meeting, bool(kinds["atomic"])).first(self.touches)


def _distinct(addresses: list[Any]) -> Any:
    """All of them once, in order: sorted, because numpy's hash is slow for even numbers."""
    return np.unique(np.concatenate(addresses), return_counts=True)[0]


class _Walk:
    """The accesses one after the other, as far as they meet."""

    def __init__(self, both: Any, atomics: bool) -> None:
        self.both = both
        self.atomics = atomics
        """Without one no program waits for another, and what its order is worth is seen by
        running programs in others."""
        self.programs: dict[int, _Progress] = {}
        self.stored: list[Touch] = []
        self.last = np.zeros((5, len(both)), np.int64)
        """Of the last store at each address its program, counted from 1, its moment and its lane;
        which of those stored it is, and the place of the lane among those that are on."""
        self.released: dict[int, Clock] = {}

    def first(self, touches: list[Touch]) -> str:
        current = 0
        for touch in touches:
            if touch.kind == "program":
                current = touch.program
                continue
            progress = self.programs.setdefault(current, _Progress())
            progress.moment += 1
            if touch.kind == "barrier":
                progress.barrier = progress.moment
            elif touch.kind == "load":
                found = self._load(current, progress, touch)
                if found:
                    return found
            else:
                if touch.kind == "atomic":
                    self._orders(current, progress, touch)
                self._stored(current, progress, touch)
        return ""

    def _orders(self, program: int, progress: _Progress, touch: Touch) -> None:
        """What an atomic operation publishes, and what it gets to see."""
        operation = touch.operation
        if "CAS" in operation:
            progress.barrier = progress.moment  # the compiler puts one before it
        for address in touch.addresses.ravel().tolist() if "CTA" not in operation else ():
            if "ACQ" in operation:
                _merge(progress.seen, self.released.get(address, {}))
            if "REL" in operation.replace("RELAXED", ""):
                clock = self.released.setdefault(address, {})
                single = progress.barrier if touch.is_block else progress.moment
                _merge(clock, {**progress.seen, program: (progress.barrier, single)})
        if "XCHG" not in operation and not touch.is_block:
            progress.barrier = progress.moment  # all threads wait for the result

    def _stored(self, program: int, progress: _Progress, touch: Touch) -> None:
        at, lanes, places = self._meeting(touch)
        for row, what in enumerate((program + 1, progress.moment, lanes, len(self.stored), places)):
            self.last[row, at] = what
        self.stored.append(touch)
        if self.atomics:
            addresses = self.both[at].tolist()
            for address in addresses if touch.kind == "store" else ():
                self.released.pop(address, None)
            bits = [None] * len(at) if touch.bits is None else touch.bits[places].tolist()
            progress.own |= dict(zip(addresses, bits, strict=True))

    def _load(self, program: int, progress: _Progress, touch: Touch) -> str:
        at, lanes, _ = self._meeting(touch)
        by, moments, stored_lanes, which, places = self.last[:, at]
        recent = (by == program + 1) & (moments > progress.barrier)
        shapes = {self.stored[n].lanes.shape for n in set(which[recent].tolist())}
        if (stored_lanes != lanes)[recent].any() or shapes - {touch.lanes.shape}:
            return (
                f"program {program} loads in one lane what it stored in another, with no "
                "tl.debug_barrier() between"
            )
        others = np.flatnonzero((by > 0) & (by != program + 1)) if self.atomics else ()
        for lane in map(int, others):
            store = self.stored[which[lane]]
            if self._sees(progress, by[lane] - 1, moments[lane], store):
                continue
            known = progress.own.get(int(self.both[at[lane]]))
            if known is None or store.bits is None or known != store.bits[places[lane]]:
                return (
                    f"program {program} loads what program {by[lane] - 1} of the same launch "
                    "stored, and nothing orders the two: a store has to come before an atomic "
                    "operation that releases (a block's with tl.debug_barrier() between), the "
                    "load after one on the same address that acquires"
                )
        return ""

    @staticmethod
    def _sees(progress: _Progress, program: int, moment: int, store: Touch) -> bool:
        blocks, singles = progress.seen.get(program, (0, 0))
        return moment <= (blocks if store.is_block else singles)

    def _meeting(self, touch: Touch) -> tuple[Any, Any, Any]:
        """Of the addresses that are loaded and stored in this launch their places among all, the
        lanes, and the places of these among the lanes that are on."""
        addresses = touch.addresses.ravel()
        at = np.searchsorted(self.both, addresses)
        at[at == self.both.size] = 0
        places = np.flatnonzero(self.both[at] == addresses)
        return at[places], np.flatnonzero(touch.lanes)[places], places


def _merge(clock: Clock, other: Clock) -> None:
    for program, (blocks, singles) in other.items():
        known = clock.get(program, (0, 0))
        clock[program] = max(known[0], blocks), max(known[1], singles)


# Reductions and scans by a function of the kernel's own, many elements at a time.
#
# Triton's interpreter calls such a function for one pair of single elements after the other,
# which takes seconds for a tile. Here it is called for whole blocks of pairs, neighbors first, so
# that what is on the left stays there: an associative function gives the same, and no other one
# is allowed.

Arrays = list[Any]


class OwnFolds:
    """What replaces the interpreter's slow way; that is taken where a function needs scalars."""

    def __init__(self) -> None:
        module: Any = importlib.import_module("triton.runtime.interpreter")
        self.language: Any = importlib.import_module("triton.language")
        self.handle = module.TensorHandle
        self.reductions, self.scans = module.ReduceOps, module.ScanOps

    def install(self) -> None:
        """Replace it, once per process."""
        for kind, name, fold in (
            (self.reductions, "generic_reduce", self._reduced),
            (self.scans, "generic_scan", self._scanned),
        ):
            if hasattr(kind, name):
                setattr(kind, name, _or_else(fold, getattr(kind, name)))

    def _reduced(self, operation: Any, given: tuple[Any, ...]) -> list[Any]:
        arrays, axis = [tensor.handle.data for tensor in given], operation.axis
        rank = arrays[0].ndim
        if axis is None:
            arrays, axis = [array.reshape(-1) for array in arrays], 0
        arrays = [np.moveaxis(array, axis, 0) for array in arrays]
        while len(arrays[0]) > 1:
            whole = len(arrays[0]) // 2 * 2
            left, right = ([a[at:whole:2] for a in arrays] for at in (0, 1))
            rest = [array[whole:] for array in arrays]
            found = self._combined(operation, given, left, right)
            arrays = [np.concatenate(parts) for parts in zip(found, rest, strict=True)]
        results = [array[0] for array in arrays]
        if operation.keep_dims:
            axes = tuple(range(rank)) if operation.axis is None else operation.axis
            results = [np.expand_dims(result, axes) for result in results]
        return [
            operation.to_tensor(result if np.ndim(result) else result.item(), tensor.dtype)
            for result, tensor in zip(results, given, strict=True)
        ]

    def _scanned(self, operation: Any, given: tuple[Any, ...]) -> list[Any]:
        arrays = [np.moveaxis(tensor.handle.data, operation.axis, 0) for tensor in given]
        step = 1
        while step < len(arrays[0]):
            # A block has a power of two of elements: the first ones are combined in vain.
            left = [np.concatenate([array[:step], array[:-step]]) for array in arrays]
            found = self._combined(operation, given, left, arrays)
            pairs = zip(arrays, found, strict=True)
            arrays = [np.concatenate([array[:step], part[step:]]) for array, part in pairs]
            step *= 2
        arrays = [np.moveaxis(array, 0, operation.axis) for array in arrays]
        return [
            operation.to_tensor(array, tensor.dtype)
            for array, tensor in zip(arrays, given, strict=True)
        ]

    def _combined(
        self, operation: Any, given: tuple[Any, ...], left: Arrays, right: Arrays
    ) -> Arrays:
        """What the function makes of blocks of left and right neighbors, each of its type."""
        both = [
            self._block(np.ascontiguousarray(array), tensor.dtype.scalar)
            for arrays in (left, right)
            for array, tensor in zip(arrays, given, strict=True)
        ]
        found = _as_compiled(operation.combine_fn)(*both)
        results = found if isinstance(found, tuple) else (found,)
        if len(results) != len(left):
            raise ValueError("a function that combines gives back as much as each side has")
        return [
            np.broadcast_to(
                result.handle.data if _is_tensor(result) else result, array.shape
            ).astype(array.dtype)
            for result, array in zip(results, left, strict=True)
        ]

    def _block(self, data: Any, scalar: Any) -> Any:
        kind = self.language.block_type(scalar, list(data.shape))
        return self.language.tensor(self.handle(data, scalar), kind)


def _as_compiled(function: Any) -> Callable[..., Any]:
    """As it is interpreted where a kernel calls it: `and` and `not` are those of blocks there."""
    rewritten: Callable[..., Any] = (
        function.rewrite() if hasattr(function, "rewrite") else function.fn
    )
    return rewritten


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "handle")


def _or_else(fold: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    def combined(operation: Any, given: tuple[Any, ...]) -> Any:
        try:
            return fold(operation, given)
        except Exception:
            # An `if` on what it combines, for example: single elements may answer that.
            return slow(operation, given)

    return combined

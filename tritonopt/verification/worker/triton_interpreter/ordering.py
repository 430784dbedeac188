"""Loads that nothing orders after the store whose value they take.

The interpreter runs one program after the other, and all lanes of one at once, so a load sees
whatever was stored before it. On a GPU it need not. Here the accesses of a launch are held against
what orders them: of one program `tl.debug_barrier()`, and an atomic operation whose result all of
its threads get; of two programs an atomic operation that releases and one on the same address that
acquires. A barrier has to come between a block's store and the release, which one thread does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_MOST_LANES = 2**22
"""A launch that touches more than this is not looked at: addresses are kept until it ends."""

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


@dataclass(frozen=True)
class _Store:
    """What was last stored at an address."""

    program: int
    moment: int
    touch: Touch
    lane: int
    bits: int | None


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
        written = np.unique(np.concatenate(kinds["store"] + kinds["atomic"]))
        loaded = np.concatenate(kinds["load"])
        if loaded.max() < written[0] or loaded.min() > written[-1]:
            return ""
        both = np.intersect1d(loaded, written)
        if not both.size:
            return ""
        # What is stored where others synchronize counts as well.
        meeting = np.unique(np.concatenate([both, *kinds["atomic"]]))
        return _Walk(meeting, bool(kinds["atomic"])).first(self.touches)


class _Walk:
    """The accesses one after the other, as far as they meet."""

    def __init__(self, both: Any, atomics: bool) -> None:
        self.both = both
        self.atomics = atomics
        """Without one no program waits for another, and what its order is worth is seen by
        running programs in others."""
        self.programs: dict[int, _Progress] = {}
        self.stores: dict[int, _Store] = {}
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
        for address, lane, bits in self._meeting(touch):
            if touch.kind == "store":
                self.released.pop(address, None)
            self.stores[address] = _Store(program, progress.moment, touch, lane, bits)
            progress.own[address] = bits

    def _load(self, program: int, progress: _Progress, touch: Touch) -> str:
        for address, lane, _ in self._meeting(touch):
            store = self.stores.get(address)
            if store is None:
                continue
            if store.program == program:
                same = (store.lane, store.touch.lanes.shape) == (lane, touch.lanes.shape)
                if not same and store.moment > progress.barrier:
                    return (
                        f"program {program} loads in one lane what it stored in another, with no "
                        "tl.debug_barrier() between"
                    )
            elif self.atomics and not self._sees(progress, store):
                known = progress.own.get(address)
                if known is None or known != store.bits:
                    return (
                        f"program {program} loads what program {store.program} of the same launch "
                        "stored, and nothing orders the two: a store has to come before an atomic "
                        "operation that releases (a block's with tl.debug_barrier() between), the "
                        "load after one on the same address that acquires"
                    )
        return ""

    @staticmethod
    def _sees(progress: _Progress, store: _Store) -> bool:
        blocks, singles = progress.seen.get(store.program, (0, 0))
        return store.moment <= (blocks if store.touch.is_block else singles)

    def _meeting(self, touch: Touch) -> Iterator[tuple[int, int, int | None]]:
        """The addresses that are loaded and stored in this launch, with lanes and bits."""
        addresses = touch.addresses.ravel()
        at = np.searchsorted(self.both, addresses)
        at[at == self.both.size] = 0
        places = np.nonzero(self.both[at] == addresses)[0]
        if not places.size:
            return
        numbers = np.flatnonzero(touch.lanes)
        for place in places.tolist():
            bits = None if touch.bits is None else int(touch.bits[place])
            yield int(addresses[place]), int(numbers[place]), bits


def _merge(clock: Clock, other: Clock) -> None:
    for program, (blocks, singles) in other.items():
        known = clock.get(program, (0, 0))
        clock[program] = max(known[0], blocks), max(known[1], singles)

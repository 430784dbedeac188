"""That the threads of a program hand nothing over in memory when other threads hold the elements.

What a loop stores must not be read or written elsewhere in the kernel, where another thread may
do it, unless a barrier stands between; nor may another write what the loop loads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import unknown
from tritonopt.facts import EffectKind, KernelFacts, Loop
from tritonopt.facts.effects import Effect
from tritonopt.transforms.disjoint_accesses import DisjointAccesses

CLAIM = "iterations-are-independent"


@dataclass(frozen=True)
class ThreadExchange:
    """What stands around a loop of whose elements other threads are to take care."""

    facts: KernelFacts
    loop: Loop
    inside: Sequence[Effect]
    """The effects of the loop."""
    accesses: DisjointAccesses
    meets: bool
    """All threads meet in the loop or behind it, to reduce a tile."""

    def check(self) -> None:
        """Raises Declined where something else may touch what the loop stores."""
        inside = set(self.inside)
        mine = [effect for effect in self.inside if effect.pointer is not None]
        for other in (effect for effect in self.facts.effects if effect not in inside):
            if self.loop.parent is None and self._is_parted(other):
                continue
            for access in mine:
                if self._hands_over(access, other):
                    text = (
                        f"what line {access.line} touches may be handed over from thread to "
                        f"thread by the {other.name} in line {other.line}"
                    )
                    raise unknown(CLAIM, "threads-exchange-data", text)

    def _hands_over(self, access: Effect, other: Effect) -> bool:
        if other.kind is EffectKind.CALL:
            return True
        if other.kind is EffectKind.ATOMIC and access.writes:
            return True  # it may tell another program that the data is there
        if other.pointer is None or not (access.writes or other.writes):
            return False
        behind = self.meets and self.loop.parent is None and other.order > self.loop.last
        if behind and access.kind is EffectKind.LOAD:
            return False  # what is reduced has been read by then, in all threads
        return not self.accesses.are_disjoint(access, other)

    def _is_parted(self, other: Effect) -> bool:
        """Whether all threads meet at a barrier between the loop and what comes before or after."""
        first, last = self.loop.first, self.loop.last
        low, high = sorted((other.order, first if other.order < first else last))
        return any(low < barrier.order < high for barrier in self._barriers())

    def _barriers(self) -> Iterator[Effect]:
        for effect in self.facts.effects:
            plain = effect.kind is EffectKind.BARRIER and effect.name == "debug_barrier"
            if plain and not effect.loops and not effect.guards:
                yield effect

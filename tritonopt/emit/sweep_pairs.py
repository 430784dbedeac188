"""Pairs of sweeps that look like a sum and a sum of squares around its mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts, Loop, Polynomial
from tritonopt.facts.algebra.atoms import Iteration, Loaded
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.loop_nests import TwoSweeps
from tritonopt.facts.operations import Op
from tritonopt.facts.reductions import Accumulation, accumulation


@dataclass(frozen=True)
class TwoSums:
    """What a first sweep adds up, and one name to which a second sweep adds."""

    sweeps: TwoSweeps
    name: str

    @property
    def facts(self) -> KernelFacts:
        return self.sweeps.facts

    @cached_property
    def sums(self) -> list[Accumulation]:
        """What the first sweep adds up."""
        first = self.sweeps.first
        found = (self._accumulation(first, carried) for carried in sorted(first.carried))
        return [one for one in found if one is not None]

    @cached_property
    def squares(self) -> Accumulation | None:
        """What the second sweep adds to the name; None where it does anything else with it."""
        return self._accumulation(self.sweeps.second, self.name)

    def _accumulation(self, loop: Loop, name: str) -> Accumulation | None:
        try:
            return accumulation(self.facts, self.facts.forms, loop, name)
        except TooLarge:
            return None

    @property
    def is_site(self) -> bool:
        """Whether the second sweep accumulates something that the first one's sums go into.

        Also where it squares the elements that the first one adds: a reader
        expects a word on those, though their center is not the first one's sum.
        """
        if self.squares is None:
            return bool(self.sums) and self._adds_to_itself() and self.depends
        if self.depends:
            return bool(self.sums) or squared_loads(self.squares.term) != set()
        return self._squares_the_same_elements(self.squares)

    @property
    def depends(self) -> bool:
        """Whether what the second sweep adds is made from a result of the first one."""
        todo = [self._innermost.following[self.name]]
        seen: set[int] = set()
        while todo:
            for part in todo.pop().walk():
                if part.serial in seen or part.op not in (Op.RESULT, Op.CARRIED):
                    continue
                seen.add(part.serial)
                identity, name = part.carrier
                loop = self.facts.loops[identity]
                if part.op is Op.RESULT and loop is self.sweeps.first:
                    return True
                if self.sweeps.second in loop.nest and name != self.name:
                    todo.append(loop.initial[name])
        return False

    @property
    def _innermost(self) -> Loop:
        """The loop of the second nest in which the name is bound last."""
        loop = self.sweeps.second
        while True:
            following = loop.following[self.name]
            if following.op is not Op.RESULT:
                return loop
            inner = self.facts.loops[following.carrier.loop]
            if inner.parent is not loop or self.name not in inner.following:
                return loop
            loop = inner

    def _adds_to_itself(self) -> bool:
        loop = self._innermost
        carried, following = loop.carried[self.name], loop.following[self.name]
        return following is not carried and carried in following.walk()

    def _squares_the_same_elements(self, squares: Accumulation) -> bool:
        mine = {_place(a) for a in squared_loads(squares.term)}
        theirs = {_place(a) for s in self.sums for a in s.term.atoms if isinstance(a, Loaded)}
        return bool(mine & theirs)


def squared_loads(form: Polynomial) -> set[Loaded]:
    """The elements that go into a form with a power of 2 or more."""
    return {a for monomial in form.terms for a, p in monomial if isinstance(a, Loaded) and p > 1}


def _place(load: Loaded) -> tuple[str, str]:
    """Where a load reads, apart from which iteration of which loop it is."""
    anywhere = load.offset.map(lambda a: Iteration() if isinstance(a, Iteration) else None)
    return load.base, anywhere.key

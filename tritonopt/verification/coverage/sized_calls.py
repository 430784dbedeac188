"""Calls made from sizes, of which the sizes can be changed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.inputs.edge_cases import sized
from tritonopt.verification.inputs.examples import Example, Limits
from tritonopt.verification.signature.argument_language import Signature

Change = Callable[[Example], Example]
_NEARLY = 0.9
_TOO_MUCH_FOR_NOTHING = 20_000
"""Statements of kernels, about a second of the interpreter."""


def same(example: Example) -> Example:
    """No change."""
    return example


@dataclass(frozen=True)
class SizedCalls:
    """Makes calls, and knows from what it made each."""

    signature: Signature
    limits: Limits
    _origins: dict[Example, tuple[Mapping[str, int], Change]] = field(default_factory=dict)
    _hung: list[int] = field(default_factory=list)
    """How many elements the calls had that did not end in time."""
    _costs: dict[Example, int] = field(default_factory=dict)
    """How many statements of kernels a call executed, whatever came of it."""
    _in_vain: list[tuple[Mapping[str, int], Change]] = field(default_factory=list)
    """Calls that took long, and could not be compared."""

    _left_open: dict[tuple[tuple[str, int], ...], frozenset[Demand]] = field(default_factory=dict)

    def make(self, sizes: Mapping[str, int], change: Change = same) -> Example:
        """A call of these sizes, otherwise plain but for the change."""
        found = change(self.plain(sizes))
        self._origins[found] = sizes, change
        return found

    def plain(self, sizes: Mapping[str, int]) -> Example:
        """The plain call of these sizes."""
        return sized(self.signature, self.limits, sizes)

    def elements(self, sizes: Mapping[str, int]) -> int:
        """How many elements its tensors have together."""
        return sum(recipe.elements for recipe in self.plain(sizes).tensors.values())

    def hung(self, example: Example) -> None:
        """A call did not end in time."""
        self._hung.append(self.elements(self.sizes_of(example)))

    def may_hang(self, sizes: Mapping[str, int]) -> bool:
        """Whether a call of these sizes is as large as one that did not end in time."""
        return bool(self._hung) and self.elements(sizes) >= min(self._hung)

    def took(self, example: Example, work: int, *, in_vain: bool) -> None:
        """A call executed so many statements; `in_vain` where it could not be compared."""
        self._costs[example] = work
        if in_vain and work > _TOO_MUCH_FOR_NOTHING:
            self._in_vain.append(self._origins[example])

    def cost(self, example: Example) -> int:
        """How many statements of kernels a call executed; 0 where that is not known."""
        return self._costs.get(example, 0)

    def may_be_in_vain(self, sizes: Mapping[str, int], change: Change) -> bool:
        """Whether a call is about as large in each size as one that took long for nothing.

        With the same change; or as two, whatever else they were given.
        """
        alike = [
            known is change
            for larger, known in self._in_vain
            if all(_NEARLY * size <= sizes.get(name, 0) for name, size in larger.items())
        ]
        return any(alike) or len(alike) > 1

    def leave_open(self, sizes: Mapping[str, int], demands: frozenset[Demand]) -> None:
        """A call of these sizes came to functions and did not meet that."""
        key = tuple(sorted(sizes.items()))
        self._left_open[key] = self._left_open.get(key, frozenset()) | demands

    def left_open_by(self, sizes: Mapping[str, int]) -> frozenset[Demand]:
        """What calls of these sizes have not met, whatever else they were given."""
        return self._left_open.get(tuple(sorted(sizes.items())), frozenset())

    def sizes_of(self, example: Example) -> Mapping[str, int]:
        """The sizes that a call was made with."""
        return self._origins[example][0]

    def made(self) -> Mapping[Example, tuple[Mapping[str, int], Change]]:
        """All calls so far, and of what sizes and change each was made."""
        return self._origins

    def with_size(self, example: Example, name: str, size: int) -> Example:
        """The same call with one size changed."""
        sizes, change = self._origins[example]
        return self.make({**sizes, name: size}, change)

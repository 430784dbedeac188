"""Calls made from sizes, of which the sizes can be changed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tritonopt.verification.inputs.edge_cases import sized
from tritonopt.verification.inputs.examples import Example, Limits
from tritonopt.verification.signature.argument_language import Signature

Change = Callable[[Example], Example]


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

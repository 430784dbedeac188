"""The calls that are timed: types, sizes and values of the arguments, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from tritonopt.verification.inputs.examples import (
    Example,
    OfValues,
    Repeat,
    Several,
    TensorRecipe,
    sized_example,
)
from tritonopt.verification.signature.argument_language import Signature, names_of

_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "c64": 8, "i64": 8, "i32": 4, "i16": 2}
"""Of an element; of the other types it is one."""


@dataclass(frozen=True)
class Call:
    """One call of a launcher."""

    signature: Signature
    """What it is called with: each tensor of one type, each plain value the only one."""
    sizes: Mapping[str, int]
    strides: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Of tensors that are not contiguous, by their name; in elements."""

    @property
    def example(self) -> Example:
        """The same call as a verification makes it."""
        return sized_example(self.signature, self.sizes)

    @property
    def label(self) -> str:
        """Types and shapes of the tensors, and plain values."""
        return ", ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        for name, recipe in self.example.arguments:
            if isinstance(recipe, TensorRecipe):
                yield f"{name} {self._form(name, recipe)}"
            elif isinstance(recipe, Several):
                yield f"{name} [{', '.join(self._form(name, p) for p in recipe.parts)}]"
            elif isinstance(recipe, Repeat):
                yield f"{name}={recipe.of}"
            elif isinstance(recipe, OfValues):
                yield f"{name}={recipe.how}({recipe.of})"
            else:
                yield f"{name}={recipe.value!r}"

    def _form(self, name: str, recipe: TensorRecipe) -> str:
        text = f"{recipe.dtype}[{', '.join(map(str, recipe.shape))}]"
        return f"{text} strides {self.strides[name]}" if name in self.strides else text

    @property
    def bytes(self) -> int:
        """Of all tensors that are passed."""
        recipes = self.example.tensors.values()
        return sum(_BYTES.get(r.dtype, 1) * prod(r.shape) for r in recipes)

    def smaller(self, most: int) -> Call:
        """The call with fewer rows, until it takes so many bytes; or as few as there can be.

        A size that is a multiple of 16 stays one, and one that is none stays that; the last
        dimension of a tensor, of which launchers make their constants, stays as it is.
        """
        last = {name for shape in self.signature.shapes for name in names_of(shape[-1])}
        rows = [name for name in self.sizes if name not in last]
        call = self
        while call.bytes > most:
            halves = {n: _half(call.sizes[n]) for n in rows if _half(call.sizes[n])}
            if not halves:
                break
            name = max(halves, key=lambda n: call.sizes[n])
            call = replace(call, sizes={**call.sizes, name: halves[name]}, strides={})
        return call


def _half(size: int) -> int:
    """About half of a size, divided by 16 or not as that is; 0 where it is small."""
    if size < 64:
        return 0
    return size // 32 * 16 if size % 16 == 0 else size // 32 * 16 + size % 16

"""One drawn call of a launcher, as a recipe: small, hashable, and the same everywhere.

Tensors never travel. Both workers build them from the recipe and its seed, so
the two versions see the same bits, and a counterexample can be written down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from math import prod

from tritonopt.verification.inputs.tensor_data import (
    AND,
    BEYOND,
    CONSTANT,
    CONTIGUOUS,
    EXPANDED,
    EXPANDED_COLUMN,
    FALLING,
    FAR_BELOW,
    HALVES,
    LARGE_OFFSETS,
    LARGE_OFFSETS_IN_A_ROW,
    MANY_NANS,
    NAN,
    NEGATIVE,
    NONFINITE,
    OFFSET,
    ONLY,
    ORDINARY,
    OUTLIER,
    RISING,
    ROW_GAP,
    SPACED,
    SWAPPED,
    TINY,
    TRANSPOSED,
    ZEROS,
    strides_of,
)

__all__ = [
    "AND", "BEYOND", "CONSTANT", "CONTIGUOUS", "EXPANDED", "EXPANDED_COLUMN", "FALLING",
    "FAR_BELOW", "FLOAT_VALUES", "HALVES",
    "LARGE_OFFSETS", "LARGE_OFFSETS_IN_A_ROW", "MANY_NANS", "NAN", "NEGATIVE", "NONFINITE",
    "OFFSET", "ONLY", "ORDINARY", "OUTLIER", "RISING", "ROW_GAP", "SPACED", "SWAPPED", "TINY",
    "TRANSPOSED", "ZEROS",
    "ArgumentRecipe", "Example", "Limits", "PlainValue", "Repeat", "Several", "TensorRecipe",
]  # fmt: skip

FLOAT_VALUES = (ORDINARY, OFFSET, OUTLIER, CONSTANT, TINY, NONFINITE, NAN, ZEROS, NEGATIVE)


@dataclass(frozen=True)
class TensorRecipe:
    dtype: str
    shape: tuple[int, ...]
    values: str = ORDINARY
    seed: int = 0
    layout: str = CONTIGUOUS
    misaligned: bool = False
    """Whether the pointer is off by one element from a 16-byte boundary."""
    low: int = 0
    high: int = 0
    """Bounds of integer values, both included."""
    kind: str = ""
    """What is known of the values besides, see `argument_language.VALUE_CLASSES`."""

    @property
    def is_float(self) -> bool:
        return self.dtype in ("f64", "f32", "f16", "bf16", "c64")

    @property
    def is_far(self) -> bool:
        return self.layout in (LARGE_OFFSETS, LARGE_OFFSETS_IN_A_ROW)

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        return strides_of(self.shape, self.layout)

    def __str__(self) -> str:
        text = f"{self.dtype}[{', '.join(map(str, self.shape))}]"
        if self.is_float:
            text += f" {self.values}"
        elif self.dtype != "bool":
            text += f" in {self.low}..{self.high}"
        if self.kind:
            text += f", {self.kind}"
        text += f", seed {self.seed}"
        text += f", strides {self.strides}"
        if self.layout != CONTIGUOUS:
            text += f" ({self.layout})"
        return text + (", pointer off by one element" if self.misaligned else "")


@dataclass(frozen=True)
class PlainValue:
    value: object

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Repeat:
    """The tensor of another argument, passed again."""

    of: str

    def __str__(self) -> str:
        return f"the same tensor as {self.of}"


@dataclass(frozen=True)
class Several:
    """A list or a tuple of tensors."""

    parts: tuple[TensorRecipe, ...]
    as_tuple: bool = False

    def __str__(self) -> str:
        text = "; ".join(map(str, self.parts))
        return f"({text})" if self.as_tuple else f"[{text}]"


ArgumentRecipe = TensorRecipe | Several | PlainValue | Repeat


def parts_of(name: str, recipe: ArgumentRecipe) -> tuple[tuple[str, TensorRecipe], ...]:
    """The tensors in an argument, with their names."""
    if isinstance(recipe, TensorRecipe):
        return ((name, recipe),)
    if isinstance(recipe, Several):
        return tuple((f"{name}[{at}]", part) for at, part in enumerate(recipe.parts))
    return ()


@dataclass(frozen=True)
class Example:
    arguments: tuple[tuple[str, ArgumentRecipe], ...]
    backward: bool = False
    """Whether gradients are asked for (autograd functions)."""
    gradient_seed: int = 0
    gradient_expanded: bool = False
    """Whether all elements of an incoming gradient are one number in memory (`y.sum()`)."""
    gradient_nan: bool = False
    """Whether one element of each incoming gradient is NaN."""
    wanted: tuple[str, ...] = ()
    """The tensors that need a gradient; empty for every one of floats."""
    second_backward: bool = False
    """Whether gradients are asked for twice, of the same graph."""
    no_grad: bool = False
    """Whether the call is made under `torch.no_grad()`, with tensors that need gradients."""
    configuration: int = 0
    """Which of an autotuned kernel's configurations is taken."""
    first_call: bool = False
    """Whether the autotuner has not chosen yet: it runs every configuration once before."""
    second_call: bool = False
    """Whether the same tensors were passed once before, when they held something else."""

    def __str__(self) -> str:
        lines = [f"{name} = {recipe}" for name, recipe in self.arguments]
        if self.backward:
            kind = "expanded from one number" if self.gradient_expanded else "ordinary"
            kind += ", with NaN," if self.gradient_nan else ""
            of = " and ".join(self.wanted) or "every floating-point argument"
            twice = ", twice" if self.second_backward else ""
            lines.append(
                f"with the gradients of {of}, from "
                f"{kind} ones with seed {self.gradient_seed}{twice}"
            )
        if self.no_grad:
            lines.append("under torch.no_grad(), with tensors that need gradients")
        if self.configuration:
            lines.append(f"autotuned kernels take their configuration {self.configuration}")
        if self.second_call:
            lines.append("for the second time with these tensors, which held other values before")
        if self.first_call:
            lines.append("on the first call, in which the autotuner runs every configuration")
        return "\n".join(lines)

    @property
    def tensors(self) -> Mapping[str, TensorRecipe]:
        """Every tensor by name, those in lists as `NAME[0]`, `NAME[1]`, ..."""
        return {n: r for name, recipe in self.arguments for n, r in parts_of(name, recipe)}

    def needs_gradient(self, name: str) -> bool:
        """Whether a tensor, if it is one of floats, is to have a gradient."""
        return (self.backward or self.no_grad) and (not self.wanted or name in self.wanted)

    def with_tensors(self, change: Callable[[str, TensorRecipe], TensorRecipe]) -> Example:
        """The same call with other recipes for its tensors."""

        def changed(name: str, recipe: ArgumentRecipe) -> ArgumentRecipe:
            if isinstance(recipe, Several):
                parts = tuple(change(n, part) for n, part in parts_of(name, recipe))
                return replace(recipe, parts=parts)
            return change(name, recipe) if isinstance(recipe, TensorRecipe) else recipe

        return replace(self, arguments=tuple((n, changed(n, r)) for n, r in self.arguments))

    @property
    def main_tensor(self) -> str | None:
        """The largest floating-point tensor, unless it is a single element or none."""
        floats = {n: r for n, r in self.tensors.items() if r.is_float and r.elements > 1}
        return max(floats, key=lambda name: floats[name].elements, default=None)

    @property
    def main_size(self) -> int:
        return self.tensors[self.main_tensor].elements if self.main_tensor is not None else 0

    def plain(self, values: str, dtypes: Mapping[str, str]) -> Example:
        """The same shapes, contiguous and ordinary, but for the values of the main tensor."""

        def plain(name: str, recipe: TensorRecipe) -> TensorRecipe:
            if not recipe.is_float:
                return recipe
            return replace(
                recipe,
                dtype=dtypes.get(name, recipe.dtype),
                values=values if name == self.main_tensor else ORDINARY,
                layout=CONTIGUOUS,
                misaligned=False,
            )

        return self.with_tensors(plain)

    @property
    def is_far(self) -> bool:
        return any(recipe.is_far for recipe in self.tensors.values())

    def at_large_offsets(self, names: Set[str], layout: str) -> Example:
        """The same call, these tensors with more than 2**31 elements between some of theirs."""

        def far(name: str, recipe: TensorRecipe) -> TensorRecipe:
            return replace(recipe, layout=layout, misaligned=False) if name in names else recipe

        return self.with_tensors(far)

    @property
    def contiguous(self) -> bool:
        return all(r.layout == CONTIGUOUS for r in self.tensors.values())

    @property
    def difficulty(self) -> frozenset[str]:
        """What makes the values numerically hard; errors are compared within one difficulty."""
        return frozenset(r.values for r in self.tensors.values()) - {
            ORDINARY,
            NONFINITE,
            NAN,
            MANY_NANS,
        }


@dataclass(frozen=True)
class Limits:
    """What one example may cost on a backend."""

    elements: int
    rows: int
    dtypes: frozenset[str]
    blocks: tuple[int, ...] = field(default=())
    """Block sizes that the file mentions."""
    counts: tuple[int, ...] = field(default=())
    """Every whole number that it mentions: one may be how many programs there are at most."""

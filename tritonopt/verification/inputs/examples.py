"""One drawn call of a launcher, as a recipe: small, hashable, and the same everywhere.

Tensors never travel. Both workers build them from the recipe and its seed, so
the two versions see the same bits, and a counterexample can be written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

CONTIGUOUS = "contiguous"
ROW_GAP = "rows further apart"
TRANSPOSED = "transposed"
SWAPPED = "with two dimensions before the last swapped in memory"
"""As heads and tokens are, where tokens come first in memory."""
SPACED = "every second element"
EXPANDED = "expanded from one row"
EXPANDED_COLUMN = "expanded from one column"
LARGE_OFFSETS = "rows so far apart that offsets exceed 2**31"
LARGE_OFFSETS_IN_A_ROW = "neighbors so far apart that offsets exceed 2**31"

ORDINARY = "ordinary"
OFFSET = "1e4 + noise"
NEGATIVE = "-1e4 + noise"
FAR_BELOW = "far below 0"
BEYOND = "beyond "
"""Before a number: all elements are farther from 0 than that, where the type has such numbers."""
ONLY = "nothing but "
"""Before a number: every element is that."""
ZEROS = "with zeros"
HALVES = "halves of integers"
"""Ties, for what rounds, and equal ones, for what compares."""
AND = "ordinary and "
"""Before numbers, with commas: half of the elements are one of these, or have its other sign."""
TINY = "tiny"
CONSTANT = "constant rows"
NONFINITE = "with inf and NaN"
NAN = "with NaN"
"""By itself as well: where a row also holds inf, what becomes of its NaN is not seen."""
MANY_NANS = "with NaN at every second element"
"""Wherever an operator looks that copies a part, it meets some."""
OUTLIER = "an outlier in front"
RISING = "rising"
FALLING = "falling"
"""What is largest or smallest lies at either end, however many tiles are there."""

AWAY = -1
"""The perturbation that moves every number away from 0, so that the terms of a sum move as one."""


def perturbed(values: Any, noise: Any, perturbation: int) -> Any:
    """Numbers moved by up to one unit in the last place of float32.

    `noise` is uniform in 0..1, of the same shape. Random moves of the terms of a sum cancel as
    the terms do; moves away from 0 show how large the terms are together.
    """
    direction = values.sign() if perturbation == AWAY else 2 * noise - 1
    return values * (1 + direction * 2.0**-23)


def strides_of(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The strides of a layout, in elements."""
    order = list(range(len(shape)))
    if layout == TRANSPOSED:
        order[-2], order[-1] = order[-1], order[-2]
    if layout == SWAPPED:
        order[-3], order[-2] = order[-2], order[-3]
    strides = [0] * len(shape)
    step = 2 if layout == SPACED else 1
    for place, axis in enumerate(reversed(order)):
        strides[axis] = step
        step *= max(shape[axis], 1)
        if place == 0 and layout == ROW_GAP:
            step += 5
    if layout == LARGE_OFFSETS_IN_A_ROW:
        strides = [s // max(shape[-1], 1) for s in strides[:-1]]
        strides.append(2**31 // (shape[-1] - 1) + 16)
    if layout == LARGE_OFFSETS:
        strides[0] = 2**31 // (shape[0] - 1) + 16
    if layout == EXPANDED:
        strides[0] = 0
    if layout == EXPANDED_COLUMN:
        strides[-1] = 0
    return tuple(strides)


def _whole(values: Any, low: int, high: int, kind: str, generator: Any) -> Any:
    """Whole numbers of a class, along the last dimension."""
    import torch

    if not values.ndim or not values.shape[-1]:
        return values
    if kind == "permutation":
        return torch.rand(values.shape, generator=generator).argsort(dim=-1)
    if kind in ("sorted", "cumulative"):
        values = values.sort(dim=-1).values
    if kind == "cumulative":
        values[..., 0], values[..., -1] = low, high
    return values


def _wrapping(values: Any, generator: Any) -> Any:
    """Every second number or so is a small one once it is cut to 8, 16 or 32 bits."""
    import torch

    bits = torch.tensor([8, 16, 32])[torch.randint(0, 3, values.shape, generator=generator)]
    small = torch.randint(0, 8, values.shape, generator=generator)
    cut = (values >> bits << bits) + small
    return torch.where(torch.rand(values.shape, generator=generator) < 0.5, cut, values)


def _restricted(values: Any, dtype: Any, kind: str) -> Any:
    """Floats of a class, as near to the drawn ones as may be."""
    import torch

    finite = torch.where(torch.isfinite(values), values, 1.0)
    if kind == "finite":
        return finite
    size = torch.where(finite == 0, 1.0, finite.abs())
    if kind == "very_negative":
        size = 1e4 * (1 + size)
        if dtype is torch.float16:
            size = size.clamp(max=6e4)
    return size if kind == "positive" else -size


def _with_numbers(values: Any, numbers: str, generator: Any) -> Any:
    """Every second number or so is one of these, some of them with the other sign."""
    import torch

    shape = values.shape
    known = torch.tensor([float(n) for n in numbers.split(",")], dtype=torch.float64)
    chosen = known[torch.randint(0, len(known), shape, generator=generator)]
    chosen = torch.where(torch.rand(shape, generator=generator) < 0.25, -chosen, chosen)
    return torch.where(torch.rand(shape, generator=generator) < 0.5, chosen, values)


def _put_strange(flat: Any, values: str, generator: Any) -> None:
    """A few, so that most rows stay finite and are compared by value as well."""
    import torch

    for strange in (math.inf, -math.inf, math.nan) if values == NONFINITE else (math.nan,):
        at = int(torch.randint(0, flat.numel(), (), generator=generator))
        flat[at] = strange


def _odd_places(shape: tuple[int, ...]) -> Any:
    """A chessboard, but that the last of four rows is left out: some rows are numbers only."""
    import torch

    odd = torch.zeros(shape, dtype=torch.long)
    for axis, size in enumerate(shape):
        odd += torch.arange(size).view(size, *(1,) * (len(shape) - axis - 1))
    odd = odd % 2 == 1
    if len(shape) > 1:
        odd[..., 3::4, :] = False
    return odd


def values_of(
    shape: tuple[int, ...],
    dtype: Any,
    values: str = ORDINARY,
    *,
    seed: int = 0,
    low: int = 0,
    high: int = 0,
    kind: str = "",
    perturbation: int = 0,
) -> Any:
    """The values of a tensor; floating-point ones as float64, before they are rounded to `dtype`.

    `low` and `high` bound whole numbers, both included. Made on the CPU, so
    that they are the same for every device.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, generator=generator)
    if not dtype.is_floating_point:
        drawn = torch.randint(low, high + 1, shape, generator=generator)
        if high - low >= 2**15:
            drawn = _wrapping(drawn, generator)
        return _whole(drawn, low, high, kind, generator)
    found = torch.randn(shape, generator=generator, dtype=torch.float64)
    found = _of_class(found, values, dtype, generator)
    if kind:
        found = _restricted(found, dtype, kind)
    if perturbation and dtype is torch.float32:
        generator.manual_seed(seed + perturbation)
        found = found.float().double()
        noise = torch.rand(shape, generator=generator, dtype=torch.float64)
        found = perturbed(found, noise, perturbation)
    return found


def _of_class(found: Any, values: str, dtype: Any, generator: Any) -> Any:
    """Ordinary values made those of a class."""
    import torch

    shape = found.shape
    if values in (OFFSET, NEGATIVE):
        found += 1e4 if values == OFFSET else -1e4
    elif values == FAR_BELOW and found.numel():
        # Below what stands for -inf in many a kernel; the square is still a number.
        level = 6e4 if dtype is torch.float16 else 1e10
        found = -level * (1 + found.abs().clamp(max=4.0) / 100)
    elif values.startswith(BEYOND) and found.numel():
        level = 2 * float(values.removeprefix(BEYOND))
        if dtype is torch.float16:
            level = math.copysign(min(abs(level), 6e4), level)
        found = level * (1 + found.abs().clamp(max=4.0) / 100)
    elif values.startswith(ONLY):
        found = found * 0.0 + float(values.removeprefix(ONLY))
    elif values == ZEROS and found.numel():
        # Some elements, of either sign, and if there are several rows all of the first.
        found *= torch.rand(shape, generator=generator) < 0.7
        if found.ndim > 1:
            found[0] *= 0.0
    elif values == HALVES:
        found = (4 * found).round() / 2 + 64.0 * (found > 1)  # which every type still holds
    elif values.startswith(AND) and found.numel():
        found = _with_numbers(found, values.removeprefix(AND), generator)
    elif values == TINY:
        found *= 1e-3 if dtype is torch.float16 else 1e-18
    elif values == CONSTANT and found.numel() and found.ndim:
        found = found[..., :1].expand(shape).contiguous()
    elif values in (RISING, FALLING):
        found = found.flatten().sort(descending=values == FALLING).values.view(shape)
    elif values == OUTLIER and found.numel() and found.ndim:
        found[..., 0] = 1e4
    elif values in (NONFINITE, NAN) and found.numel():
        _put_strange(found.view(-1), values, generator)
    elif values == MANY_NANS:
        found[_odd_places(shape)] = math.nan
    return found


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

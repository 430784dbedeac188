"""What a drawn tensor holds: the values of a class, made from a seed, the same on every machine."""

from __future__ import annotations

import math
from typing import Any

from tritonopt.verification.inputs.examples import (
    AND,
    AWAY,
    BEYOND,
    CONSTANT,
    FALLING,
    FAR_BELOW,
    HALVES,
    MANY_NANS,
    NAN,
    NEGATIVE,
    NONFINITE,
    OFFSET,
    ONLY,
    ORDINARY,
    OUTLIER,
    RISING,
    TINY,
    UP_TO,
    ZEROS,
)


def perturbed(values: Any, noise: Any, perturbation: int) -> Any:
    """Numbers moved by up to one unit in the last place of float32.

    `noise` is uniform in 0..1, of the same shape. Random moves of the terms of a sum cancel as
    the terms do; moves away from 0 show how large the terms are together.
    """
    direction = values.sign() if perturbation == AWAY else 2 * noise - 1
    return values * (1 + direction * 2.0**-23)


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


def _every_eighth(shape: tuple[int, ...]) -> Any:
    """Of each row, and of each column, one of eight elements; of shorter rows one."""
    import torch

    places = torch.zeros(shape, dtype=torch.long)
    for axis, size in enumerate(shape[-2:]):
        places += torch.arange(size).view(size, *(1,) * (len(shape[-2:]) - axis - 1))
    return places % min(8, *shape[-1:] or (1,)) == 0


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
    elif values.startswith(UP_TO) and found.numel():
        largest = float(values.removeprefix(UP_TO))
        found = ((4 * found).round() / 2).clamp(-largest, largest)
        found[_every_eighth(shape)] = largest
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
        if values == NONFINITE and generator.initial_seed() % 2 == 0 and shape[:-1].numel() > 1:
            found.view(-1, shape[-1])[1::3] = -math.inf  # as rows that are masked off
    elif values == MANY_NANS:
        found[_odd_places(shape)] = math.nan
    return found

"""grid-limits: a length of a tensor is the second or third axis of a grid, which ends at 65535."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.algebra.atoms import CeilDiv, LauncherParameter, TensorSize
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.host.callers import passes_any_size, rank_of
from tritonopt.facts.language import function
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.circumstances import inputs_of
from tritonopt.facts.memory.offsets import number_of
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import Change, ReplaceExpression
from tritonopt.source.trees import walk

_MOST = 65535
_FEW = 16
"""Rows of a program, with which so many programs are still of rows that there may be."""
_LARGE = (_MOST + 1) * _FEW
_ASKING = ("program_id", "num_programs")


class GridLimits(Lint):
    """Find grids whose second or third axis has as many programs as a tensor has rows.

    ## What it does

    CUDA allows 65535 programs along axes 1 and 2 of a grid, and 2**31 - 1 along axis 0. The pass
    reports a launch whose grid has the number of rows or tokens on axis 1 or 2, and swaps that axis
    with axis 0 in the kernel and at its launches.

    ## Why

    The launch fails with `invalid argument` for 65536 rows or more.

    ## Conditions

    The number of programs along the axis is `x.shape[0]`, a multiple of it, or `x.shape[0]` divided
    by at most 16. The tensor is a matrix, or the other axes of the grid are numbers. For a 3D
    tensor the finding is a note if no axis of the grid is a number of tiles, because its first
    dimension may be heads. The launcher does not check the size.

    The axes are swapped if no program can wait for another, each `tl.program_id` is in the kernel
    itself with a literal axis, all launches are in the file, and each launch has its own grid, a
    tuple. We assume that the old axis 0 has fewer than 65536 programs.

    ## Numerics

    `exact`: the same programs run, with other ids.

    ## Example

    ```python
    @triton.jit
    def scale(X, Y, N, BLOCK: tl.constexpr):
        cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        row = tl.program_id(1)
        x = tl.load(X + row * N + cols, mask=cols < N)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


    def double(x):
        m, n = x.shape
        y = torch.empty_like(x)
        scale[(triton.cdiv(n, 64), m)](x, y, n, BLOCK=64)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def scale(X, Y, N, BLOCK: tl.constexpr):
        cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        row = tl.program_id(0)
        x = tl.load(X + row * N + cols, mask=cols < N)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


    def double(x):
        m, n = x.shape
        y = torch.empty_like(x)
        scale[(m, triton.cdiv(n, 64))](x, y, n, BLOCK=64)
        return y
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "grid-limits"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find grids that can exceed 65535 programs on axis 1 or 2"
    harm: ClassVar[str] = "the launch fails from 65536 rows on"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        told = set()
        for binding in facts.launches.bindings if not facts.launches.unknown else ():
            for axis, programs in enumerate(binding.grid[1:], 1):
                size = None if programs is None else _first_dimension(programs)
                if size is None or programs is None or not passes_any_size(binding.launch):
                    continue
                surely = _is_of_rows(binding, axis, size)
                if surely is None:
                    continue
                if (binding.launch.where, axis) in told or not _may_be_large(binding, size):
                    continue
                told.add((binding.launch.where, axis))
                site = _site(facts, binding, axis, size, programs)
                yield replace(site, is_note=not surely)


def _site(
    facts: KernelFacts, binding: LaunchBinding, axis: int, size: TensorSize, programs: Polynomial
) -> Site:
    given = size.tensor.sole_atom
    rows = f"{given.name}.shape[0]" if isinstance(given, LauncherParameter) else "rows"
    many = next(n for n in (_MOST + 1, _LARGE) if (number_of(programs, {size: n}) or 0) > _MOST)
    what = (
        f"the launch in {binding.launch.where} has {number_of(programs, {size: many})} programs "
        f"along axis {axis} if {rows} is {many}, and CUDA allows {_MOST}"
    )
    advice = f"{what}: swap it with axis 0"
    site = Site.of_mistake(facts.kernel.node, "grid-is-known", "grid-ends", advice)
    changes = tuple(_swapped(facts, axis))
    if not changes:
        return site
    few = Condition("grid-is-known", Status.ASSUMED, f"axis 0 has at most {_MOST} programs")
    done = f"{what}: swapped it with axis 0"
    conditions = (*site.conditions, few)
    return replace(site, message=done, advice=advice, changes=changes, conditions=conditions)


def _swapped(facts: KernelFacts, axis: int) -> list[Change]:
    """The kernel and its launches with an axis in place of axis 0; [] where not all is seen."""
    from tritonopt.facts.host.side_effects import is_pure
    from tritonopt.facts.program_ids import ProgramIds
    from tritonopt.launches.launch_grids import GridNotReadable, read_extent

    if _waits(facts):
        return []
    module, changes = facts.kernel.module, list[Change]()
    for own, other in ((0, axis), (axis, 0)):
        ids = ProgramIds.of(facts.kernel, own)
        if ids.unknown or ids.in_helper or ids.counted_in_helper or facts.launches.caller:
            return []
        for call in (*ids.calls, *ids.counts):
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if len(given) != 1 or function(module.resolve(call.func)) not in _ASKING:
                return []
            changes.append(ReplaceExpression(given[0], str(other)))
    for launch in facts.launches.launches:
        try:
            extents = [read_extent(launch, one) for one in (0, axis)]
        except GridNotReadable:
            return []
        first, second = (extent.expression for extent in extents)
        if launch.is_elsewhere or launch.launcher is None or first is None or second is None:
            return []
        meta = extents[0].meta
        if not all(is_pure(launch.module, one, meta) for one in (first, second)):
            return []  # they would be evaluated in another order
        name = extents[0].name
        reads = [n for n in walk(launch.module.tree) if isinstance(n, ast.Name) and n.id == name]
        if name and sum(isinstance(n.ctx, ast.Load) for n in reads) != 1:
            return []
        for place, taken in ((first, second), (second, first)):
            changes.append(ReplaceExpression(place, launch.module.text_of(taken)))
    return changes


def _waits(facts: KernelFacts) -> bool:
    """Whether a program may wait for others, which start in another order on swapped axes."""
    if any(effect.kind in (EffectKind.ATOMIC, EffectKind.CALL) for effect in facts.effects):
        return True
    written = [facts.bases(effect) for effect in facts.effects if effect.writes]
    read = [facts.bases(effect) for effect in facts.effects if effect.loaded is not None]
    return any(one is None or other is None or one & other for one in written for other in read)


def _first_dimension(programs: Polynomial) -> TensorSize | None:
    """The one size that a number of programs is, or is a multiple of."""
    ((monomial, factor),) = programs.terms.items() if len(programs.terms) == 1 else [((), 0)]
    match monomial:
        case ((CeilDiv(dividend=rows, divisor=few), 1),) if factor >= 1:
            number = few.constant_value
            return _first_dimension(rows) if number is not None and number <= _FEW else None
        case ((TensorSize(method="size", which=(0,)) as size, 1),) if factor >= 1:
            return size
    return None


def _may_be_large(binding: LaunchBinding, size: TensorSize) -> bool:
    """Whether nothing that the launcher has checked speaks of the size."""
    large: dict[Atom, int] = {size: _LARGE}
    for check in (*binding.holding, *binding.nonnegative, *binding.unread):
        number = number_of(check, large) if size in check.leaves() else 1
        if number is None and _is_of_others(check, size):
            continue
        if number is None or number < (check not in binding.nonnegative):
            return False
    return True


def _is_of_others(check: Polynomial, size: TensorSize) -> bool:
    """Whether a check compares the length with those of other tensors, which follow it."""
    return any(isinstance(a, TensorSize) and a.tensor != size.tensor for a in inputs_of(check))


def _is_of_rows(binding: LaunchBinding, axis: int, size: TensorSize) -> bool | None:
    """Whether it is the number of rows, or all that the grid grows with: matrices are few.

    False where it may be that of heads as well, None where it is likely to be few.
    """
    others = [form for place, form in enumerate(binding.grid) if place != axis]
    sizes = [f is not None and isinstance(f.sole_atom, TensorSize) for f in others]
    fixed = [f is not None and f.constant_value is not None for f in others]
    given = size.tensor.sole_atom
    rank = rank_of(binding.launch, given.name) if isinstance(given, LauncherParameter) else None
    plain = all(one or other for one, other in zip(sizes, fixed, strict=True))
    if all(fixed) or rank == 2:
        return True
    return False if rank == 3 and plain else None

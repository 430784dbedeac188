"""grid-limits: a length of a tensor is the second or third axis of a grid, which ends at 65535."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import LauncherParameter, TensorSize
from tritonopt.facts.algebra.polynomial import Atom, Polynomial
from tritonopt.facts.host.callers import passes_any_size, rank_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.offsets import number_of
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint

_MOST = 65535


class GridLimits(Lint):
    """Find grids whose second or third axis grows with the first dimension of a tensor.

    ## What it does

    CUDA allows 65535 programs along axes 1 and 2 of a grid, and 2**31 - 1 along axis 0. The pass
    reports a launch with a number of rows or tokens on axis 1 or 2.

    ## Why

    The launch fails with `invalid argument` from 65536 on, in production rather than in a test.

    ## Conditions

    The axis has `x.shape[0]` programs, or a multiple. The tensor is a matrix; or it has three
    dimensions and no other axis of the grid counts tiles; or the other axes are numbers. No check
    in the launcher limits the size.

    ## Numerics

    Nothing is changed.

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

    is reported, and this is not:

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
    summary: ClassVar[str] = "find lengths of tensors on grid axes that end at 65535"
    harm: ClassVar[str] = "the launch fails from 65536 rows on"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        told = set()
        for binding in facts.launches.bindings if not facts.launches.unknown else ():
            for axis, programs in enumerate(binding.grid[1:], 1):
                size = None if programs is None else _first_dimension(programs)
                if size is None or programs is None or not passes_any_size(binding.launch):
                    continue
                if not _is_of_rows(binding, axis, size):
                    continue
                if (binding.launch.where, axis) in told or not _may_be_large(binding, size):
                    continue
                told.add((binding.launch.where, axis))
                given = size.tensor.sole_atom
                rows = f"{given.name}.shape[0]" if isinstance(given, LauncherParameter) else "rows"
                number = number_of(programs, {size: _MOST + 1})
                message = (
                    f"the launch in {binding.launch.where} has {number} programs along axis {axis} "
                    f"where {rows} is {_MOST + 1}, and a GPU allows {_MOST}: swap it with axis 0"
                )
                yield Site.of_mistake(facts.kernel.node, "grid-is-known", "grid-ends", message)


def _first_dimension(programs: Polynomial) -> TensorSize | None:
    """The one size that a number of programs is, or is a multiple of."""
    ((monomial, factor),) = programs.terms.items() if len(programs.terms) == 1 else [((), 0)]
    match monomial:
        case ((TensorSize(method="size", which=(0,)) as size, 1),) if factor >= 1:
            return size
    return None


def _may_be_large(binding: LaunchBinding, size: TensorSize) -> bool:
    """Whether nothing that the launcher has checked speaks of the size."""
    large: dict[Atom, int] = {size: _MOST + 1}
    for check in (*binding.holding, *binding.nonnegative, *binding.unread):
        number = number_of(check, large) if size in check.leaves() else 1
        if number is None or number < (check not in binding.nonnegative):
            return False
    return True


def _is_of_rows(binding: LaunchBinding, axis: int, size: TensorSize) -> bool:
    """Whether it is the number of rows, or all that the grid grows with: matrices are few."""
    others = [form for place, form in enumerate(binding.grid) if place != axis]
    sizes = [f is not None and isinstance(f.sole_atom, TensorSize) for f in others]
    fixed = [f is not None and f.constant_value is not None for f in others]
    given = size.tensor.sole_atom
    rank = rank_of(binding.launch, given.name) if isinstance(given, LauncherParameter) else None
    plain = all(one or other for one, other in zip(sizes, fixed, strict=True))
    return all(fixed) or rank == 2 or (rank == 3 and plain)

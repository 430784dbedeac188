"""told-multiples: sizes that are multiples of 8 are written so that the compiler knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.emit.heuristic_functions import check_heuristic, heuristic
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import CeilDiv, FloorDiv, Param, PowerOfTwo, TensorSize
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.language import MATRIX, REDUCTIONS, SCANS
from tritonopt.facts.memory.widths import Told, lost_widths, most_lanes, widest_accesses
from tritonopt.facts.operations import Op
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, InsertBefore
from tritonopt.source.kernels import Parameter

_CLAIM = "type-stays"
_WHOLE = (CeilDiv, FloorDiv, PowerOfTwo, TensorSize)


@dataclass(frozen=True)
class ToldMultiples(Pass):
    """Tell the compiler which sizes and strides are multiples of 8.

    ## What it does

    A heuristic asks at each launch whether the sizes and strides that decide where rows begin and
    end are multiples of 8. Where they are, `N = N // 8 * 8` stands first in the kernel: the same
    number, of which the compiler now knows it.

    - `of=8` (the default): 8 elements of 16 bits are 16 bytes. `of=4`: so are 4 of 32 bits.

    ## Why

    Triton tells its compiler of integer arguments whether they are multiples of 16, and nothing
    else. Rows of 5000 or 50264 elements are loaded and stored one element at a time.

    ## Conditions

    - The parameter decides how wide an access may be (`tritonopt explain specialization`), and
      nothing else stands in the way.
    - Launches pass sizes and strides of tensors: the heuristic divides what is passed
      (`type-is-unknown`). Nothing else is bound to the name (`name-is-bound-elsewhere`).
    - A heuristic may stand above the kernel: no kernel calls it, no decorator may miss a launch.
      Launches of files that were not given pass numbers as well (assumed).
    - It comes last in a list of passes, for others do not see through the branch.

    ## Numerics

    `rounding` where something is reduced, for threads hold other elements; else `exact`.

    ## Example

    ```python
    @triton.jit
    def softmax_kernel(X, Y, stride, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    becomes

    ```python
    @triton.heuristics(
        {
            "BY_8": lambda args: all(
                size % 8 == 0 for size in (args["stride"], args["N"])
            )
        }
    )
    @triton.jit
    def softmax_kernel(X, Y, stride, N, BLOCK: tl.constexpr, BY_8: tl.constexpr):
        if BY_8:
            # Rows begin and end at 8 elements, so several are loaded and stored at once.
            stride = stride // 8 * 8
            N = N // 8 * 8
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * stride + cols, mask=cols < N, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * stride + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        y = torch.empty_like(x)
        softmax_kernel[(m,)](x, y, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    ## Measured

    1.04x to 4.25x for rows whose length 8 divides (4, in fp32) and 16 does not, 1.00x for others.

    Row kernels of `examples/`, 4096 rows of 1000 to 50264 elements, bf16 and fp32, one H200, Triton
    3.6, cold L2 (`benchmarks/rewrites_speed.py`). Layer norm and its backward pass gain most: their
    atomics and several arrays become wide as well.
    """

    of: Literal["8", "4"] = "8"

    name: ClassVar[str] = "told-multiples"
    summary: ClassVar[str] = "tell the compiler which sizes and strides are multiples of 8"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ROUNDING, Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        asked = _asked(facts)
        if not asked:
            return
        names = ", ".join(p.name for p in asked)
        with Attempt() as attempt:
            check_heuristic(facts, asked)
            _check(facts, asked)
            detail = f"multiples of {self.of} are what they are divided by {self.of} and multiplied"
            attempt.prove(_CLAIM, f"{names}: {detail}")
            detail = "files that were not given use it for launches only, and pass numbers"
            attempt.assume("launches-are-seen", detail)
            attempt.write(self._changes(facts, asked), "the heuristic can be written")
        rounds = any(map(_is_reduced, facts.interpretation.computed))
        yield Site.of(
            attempt,
            facts.kernel.node,
            f"told the compiler where {names} are multiples of {self.of}",
            "left sizes as they are",
            needs={Safety.ROUNDING} if rounds else (),
            bits=Bits.REDUCTION_ORDER if rounds else Bits.SAME,
        )

    def _changes(self, facts: KernelFacts, asked: list[Parameter]) -> Iterator[Change]:
        """Raises NotExpressible."""
        writer = Writer(facts)
        name = writer.fresh(f"BY_{self.of}")
        yield from heuristic(writer, name, self._question(asked))
        lines = [f"    {p.name} = {p.name} // {self.of} * {self.of}" for p in asked]
        why = "so several are loaded and stored at once."
        comment = f"    # Rows begin and end at {self.of} elements, {why}"
        code = "\n".join([f"if {name}:", comment, *lines])
        yield InsertBefore(facts.kernel.statements[0], code)

    def _question(self, asked: list[Parameter]) -> str:
        """The function that a heuristic is."""
        sizes = [_taken(p) for p in asked]
        if len(sizes) == 1:
            return f"lambda args: {sizes[0]} % {self.of} == 0"
        tests = f"size % {self.of} == 0 for size in ({', '.join(sizes)})"
        return f"lambda args: all(\n    {tests}\n)"


def _asked(facts: KernelFacts) -> list[Parameter]:
    """The parameters that stand in the way of wide accesses, in their order."""
    names: set[str] = set()
    for effect in widest_accesses(facts):
        if most_lanes(facts, effect) == 1:
            continue
        with suppress(TooLarge):
            names |= {loss.name for loss in lost_widths(facts, effect) if loss.told is Told.ALIGNED}
    return [p for p in facts.kernel.parameters if p.name in names and not p.constexpr]


def _is_reduced(value: Value) -> bool:
    name = value.attribute[0] if isinstance(value.attribute, tuple) else None
    gathers = value.op is Op.REDUCE or value.function in MATRIX
    return gathers or (value.op is Op.RESHAPED and name in REDUCTIONS | SCANS)


def _check(facts: KernelFacts, asked: list[Parameter]) -> None:
    """Raises Declined unless each is an integer in the whole kernel, as launches show."""
    bound = names_bound(facts.kernel.node)
    for parameter in asked:
        name, default = parameter.name, parameter.default
        if name in bound or not (default is None or _is_number(default)):
            detail = f"{name} is not at every place what the launch passes"
            raise unknown(_CLAIM, "name-is-bound-elsewhere", detail)
        form = Polynomial.of(Param(name))
        passed = [substitute(form, binding) for binding in facts.launches.bindings]
        if not passed or not all(map(_is_size, passed)):
            detail = f"{name} may be None or a float: no launch shows a size of a tensor"
            raise unknown(_CLAIM, "type-is-unknown", detail)


def _is_size(passed: Polynomial) -> bool:
    """Whether what a launch passes is made of sizes of tensors, so a whole number."""
    whole = all(c.denominator == 1 for c in passed.terms.values())
    powers = [(a, power) for monomial in passed.terms for a, power in monomial]
    return whole and all(isinstance(a, _WHOLE) and power > 0 for a, power in powers)


def _is_number(default: ast.expr) -> bool:
    return isinstance(default, ast.Constant) and type(default.value) is int


def _taken(parameter: Parameter) -> str:
    """How a heuristic takes an argument, which it is not given where the launch leaves it out."""
    if parameter.default is None:
        return f'args["{parameter.name}"]'
    return f'args.get("{parameter.name}", {ast.unparse(parameter.default)})'

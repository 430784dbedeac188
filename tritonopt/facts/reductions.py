"""Accumulations: what a sweep adds up, in whichever of the usual ways it is written.

acc += x                         lane by lane, summed after the loop
acc = tl.where(m, acc + x, acc)  the same, as torch inductor prints it
acc += tl.sum(x, axis=0)         summed in the loop
for ...: for ...: acc += x       over a nest of loops
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.algebra.polynomial import ONE, Polynomial
from tritonopt.facts.algebra.variation import varies_with
from tritonopt.facts.effects import Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts


@dataclass(frozen=True)
class Accumulation:
    """A carried name to which every iteration of a nest of loops adds."""

    name: str
    loops: tuple[Loop, ...]
    """Outermost first; the name is added to in the innermost one."""
    initial: Value
    term: Polynomial
    """What is added, lane by lane, before any reduction in the loop."""
    tile: Value
    """The value of which `term` is the form, where the kernel reduces it in the loop;
    else the value that the name has after one addition."""
    shape: tuple[Value, ...]
    """Of the tile."""
    axes: tuple[int, ...]
    """Axes of the tile that are summed in the loop, from the left; none if lane by lane."""
    keep_dims: bool
    """Whether that sum keeps the summed axes, with extent 1."""
    scale: Polynomial
    """A factor, the same in all iterations, that is applied after the reduction."""
    update: ast.stmt | None
    """The statement of the innermost loop's own body that binds the name last."""


def accumulation(facts: KernelFacts, forms: Forms, loop: Loop, name: str) -> Accumulation | None:
    """How a loop adds to a name; None when it does anything else with it."""
    loops = [loop]
    following = loop.following[name]
    while following.op is Op.RESULT:
        inner = facts.loops[following.carrier.loop]
        if inner.parent is not loops[-1] or following.carrier.name != name:
            return None
        if inner.initial[name] is not loops[-1].carried[name]:
            return None
        loops.append(inner)
        following = inner.following[name]
    innermost = loops[-1]
    step = forms.recurrence_step(innermost, name)
    if step is None or step.is_zero:
        return None
    shape = innermost.carried[name].shape
    if shape is None:
        return None
    initial, update = loop.initial[name], _update(innermost, name)
    for value in following.walk():
        reduced = _reduced(forms, innermost, value, step)
        if reduced is not None and value.shape == shape:
            tile, axes, scale = reduced
            assert tile.shape is not None
            keeps, term = value.reduction.keep_dims, forms.of(tile)
            return Accumulation(
                name, tuple(loops), initial, term, tile, tile.shape, axes, keeps, scale, update
            )
    return Accumulation(name, tuple(loops), initial, step, following, shape, (), False, ONE, update)


def _reduced(
    forms: Forms, loop: Loop, value: Value, step: Polynomial
) -> tuple[Value, tuple[int, ...], Polynomial] | None:
    """(tile, summed axes, scale) if the step is that reduction times something invariant."""
    tile, axes = summed_tile(value)
    if not axes or tile.shape is None:
        return None
    scale = step.divided_by(forms.of(value))
    if scale is None or any(varies_with(a, loop) for a in scale.atoms):
        return None
    return tile, axes, scale


def summed_tile(value: Value) -> tuple[Value, tuple[int, ...]]:
    """The innermost operand of a sum, or of a sum of a sum, and its axes that are summed."""
    return reduced_tile(value, "sum")


def reduced_tile(value: Value, name: str) -> tuple[Value, tuple[int, ...]]:
    """The same of another reduction, by its name: "max" of a "max"."""
    chain: list[Value] = []
    while value.op is Op.REDUCE and value.reduction.name == name:
        chain.append(value)
        value = value.operand
    left = list(range(value.rank or 0))
    axes: list[int] = []
    for part in reversed(chain):
        _, positions, keep = part.reduction
        if keep and part is not chain[0]:
            return value, ()
        taken = [left[p] for p in positions]
        axes += taken
        if not keep:
            left = [a for a in left if a not in taken]
    return value, tuple(sorted(axes))


def _update(loop: Loop, name: str) -> ast.stmt | None:
    if loop.inlined:
        return None
    found = None
    for statement in loop.node.body:
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                found = statement
    return found


def nodes_of(facts: KernelFacts, statements: Sequence[ast.AST]) -> list[ast.expr]:
    """The expressions in some statements that have a value, outer ones first."""
    return [
        node
        for statement in statements
        for node in walk(statement)
        if isinstance(node, ast.expr) and node in facts.values
    ]

"""Offsets that a `%` or a `tl.where` wraps, which hides from the compiler that they run on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import Atom, Effect, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Lane, Loaded, Negative
from tritonopt.facts.algebra.bounds import Bounds
from tritonopt.facts.algebra.divisibility import Divisibility, Proof
from tritonopt.facts.algebra.polynomial import TooLarge, put_in
from tritonopt.facts.language import function
from tritonopt.facts.memory.offsets import Kind, NotConsecutive, read_offsets
from tritonopt.facts.operations import Op
from tritonopt.facts.values import is_float
from tritonopt.passes.contiguity_hints.counterexamples import CannotTell
from tritonopt.passes.contiguity_hints.hints import Hinted, counterexample, is_address
from tritonopt.rewriting.model import Condition, Site, Status


@dataclass(frozen=True)
class Wrap:
    """A wrapped or selected value, and the places where the kernel computes it."""

    value: Value
    places: tuple[ast.expr, ...]
    """A `%` or a `tl.where`; for `offsets %= M`, the name that is bound."""


class WrappedOffsets:
    """The tiles of a kernel that are wrapped or selected, and what is asked of any of them."""

    def __init__(self, facts: KernelFacts) -> None:
        self.facts = facts
        self.divisibility = Divisibility(facts)
        self.bounds = Bounds(facts)

    def function(self, call: ast.Call) -> str:
        """The name below `triton.language` of what is called; "" for anything else."""
        return function(self.facts.kernel.module.resolve(call.func))

    @cached_property
    def wraps(self) -> list[Wrap]:
        """Tiles of offsets that are wrapped or selected, in source order."""
        places: dict[Value, list[ast.expr]] = {}
        for node, value in self.facts.values.items():
            if value.op in (Op.MOD, Op.WHERE) and value.rank and self._computes(node, value):
                places.setdefault(value, []).append(node)
        found = [Wrap(value, tuple(nodes)) for value, nodes in places.items()]
        return [wrap for wrap in found if _runs_along_lanes(self.facts, wrap.value)]

    def _computes(self, node: ast.expr, value: Value) -> bool:
        match node:
            case ast.BinOp(op=ast.Mod()):
                return value.op is Op.MOD
            case ast.Call():
                return value.op is Op.WHERE and self.function(node) == "where"
            case ast.Name(ctx=ast.Store()):
                return node in self._wrapped_in_place
        return False

    @cached_property
    def _wrapped_in_place(self) -> frozenset[ast.expr]:
        """The names that are bound by `offsets %= M`."""
        inside = self.facts.kernel.nodes
        statements = (node for node in inside if isinstance(node, ast.AugAssign))
        return frozenset(s.target for s in statements if isinstance(s.op, ast.Mod))

    @cached_property
    def _statements(self) -> dict[ast.AST, ast.stmt]:
        """Of every expression, the innermost statement it stands in."""
        found: dict[ast.AST, ast.stmt] = {}
        for statement in self.facts.kernel.nodes:
            if isinstance(statement, ast.stmt):
                found.update((inner, statement) for inner in _own_expressions(statement))
        return found

    def statement(self, node: ast.expr) -> ast.stmt:
        return self._statements[node]

    def is_nonnegative(self, form: Polynomial) -> tuple[bool, frozenset[str], Proof]:
        """(whether a form is at least 0, the sizes that are taken to be positive for it, proof)."""
        least = self.bounds.lower_bound(form)
        if least is None or least.number < 0:
            return False, frozenset(), Proof()
        return True, least.sizes, Proof(given=least.given)


def _own_expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of the statements inside it."""
    todo: list[ast.AST] = list(ast.iter_child_nodes(statement))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            continue
        if isinstance(node, ast.expr):
            yield node
        todo.extend(ast.iter_child_nodes(node))


def _runs_along_lanes(facts: KernelFacts, value: Value) -> bool:
    """Whether what is wrapped or selected is an index that a reader may think contiguous."""
    sides = (value.left,) if value.op is Op.MOD else (value.then, value.other)
    if any(is_float(side.dtype) or side.dtype == "float" for side in (value, *sides)):
        return False
    if value.op is Op.WHERE:
        # Most selections are of data.
        try:
            return read_offsets(facts, value).kind is Kind.SELECTED
        except (NotConsecutive, TooLarge):
            return False
    return any(
        len(monomial) == 1 and isinstance(monomial[0][0], (Lane, Loaded))
        for side in sides
        for monomial in facts.forms.of(side).terms
    )


# Whether the hints that an author has written are true, and worth having

WIDEST_LOAD = 16
"""Elements of one load at the most: 16 bytes."""


def mistake_in(kernel: WrappedOffsets, hinted: Hinted) -> Site | None:
    """What to tell the author of hints; None where they are true, or cannot be judged."""
    return _Check(kernel, hinted).note()


class _Check:
    """The hints about one value."""

    def __init__(self, kernel: WrappedOffsets, hinted: Hinted) -> None:
        self._kernel = kernel
        self._facts = kernel.facts
        self._hinted = hinted

    def note(self) -> Site | None:
        if self._hinted.value.shape is None:
            return None
        try:
            found = self._malformed()
            if found is None and not is_address(self._facts, self._hinted):
                found = self._false() or self._narrow()
        except (TooLarge, CannotTell):
            return None
        if found is None:
            return None
        claim, reason, detail = found
        dropping = self._dropping_store() if reason == "hint-can-be-false" else None
        if dropping is not None:
            detail += (
                f" (such lanes are masked off at the {dropping.name} in line "
                f"{dropping.line}, and do no harm there, but loads can read past the end of "
                "the buffer)"
            )
        condition = Condition(claim, Status.REFUTED, detail, reason)
        message = detail
        if reason != "hint-can-be-false":
            message = f"{ast.unparse(self._hinted.calls[0])}: {detail}"
        anchor = self._hinted.calls[0]
        return Site(anchor, (condition,), message, analysis=True, is_reported=dropping is None)

    def _dropping_store(self) -> Effect | None:
        """A store whose mask leaves out the lanes that are wrapped or not selected."""
        try:
            offsets = read_offsets(self._facts, self._hinted.value)
        except NotConsecutive:
            return None
        if offsets.limit is None:
            return None
        lanes = Polynomial.of(Lane(offsets.extent, 0))
        inside = Negative(_along_any_axis(offsets.start + lanes - offsets.limit))
        for effect in self._facts.effects:
            if effect.writes and effect.mask is not None and not effect.mask.is_none:
                condition = _along_any_axis(self._facts.forms.condition(effect.mask))
                if put_in(condition, {inside: 0}).is_zero:
                    return effect
        return None

    def _malformed(self) -> tuple[str, str, str] | None:
        shape = self._hinted.value.shape
        for values in (self._hinted.contiguity, self._hinted.divisibility):
            for form in values:
                number = form.constant_value if form is not None else None
                if number is not None and (number < 1 or int(number) & (int(number) - 1)):
                    detail = f"{number} is not a power of two, as Triton needs it"
                    return "hint-is-useful", "hint-is-malformed", detail
        if shape is None or len(shape) != len(self._hinted.contiguity):
            return None
        for extent, form in zip(shape, self._hinted.contiguity, strict=True):
            lanes = self._facts.forms.of(extent).constant_value
            number = form.constant_value if form is not None else None
            if lanes is not None and number is not None and number > lanes:
                detail = f"{number} lanes are promised for a tile of {lanes}"
                return "hint-is-useful", "hint-is-malformed", detail
        return None

    def _false(self) -> tuple[str, str, str] | None:
        text = counterexample(
            self._facts, self._kernel.divisibility, self._kernel.bounds, self._hinted
        )
        detail = f"this hint can be false: {text}; remove it, or assert its condition"
        return ("hint-is-true", "hint-can-be-false", detail) if text else None

    def _narrow(self) -> tuple[str, str, str] | None:
        """A hint of a few lanes takes the place of what the compiler knows of plain offsets."""
        try:
            offsets = read_offsets(self._facts, self._hinted.value)
        except NotConsecutive:
            return None
        contiguity = self._hinted.contiguity[-1 - offsets.axis]
        number = contiguity.constant_value if contiguity is not None else None
        lanes = offsets.extent.constant_value
        if offsets.kind is not Kind.PLAIN or number is None or number >= WIDEST_LOAD:
            return None
        if contiguity == offsets.extent or (lanes is not None and lanes <= number):
            return None
        detail = (
            f"all {offsets.extent.readable} lanes are consecutive, as the compiler knows; the hint "
            f"replaces that by {number}, and loads can become narrower"
        )
        return "hint-is-useful", "hint-narrows", detail


def _along_any_axis(form: Polynomial) -> Polynomial:
    """A form in which it does not matter along which axis lanes run."""

    def flat(atom: Atom) -> Atom | None:
        return Lane(atom.extent, 0) if isinstance(atom, Lane) else None

    return form.map(flat)

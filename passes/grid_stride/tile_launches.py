"""What the launches must say of the number of tiles, and what becomes of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, unknown
from tritonopt.emit.tile_limits import Limit
from tritonopt.emit.writing import Writer, names_bound
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import Lane, Param, ProgramId
from tritonopt.facts.operations import Op
from tritonopt.launches.known_launches import (
    check_numbers,
    check_parameter,
    extents_of,
    number_at_launch,
)
from tritonopt.launches.launch_grids import Extent, names_in
from tritonopt.launches.plan import LaunchPlan, check_statements, why_not_changed
from tritonopt.source import AddArgument, Change
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_NARROW = frozenset({Op.ADD, Op.MUL, Op.PROGRAM_ID, Op.LANE, Op.CONST, Op.CONSTEXPR})
"""What offsets of 32 bits are made of."""


@dataclass(frozen=True)
class TileLaunches:
    """What the launches say of the number of tiles, where it is known or passed by each."""

    parameter: str
    """The one that takes the number of tiles where the kernel cannot compute it."""
    extents: tuple[Extent, ...] = ()
    """How many programs the launches start that change with the kernel."""
    bound: str = ""
    """The number of tiles in the kernel's own terms; "" where the launches pass it."""
    are_kept: bool = False
    """No launch changes, for not all of them are seen."""

    @property
    def summary(self) -> str:
        if self.are_kept:
            return "no launch was changed, so each program still handles one"
        if self.bound:
            return f"there are {self.bound}"
        launches = (
            "the launch" if len(self.extents) == 1 else f"each of {len(self.extents)} launches"
        )
        return f"{launches} passes their number"

    def changes(self, limit: Limit) -> list[Change]:
        """The launches with at most so many programs along the axis. Raises NotExpressible.

        One in another file is left as it is, and starts a program for each tile.
        """
        here = [extent for extent in self.extents if not extent.launch.is_elsewhere]
        return [change for extent in here for change in self._edited(extent, limit)]

    def _edited(self, extent: Extent, most: Limit) -> list[Change]:
        launch = extent.launch
        limit, changes = most.at(launch)
        if self.bound:
            return [*changes, *extent.capped(limit)]
        number = number_at_launch(extent, "num_tiles")
        changes += [*number.changes, *extent.capped(limit, number.bound_to)]
        changes.append(AddArgument(launch.call, f"{self.parameter}={number.code}"))
        return changes


def prove_launches(
    facts: KernelFacts, writer: Writer, axis: int, attempt: Attempt, *, keep_unseen: bool
) -> TileLaunches:
    """Whether every launch is seen and its grid is understood. Raises Declined.

    With `keep_unseen`, those that are not seen may be started as they are.
    """
    return _Legality(facts, writer, axis, keep_unseen).check(attempt)


@dataclass(frozen=True)
class _Legality:
    facts: KernelFacts
    writer: Writer
    axis: int
    keep_unseen: bool

    def check(self, attempt: Attempt) -> TileLaunches:
        if self.facts.launches.unknown and self.keep_unseen:
            self._check_signature()
        parameter = self.writer.fresh("NUM_TILES")
        if self.keep_unseen and why_not_changed(self.facts):
            check_statements(self.facts)
            check_parameter(self.facts)
            attempt.prove("launches-are-seen", "not needed: without the argument all is as before")
            return TileLaunches(parameter, are_kept=True)
        way = (
            "with grid-stride{unseen_launches=keep} the kernel is changed alone, and a launch that "
        )
        way += f"then limits its grid by hand passes {parameter}, the number of tiles"
        LaunchPlan.of(self.facts, attempt, way=way)
        extents = extents_of(self.facts, self.axis)
        return TileLaunches(parameter, extents, self._bound(extents, attempt))

    def _check_signature(self) -> None:
        """Whether nobody names the parameters one by one, as a compilation ahead does."""
        use = self.facts.kernel.signature_use
        if use is not None:
            detail = f"line {use.lineno} may ask what parameters the kernel has"
            raise unknown("parameter-can-be-added", "parameter-cannot-be-added", detail)

    def _bound(self, extents: Sequence[Extent], attempt: Attempt) -> str:
        """The number of tiles as the kernel may compute it; "" where each launch can pass it."""
        cdiv = self.writer.language("cdiv")
        texts = {extent.in_kernel_terms(cdiv) for extent in extents}
        text = texts.pop() if len(texts) == 1 else None
        computed = self._in_kernel(text) if text is not None else ""
        if computed != text:
            try:
                check_numbers(extents)
                check_parameter(self.facts)
                attempt.prove("grid-is-known", "each launch passes its own number of programs")
                return ""
            except Declined:
                if not computed:
                    raise
        attempt.prove("grid-is-known", f"every launch starts {text} programs")
        attempt.assume_no_other_launches()
        return computed

    def _in_kernel(self, text: str) -> str:
        """The number as the kernel may compute it, of its arguments as they are; "" if it may not.

        In 32 bits, so that nothing on the way may be larger than what it computes today.
        """
        tree = parsed(text, mode="eval")
        names = set(names_in(tree))
        if names & (names_bound(self.facts.kernel.node) | self.facts.pointers):
            return ""
        for parameter in self.facts.kernel.parameters:
            typed = parameter.annotation is not None and not parameter.constexpr
            if parameter.name in names and typed:
                return ""  # the loop variable would have that type
        calls = [node for node in walk(tree) if isinstance(node, ast.Call)]
        if all(self._is_covered(*call.args) for call in calls):
            return text
        match tree.body:
            case ast.Call(args=[ast.Name(id=length), divisor]) if len(calls) == 1:
                # A launch has started, so there is an element.
                tile = ast.unparse(divisor)
                tile = tile if isinstance(divisor, (ast.Name, ast.Constant)) else f"({tile})"
                return f"({length} - 1) // {tile} + 1"
        return ""

    def _is_covered(self, dividend: ast.expr, divisor: ast.expr) -> bool:
        """Whether the kernel's own offsets of 32 bits reach as far as `dividend + divisor - 1`."""
        block = _form(divisor)
        if block is None or not isinstance(dividend, ast.Name):
            return False
        axis = Polynomial.constant(self.axis)
        first = Polynomial.of(ProgramId(axis)) * block
        offsets = first + Polynomial.of(Lane(block, 0))
        forms = self.facts.forms
        return any(
            all(part.op in _NARROW for part in value.walk()) and forms.of(value) == offsets
            for value in self.facts.values.values()
            if value.rank == 1
        )


def _form(node: ast.expr) -> Polynomial | None:
    """The form of a parameter or a number."""
    match node:
        case ast.Name(id=name):
            return Polynomial.of(Param(name))
        case ast.Constant(value=int() as value):
            return Polynomial.constant(value)
    return None

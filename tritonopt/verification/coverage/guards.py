"""Guards that two versions of a kernel share: `if row >= M: return`, and what it has become.

Where the grid is exact no program ever takes such a guard, and no call can be asked for that
does. It need not be seen to run where both versions of the kernel leave under the same condition,
all that the kernel does to memory stands behind the guard in both, and neither ever left: then
nothing is written where it holds, in the one as in the other.

Conditions are the same where they come to the same of arguments that both versions pass alike,
and of the program's place in the grid; how they are written says nothing. A program that goes
through several places of the original's grid is, in each turn, the program of that place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt import facts, source
from tritonopt.facts import Atom, Polynomial
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Compared,
    FloorDiv,
    Global,
    Iteration,
    Maximum,
    Minimum,
    Mod,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
    Truth,
    Zero,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.indicators import negative
from tritonopt.facts.values import is_float
from tritonopt.source.trees import blocks_of
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.coverage.text_differences import Comparison, Version
from tritonopt.verification.process.coverage_data import Coverage, Place

_HARMLESS = (
    "abs", "arange", "broadcast_to", "cast", "cdiv", "cumsum", "dot", "exp", "exp2", "expand_dims",
    "float32", "full", "load", "log", "log2", "max", "maximum", "min", "minimum", "multiple_of",
    "num_programs", "program_id", "range", "rsqrt", "sqrt", "static_range", "sum", "trans",
    "where", "zeros",
)  # fmt: skip
"""Functions of Triton's language that write nothing, wait for nothing, and end nothing."""
_METHODS = ("to", "cast")
_SHARED = (
    *(ProgramId, NumPrograms, Negative, Zero, Compared, Truth),
    *(CeilDiv, FloorDiv, Mod, Minimum, Maximum),
)
"""Atoms that mean the same in two kernels, as far as what they are made of does."""


@dataclass(frozen=True)
class Guard:
    """A test of a kernel on which all that it writes depends."""

    place: Place
    leaves: bool
    """The outcome of the test with which the kernel does nothing more."""
    exits: frozenset[int]
    """The lines of the statements that it leaves by."""
    condition: str
    """Under which it leaves, the same for all conditions that come to the same."""

    def left(self, seen: Coverage) -> bool:
        return (self.place, self.leaves) in seen.tests

    def asked_by(self, demand: Demand) -> bool:
        """Whether something is demanded that runs only where the kernel leaves."""
        if demand.kind == "line":
            return demand.line in self.exits
        outcome = "true" if self.leaves else "false"
        return demand.kind == outcome and (demand.line, demand.column) == self.place


def kept_guards(compared: Comparison) -> list[tuple[Guard, Guard]]:
    """The guards that both versions of a kernel have."""
    found = []
    for kernel in compared.old.module.kernels:
        counterpart = compared.new.module.kernel(kernel.name)
        if counterpart is None:
            continue
        old = _Conditions(compared, compared.old, kernel, facts.of(counterpart))
        new = _Conditions(compared, compared.new, counterpart, facts.of(kernel))
        theirs = {guard.condition: guard for guard in _guards(new, counterpart)}
        ours = _guards(old, kernel)
        found += [(g, theirs[g.condition]) for g in ours if g.condition in theirs]
    return found


def _guards(conditions: _Conditions, kernel: source.Kernel) -> Iterator[Guard]:
    inside = (n for s in kernel.node.body for n in ast.walk(s))
    effects = {n for n in inside if _has_effect(kernel.module, n)}
    for block, loops in _blocks(kernel.node):
        for index, node in enumerate(block):
            if not isinstance(node, ast.If) or node.orelse:
                continue
            leaving = len(node.body) == 1 and _leaves(node.body[0], loops)
            guarded = block[index + 1 :] if leaving else node.body
            if not effects or not effects <= {n for s in guarded for n in ast.walk(s)}:
                continue
            condition = conditions.of(node.test, holds=leaving)
            if condition is not None and conditions.leaves_out_no_more(condition, loops):
                exits = frozenset({node.body[0].lineno} if leaving else ())
                place = node.test.lineno, node.test.col_offset
                yield Guard(place, leaving, exits, condition.key)


class _Conditions:
    """What tests of one kernel come to, in terms that another version of it shares."""

    def __init__(
        self,
        compared: Comparison,
        version: Version,
        kernel: source.Kernel,
        other: facts.KernelFacts,
    ) -> None:
        self.facts = facts.of(kernel)
        self.other = other
        """Of the other version."""
        self.integers = self.facts.integers.parameters | other.integers.parameters
        """Parameters that either version shows to be integers: they are given the same."""
        bodies = (b for b in version.bodies.values() if b.node is kernel.node)
        body = next(bodies, None)
        self.suspects = compared.suspects | (compared.local[body.name] if body else set())
        self.known = body is not None

    def of(self, test: ast.expr, *, holds: bool) -> Polynomial | None:
        """A condition, or its opposite; None where it is made of more than is shared."""
        value = self.facts.values.get(test)
        if value is None or not self.known:
            return None
        if any(is_float(part.dtype) or part.dtype == "float" for part in value.walk()):
            return None  # which numbers are equal is then a matter of rounding
        form = self._in_place(self.facts.forms.condition(value))
        if not all(map(self._is_shared, form.leaves())):
            return None
        return form if holds else -form + 1

    def leaves_out_no_more(self, condition: Polynomial, loops: Sequence[ast.stmt]) -> bool:
        """Whether what the loops around a guard do not come to is what it leaves out as well.

        And whether no turn leaves anything to a later one. A loop from the program's id on has to
        go through all programs of the other version, or up to where the guard leaves.
        """
        for node in loops:
            loop = next((x for x in self.facts.loops if x.node is node), None)
            if loop is None or loop.initial:
                return False
            start = _program(self.facts, loop)
            if start is None:
                continue
            assert loop.stop is not None
            stop = self.facts.forms.of(loop.stop)
            rest = -negative(Polynomial.of(start) - stop) + 1
            if rest != condition and not self._is_of_the_other(stop, start):
                return False
        return True

    def _is_of_the_other(self, stop: Polynomial, start: ProgramId) -> bool:
        """Whether a number is that of the programs of the other version, or its loop's end."""
        alike = (x for x in self.other.loops if _program(self.other, x) == start)
        ends = (self.other.forms.of(x.stop) for x in alike if x.stop is not None)
        if stop in ends and all(map(self._is_shared, stop.leaves())):
            return True
        grids = [b.programs(start) for b in self.other.launches.bindings]
        return bool(grids) and grids == [substitute(stop, b) for b in self.facts.launches.bindings]

    def _in_place(self, form: Polynomial) -> Polynomial:
        """The form with the program's id for what a loop goes on to from there."""
        total = Polynomial({})
        for monomial, coefficient in form.terms.items():
            term = Polynomial.constant(coefficient)
            for atom, power in monomial:
                if self._counts_programs(atom):
                    # What begins at the id and goes on by the number of programs is an id.
                    term = Polynomial({})
                elif power > 0:
                    term = term * self._atom_in_place(atom).power(power)
                else:
                    term = term * Polynomial.of(atom, power)
            total = total + term
        return total

    def _atom_in_place(self, atom: Atom) -> Polynomial:
        match atom:
            case Negative(form):
                inside = self._in_place(form)
                whole = self.facts.forms.is_integer(inside, self.integers)
                return negative(inside) if whole else Polynomial.of(Negative(inside))
            case Compared("lt" | "le" as order, left, right):
                difference = self._in_place(left - right)
                if self.facts.forms.is_integer(difference, self.integers):
                    return negative(difference if order == "lt" else difference - 1)
        arguments = tuple(
            self._in_place(a) if isinstance(a, Polynomial) else a for a in atom.arguments
        )
        return Polynomial.of(atom.with_arguments(arguments))

    def _counts_programs(self, atom: Atom) -> bool:
        """Whether it numbers the turns of a loop from the program's id by the number of them."""
        loop = next((x for x in self.facts.loops if atom == Iteration(x.identity)), None)
        return loop is not None and _program(self.facts, loop) is not None

    def _is_shared(self, atom: Atom) -> bool:
        if isinstance(atom, (Param, Global)):
            return atom.name not in self.suspects
        return isinstance(atom, _SHARED)


def _program(known: facts.KernelFacts, loop: facts.Loop) -> ProgramId | None:
    """The program's id, where a loop begins at it and goes on by the number of programs."""
    if loop.start is None or loop.step is None:
        return None
    start, step = (known.forms.of(value).sole_atom for value in (loop.start, loop.step))
    if not isinstance(start, ProgramId) or not isinstance(step, NumPrograms):
        return None
    return start if start.axis == step.axis else None


def _blocks(
    node: ast.AST, loops: tuple[ast.stmt, ...] = ()
) -> Iterator[tuple[list[ast.stmt], tuple[ast.stmt, ...]]]:
    """The blocks of statements, each with the loops around it."""
    around = (*loops, node) if isinstance(node, (ast.For, ast.While)) else loops
    for block in blocks_of(node):
        yield block, around
        for statement in block:
            yield from _blocks(statement, around)


def _leaves(node: ast.stmt, loops: Sequence[ast.stmt]) -> bool:
    """Whether nothing more is done in this turn, or in this program: not in later turns either."""
    ends = isinstance(node, ast.Return) and node.value is None and not loops
    return ends or (isinstance(node, ast.Continue) and len(loops) == 1)


def _has_effect(module: source.Module, node: ast.AST) -> bool:
    """Whether it may write, or call what does; in doubt it does."""
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.While, ast.Assert))
    name = module.resolve(node.func) or module.builtin(node.func)
    if name.startswith("triton.language."):
        return name.removeprefix("triton.language.") not in _HARMLESS
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return False
    return name not in ("range", "min", "max", "triton.cdiv")

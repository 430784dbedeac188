"""Writes the hints that are true of wrapped offsets, behind each place that computes them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.emit.writing import NotExpressible, Writer
from tritonopt.facts import KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Param
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.memory.offsets import Kind
from tritonopt.passes.contiguity_hints.promises import Promise, prove_promise
from tritonopt.passes.contiguity_hints.wrapped_offsets import Wrap, WrappedOffsets
from tritonopt.rewriting.advice import is_worth_assuming
from tritonopt.source import Change, InsertAfter, ReplaceExpression


@dataclass(frozen=True)
class Hint:
    """Code that makes a promise."""

    width: str
    changes: tuple[Change, ...]


def hint_for(
    kernel: WrappedOffsets, wrap: Wrap, least: int, attempt: Attempt, *, advises: bool = True
) -> Hint | None:
    """The hint for wrapped offsets; None where the attempt ends with what forbids it.

    With `advises` it is tried which facts, if the user gave them, would permit it.
    """

    def could_be_written(facts: KernelFacts) -> bool:
        given = WrappedOffsets(facts)
        same = (other for other in given.wraps if other.places == wrap.places)
        return any(hint_for(given, w, least, Attempt(), advises=False) for w in same)

    def helps(fact: str) -> bool:
        return advises and is_worth_assuming(kernel.facts, fact, could_be_written)

    hint: Hint | None = None
    with attempt:
        promise = prove_promise(kernel, wrap, least, attempt, helps)
        code = _Code(kernel, promise)
        written = [code.at(place) for place in wrap.places]
        promise.assume(attempt)
        hint = Hint(written[-1][0], tuple(change for _, change in written))
    return hint


class _Code:
    """The words for a promise."""

    def __init__(self, kernel: WrappedOffsets, promise: Promise) -> None:
        self._kernel = kernel
        self._facts = kernel.facts
        self._promise = promise
        self._writer = Writer(kernel.facts)

    def at(self, place: ast.expr) -> tuple[str, Change]:
        """The width as the kernel spells it there, and the change."""
        statement = self._kernel.statement(place)
        number = self._spelled(self._promise.width, self._facts.before[statement])
        given = self._per_axis(number)
        language = self._writer.language
        functions = language("max_contiguous"), language("multiple_of")

        def hinted(text: str) -> str:
            return f"{functions[0]}({functions[1]}({text}, {given}), {given})"

        name = _bound_name(statement, place)
        if name is None:
            text = self._facts.kernel.module.text_of(place)
            return number, ReplaceExpression(place, hinted(text))
        comment = self._comment(place, number)
        return number, InsertAfter(statement, f"{comment}\n{name} = {hinted(name)}")

    def _spelled(self, value: Polynomial, environment: Environment) -> str:
        """A hint's value, which must be a number that the compiler knows."""
        if value.constant_value is not None:
            return value.readable
        forms = self._facts.forms

        def wanted(candidate: Value) -> bool:
            return (
                self._facts.binding_times.of(candidate) == "static" and forms.of(candidate) == value
            )

        ends = [
            node
            for call in self._facts.values
            if isinstance(call, ast.Call) and self._kernel.function(call) == "arange"
            for node in (*call.args, *(keyword.value for keyword in call.keywords))
        ]
        found = self._writer.find(wanted, environment, ends)
        if found is None:
            raise NotExpressible(f"{value.readable} has no name here")
        return self._writer.text(found)

    def _per_axis(self, number: str) -> str:
        rank, axis = self._promise.wrap.value.rank, self._promise.offsets.axis
        assert rank is not None
        if rank == 1:
            return number
        values = [number if rank - 1 - place == axis else "1" for place in range(rank)]
        return f"[{', '.join(values)}]"

    def _comment(self, place: ast.expr, number: str) -> str:
        """What the promise rests on, for nobody checks it at run time."""
        offsets = self._promise.offsets
        assert offsets.limit is not None
        length = "the length"
        if isinstance(place, ast.BinOp):
            length = " ".join(self._writer.text(place.right).split())
        elif all(isinstance(atom, Param) for atom in offsets.limit.atoms):
            length = offsets.limit.readable
        if offsets.kind is Kind.SELECTED:
            return f"# True if every lane is below {length}, so that no lane is masked off."
        if self._promise.is_never_wrapped:
            return f"# True if no lane reaches {length}."
        if number.isdigit() and offsets.extent.constant_value is None:
            lanes = offsets.extent.readable
            return f"# True if {length} and {lanes} are multiples of {number}."
        return f"# True if {length} is a multiple of {number}."


def _bound_name(statement: ast.stmt, place: ast.expr) -> str | None:
    """The name that a statement binds to just this expression."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is place:
            return name
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is place:
            return name
        case ast.AugAssign(target=ast.Name(id=name) as target) if target is place:
            return name
    return None

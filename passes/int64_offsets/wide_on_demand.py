"""Casts to 64 bits under a constant of the compiler, which a heuristic sets from the tensors.

    @triton.heuristics({"INT64": lambda args: args["X"].untyped_storage().nbytes() >= 2**30})
    ...
    row = tl.program_id(0)
    if INT64:
        row = row.to(tl.int64)

The storage of a tensor has at least so many bytes as the largest offset of an element in it, also
where the tensor is a part of a larger one. Lanes that are masked off may be beyond it by a tile:
the limit is a half of what fits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.heuristic_functions import (
    check_heuristic,
    heuristic,
    may_be_none,
)
from tritonopt.emit.writing import Writer
from tritonopt.facts import KernelFacts
from tritonopt.facts.memory.overflows import bounds_of, parts_of
from tritonopt.launches.launch_grids import heuristic_functions
from tritonopt.passes.int64_offsets.wide_places import WidePlace, may_be_of_python
from tritonopt.source import Change, InsertAfter, ReplaceExpression
from tritonopt.source.parsing import parsed

_NAME = "INT64"
_MOST_BYTES = "2**30"


@dataclass(frozen=True)
class WideOnDemand:
    """The casts of one kernel, all under one constant."""

    facts: KernelFacts
    places: Sequence[WidePlace]

    def changes(self, writer: Writer, attempt: Attempt) -> Iterator[Change]:
        """Raises Declined, or NotExpressible where triton has no name in the file."""
        tensors = self._tensors()
        parameters = [p for p in self.facts.kernel.parameters if p.name in tensors]
        check_heuristic(self.facts, parameters)
        attempt.prove("parameter-can-be-added", "every launch would ask it")
        attempt.assume("launches-are-seen", "files that were not given use it for launches only")
        function = _function([p.name for p in parameters])
        name = self._set_already(function)
        if not name:
            name = writer.fresh(_NAME)
            yield from heuristic(writer, name, function)
        for place in self.places:
            for node in place.nodes:
                yield self._cast(writer, node, name)

    def _set_already(self, function: str) -> str:
        """The constant that a heuristic sets from the same tensors, if one does."""
        wanted = ast.dump(parsed(function, mode="eval").body)
        constants = {p.name for p in self.facts.kernel.parameters if p.constexpr}
        for name, known in heuristic_functions(self.facts.kernel):
            if name in constants and known is not None and ast.dump(known) == wanted:
                return name
        return ""

    def _tensors(self) -> frozenset[str]:
        """Those with the offsets that may not fit."""
        claim, facts = "parameter-can-be-added", self.facts
        mended = {facts.values[node] for place in self.places for node in place.nodes}
        found: set[str] = set()
        for effect in facts.effects:
            roots = [] if effect.pointer is None else [effect.pointer, *bounds_of(effect)]
            if all(mended.isdisjoint(parts_of(facts, root)) for root in roots):
                continue
            bases = facts.bases(effect)
            if bases is None:
                detail = f"which buffer line {effect.line} is about is not known"
                raise unknown(claim, claim, detail)
            found |= bases
        for name in sorted(found):
            if may_be_none(facts, name):
                raise refuted(claim, "not-tunable", f"{name} may be None")
        return frozenset(found)

    def _cast(self, writer: Writer, node: ast.expr, name: str) -> Change:
        wide, parents = writer.language("int64"), self.facts.kernel.module.names.parents
        match parents.get(node):
            case ast.Assign(targets=[ast.Name(id=bound)]) as statement:
                return InsertAfter(statement, f"if {name}:\n    {bound} = {bound}.to({wide})")
        cast = f"{writer.language('cast')}({writer.text(node)}, {wide})"
        if not may_be_of_python(self.facts.values[node]):
            cast = f"{writer.operand(node)}.to({wide})"
        return ReplaceExpression(node, f"({cast} if {name} else {writer.text(node)})")


def _function(tensors: Sequence[str]) -> str:
    if len(tensors) == 1:
        return f'lambda args: args["{tensors[0]}"].untyped_storage().nbytes() >= {_MOST_BYTES}'
    names = ", ".join(f'"{name}"' for name in tensors)
    large = f"args[name].untyped_storage().nbytes() >= {_MOST_BYTES} for name in ({names})"
    return f"lambda args: any(\n    {large}\n)"

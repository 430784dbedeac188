"""What a kernel calls its rows, how many a program has, and which of them there are."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tritonopt.emit.writing import Writer
from tritonopt.facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.source import Change, InsertAfter, InsertBefore, Kernel
from tritonopt.source.trees import walk

_OF_A_PROGRAM = re.compile(r"p_?id|prog|block|tile|cta", re.IGNORECASE)
"""In names that would be wrong of several rows."""


@dataclass(frozen=True)
class RowNames:
    """The names, and what becomes of the program ids."""

    rows: str
    """The numbers of the rows of a program."""
    mask: str
    """Which of these there are."""
    size: str
    """The constexpr that says how many a program has."""
    ids: frozenset[ast.expr]
    """The program ids."""
    instead: Mapping[ast.expr, str]
    """Code in the place of program ids, and of the name that one was bound to."""
    anchor: ast.stmt
    """The statement behind which the mask is made; before which, where the rows are new."""
    made: str = ""
    """Code for the rows where no statement of the kernel bound the program id."""
    stay: bool = True
    """The rows keep their name to the end."""

    def changes(self, test: str) -> list[Change]:
        """Statements for the rows where they are new, and for the mask; "" where it has no name."""
        mask = f"{self.mask} = {test}" if test else ""
        if self.made:
            return [InsertBefore(self.anchor, f"{self.rows} = {self.made}\n{mask}".rstrip("\n"))]
        return [InsertAfter(self.anchor, mask)] if mask else []


def statements_of(kernel: Kernel) -> list[ast.stmt]:
    """The statements of a kernel that are lifted: all but what documents it."""
    return kernel.node.body[ast.get_docstring(kernel.node) is not None :]


def name_rows(facts: KernelFacts, ids: ProgramIds, writer: Writer) -> RowNames:
    """The names for the rows of a kernel. Raises NotExpressible."""
    kernel = facts.kernel
    size, mask = writer.fresh(*_size_names(facts)), writer.fresh("row_mask")
    arange = writer.language("arange")
    several = f" * {size} + {arange}(0, {size})[:, None]"
    texts: dict[ast.expr, str] = {
        call: f"{kernel.module.text_of(call)}{several}" for call in ids.calls
    }
    calls = frozenset(texts)
    bound = _binding(facts, calls)
    if bound is None:
        first = next(s for s in statements_of(facts.kernel) if not calls.isdisjoint(walk(s)))
        rows = writer.fresh("rows")
        plain = [call for call in texts if call not in ids.conversions]
        instead = dict(texts)
        instead.update((call, rows) for call in plain)
        made = texts[(plain or [*texts])[0]]
        return RowNames(rows, mask, size, calls, instead, first, made)
    statement, name, call = bound
    lifted = (node for s in statements_of(facts.kernel) for node in walk(s))
    own = [node for node in lifted if isinstance(node, ast.Name) and node.id == name]
    is_cast = statement.value is not call or call in ids.conversions
    stays = [node for node in own if isinstance(node.ctx, ast.Store)] == statement.targets
    rows = writer.fresh("rows") if stays and _OF_A_PROGRAM.search(name) else name
    instead = {**texts, statement.value: f"{kernel.module.text_of(statement.value)}{several}"}
    if stays and not is_cast:
        others = (c for c in texts if c is not call and c not in ids.conversions)
        instead.update((call, rows) for call in others)
    if rows != name:
        instead.update((node, rows) for node in own)
    return RowNames(rows, mask, size, calls, instead, statement, stay=stays)


def _size_names(facts: KernelFacts) -> tuple[str, ...]:
    """What the kernel would call the number of rows of a program, as it calls its constexprs."""
    constexprs = [p.name for p in facts.kernel.parameters if p.constexpr]
    if constexprs and all(name.islower() for name in constexprs):
        return "rows_per_program", "num_rows_per_program"
    return "ROWS", "ROWS_PER_PROGRAM"


def _binding(
    facts: KernelFacts, calls: frozenset[ast.expr]
) -> tuple[ast.Assign, str, ast.Call] | None:
    """The statement that binds a name to the program id, cast or not, before all else with it."""
    for statement in statements_of(facts.kernel):
        if calls.isdisjoint(walk(statement)):
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                call = _cast_of(facts, value)
                return (statement, name, call) if call in calls else None
        return None
    return None


def _cast_of(facts: KernelFacts, value: ast.Call) -> ast.Call:
    """What a call casts to an integer that tells all rows apart; itself where it casts nothing."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Call() as inner, attr="to"), args=[to], keywords=[]
        ) if function(facts.kernel.module.resolve(to)) in ("int32", "int64"):
            return inner
    return value

"""A kernel with its lifted part in one branch, and what is done for one row in the other.

What comes before and behind the decision, and has to do with the row, stands in both of them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.source import Change, InsertBefore, Module, Remove, applied
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk
from tritonopt.transforms.rank_lifting.lifted_part import LiftedPart
from tritonopt.transforms.writing import names_bound, names_read

_UNIT = "    "


@dataclass(frozen=True)
class RowBranches:
    """What is written in two branches."""

    facts: KernelFacts
    part: LiftedPart
    lifted: Sequence[Change]
    """What lifts the part where it stands."""

    def changes(self, size: str) -> list[Change]:
        """`size` is what says how many rows a program has. Raises NotExpressible."""
        module, decision = self.facts.kernel.module, self.part.decisions[0]
        comment = f"# A row that takes several tiles has a program of its own: {size} is 1."
        several = excerpts.indented(self._code(self.lifted, one_tile=True), _UNIT)
        one = excerpts.indented(f"{comment}\n{self._code((), one_tile=False)}", _UNIT)
        own = excerpts.statement_code(module, decision, comments_above=False)
        said = excerpts.statement_code(module, decision).removesuffix(own)
        header = f"{said}if {excerpts.one_line(module, decision.test)}:"
        header += excerpts.header_comment(module, decision)
        above, behind = excerpts.else_comments(module, decision)
        code = f"{header}\n{several}\n{above}else:{behind}\n{one}"
        doubled = self._doubled
        place = decision if self._stays else doubled[0]
        changes: list[Change] = [InsertBefore(place, code)]
        changes += [Remove(statement, keep_comments=False) for statement in doubled]
        excerpts.check_comments(module, changes)
        return changes

    @cached_property
    def _first(self) -> int:
        """The place in the kernel's body of the first statement that has to do with the row."""
        body = self.facts.kernel.node.body
        return next(i for i, statement in enumerate(body) if self._is_of_the_row(statement))

    def _is_of_the_row(self, statement: ast.stmt) -> bool:
        if statement in self.part.decisions:
            return True
        inside = set(walk(statement))
        return any(getattr(change, "anchor", None) in inside for change in self.lifted)

    @cached_property
    def _stays(self) -> list[ast.stmt]:
        """Behind the first statement of the row, what may be computed before the decision."""
        body = self.facts.kernel.node.body
        stays: list[ast.stmt] = []
        others: list[ast.stmt] = []
        for statement in body[self._first : body.index(self.part.decisions[0])]:
            may_pass = not self._is_of_the_row(statement) and self._may_pass(statement, others)
            (stays if may_pass else others).append(statement)
        return stays

    def _may_pass(self, statement: ast.stmt, others: Sequence[ast.stmt]) -> bool:
        """Whether a statement does the same above others."""
        if not isinstance(statement, ast.Assign):
            return False
        if not self.facts.effect_nodes.isdisjoint(walk(statement)):
            return False
        read, bound = names_read(statement), names_bound(statement)
        return all(
            isinstance(other, (ast.Assign, ast.AugAssign))
            and (read | bound).isdisjoint(names_bound(other))
            and bound.isdisjoint(names_read(other))
            for other in others
        )

    @property
    def _doubled(self) -> list[ast.stmt]:
        """What goes into the branches."""
        body = self.facts.kernel.node.body
        return [statement for statement in body[self._first :] if statement not in self._stays]

    def _code(self, lifted: Sequence[Change], *, one_tile: bool) -> str:
        """The code of a branch. Raises EditConflict where a statement shares its line."""
        kernel = self.facts.kernel
        stays = [Remove(statement, keep_comments=False) for statement in self._stays]
        module = applied(kernel.module, [*lifted, *stays])
        changed = module.kernel(kernel.qualname)
        assert changed is not None
        asked = ast.dump(self.part.decisions[0].test)
        code = ""
        for statement in changed.node.body[self._first :]:
            if isinstance(statement, ast.If) and ast.dump(statement.test) == asked:
                block = statement.body if one_tile else statement.orelse
                part = excerpts.block_code(module, block) if block else ""
            else:
                part = excerpts.statement_code(module, statement)
            if code and part and _stands_apart(module, statement):
                code += "\n"
            code += f"{part}\n" if part else ""
        return code.rstrip("\n")


def _stands_apart(module: Module, statement: ast.stmt) -> bool:
    """Whether a line is left blank above a statement and what is said above it."""
    lines = module.lines.texts[: statement.lineno - 1]
    while lines and lines[-1].lstrip().startswith("#"):
        lines.pop()
    return bool(lines) and not lines[-1].strip()

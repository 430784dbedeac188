"""Where a lifted kernel tests which of its rows there are."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.source import Change, Remove, Replace
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import in_parentheses
from tritonopt.transforms.rank_lifting.axes import ROWS, SCALAR
from tritonopt.transforms.rank_lifting.lifted_expressions import BOOLEAN, LiftedExpressions
from tritonopt.transforms.rank_lifting.lifted_part import LiftedPart
from tritonopt.transforms.rank_lifting.row_exits import RowExits
from tritonopt.transforms.rank_lifting.row_names import RowNames

_WIDTH = 88
"""Of a line, where none in the file is longer."""


@dataclass(frozen=True)
class LiftedBody:
    """The edits of a kernel's statements, each access of rows to be masked by those there are.

    A mask that is made for such accesses alone tests the rows where it is made; elsewhere each
    access does. What stands in one place is written there, and has a name otherwise.
    """

    facts: KernelFacts
    part: LiftedPart
    names: RowNames
    inside: LiftedExpressions
    exits: RowExits

    @property
    def is_summed(self) -> bool:
        """Whether tiles are summed up, or more than that, in an order of their own."""
        return self.inside.is_summed

    def changes(self, count: str) -> list[Change]:
        """Of a kernel of `count` rows; once only. Raises NotExpressible."""
        kernel, edits, names = self.facts.kernel, self.inside.edits, self.names
        test = f"{names.rows} < {count}"
        said = (test, f"~({names.rows} >= {count})")
        left = [leaves for leaves in self.exits.found if self.exits.stays(leaves) not in said]
        once = self._bound_once
        begin = max(map(_place, [names.anchor, *left]))
        tested: dict[ast.Call | ast.stmt, ast.expr | None] = {}
        for access, mask in self.inside.accesses.items():
            if not left and names.stay and self._is_tested(mask, test):
                continue
            made = (once[p.id] for p in _all(mask) if isinstance(p, ast.Name) and p.id in once)
            by = next((s for s in made if _place(s) >= begin and self._is_for_rows(s)), None)
            tested[by or access] = by.value if by else mask
        is_inline = names.stay and not left and len(tested) <= 1
        for place, mask in tested.items():
            self._test(place, mask, test if is_inline else names.mask)
        texts = kernel.module.texts
        width = max(_WIDTH, *(len(line) for text in texts for line in text.split("\n")))
        edits.break_long_lines(kernel.node, width)
        changes = names.changes("" if is_inline else test)
        for leaves in self.exits.found:
            masked = f"{names.mask} &= {self.exits.stays(leaves)}"
            changes.append(Replace(leaves, masked) if leaves in left else Remove(leaves))
        gone = {node for leaves in self.exits.found for node in walk(leaves)}
        return changes + [c for c in edits.changes(kernel.node) if c.anchor not in gone]

    def _test(self, place: ast.Call | ast.stmt, mask: ast.expr | None, test: str) -> None:
        """Writes the test of the rows into an access, or into what makes its mask."""
        edits, value = self.inside.edits, self.facts.values.get(mask) if mask else None
        if mask is None:
            assert isinstance(place, ast.Call)
            edits.added[place] = [f"mask={test}"]
        elif value is not None and (value.is_none or value.constant is True):
            edits.instead[mask] = test
        else:
            edits.before[mask] = in_parentheses(test)

    @cached_property
    def _bound_once(self) -> dict[str, ast.Assign]:
        """The names that one statement of the kernel binds, and that."""
        kernel = self.facts.kernel
        names = [node for node in kernel.nodes if isinstance(node, ast.Name)]
        bound = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
        bound.update(parameter.name for parameter in kernel.parameters)
        found: dict[str, ast.Assign] = {}
        for node in kernel.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) if bound[name] == 1:
                    found[name] = node
        return found

    def _is_tested(self, mask: ast.expr | None, test: str) -> bool:
        """Whether a mask tests the rows as it is."""
        made = self._bound_once
        return any(
            self._is_tested(made[part.id].value, test)
            if isinstance(part, ast.Name) and part.id in made
            else self.inside.edits.code(part) == test
            for part in _all(mask)
        )

    def _is_for_rows(self, made: ast.Assign) -> bool:
        """Whether all that reads the mask that a statement makes does so for each row by itself."""
        target, known = made.targets[0], self.facts.values.get(made.value)
        name = target.id if isinstance(target, ast.Name) else ""
        reads = (
            node
            for node in self.facts.kernel.nodes
            if isinstance(node, ast.Name) and node is not target and node.id == name
        )
        is_mask = known is not None and known.dtype in BOOLEAN and not known.constant
        return is_mask and all(map(self._is_of_rows, reads))

    def _is_of_rows(self, name: ast.Name) -> bool:
        """Whether what reads a name does so for each row by itself."""
        parents = self.facts.kernel.module.names.parents
        reader = parents[name]
        if isinstance(reader, ast.keyword):
            reader = parents[reader]
        of_rows = isinstance(reader, ast.expr) and ROWS in self.inside.found.get(reader, SCALAR)
        return of_rows or reader in self.inside.accesses


def _place(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.col_offset


def _all(mask: ast.expr | None) -> Iterator[ast.expr]:
    """What a mask is a conjunction of."""
    match mask:
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            yield from _all(left)
            yield from _all(right)
        case ast.expr():
            yield mask

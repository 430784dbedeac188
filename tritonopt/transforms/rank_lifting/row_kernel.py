"""A kernel of its own for several rows to a program, beside the one for a row that is long."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.launches.launch_grids import set_by_heuristics
from tritonopt.source import (
    Change,
    InsertAfter,
    Module,
    Remove,
    Replace,
)
from tritonopt.source.editing import excerpts, parameters
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import new_function_name
from tritonopt.transforms.rank_lifting.lifted_part import LiftedPart, own_statements
from tritonopt.transforms.writing import NotExpressible, names_read


@dataclass(frozen=True)
class RowKernel:
    """The new kernel: for rows that one tile holds, where the compiler decides about that."""

    facts: KernelFacts
    part: LiftedPart
    lifted: Sequence[Change]
    """What would lift the kernel where it stands."""

    @property
    def name(self) -> str:
        """What it is called, which nothing else in the file is."""
        return new_function_name(self.facts.kernel.module, f"{self.facts.kernel.name}_rows")

    def changes(self) -> list[Change]:
        """The new kernel behind the other, which stays as it is. Raises NotExpressible."""
        kernel = self.facts.kernel
        module, node = self._decided(*self._lifted())
        code = excerpts.statement_code(module, node, comments_above=False)
        decorators = []
        for decorator in node.decorator_list:
            chosen = set_by_heuristics(module, decorator)
            if chosen and _asks_no_more(node, decorator, chosen):
                code = parameters.without(code, 0, chosen)
                (function,) = parsed(code).body
                if not chosen.isdisjoint(n.arg for n in walk(function) if isinstance(n, ast.arg)):
                    raise NotExpressible(f"no heuristic sets {', '.join(sorted(chosen))} any more")
            else:
                decorators.append(f"@{module.text_of(decorator)}")
        code = _from_the_first_line(parameters.renamed(code, 0, self.name))
        said = f"# {kernel.name} for short rows, of which a program has several."
        return [InsertAfter(kernel.node, "\n\n" + "\n".join([said, *decorators, code]) + "\n")]

    def _lifted(self) -> tuple[Module, ast.FunctionDef]:
        """The kernel for several rows, without what documents it."""
        kernel = self.facts.kernel
        changes = list(self.lifted)
        if own_statements(kernel) != kernel.node.body:
            changes.append(Remove(kernel.node.body[0], keep_comments=False))
        module, (node,) = excerpts.after(kernel.module, changes, [kernel.node])
        assert isinstance(node, ast.FunctionDef)
        return module, node

    def _decided(self, module: Module, node: ast.FunctionDef) -> tuple[Module, ast.FunctionDef]:
        """The kernel with what is done for a row that one tile holds, and without the question."""
        if not self.part.decisions:
            return module, node
        asked = ast.dump(self.part.decisions[0].test)
        changes: list[Change] = [
            Replace(statement, excerpts.block_code(module, statement.body))
            for statement in node.body
            if isinstance(statement, ast.If) and ast.dump(statement.test) == asked
        ]
        module, (decided,) = excerpts.after(module, changes, [node])
        assert isinstance(decided, ast.FunctionDef)
        return module, decided


def _asks_no_more(node: ast.FunctionDef, heuristics: ast.expr, chosen: Set[str]) -> bool:
    """Whether nothing else of a kernel has to do with parameters that heuristics set.

    Other decorators may name them, or number the parameters (`do_not_specialize=[3]`).
    """
    if not chosen.isdisjoint(names_read(ast.Module(node.body, []))):
        return False
    others = (d for d in node.decorator_list if d is not heuristics)
    said = [n.value for d in others for n in walk(d) if isinstance(n, ast.Constant)]
    return chosen.isdisjoint(said) and not any(type(value) is int for value in said)


def _from_the_first_line(code: str) -> str:
    """A function's code with no line left blank in front, where it was documented."""
    (function,) = parsed(code).body
    assert isinstance(function, ast.FunctionDef)
    lines, first = code.split("\n"), function.body[0].lineno - 1
    while lines[first - 1].lstrip().startswith("#"):
        first -= 1
    while not lines[first - 1].strip():
        first -= 1
        del lines[first]
    return "\n".join(lines)

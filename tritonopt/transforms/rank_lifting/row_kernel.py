"""A kernel of its own for several rows to a program, beside the one for a row that is long."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.source import Change, EditConflict, InsertAfter, Launch, Remove
from tritonopt.source.editing import excerpts
from tritonopt.source.trees import walk
from tritonopt.transforms.code_edits import new_function_name
from tritonopt.transforms.tiling.launch_grids import statement_of
from tritonopt.transforms.writing import NotExpressible


@dataclass(frozen=True)
class RowKernel:
    """The new kernel."""

    facts: KernelFacts
    lifted: Sequence[Change]
    """What would lift the kernel where it stands."""

    @property
    def name(self) -> str:
        """What it is called, which nothing else in the file is."""
        return new_function_name(self.facts.kernel.module, f"{self.facts.kernel.name}_rows")

    def changes(self) -> list[Change]:
        """The new kernel behind the other, which stays as it is. Raises NotExpressible."""
        kernel = self.facts.kernel
        changes, first = list(self.lifted), kernel.node.body[0]
        if ast.get_docstring(kernel.node, clean=False) is not None:
            changes.append(Remove(first, keep_comments=False))
        try:
            module, (node,) = excerpts.after(kernel.module, changes, [kernel.node])
            assert isinstance(node, ast.FunctionDef)
            code = excerpts.statement_code(module, node, comments_above=False)
        except EditConflict as conflict:
            raise NotExpressible(str(conflict)) from conflict
        # The name is the first word behind `def`.
        code = code.replace(node.name, self.name, 1)
        said = f"# {kernel.name} for short rows, of which a program has several."
        decorators = [f"@{module.text_of(decorator)}" for decorator in node.decorator_list]
        return [InsertAfter(kernel.node, "\n\n" + "\n".join([said, *decorators, code]) + "\n")]


def may_be_copied(facts: KernelFacts) -> bool:
    """Whether the kernel is a function of the file's own block that each launch calls by name."""
    kernel = facts.kernel
    at_the_top = kernel.node in kernel.module.tree.body
    return at_the_top and all(callee(launch) is not None for launch in facts.launches.launches)


def is_for_long_rows(facts: KernelFacts) -> bool:
    """Whether each launch is all that is done where a tile of the kernel is not short.

    So it is once there is a kernel of its own for the others: `else` of `if BLOCK <= 512:`.
    """
    lengths = {v.extent for v in facts.interpretation.computed if v.op is Op.LANE}
    names = {str(length.attribute) for length in lengths if length.op is Op.CONSTEXPR}
    launches = facts.launches.launches
    return bool(launches) and all(_has_long_tiles(launch, names) for launch in launches)


def _has_long_tiles(launch: Launch, names: Set[str]) -> bool:
    passed = {ast.dump(launch.arguments[name]) for name in names if name in launch.arguments}
    statement = statement_of(launch)
    for node in () if launch.launcher is None else walk(launch.launcher):
        match node:
            case ast.If(
                test=ast.Compare(
                    left=asked, ops=[ast.LtE()], comparators=[ast.Constant(value=int())]
                ),
                orelse=[only],
            ) if only is statement and ast.dump(asked) in passed:
                return True
    return False


def callee(launch: Launch) -> ast.Name | None:
    """The name of the kernel in a launch `kernel[grid](...)`; None where it has none there."""
    match launch.call.func:
        case ast.Subscript(value=ast.Name(id=name) as called) if name == launch.kernel.name:
            return called
    return None

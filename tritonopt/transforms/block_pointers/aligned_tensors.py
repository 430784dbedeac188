"""Whether what a launch passes begins at a multiple of 16 bytes."""

from __future__ import annotations

import ast

from tritonopt.facts.host.conditions import checked, conjuncts
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.tensor_expressions import allocation
from tritonopt.source import Launch


def is_aligned(launch: Launch, argument: ast.expr | None) -> bool:
    """Whether it is new memory, or the launcher has checked where it begins."""
    launcher = launch.launcher
    if launcher is None or not isinstance(argument, ast.Name):
        return False
    names, name = names_of(launcher), argument.id
    if name in names.bound_otherwise | names.declared | names.stored_by_inner or names.stores_data:
        return False
    given = names.assigned.get(name, [])
    if len(given) == 1 and name not in names.parameters and isinstance(given[0], ast.Call):
        made = allocation(launch.module, given[0])
        return made is not None and not made.may_reuse
    last = max(names.lines.get(name, [0]))
    return any(
        last < statement.lineno < launch.call.lineno and _checks(launch, statement, name)
        for statement in launcher.body
    )


def _checks(launch: Launch, statement: ast.stmt, name: str) -> bool:
    """Whether nobody passes a statement with a tensor that begins elsewhere."""
    known = checked(launch.module, statement)
    for part, holds in conjuncts(*known) if known is not None else ():
        match part:
            case ast.Compare(
                left=ast.BinOp(
                    left=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=tensor), attr="data_ptr"), args=[]
                    ),
                    op=ast.Mod(),
                    right=ast.Constant(value=int() as divisor),
                ),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=0)],
            ) if holds and tensor == name and divisor % 16 == 0:
                return True
    return False

"""Where a new kernel keeps the original's code behind a flag: what decides goes into the flag.

Such a kernel has one parameter more, `ONE_TILE: tl.constexpr`, of which `triton.heuristics` tells
for which launches it is true; without the flag it is the original, statement by statement. So it
takes no second kernel, and no choice in the launcher, to leave the calls that lose as they were.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from tritonopt import source
from tritonopt.source.parsing import parsed
from tritonopt.tuning.dispatch.places import Difference, NoDispatch, Place
from tritonopt.verification.signature.launchers import differing_definitions

_SIMPLE = (ast.Expr, ast.Assign, ast.Return)
_IN_PARENTHESES = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)
_WIDTH = 100


def flagged(difference: Difference, conditions: Sequence[str], comment: Sequence[str]) -> str:
    """The new text, with flags that are true only where the conditions hold as well.

    There is one condition for every place, in their order; `comment` are lines that stand above
    each flag. Raises NoDispatch where something that differs does not stand behind such a flag.
    """
    old, new = difference.old, difference.new
    originals = {kernel.name: kernel for kernel in old.kernels}
    if differing_definitions(old, new) - set(originals):
        raise NoDispatch("more differs than kernels that were there before")
    text, splices = new.text, []
    for kernel in new.kernels:
        if kernel.name not in difference.kernels:
            continue
        original = originals[kernel.name]
        decorator, test = _flag(new, kernel.node, original.node)
        condition = _of_arguments(difference, original, test, conditions)
        splices.append(_narrowed(new, decorator, test, condition, comment))
    for start, end, code in reversed(splices):
        text = text[:start] + code + text[end:]
    return text


def _flag(
    new: source.Module, kernel: ast.FunctionDef, original: ast.FunctionDef
) -> tuple[ast.Call, ast.Lambda]:
    """What tells the one flag of a kernel, and the function in it. Raises NoDispatch."""
    flags = {a.arg for a in kernel.args.args} - {a.arg for a in original.args.args}
    for decorator in kernel.decorator_list if len(flags) == 1 else ():
        match decorator:
            case ast.Call(
                func=function,
                args=[ast.Dict(keys=[ast.Constant(value=name)], values=[ast.Lambda() as test])],
                keywords=[],
            ) if name in flags and new.resolve(function) == "triton.heuristics":
                if ast.dump(_without(kernel, decorator, str(name))) == ast.dump(original):
                    return decorator, test
    raise NoDispatch(f"`{kernel.name}` has no flag without which it is the original")


def _without(kernel: ast.FunctionDef, decorator: ast.Call, flag: str) -> ast.FunctionDef:
    """The kernel where its flag is false."""
    at = kernel.decorator_list.index(decorator)
    found = copy.deepcopy(kernel)
    del found.decorator_list[at]
    found.args.args = [a for a in found.args.args if a.arg != flag]
    _Without(flag).visit(found)
    return found


class _Without(ast.NodeTransformer):
    """Takes away what runs where a flag is true."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.orelse if self._is_flag(node.test) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return node.orelse if self._is_flag(node.test) else node

    def _is_flag(self, test: ast.expr) -> bool:
        return isinstance(test, ast.Name) and test.id == self.flag


def _of_arguments(
    difference: Difference, kernel: source.Kernel, test: ast.Lambda, conditions: Sequence[str]
) -> str:
    """The condition where a kernel is launched, on what it is launched with. Raises NoDispatch."""
    launches = [x for x in difference.old.launches if x.kernel is kernel]
    found = [
        condition
        for place, condition in zip(difference.places, conditions, strict=True)
        if len(launches) == 1 and _is_at(place, launches[0].call)
    ]
    if not found or len(test.args.args) != 1:
        raise NoDispatch(f"`{kernel.name}` is not launched in one statement that decides")
    arguments = launches[0].arguments.items()
    passed = {value.id: name for name, value in arguments if isinstance(value, ast.Name)}
    tree = parsed(found[0], mode="eval").body
    for name in [n for n in ast.walk(tree) if isinstance(n, ast.Name)]:
        if name.id not in passed:
            raise NoDispatch(f"`{kernel.name}` is not launched with `{name.id}` as it is")
        name.id = f'{test.args.args[0].arg}["{passed[name.id]}"]'
    return ast.unparse(tree)


def _is_at(place: Place, launch: ast.Call) -> bool:
    """Whether the launch is all that stands there: its names are then those that were seen."""
    match place.old:
        case [statement] if isinstance(statement, _SIMPLE):
            return any(node is launch for node in ast.walk(statement))
    return False


def _narrowed(
    new: source.Module, decorator: ast.Call, test: ast.Lambda, condition: str, above: Sequence[str]
) -> tuple[int, int, str]:
    """The flag with one condition more, and comments above it."""
    gap = "\r\n" if "\r\n" in new.text else "\n"
    first, last = new.lines.span(decorator)
    start, end = new.lines.span(test.body)
    body = new.text[start:end]
    if isinstance(test.body, _IN_PARENTHESES):
        body = f"({body})"
    code = f"{new.text[first:start]}{body} and {condition}{new.text[end:last]}"
    if len(code) >= _WIDTH and gap not in code:
        function, inside = code.split("(", 1)
        code = f"{function}({gap}    {inside.removesuffix(')')}{gap})"
    line = new.lines.start(decorator.lineno)
    comments = "".join(f"# {text}{gap}" for text in above)
    return line, last, f"{comments}{new.text[line:first]}{code}"

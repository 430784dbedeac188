"""Which parameters of a launcher may say how large a tile of a kernel is, or how it is launched."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import product

from tritonopt import source
from tritonopt.facts.host import torch_api
from tritonopt.facts.language import CEILING_DIVISIONS
from tritonopt.verification.signature.launchers import Launcher, Launchers

_Place = tuple[int, str]
"""A variable: the function that it is of, and its name. An attribute is of no function."""

_TILE: _Place = (0, "")
_DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)


def tile_parameters(launchers: Launchers, launcher: Launcher) -> frozenset[str]:
    """Every parameter of which a constant of a kernel is made, or an option of a launch.

    Only a constant is the length of a tile. What something is divided by to make one is none: the
    quotient is the length of a row, and rows of any length remain where the divisor is free.
    """
    flow = _Flow(launchers)
    found = flow.reaching(_TILE)
    parameters = {parameter.arg for parameter in launcher.parameters}
    return frozenset(n for at, n in found if at == id(launcher.function) and n in parameters)


class _Flow:
    """From what each variable of the file may be made."""

    def __init__(self, launchers: Launchers) -> None:
        self.launchers, self.module = launchers, launchers.module
        self.made_of: dict[_Place, set[_Place]] = {}
        kernels = {id(kernel.node) for kernel in self.module.kernels}
        functions = (n for n in ast.walk(self.module.tree) if isinstance(n, ast.FunctionDef))
        for function in (f for f in functions if id(f) not in kernels):
            for node in ast.walk(function):
                self._read(node, id(function))

    def reaching(self, place: _Place) -> set[_Place]:
        """All that it is made of, one from the other."""
        found, waiting = {place}, [place]
        while waiting:
            new = self.made_of.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    def _read(self, node: ast.AST, at: int) -> None:
        match node:
            case ast.Assign():
                self._assigned(node.targets, node.value, at)
            case ast.AugAssign() | ast.NamedExpr():
                self._assigned([node.target], node.value, at)
            case ast.AnnAssign() if node.value is not None:
                self._assigned([node.target], node.value, at)
            case ast.For() | ast.comprehension():
                self._assigned([node.target], node.iter, at)
            case ast.Call():
                self._called(node, at)

    def _assigned(self, targets: Sequence[ast.expr], value: ast.expr, at: int) -> None:
        for target in targets:
            match target, value:
                case ast.Tuple(elts=ones), ast.Tuple(elts=others) if len(ones) == len(
                    others
                ) and not any(isinstance(e, ast.Starred) for e in ones):
                    for one, other in zip(ones, others, strict=True):
                        self._assigned([one], other, at)
                case _:
                    for place in self._places(target, at):
                        self._made(place, value, at)

    def _made(self, place: _Place, value: ast.expr, at: int) -> None:
        self.made_of.setdefault(place, set()).update(self._places(value, at))

    def _called(self, call: ast.Call, at: int) -> None:
        launch = next((x for x in self.module.launches if x.call is call), None)
        if launch is not None:
            for expr in self._constants(launch):
                self._made(_TILE, expr, at)
        elif isinstance(call.func, ast.Subscript):
            # A launch of which it is not known what is launched.
            for expr in (*call.args, *(k.value for k in call.keywords)):
                self._made(_TILE, expr, at)
        self._passed_on(call, at)

    def _passed_on(self, call: ast.Call, at: int) -> None:
        """To a function of the file, the `forward` of an autograd function included."""
        found = self.launchers.function_called(call.func)
        if found is None:
            return
        function, names = found
        bound = [*zip(names, call.args, strict=False)]
        bound += [(k.arg, k.value) for k in call.keywords if k.arg is not None]
        hidden = [a.value for a in call.args if isinstance(a, ast.Starred)]
        hidden += [k.value for k in call.keywords if k.arg is None]
        names += [a.arg for a in function.args.kwonlyargs]
        for name, expr in (*bound, *product(names, hidden)):
            self._made((id(function), name), expr, at)

    def _constants(self, launch: source.Launch) -> Iterator[ast.expr]:
        """What is passed for constants, and for what a decorator may make one of; options."""
        yield from launch.options.values()
        decorators = (n for d in launch.kernel.node.decorator_list for n in ast.walk(d))
        named = {n.value for n in decorators if isinstance(n, ast.Constant)}
        for parameter in launch.kernel.parameters:
            expr = launch.arguments.get(parameter.name)
            if expr is not None and (parameter.constexpr or parameter.name in named):
                yield expr
        if not launch.complete:
            yield from (a.value for a in launch.call.args if isinstance(a, ast.Starred))
            yield from (k.value for k in launch.call.keywords if k.arg is None)

    def _places(self, node: ast.AST, at: int) -> Iterator[_Place]:
        """What a value is made of, one for one or by what makes it larger."""
        match node:
            case ast.Name():
                yield at, node.id
            case ast.Attribute() if node.attr in torch_api.EXTENTS | {"shape"}:
                return  # of a tensor that is there: it is no number that was passed
            case ast.Attribute():
                yield 0, node.attr
                yield from self._places(node.value, at)
            case ast.BinOp(op=op) if isinstance(op, _DIVISIONS):
                yield from self._places(node.left, at)
            case ast.Call() if self.module.resolve(node.func) in CEILING_DIVISIONS and node.args:
                yield from self._places(node.args[0], at)
            case ast.Call(args=[_, ast.Constant(str() as attribute), *_]):
                yield 0, attribute  # getattr(ctx, "BLOCK")
                yield from self._inside(node, at)
            case _:
                yield from self._inside(node, at)

    def _inside(self, node: ast.AST, at: int) -> Iterator[_Place]:
        for child in ast.iter_child_nodes(node):
            yield from self._places(child, at)

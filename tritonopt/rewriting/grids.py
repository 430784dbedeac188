"""The grid of a launch: how many programs it starts along an axis, and how to start fewer.

A grid is a tuple at the launch or a name for one, or a function of the kernel's
arguments (`lambda META: ...`, a nested `def`). Whatever else it is, it is not read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tritonopt.source import Change, Launch, ReplaceExpression
from tritonopt.source.names import Binding, Scope
from tritonopt.source.trees import walk

_SIZES = frozenset({"shape", "size", "numel", "stride", "dim", "element_size"})
"""What a tensor says of itself, in numbers of Python's own."""
_NUMBERS = frozenset(
    {
        *("triton.cdiv", "triton.next_power_of_2", "math.ceil", "math.floor", "math.prod"),
        *("int", "len", "min", "max"),
    }
)
"""Functions that make numbers from numbers, and do nothing else."""


class GridNotReadable(Exception):
    """The grid of a launch is none of the forms that are understood; the message says why."""


@dataclass(frozen=True)
class Extent:
    """How many programs a launch starts along one axis."""

    launch: Launch
    axis: int
    expression: ast.expr | None
    """Where the text says it; None where a name stands for one of several tuples."""
    meta: str = ""
    """The parameter of the function that the grid is; "" where it is a tuple."""
    name: str = ""
    """What the grid is called; "" where it stands at the launch itself."""
    axes: int = 0
    """How many axes the grid has; 0 where that is not the same for all that it may be."""

    @property
    def _scope(self) -> Scope:
        """The scope of the launch."""
        return scope_at(self.launch)

    def in_kernel_terms(self, cdiv: str) -> str | None:
        """The same number, as the kernel can compute it from its parameters.

        `cdiv` is how the kernel's file spells `tl.cdiv`. None where that cannot be shown: every
        part of the number must be an argument of this launch, or a constant.
        """
        if self.expression is None or not self._means_the_same_at_launch():
            return None
        try:
            return self._translated(self.expression, cdiv)
        except GridNotReadable:
            return None

    def _means_the_same_at_launch(self) -> bool:
        """Whether the names of the expression are, at the launch, what they are where it stands."""
        assert self.expression is not None
        module = self.launch.module
        names = module.names
        made_before = bool(self.name) and not self.meta
        for node in walk(self.expression):
            if isinstance(node, ast.Attribute) and made_before:
                is_size = node.attr in _SIZES or bool(module.resolve(node))
                if not is_size:
                    return False  # `self.rows` may have changed since
            if not isinstance(node, ast.Name) or node.id == self.meta or node not in names.scope_of:
                continue
            home = names.scope_of[node].find(node.id)
            if home is not self._scope.find(node.id):
                return False
            # A tuple with a name was made before the launch, and its parts may have changed since.
            if made_before and home and len(home.bindings[node.id]) > 1:
                return False
        return True

    def _translated(self, node: ast.expr, cdiv: str) -> str:
        parameter = self._parameter(node)
        if parameter:
            return parameter
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool) and value > 0:
                return str(value)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                sides = [self._translated(side, cdiv) for side in (left, right)]
                return " * ".join(sides)
            case ast.Call(func=function, args=[dividend, divisor], keywords=[]):
                if self.launch.module.resolve(function) == "triton.cdiv":
                    parts = [self._translated(part, cdiv) for part in (dividend, divisor)]
                    return f"{cdiv}({', '.join(parts)})"
        raise GridNotReadable("no argument of the launch")

    def _parameter(self, node: ast.expr) -> str:
        """The kernel's parameter that is given this very value."""
        key = self._meta_key(node)
        parameters = {p.name for p in self.launch.kernel.parameters}
        if key is not None:
            return key if key in parameters else ""
        if not is_repeatable(node) or isinstance(node, ast.Constant):
            return ""
        text = ast.dump(node)
        given = self._given.items()
        return next((name for name, argument in given if ast.dump(argument) == text), "")

    @property
    def _given(self) -> Mapping[str, ast.expr]:
        """The arguments that reach the kernel as the launch passes them."""
        kernel = self.launch.kernel
        given = dict(self.launch.arguments)
        for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
            if name == "triton.heuristics":
                texts = [n.value for n in walk(decorator) if isinstance(n, ast.Constant)]
                if not any(isinstance(node, ast.Dict) for node in walk(decorator)):
                    return {}
                given = {key: value for key, value in given.items() if key not in texts}
        return given

    def _meta_key(self, node: ast.expr) -> str | None:
        """The `X` of `META["X"]`."""
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                return key if self.meta and name == self.meta else None
        return None

    def at_launch(self) -> str | None:
        """Code for the number in the place of the launch; None where a tuner chooses it."""
        module = self.launch.module
        if self.name and not self.meta:
            return f"{self.name}[{self.axis}]"
        assert self.expression is not None
        if not self.meta:
            return self._whole(module.text_of(self.expression))
        if not self._means_the_same_at_launch():
            return None
        replaced: dict[ast.expr, str] = {}
        for node in walk(self.expression):
            key = self._meta_key(node) if isinstance(node, ast.expr) else None
            if isinstance(node, ast.expr) and key is not None:
                argument = self._given.get(key)
                if argument is None or not is_repeatable(argument):
                    return None
                replaced[node] = module.text_of(argument)
        text = module.text_with(self.expression, replaced)
        left = (n for n in walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name))
        return None if any(n.id == self.meta for n in left) else self._whole(text)

    def _whole(self, text: str) -> str:
        """The code in parentheses, where it could not stand alone."""
        return f"({text})" if "\n" in text or isinstance(self.expression, ast.NamedExpr) else text

    @property
    def is_plain(self) -> bool:
        """Whether it is a number of Python's own, and evaluating it again does nothing else."""
        return self.expression is None or self._is_plain(self.expression, frozenset())

    def _is_plain(self, node: ast.expr, seen: frozenset[str]) -> bool:
        module = self.launch.module
        match node:
            case ast.Name(id=name):
                scope = module.names.scope_of.get(node)
                home = scope.find(name) if scope is not None and name not in seen else None
                bound = home.bindings[name] if home is not None else []
                computed = [b for b in bound if isinstance(b, (ast.Call, ast.BinOp))]
                return all(self._is_plain(value, seen | {name}) for value in computed)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SIZES:
                return _calls_nothing(value)
            case ast.Call(func=called, args=arguments, keywords=[]):
                names = {module.resolve(called), module.builtin(called)}
                if len(arguments) == 1 and names & {"min", "max"}:
                    return False  # an item of whatever it is
                return bool(names & _NUMBERS) and all(self._is_plain(a, seen) for a in arguments)
            case ast.BinOp() | ast.UnaryOp() | ast.IfExp() | ast.BoolOp() | ast.Compare():
                parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
                return all(self._is_plain(part, seen) for part in parts)
        return isinstance(node, (ast.Constant, ast.Attribute, ast.Subscript)) and _calls_nothing(
            node
        )

    @property
    def comes_first(self) -> bool:
        """Whether a launch evaluates nothing that may have effects before it."""
        call, grid = self.launch.call, self.launch.grid
        if not isinstance(call.func, ast.Subscript) or not isinstance(grid, ast.Tuple | ast.List):
            return False
        parts = grid.elts[: self.axis]
        return all(self._is_plain(part, frozenset()) for part in parts)

    def capped(self, limit: str, bound_to: str = "") -> list[Change]:
        """The grid with at most `limit` programs along the axis.

        `bound_to` is a name that the launcher has for the number. A grid that other launches
        share is left as it is, and another one is made from it at this launch.
        """
        if (
            self.expression is not None
            and not self._is_shared
            and not (self.name and not self.meta)
        ):
            text = bound_to or self.launch.module.text_of(self.expression)
            return [ReplaceExpression(self.expression, f"min({text}, {limit})")]
        grid = f"{self.name}({self.meta})" if self.meta else self.name
        parts = [f"{grid}[{axis}]" for axis in range(self.axis)]
        parts.append(f"min({grid}[{self.axis}], {limit})")
        if self.axis + 1 != self.axes:
            parts.append(f"*{grid}[{self.axis + 1}:]")
        function = f"lambda {self.meta}: " if self.meta else ""
        whole = ", ".join(parts) + ("," if len(parts) == 1 else "")
        return [ReplaceExpression(self.launch.grid, f"{function}({whole})")]

    @property
    def _is_shared(self) -> bool:
        """Whether the grid is also another launch's, or of a function around the launcher."""
        names = self.launch.module.names
        home = self._scope.find(self.name) if self.name else None
        return home is not None and any(
            home is not self._scope
            or node.id == self.name
            and node is not self.launch.grid
            and scope.find(node.id) is home
            for node, scope in names.scope_of.items()
        )


def read_extent(launch: Launch, axis: int) -> Extent:
    """How many programs a launch starts along an axis. Raises GridNotReadable."""
    grid = launch.grid
    if not isinstance(grid, ast.Name):
        expression, meta, axes = _extent_of(grid, axis)
        return Extent(launch, axis, expression, meta, "", axes)
    home = scope_at(launch).find(grid.id)
    bindings = home.bindings[grid.id] if home is not None else []
    if home is None or home.parent is None or not bindings:
        raise GridNotReadable(f"where {grid.id} comes from is not seen")
    if any(isinstance(binding, ast.List) for binding in bindings):
        raise GridNotReadable(f"{grid.id} is a list, which may change")
    read = [_extent_of(binding, axis) for binding in bindings]
    if len(read) > 1 and any(meta for _, meta, _ in read):
        raise GridNotReadable(f"{grid.id} is one of several functions")
    expression, meta, axes = read[0]
    if len(read) == 1:
        return Extent(launch, axis, expression, meta, grid.id, axes)
    same = all(count == axes for _, _, count in read)
    return Extent(launch, axis, None, "", grid.id, axes if same else 0)


def _extent_of(grid: Binding, axis: int) -> tuple[ast.expr, str, int]:
    """The extent, the parameter of the function that it stands in, and the number of axes."""
    match grid:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            if any(isinstance(element, ast.Starred) for element in elements):
                raise GridNotReadable("a part of the grid is a `*`")
            if axis >= len(elements):
                raise GridNotReadable(f"the grid has no axis {axis}")
            return elements[axis], "", len(elements)
        case ast.Lambda(args=arguments, body=body):
            return _of_function(arguments, body, axis)
        case ast.FunctionDef(decorator_list=[_, *_]):
            raise GridNotReadable("what decorates the grid may start other programs")
        case ast.FunctionDef(args=arguments, body=[*before, ast.Return(value=ast.expr() as value)]):
            if not any(not _is_docstring(statement) for statement in before):
                return _of_function(arguments, value, axis)
    raise GridNotReadable("the grid is no tuple, and no function that returns one")


def _of_function(arguments: ast.arguments, body: ast.expr, axis: int) -> tuple[ast.expr, str, int]:
    if len(arguments.args) != 1 or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        raise GridNotReadable("the grid is a function of other than one argument")
    expression, _, axes = _extent_of(body, axis)
    return expression, arguments.args[0].arg, axes


def scope_at(launch: Launch) -> Scope:
    """The scope in which a launch reads its names."""
    names = launch.module.names
    inside = (n for n in walk(launch.call) if isinstance(n, ast.Name) and n in names.scope_of)
    return names.scope_of[next(inside)]


def statement_of(launch: Launch) -> ast.Expr | None:
    """The statement that is the launch; None where what the launch returns is used.

    It returns the compiled kernel, which can be launched again with another grid.
    """
    around = launch.module.names.parents[launch.call]
    made = isinstance(launch.call.func, ast.Attribute) and launch.call.func.attr == "warmup"
    return around if isinstance(around, ast.Expr) and not made else None


def is_repeatable(expression: ast.expr) -> bool:
    """Whether evaluating it twice is the same as once: a name, a constant, a size of a tensor."""
    match expression:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return is_repeatable(value)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=index):
            return isinstance(index, (ast.Constant, ast.UnaryOp))
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="size" | "numel" | "stride")):
            return all(isinstance(argument, ast.Constant) for argument in expression.args)
    return False


def _calls_nothing(expression: ast.expr) -> bool:
    calls = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
    return not any(isinstance(node, calls) for node in walk(expression))


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def names_in(function: ast.AST) -> Iterator[str]:
    """Every name that a function reads, binds or takes."""
    for node in walk(function):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg

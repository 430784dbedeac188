"""The grid of a launch: how many programs it starts along an axis, and how to start fewer.

A grid is a tuple at the launch or a name for one, or a function of the kernel's
arguments (`lambda META: ...`, a nested `def`). Whatever else it is, it is not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count

from tritonopt.checks.condition import NotExpressible
from tritonopt.facts.host.launcher_code import evaluated_by
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.side_effects import Evaluation
from tritonopt.facts.host.torch_api import SIZES
from tritonopt.source import Change, Kernel, Launch, Module, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.editing.expressions import in_parentheses
from tritonopt.source.names import Binding, Scope
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import blocks_of, is_text, walk

_NUMBERS = frozenset(
    {
        *("triton.cdiv", "triton.next_power_of_2", "math.ceil", "math.floor", "math.prod"),
        *("int", "len", "min", "max"),
    }
)
"""Functions that make numbers from numbers, and do nothing else."""


_LISTING = frozenset({"locals", "vars", "dir", "exec", "eval"})
_FRAMES = frozenset({"sys._getframe", "inspect.currentframe", "inspect.stack"})
"""What shows the names that a function binds."""
_WORD = re.compile(r"\w+")


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
    stays: bool = False
    """The launch is needed as it is too, beside one that starts other programs."""

    @property
    def scope(self) -> Scope:
        return scope_at(self.launch)

    @cached_property
    def evaluation(self) -> Evaluation:
        return Evaluation(self.launch.module, self.scope, self.meta)

    @property
    def _evaluated(self) -> list[ast.expr]:
        """The grid, and what the launch evaluates after it."""
        return evaluated_by(self.launch)

    def in_kernel_terms(self, cdiv: str) -> str | None:
        """The same number, as the kernel can compute it from its parameters.

        `cdiv` is how the kernel's file spells `tl.cdiv`. None where that cannot be shown: every
        part of the number must be an argument of this launch, or a constant.
        """
        if self.expression is None or not self.reads_names_of_the_launch(self.expression):
            return None
        try:
            return self._translated(self.expression, cdiv)
        except GridNotReadable:
            return None

    def reads_names_of_the_launch(self, expression: ast.expr) -> bool:
        """Whether the names of an expression are, where the launch stands, the same variables."""
        scope_of = self.launch.module.names.scope_of
        return all(
            scope_of[node].find(node.id) is self.scope.find(node.id)
            for node in walk(expression)
            if isinstance(node, ast.Name) and node.id != self.meta and node in scope_of
        )

    @cached_property
    def until_passed(self) -> Sequence[ast.AST] | None:
        """What runs between the evaluation of the number and the call; None where that is unknown.

        A function is called last of all, after the arguments were evaluated.
        """
        if self.meta:
            return self._evaluated[1:]
        around = self._evaluated
        if not self.name:
            return around
        home = self.scope.find(self.name)
        if self.expression is None or home is not self.scope:
            return None
        function = home.node
        blocks = function.body if isinstance(function, ast.FunctionDef) else []
        since = between(blocks, self.expression, self.launch.call)
        return None if since is None else [*since, *around]

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
        if isinstance(node, ast.Constant):
            return ""
        text = ast.dump(node)
        same = [
            name for name, argument in given_by(self.launch).items() if ast.dump(argument) == text
        ]
        until = self.until_passed
        if not same or until is None or not self.evaluation.gives_the_same(node, until):
            return ""
        return same[0]

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
        if not self.reads_names_of_the_launch(self.expression):
            return None
        replaced: dict[ast.expr, str] = {}
        for node in walk(self.expression):
            key = self._meta_key(node) if isinstance(node, ast.expr) else None
            if isinstance(node, ast.expr) and key is not None:
                argument = given_by(self.launch).get(key)
                if argument is None:
                    return None
                if not self.evaluation.gives_the_same(argument, self._evaluated[1:]):
                    return None
                code = module.text_of(argument)
                alone = isinstance(module.names.parents[node], ast.Call)
                replaced[node] = code if alone else in_parentheses(code)
        text = module.text_with(self.expression, replaced)
        left = (n for n in walk(parsed(f"({text})", mode="eval")) if isinstance(n, ast.Name))
        return None if any(n.id == self.meta for n in left) else self._whole(text)

    def _whole(self, text: str) -> str:
        """The code in parentheses, where it could not stand alone."""
        text = excerpts.joined(text)
        return f"({text})" if isinstance(self.expression, ast.NamedExpr) else text

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
            case ast.Call(func=ast.Attribute(attr="item"), args=[], keywords=[]):
                return bool(seen)  # a name has it, and it is not called again
            case ast.Call(func=called, args=[how, of], keywords=[]) if (
                module.resolve(called) == "functools.reduce"
            ):
                return _is_arithmetic(module, how) and _is_of_shape(of)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in SIZES:
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
    def is_repeatable(self) -> bool:
        """Whether what stands in the grid comes to the same once more, after the arguments."""
        if self.expression is None or self.name or self.meta:
            return True  # a tuple that was made before, or a function that is called last
        return self.evaluation.gives_the_same(self.expression, self._evaluated)

    @property
    def comes_first(self) -> bool:
        """Whether what stands in the grid comes to the same before all else of the launch."""
        call, grid = self.launch.call, self.launch.grid
        if not isinstance(call.func, ast.Subscript) or not isinstance(grid, ast.Tuple | ast.List):
            return False
        return self.comes_before_others

    @property
    def comes_before_others(self) -> bool:
        """Whether it comes to the same before what stands before it in its tuple."""
        around = self.launch.module.names.parents.get(self.expression) if self.expression else None
        if not isinstance(around, ast.Tuple | ast.List) or self.expression is None:
            return False
        before = around.elts[: self.axis]
        return all(self.evaluation.may_swap(self.expression, part) for part in before)

    @property
    def can_be_capped(self) -> bool:
        """Whether the code of `wrapped` is computed from what the launch starts today.

        It may call the function that the grid is once for every axis.
        """
        if not self.meta or not self.name or not self._is_shared:
            return True
        home = self.scope.find(self.name)
        made = home.bindings[self.name][0] if home is not None else None
        match made:
            case ast.Lambda(body=whole) | ast.FunctionDef(body=[*_, ast.Return(value=whole)]):
                once = self.axes == 1 or (whole is not None and self.evaluation.is_pure(whole))
                return once and self.meta != self.name
        return False

    def capped(self, limit: str, bound_to: str = "") -> list[Change]:
        """The grid with at most `limit` programs along the axis; as `wrapped`."""
        return self.wrapped(lambda programs: f"min({programs}, {limit})", bound_to)

    def wrapped(self, around: Callable[[str], str], bound_to: str = "") -> list[Change]:
        """The grid with what `around` makes of the code for the number of programs of the axis.

        `bound_to` is a name that the launcher has for the number. A grid that other launches
        share is left as it is, and another one is made from it at this launch. Raises
        NotExpressible where that would compute the grid more than once, and it matters.
        """
        if not self.can_be_capped:
            line = self.launch.call.lineno
            raise NotExpressible(f"the grid of line {line} would be computed more than once")
        if (
            self.expression is not None
            and not self._is_shared
            and not (self.name and not self.meta)
        ):
            text = bound_to or excerpts.joined(self.launch.module.text_of(self.expression))
            return [ReplaceExpression(self.expression, around(text))]
        grid = f"{self.name}({self.meta})" if self.meta else self.name
        parts = [f"{grid}[{axis}]" for axis in range(self.axis)]
        parts.append(around(f"{grid}[{self.axis}]"))
        if self.axis + 1 != self.axes:
            parts.append(f"*{grid}[{self.axis + 1}:]")
        function = f"lambda {self.meta}: " if self.meta else ""
        whole = ", ".join(parts) + ("," if len(parts) == 1 else "")
        return [ReplaceExpression(self.launch.grid, f"{function}({whole})")]

    @cached_property
    def own_statement(self) -> ast.stmt | None:
        """The statement of the launch's block that binds its grid, which nothing else reads."""
        launcher, statement = self.launch.launcher, statement_of(self.launch)
        if not self.name or self.expression is None or self._is_shared or launcher is None:
            return None
        home = names_of(launcher).home
        bindings = self.scope.bindings
        if len(bindings[self.name]) != 1 or statement not in home or "torch" in bindings:
            return None  # what stands above its import cannot ask torch
        _, block, place = home[statement]
        for before in block[:place]:
            match before:
                case ast.Assign(targets=[ast.Name(id=name)]) if name == self.name:
                    return before
                case ast.FunctionDef(name=name) if name == self.name:
                    return before
        return None

    @property
    def _is_shared(self) -> bool:
        """Whether the grid is also another launch's, or of a function around the launcher."""
        if self.stays and self.name:
            return True
        names = self.launch.module.names
        here = self.scope
        home = here.find(self.name) if self.name else None
        if home is None or home is not here:
            return home is not None
        return any(
            node.id == self.name and node is not self.launch.grid and scope.find(node.id) is home
            for node, scope in names.scope_of.items()
        )


def is_short(node: ast.AST | None) -> bool:
    """Whether an expression is one name, number or size, and no arithmetic."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=index):
            return isinstance(index, (ast.Constant, ast.UnaryOp))
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=arguments):
            return attr in SIZES and all(isinstance(a, ast.Constant) for a in arguments)
    return False


def read_extent(launch: Launch, axis: int) -> Extent:
    """How many programs a launch starts along an axis. Raises GridNotReadable."""
    grid = launch.grid
    if not isinstance(grid, ast.Name):
        expression, meta, axes = _extent_of(grid, axis)
        return Extent(launch, axis, expression, meta, "", axes)
    home = scope_at(launch).find(grid.id)
    bindings = home.bindings[grid.id] if home is not None else []
    if home is None or home.parent is None or not bindings:
        raise GridNotReadable(f"where {grid.id} comes from is unknown")
    if any(isinstance(binding, ast.List) for binding in bindings):
        raise GridNotReadable(f"{grid.id} is a list, which may change")
    if len(bindings) > 1 and home is scope_at(launch):
        bound = tuple_before(launch, grid)
        bindings = bindings if bound is None else [bound]
    read = [_extent_of(binding, axis) for binding in bindings]
    if len(read) > 1 and any(meta for _, meta, _ in read):
        raise GridNotReadable(f"{grid.id} may be one of several functions")
    passed = evaluated_by(launch)[1:]
    if not Evaluation(launch.module, scope_at(launch)).gives_the_same(grid, passed):
        raise GridNotReadable(f"what the launch passes may bind {grid.id} again")
    expression, meta, axes = read[0]
    if len(read) == 1:
        return Extent(launch, axis, expression, meta, grid.id, axes)
    same = all(count == axes for _, _, count in read)
    return Extent(launch, axis, None, "", grid.id, axes if same else 0)


def tuple_before(launch: Launch, read: ast.Name) -> ast.Tuple | None:
    """The tuple that a name of the launcher is where it is read, by a statement of that block."""
    names, function = launch.module.names, launch.launcher
    if function is None or names.scope_of[read].node is not function:
        return None
    own, name, node = names_of(function), read.id, names.parents[read]
    if name in own.bound_otherwise | own.declared | own.stored_by_inner | own.parameters:
        return None
    while not isinstance(node, ast.stmt):
        node = names.parents[node]
    if node not in own.home or isinstance(node, ast.While):
        return None
    _, block, place = own.home[node]
    for statement in reversed(block[:place]):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return value if isinstance(value, ast.Tuple) else None
        inside = (n for n in walk(statement) if isinstance(n, ast.Name) and n.id == name)
        if any(not isinstance(n.ctx, ast.Load) for n in inside):
            return None
    return None


def given_by(launch: Launch) -> Mapping[str, ast.expr]:
    """The arguments that reach the kernel as the launch passes them."""
    names = [parameter.name for parameter in launch.kernel.parameters]
    # A heuristic for what is passed by its place would pass it twice, which is an error.
    placed = names[: len(launch.call.args)]
    chosen = {name for name, _ in heuristic_functions(launch.kernel)}
    given = launch.arguments.items()
    return {key: value for key, value in given if key in placed or not chosen & {key, ""}}


HEURISTICS = "triton.heuristics"


def heuristic_functions(kernel: Kernel) -> Iterator[tuple[str, ast.expr | None]]:
    """What heuristics set: the parameter and the function; ("", None) for what is not seen."""
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name != HEURISTICS or not isinstance(decorator, ast.Call):
            continue
        for table in (*decorator.args, *(k.value for k in decorator.keywords)):
            if not isinstance(table, ast.Dict):
                yield "", None
                continue
            for key, function in zip(table.keys, table.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, function
                else:
                    yield "", None


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
            raise GridNotReadable("what decorates the grid may change the number of programs")
        case ast.FunctionDef(args=arguments, body=[*before, ast.Return(value=ast.expr() as value)]):
            if not any(not is_text(statement) for statement in before):
                return _of_function(arguments, value, axis)
            raise GridNotReadable("the grid is a function that does more than return a tuple")
    raise GridNotReadable("the grid is neither a tuple nor a function that returns one")


def _of_function(arguments: ast.arguments, body: ast.expr, axis: int) -> tuple[ast.expr, str, int]:
    if len(arguments.args) != 1 or arguments.kwonlyargs or arguments.vararg or arguments.kwarg:
        raise GridNotReadable("the grid is a function that does not have exactly one argument")
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


def between(
    block: Sequence[ast.stmt], first: ast.AST, last: ast.AST, behind: bool = False
) -> list[ast.AST] | None:
    """What a function may run after it has evaluated `first` and before it comes to `last`.

    None where it comes to `last` in another way than past `first`. `behind` is whether it is past
    `first` where the block begins.
    """
    found: list[ast.AST] = []
    for statement in block:
        inside = set(walk(statement))
        if last not in inside:
            behind = behind or first in inside
            found += [statement] if behind else []
            continue
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)) and first not in inside:
            return [*found, statement] if behind else None
        found += [_head(statement)] if behind else []
        for inner in blocks_of(statement):
            if any(last in walk(node) for node in inner):
                rest = between(inner, first, last, behind)
                return None if rest is None else [*found, *rest]
            if any(first in walk(node) for node in inner):
                behind = True
            found += inner
        return found if behind else None
    return None


def _head(statement: ast.stmt) -> ast.AST:
    """A compound statement without its blocks; an empty one for any other."""
    match statement:
        case ast.With(items=items):
            return ast.With(items=items, body=[])
        case ast.AsyncWith(items=items):
            return ast.AsyncWith(items=items, body=[])
        case ast.If(test=test):
            return test
        case ast.Match(subject=subject):
            return ast.Await(subject)  # patterns may run any code
    return ast.Pass()


def new_name(
    wanted: str, launch: Launch, given: Iterable[str] = (), place: ast.stmt | None = None
) -> str:
    """A name that the launcher can bind without anybody noticing. Raises NotExpressible.

    Others were given already. It is bound at `place`: what runs in its stead may have the name.
    """
    line = launch.call.lineno
    if launch.launcher is None or scope_at(launch).node is not launch.launcher:
        raise NotExpressible(f"line {line} is where a new name would be visible outside")
    names = launch.module.names
    for node in walk(launch.launcher):
        if isinstance(node, ast.Name) and node.id in _LISTING:
            raise NotExpressible(f"line {node.lineno} sees every name that the launcher binds")
        if isinstance(node, ast.Attribute) and names.resolve(node) in _FRAMES:
            raise NotExpressible(f"line {node.lineno} sees every name that the launcher binds")
    apart = frozenset(_instead_of(place, launch)) if place is not None else frozenset()
    taken = {*_words_in(launch.launcher, apart), *given}
    numbered = (f"{wanted}_{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def _instead_of(place: ast.stmt, launch: Launch) -> Iterator[ast.AST]:
    """What a launcher never does in a call that comes to a place: the other branches."""
    assert launch.launcher is not None
    home, found = names_of(launch.launcher).home, list[ast.stmt]()
    around, block, _ = home.get(place, (None, [], 0))
    while around is not launch.launcher:
        if not isinstance(around, (ast.If, ast.With)):
            return
        if isinstance(around, ast.If):
            found += around.orelse if block is around.body else around.body
        around, block, _ = home[around]
    apart = [node for statement in found for node in walk(statement)]
    if not any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in apart):
        yield from apart


def _words_in(function: ast.AST, but: Collection[ast.AST] = ()) -> Iterator[str]:
    """Every name that a function may mean in any way, in a string too."""
    for node in (node for node in walk(function) if node not in but):
        for _, value in ast.iter_fields(node):
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    yield from _WORD.findall(text)


def _is_arithmetic(module: Module, function: ast.expr) -> bool:
    """Whether a function makes numbers of Python's own from such numbers, and does nothing else."""
    match function:
        case ast.Lambda(body=ast.BinOp(left=ast.Name(id=left), right=ast.Name(id=right))):
            return {left, right} <= {argument.arg for argument in function.args.args}
    return module.resolve(function) in ("operator.mul", "operator.add")


def _is_of_shape(expression: ast.expr) -> bool:
    whole = expression.value if isinstance(expression, ast.Subscript) else expression
    return isinstance(whole, ast.Attribute) and whole.attr == "shape" and _calls_nothing(expression)


def _calls_nothing(expression: ast.expr) -> bool:
    calls = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
    return not any(isinstance(node, calls) for node in walk(expression))

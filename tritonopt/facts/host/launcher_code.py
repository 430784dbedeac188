"""What the host code around a launch shows: its arithmetic, its checks, the tuner's choices.

The names of a launcher are followed back from the launch to where they were bound last, and its
expressions become polynomials. What cannot be followed is an atom of its own, equal to nothing but
itself, so that two readings of one name are equal only where it was not bound in between.

A check (`assert`, `if ...: raise`, an `if` around the launch) counts where every way to the launch
goes through it: it stands before the launch in the same block or in one around it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce

from tritonopt.facts.algebra.atoms import (
    Choice,
    Chosen,
    Constant,
    Flag,
    FloorDiv,
    LauncherParameter,
    Maximum,
    Minimum,
    Mod,
    Param,
    PowerOfTwo,
    TensorSize,
    Unread,
    ceiling_division,
)
from tritonopt.facts.algebra.polynomial import (
    ONE,
    Atom,
    Polynomial,
    TooLarge,
)
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import leaves, names_bound_in, names_of, names_reshaped_in
from tritonopt.facts.host.reach import Reach, reach_of
from tritonopt.facts.host.side_effects import Evaluation
from tritonopt.facts.host.tensor_expressions import integer, same_shape, shape_of
from tritonopt.facts.host.truths import Guards, Truths, checked, conjuncts, place_of, unknown
from tritonopt.facts.host.tuner_choices import Tuning
from tritonopt.facts.language import CEILING_DIVISIONS
from tritonopt.facts.launch_bindings import LaunchBinding, Multiple
from tritonopt.source import Launch
from tritonopt.source.module import Module
from tritonopt.source.trees import walk

MAX_DEPTH = 40
_GOING_ON = (ast.FunctionDef, ast.AsyncFunctionDef, ast.With, ast.AsyncWith, ast.For, ast.Try)
"""What stands around a launch and keeps nothing away from it."""
_READ = frozenset({"triton.next_power_of_2", "min", "max", "int", "isinstance", "len"})


def bindings_of(launch: Launch) -> tuple[LaunchBinding, ...]:
    """What a launch passes, once for each configuration of the kernel's tuner.

    Empty where decorators that cannot be read choose the arguments.
    """
    tuning = Tuning(launch.kernel)
    if not tuning.readable:
        return ()
    host = _host_of(launch)
    checks = _Checks()
    place = host.statement(launch.call)
    if place is not None:
        host.check(place, checks)
    return tuple(
        _Passing(host, launch, tuning, chosen, place).passed(checks) for chosen in tuning.choices
    )


def forms_at(launch: Launch) -> Callable[[ast.expr], Polynomial]:
    """What an expression of the launcher comes to where it stands."""
    host = _host_of(launch)
    return lambda expression: host.form(expression, host.statement(expression))


def locals_with_form(
    launch: Launch, expression: ast.expr, place: ast.stmt | None = None
) -> Iterator[str]:
    """The launcher's names for an expression where it launches, in the order of their lines.

    The expression is taken as it is at a statement; without one, as it is where it stands.
    """
    host, function = _host_of(launch), launch.launcher
    at = host.statement(launch.call)
    if function is None or at is None:
        return
    names = names_of(function)
    wanted = host.form(expression, place or host.statement(expression))
    lines = {name: min(lines) for name, lines in names.lines.items()} | dict.fromkeys(
        names.parameters, 0
    )
    for name in sorted(lines, key=lambda name: lines[name]):
        if name not in names.hidden and host.form(ast.Name(name, ast.Load()), at) == wanted:
            yield name


def is_the_same_number(
    launch: Launch, argument: ast.expr, expression: ast.expr, place: ast.stmt | None = None
) -> bool:
    """Whether a launch passes the number that an expression is, as in `locals_with_form`."""
    host = _host_of(launch)
    at = host.statement(launch.call)
    return at is not None and host.form(argument, at) == host.form(
        expression, place or host.statement(expression)
    )


def evaluation_at(launch: Launch) -> Evaluation:
    names = launch.module.names
    scope = names.module if launch.launcher is None else names.scopes[launch.launcher]
    return Evaluation(launch.module, scope)


def evaluated_by(launch: Launch) -> list[ast.expr]:
    """What a launch evaluates: its grid and all that it passes."""
    call = launch.call
    return [launch.grid, *call.args, *(keyword.value for keyword in call.keywords)]


def _host_of(launch: Launch) -> _CheckedHost:
    return _host(launch.module, launch.launcher)


# Of one file after the other: those of its launchers, which are asked about once for every kernel.
@lru_cache(maxsize=32)
def _host(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> _CheckedHost:
    return _CheckedHost(module, function)


def place_atom(expression: ast.expr) -> Atom:
    """The atom that an expression is whose value cannot be followed, such as a new tensor."""
    return Unread(place_of(expression), "")


class _Passing:
    """One launch under one configuration."""

    def __init__(
        self,
        host: _Host,
        launch: Launch,
        tuning: Tuning,
        chosen: Mapping[str, int | None] | None,
        place: ast.stmt | None,
    ) -> None:
        self._host = host
        self._launch = launch
        self._tuning = tuning
        self._chosen = chosen
        self._place = place
        self._evaluation = evaluation_at(launch)
        self._values: dict[str, Polynomial] = {}

    def passed(self, checks: _Checks) -> LaunchBinding:
        names = [parameter.name for parameter in self._launch.kernel.parameters]
        return LaunchBinding(
            self._launch,
            {Param(name): self._value(name) for name in names},
            tuple(checks.multiples),
            tuple(checks.nonnegative),
            tuple(checks.unread),
            tuple(dict.fromkeys(checks.holding)),
            self._grid(self._launch.grid, self._place),
        )

    def _value(self, name: str, depth: int = 0) -> Polynomial:
        if name not in self._values:
            # Heuristics ask for each other; what asks for itself is not known.
            self._values[name] = unknown(self._launch.call, f"{name} by itself")
            self._values[name] = self._find_value(name, depth)
        return self._values[name]

    def _find_value(self, name: str, depth: int) -> Polynomial:
        if name in self._tuning.heuristics:
            heuristic = self._tuning.heuristics[name]
            match heuristic:
                # In another file than the launch its names are others.
                case ast.Lambda(args=arguments, body=body) if not self._launch.is_elsewhere:
                    return self._of_chosen(body, arguments, None, depth)
            return unknown(heuristic, f"{name} by a heuristic")
        argument = self._launch.arguments.get(name)
        if argument is not None:
            return self._form(argument, self._place)
        if self._chosen is not None and name in self._chosen:
            number = self._chosen[name]
            if number is not None:
                return Polynomial.constant(number)
            return Polynomial.of(Chosen(name))
        parameter = next(p for p in self._launch.kernel.parameters if p.name == name)
        default = parameter.default
        readable = isinstance(default, ast.Constant) or not self._launch.is_elsewhere
        if default is not None and readable and self._chosen is not None:
            return self._host.form(default, None)
        return Polynomial.of(Chosen(name))

    def _form(self, expression: ast.expr, place: ast.stmt | None) -> Polynomial:
        """An expression of the launch, if nothing that the launch evaluates changes it."""
        if self._evaluation.may_be_another(expression, evaluated_by(self._launch)):
            return unknown(expression, "changed")
        return self._host.form(expression, place)

    def _grid(
        self, grid: ast.expr, place: ast.stmt | None, depth: int = 0
    ) -> tuple[Polynomial | None, ...]:
        match grid:
            case ast.Tuple(elts=extents) | ast.List(elts=extents):
                return tuple(self._form(extent, place) for extent in extents)
            # What a lambda or an inner function reads is as it is when it is called: at the launch.
            case ast.Lambda(args=arguments, body=ast.Tuple(elts=extents)):
                return tuple(self._of_chosen(e, arguments, self._place, depth) for e in extents)
            case ast.Name(id=name) if place is not None and depth < MAX_DEPTH:
                bound = self._host.binding(name, place)
                if bound.value is not None:
                    assert isinstance(bound.place, ast.stmt)
                    return self._grid(bound.value, bound.place, depth + 1)
                match bound.place:
                    case ast.FunctionDef(
                        args=arguments,
                        body=[ast.Return(value=ast.Tuple(elts=extents))],
                        decorator_list=[],
                    ):
                        return tuple(
                            self._of_chosen(e, arguments, self._place, depth) for e in extents
                        )
        return ()

    def _of_chosen(
        self,
        expression: ast.expr,
        arguments: ast.arguments,
        place: ast.stmt | None,
        depth: int,
    ) -> Polynomial:
        """The result of a function of one argument, the dictionary of what is passed."""

        def chosen(name: str) -> Polynomial | None:
            known = any(p.name == name for p in self._launch.kernel.parameters)
            return self._value(name, depth + 1) if known and depth < MAX_DEPTH else None

        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        if len(every) != 1 or arguments.vararg is not None or arguments.kwarg is not None:
            return unknown(expression, "")
        if self._evaluation.may_be_another(expression, evaluated_by(self._launch)):
            return unknown(expression, "changed")
        return self._host.form(expression, place, _Chosen(every[0].arg, chosen))


@dataclass(frozen=True)
class _Chosen:
    """`META["BLOCK"]`: the name of the dictionary, and what it holds."""

    name: str
    lookup: Callable[[str], Polynomial | None]


@dataclass(frozen=True)
class _Binding:
    """Where a name was bound last, seen from some place."""

    place: ast.AST | None
    """The statement that binds it; None for the start of the function and beyond."""
    value: ast.expr | None = None
    """The right side of a plain assignment."""
    how: str = ""
    """Tells apart what one statement may leave in a name."""


class _Checks:
    """Facts that a launcher has checked."""

    def __init__(self) -> None:
        self.multiples: list[Multiple] = []
        self.nonnegative: list[Polynomial] = []
        self.unread: list[Polynomial] = []
        self.holding: list[Polynomial] = []


class _Host:
    """The names and expressions of one function; of the module alone where there is none."""

    def __init__(self, module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef | None):
        self._module = module
        self._function = function
        self._names = names_of(function) if function is not None else None
        self._home = self._names.home if self._names is not None else {}
        self._elsewhere = self._names.declared if self._names is not None else set()
        self._parameters = self._names.parameters if self._names is not None else set()
        self._forms: dict[tuple[ast.expr, ast.stmt | None], Polynomial] = {}
        self._truths = Truths(module, self._names)
        self._guards = Guards(module, self._truths, self._truth)

    @cached_property
    def _reach(self) -> Reach | None:
        return reach_of(self._module, self._function) if self._function is not None else None

    def size(
        self,
        tensor: ast.Name,
        method: str,
        which: tuple[int, ...],
        place: ast.stmt | None,
        depth: int,
    ) -> Polynomial:
        known = self.tensor(tensor, place, depth)
        if known is None:
            return unknown(tensor, f"{method} {which}")
        if place is not None and tensor.id not in self._elsewhere and method != "stride":
            bound = self.binding(tensor.id, place)
            made = bound.value
            while isinstance(made, ast.Call):
                made = same_shape(self._module, made)  # `x = x.contiguous()`
            if isinstance(made, ast.Name) and isinstance(bound.place, ast.stmt):
                return self.size(made, method, which, bound.place, depth + 1)
        return Polynomial.of(TensorSize(known, method, which))

    def tensor(self, node: ast.Name, place: ast.stmt | None, depth: int) -> Polynomial | None:
        """A tensor, unless code that is not known may have given it other sizes."""
        if place is not None and self._reach is not None:
            line = max(place.lineno, node.lineno)
            if self._reach.is_reached(node.id, line) or node.id in self._reach.reshaped:
                return None
        return self._name(node, place, depth)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement of the function that an expression stands in."""
        return None if self._names is None else self._names.statement_of(self._module, node)

    # Names

    def binding(self, name: str, place: ast.stmt) -> _Binding:
        """What `name` is where `place` starts."""
        while True:
            around, block, index = self._home[place]
            for statement in reversed(block[:index]):
                if not _binds(statement, name):
                    continue
                match statement:
                    case (
                        ast.Assign(targets=[ast.Name()], value=value)
                        | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value)
                    ) if not (_binds(value, name) or _binds_on_the_way(value)):
                        return _Binding(statement, value)
                    case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                        part = _unpacked(targets, value, name)
                        again = _binds(value, name) or _binds_on_the_way(value)
                        if part is not None and not again:
                            return _Binding(statement, part)
                return _Binding(statement, how="after")
            if around is self._function:
                return _Binding(None)
            loop = isinstance(around, (ast.For, ast.AsyncFor, ast.While))
            parts = [part for _, part in ast.iter_fields(around) if loop or part is not block]
            if any(_binds(node, name) for part in parts for node in _nodes(part)):
                return _Binding(around, how="inside")
            assert isinstance(around, ast.stmt | ast.ExceptHandler | ast.match_case)
            if around not in self._home:
                return _Binding(around, how="inside")
            assert isinstance(around, ast.stmt)
            place = around

    def _name(self, node: ast.Name, place: ast.stmt | None, depth: int) -> Polynomial:
        name = node.id
        if place is not None and name not in self._elsewhere:
            found = self.binding(name, place)
            if found.value is not None and isinstance(found.place, ast.stmt):
                return self._form(found.value, found.place, None, depth + 1)
            if found.place is not None:
                return unknown(found.place, f"{name} {found.how}")
            if name in self._parameters:
                return Polynomial.of(LauncherParameter(name))
        bindings = self._module.names.module.bindings.get(name, [])
        scope = self._module.names.scope_of.get(node)
        home = scope.find(name) if scope is not None else None
        of_module = home is None or home is self._module.names.module
        once = len(bindings) == 1 and name not in self._module.names.declared_global
        if of_module and once and isinstance(bindings[0], ast.expr):
            return self._form(bindings[0], None, None, depth + 1)
        return unknown(node, name)

    # Expressions

    def form(
        self, expression: ast.expr, place: ast.stmt | None, chosen: _Chosen | None = None
    ) -> Polynomial:
        """An expression as it is where `place` starts; at the end of the module without one."""
        if chosen is not None:
            return self._form(expression, place, chosen, 0)
        if (expression, place) not in self._forms:
            self._forms[expression, place] = self._form(expression, place, None, 0)
        return self._forms[expression, place]

    def _form(
        self, node: ast.expr, place: ast.stmt | None, chosen: _Chosen | None, depth: int
    ) -> Polynomial:
        def inside(part: ast.expr) -> Polynomial:
            return self._form(part, place, chosen, depth + 1)

        if depth > MAX_DEPTH:
            return unknown(node, "deep")
        try:
            match node:
                case ast.Constant(value=int() as value):
                    return Polynomial.constant(int(value))
                case ast.Constant(value=str() | None as value):
                    return Polynomial.of(Constant(repr(value)))
                case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) if _is_truth(node):
                    return self._truths.of(node, inside, _Sizes(self, place, depth))
                case ast.Name(id=name) if chosen is None or name != chosen.name:
                    return self._name(node, place, depth)
                case ast.UnaryOp(op=ast.USub(), operand=operand):
                    return -inside(operand)
                case ast.BinOp(left=left, op=op, right=right):
                    return self._binary(node, inside(left), op, inside(right))
                case ast.IfExp(test=test, body=body, orelse=orelse):
                    holds = self._truths.of(test, inside, _Sizes(self, place, depth))
                    return Polynomial.of(Choice(holds, inside(body), inside(orelse)))
                case ast.Subscript(value=shape, slice=index) if (
                    which := integer(index)
                ) is not None and (asked := self.tensor_of(shape, place)) is not None:
                    return self.size(asked[0], "size", (which,), asked[1], depth)
                case ast.Subscript(
                    value=ast.Name(id=name), slice=ast.Constant(value=str() as key)
                ) if chosen is not None and name == chosen.name:
                    return chosen.lookup(key) or unknown(node, key)
                case ast.Attribute(value=ast.Name() as tensor, attr="ndim"):
                    return self.size(tensor, "dim", (), place, depth)
                case ast.Call():
                    return self._call(node, inside, place, depth)
        except TooLarge:
            return unknown(node, "large")
        if self._truths.is_flag(node):
            return self._truths.flag(node)
        return unknown(node, "")

    def _truth(self, test: ast.expr, place: ast.stmt) -> Polynomial:
        return self._truths.of(test, lambda part: self.form(part, place), _Sizes(self, place, 0))

    def tensor_of(
        self, shape: ast.expr, place: ast.stmt | None
    ) -> tuple[ast.Name, ast.stmt | None] | None:
        """Whose sizes these are, and where they were asked for; a name may have kept them."""
        if isinstance(shape, ast.Name) and place is not None and shape.id not in self._elsewhere:
            found = self.binding(shape.id, place)
            if found.value is None or not isinstance(found.place, ast.stmt):
                return None
            shape, place = found.value, found.place
        tensor = shape_of(shape)
        return (tensor, place) if isinstance(tensor, ast.Name) else None

    def _binary(
        self, node: ast.BinOp, left: Polynomial, op: ast.operator, right: Polynomial
    ) -> Polynomial:
        match op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv():
                exact = left.whole_quotient(right)
                if exact is not None:
                    return exact
                return Polynomial.of(FloorDiv(left, right, "static"))
            case ast.Mod():
                return Polynomial.of(Mod(left, right, "static"))
        return unknown(node, "")

    def _call(
        self,
        node: ast.Call,
        inside: Callable[[ast.expr], Polynomial],
        place: ast.stmt | None,
        depth: int,
    ) -> Polynomial:
        name = self._module.resolve(node.func) or self._module.builtin(node.func)
        plain = not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        if plain and name in CEILING_DIVISIONS and len(node.args) == 2:
            return ceiling_division(inside(node.args[0]), inside(node.args[1]))
        if plain and name == "triton.next_power_of_2" and len(node.args) == 1:
            return Polynomial.of(PowerOfTwo(inside(node.args[0])))
        if plain and name in ("min", "max") and len(node.args) >= 2:
            extremum = Minimum if name == "min" else Maximum
            sides = sorted(map(inside, node.args), key=lambda side: side.key)
            return reduce(lambda one, other: Polynomial.of(extremum(one, other)), sides)
        if plain and name == "int" and len(node.args) == 1:
            argument = inside(node.args[0])
            return argument if _is_surely_integer(argument) else unknown(node, "int")
        if plain and name == "bool" and len(node.args) == 1:
            return self._truths.of(node.args[0], inside, _Sizes(self, place, depth))
        if plain and name == "len" and len(node.args) == 1:
            asked = self.tensor_of(node.args[0], place)
            if asked is not None:
                return self.size(asked[0], "dim", (), asked[1], depth)
        match node.func:
            case ast.Attribute(value=ast.Name() as tensor, attr="dim") if plain and not node.args:
                return self.size(tensor, "dim", (), place, depth)
            case ast.Attribute(value=ast.Name() as tensor, attr=method) if (
                method in torch_api.EXTENTS
            ):
                which = [i for i in map(integer, node.args) if i is not None]
                if plain and len(which) == len(node.args):
                    return self.size(tensor, method, tuple(which), place, depth)
        return unknown(node, "")


class _CheckedHost(_Host):
    """A launcher with what it has checked where it launches."""

    def check(self, place: ast.stmt, found: _Checks) -> None:
        """What holds where `place` starts, whichever way the function came there."""
        assert self._names is not None
        for around, block, before in self._names.way_to(place):
            for statement in before:
                found.holding.append(self._guards.passed(statement))
                known = checked(self._module, statement)
                if known is not None:
                    self._learn(*known, statement, found)
                elif isinstance(statement, ast.If) and self._leaves(statement):
                    self._learn(statement.test, False, statement, found)
                elif self._hands_to_a_check(statement):
                    names = {n.id: n for n in walk(statement) if isinstance(n, ast.Name)}
                    found.unread += [self.form(name, statement) for name in names.values()]
            if isinstance(around, ast.If):
                self._learn(around.test, block is around.body, around, found)
                holds = self._guards.truth(around.test, around)
                found.holding.append(holds if block is around.body else ONE - holds)
            elif not isinstance(around, _GOING_ON):
                found.holding.append(unknown(block[0], "passed"))

    def _hands_to_a_check(self, statement: ast.stmt) -> bool:
        """Whether it calls a function of the file that may raise, and drops what that returns."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=called))):
                bodies = (node for node, _ in self._module.names.functions if node.name == called)
                return any(
                    isinstance(part, (ast.Assert, ast.Raise)) for b in bodies for part in walk(b)
                )
        return False

    def _leaves(self, branch: ast.If) -> bool:
        """Whether nothing after a branch is reached where its condition holds."""
        match branch:
            case ast.If(body=[*_, ast.Expr(value=ast.Call(func=called))], orelse=[]):
                return self._module.resolve(called) in ("sys.exit", "pytest.skip")
        return not branch.orelse and leaves(branch.body)

    def _learn(self, test: ast.expr, holds: bool, place: ast.stmt, found: _Checks) -> None:
        binds = _binds_on_the_way(test)
        if binds or not all(map(self._is_arithmetic, walk(test))):
            names = {n.id: n for n in walk(test) if isinstance(n, ast.Name)}
            found.unread += [self.form(name, place) for name in names.values()]
        if binds:
            return
        for part, is_true in conjuncts(test, holds):
            match part:
                case ast.BinOp(left=left, op=ast.Mod(), right=right) if not is_true:
                    found.multiples.append((self.form(left, place), self.form(right, place)))
                case ast.Compare(left=left, ops=ops, comparators=rights) if is_true or not ops[1:]:
                    for one, op, other in zip([left, *rights], ops, rights, strict=False):
                        self._learn_comparison(one, op, other, is_true, place, found)

    def _is_arithmetic(self, node: ast.AST) -> bool:
        """Whether a part of a condition hides no arithmetic: nothing about `v` in `check(v)`."""
        match node:
            case ast.Call(func=ast.Attribute(attr=method)) if method in torch_api.EXTENTS:
                return True
            case ast.Call(func=called):
                name = self._module.resolve(called) or self._module.builtin(called)
                return name in _READ | CEILING_DIVISIONS
            case ast.BinOp(op=op):
                return isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod))
            case ast.Compare(ops=ops):
                return not any(isinstance(op, (ast.In, ast.NotIn)) for op in ops)
        return not isinstance(node, ast.comprehension)

    def _learn_comparison(
        self,
        left: ast.expr,
        op: ast.cmpop,
        right: ast.expr,
        holds: bool,
        place: ast.stmt,
        found: _Checks,
    ) -> None:
        equal = isinstance(op, ast.Eq) if holds else isinstance(op, ast.NotEq)
        zero = isinstance(right, ast.Constant) and right.value == 0
        if equal and zero and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod):
            found.multiples.append((self.form(left.left, place), self.form(left.right, place)))
            return
        few = _few_numbers(right)
        if few and isinstance(op, ast.In if holds else ast.NotIn):
            number = self.form(left, place)
            found.nonnegative += [-number + max(few), number - min(few)]
            return
        try:
            difference = self.form(right, place) - self.form(left, place)
        except TooLarge:
            return
        if not difference.is_whole:
            return
        if equal:
            found.nonnegative += [difference, -difference]
        orders = {ast.LtE: difference, ast.GtE: -difference}
        orders |= {ast.Lt: difference - 1, ast.Gt: -difference - 1}
        if isinstance(op, tuple(orders)):
            order = orders[type(op)]
            found.nonnegative.append(order if holds else -order - 1)


def _few_numbers(node: ast.expr) -> list[int]:
    """The whole numbers of `{16, 32}`; none where it has anything else."""
    elements = node.elts if isinstance(node, (ast.Set, ast.Tuple, ast.List)) else []
    numbers = [e.value for e in elements if isinstance(e, ast.Constant) and type(e.value) is int]
    return numbers if len(numbers) == len(elements) else []


def is_free(atom: Atom) -> bool:
    """Whether a launcher's atom may be any number: an argument, a size, or the tuner's choice.

    Any other is computed in a way that is not followed, and may always be a multiple of something.
    """
    return isinstance(atom, (LauncherParameter, Chosen, TensorSize))


@dataclass(frozen=True)
class _Sizes:
    """The sizes of tensors where a statement starts."""

    host: _Host
    place: ast.stmt | None
    depth: int

    def tensor_of(self, shape: ast.expr) -> Polynomial | None:
        asked = self.host.tensor_of(shape, self.place)
        return None if asked is None else self.host.tensor(*asked, self.depth)

    def size_of(self, shape: ast.expr, index: int) -> Polynomial:
        asked = self.host.tensor_of(shape, self.place)
        assert asked is not None
        return self.host.size(asked[0], "size", (index,), asked[1], self.depth)


def _is_truth(node: ast.expr) -> bool:
    """Whether it is true or false, and no other value: `a or b` may be any."""
    match node:
        case ast.BoolOp(values=values):
            return all(map(_is_truth, values))
        case ast.Constant(value=value):
            return isinstance(value, bool)
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _is_surely_integer(form: Polynomial) -> bool:
    """Whether it is made of sizes of tensors alone; a name may hold a float."""
    return form.is_whole and not any(
        isinstance(leaf, (LauncherParameter, Chosen, Unread, Constant, Flag))
        for leaf in _outside_tensors(form)
    )


def _outside_tensors(form: Polynomial) -> Iterator[Atom]:
    for atom in form.atoms:
        yield atom
        if not isinstance(atom, TensorSize):
            for form in atom.inside:
                yield from _outside_tensors(form)


def _unpacked(targets: Sequence[ast.expr], value: ast.expr, name: str) -> ast.expr | None:
    """What a name gets from `a, b = x, y` and from `a, b = tensor.shape`."""
    places = [i for i, t in enumerate(targets) if isinstance(t, ast.Name) and t.id == name]
    if len(places) != 1:
        return None
    starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if starred and starred[0] < places[0]:
        places = [places[0] - len(targets)]  # counted from the end
    match value:
        case ast.Tuple() if starred:
            return None
        case ast.Tuple(elts=parts) if len(parts) == len(targets):
            part = parts[places[0]]
            return None if isinstance(part, ast.Starred) else part
        case ast.Attribute(value=ast.Name(), attr="shape"):
            return ast.Subscript(value, ast.Constant(places[0]), ast.Load())
    return None


def _nodes(part: object) -> Iterator[ast.AST]:
    for item in part if isinstance(part, list) else [part]:
        if isinstance(item, ast.AST):
            yield item


def _binds_on_the_way(expression: ast.expr) -> bool:
    """Whether a part of it binds a name, so that the same name stands for two things in it."""
    return any(isinstance(part, ast.NamedExpr) for part in walk(expression))


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a statement may bind a name, or change the sizes of what it holds, however deep."""
    return name in names_bound_in(node) or name in names_reshaped_in(node)

"""Names for things that a file changes inside: `helper.fn = ...`, `setattr(BLOCK, "value", 64)`.

A jit function keeps its text in its attributes, and a constexpr its value. Whoever sets them gives
a global another meaning while all of its names stay as they are bound. Which object an expression
is, is not followed: what counts are the names in it, whatever their scope, and those in all that
may be bound to them. So this may say yes wrongly.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tritonopt.source.names import TRITON
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.module import Module

HELD = frozenset(
    ["fn", "run", "src", "_src", "raw_src", "arg_names", "value"]
    + ["__class__", "__code__", "__defaults__", "__kwdefaults__"]
)
"""Attributes of jit functions, of what they wrap, and of constexprs, that say what these are."""
WHOLE = frozenset({"__dict__", "__setattr__", "__delattr__", "__init__", "__setstate__"})
"""Attributes by which any other can be set."""
SETTERS = frozenset({"setattr", "delattr", "vars", "__setattr__", "__delattr__"})
"""Functions by which any attribute of what they are given can be set."""
_BY_TEXT = SETTERS | {"object"}
"""With `patch.object(some, "name", ...)`."""
_UPDATE = "_unsafe_update_src"
_OWN = frozenset({"self", "cls", "super"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def find_changed_names(module: Module) -> frozenset[str]:
    """Names in a file, and last parts of dotted ones, for what the file may change inside."""
    return frozenset(_Search(module).find())


def find_replaced_names(module: Module) -> Iterator[str]:
    """Dotted names, through the file's imports, that it gives another value."""
    has_setters = any(name in module.text for name in _BY_TEXT)
    for node in module.names.parents:
        if isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                yield module.names.resolve(node)
        elif has_setters and isinstance(node, ast.Call) and _last(node.func) in _BY_TEXT:
            match node.args:
                case [owner, ast.Constant(value=str(name)), *_]:
                    yield f"{module.names.resolve(owner)}.{name}"


class _Search:
    def __init__(self, module: Module) -> None:
        self._tree = module.tree
        self._names = module.names
        self._bound: dict[str, set[str]] = {}
        """By name, the names for what may be bound to it, returned by it, or put into it."""

    def find(self) -> set[str]:
        # Any attribute counts of what a global's name says; of other things, which are many, only
        # those that jit functions and constexprs have.
        plain: set[str] = set()
        held: set[str] = set()
        setters = self._setters()
        for node in self._names.parents:
            if isinstance(node, ast.Attribute):
                owner, name = node.value, node.attr
                if not isinstance(node.ctx, ast.Load):
                    plain |= self._named(owner)
                    held |= _may_be(owner) if name in HELD | WHOLE else set()
                elif name in WHOLE or name == _UPDATE:
                    held |= _may_be(owner)
            elif isinstance(node, ast.Call):
                held |= _may_be(*_set_by(node, setters))
        return plain | (self._followed(held) if held else held)

    def _named(self, owner: ast.expr) -> set[str]:
        """The names in `a.b.c`, but for a variable of a function."""
        found: set[str] = set()
        while isinstance(owner, (ast.Attribute, ast.Subscript)):
            found |= {owner.attr} if isinstance(owner, ast.Attribute) else set()
            owner = owner.value
        if isinstance(owner, ast.Name) and not self._is_own_of_function(owner):
            # What becomes of triton itself is told by `find_replaced_names`.
            found |= set() if self._names.resolve(owner).startswith(TRITON) else {owner.id}
        return found - _OWN

    def _is_own_of_function(self, name: ast.Name) -> bool:
        """Whether a function binds the name, to something else than what it imports."""
        home = self._names.scope_of.get(name, self._names.module).find(name.id)
        if home is None or home is self._names.module:
            return False
        return not any(isinstance(binding, str) for binding in home.bindings[name.id])

    def _setters(self) -> set[str]:
        """`setattr` and the like, by all their names in the file."""
        found = set(SETTERS)
        for node, around in self._names.parents.items():
            if isinstance(around, ast.Assign) and _last(node) in found:
                found |= _may_be(*around.targets)
        for scope in self._names.scopes.values():
            for name, bindings in scope.bindings.items():
                if any(isinstance(b, str) and b.rpartition(".")[2] in found for b in bindings):
                    found.add(name)
        return found

    # What names may stand for

    def _followed(self, names: set[str]) -> set[str]:
        self._note_bindings()
        found: set[str] = set()
        todo = set(names)
        while todo:
            found |= todo
            todo = {other for name in todo for other in self._bound.get(name, ())} - found
        return found

    def _note(self, names: set[str], values: set[str]) -> None:
        for name in names if values else ():
            self._bound.setdefault(name, set()).update(values)

    def _note_bindings(self) -> None:
        calls: dict[str, set[str]] = {}
        """By name of a function, the names for what it may be given."""
        called: dict[ast.AST, set[str]] = {}
        lambdas: dict[ast.AST, set[str]] = {}
        nodes = walk(self._tree)
        for node in nodes:
            if isinstance(node, ast.Call) and not isinstance(node.func, ast.Subscript):
                given = _may_be(*node.args, *node.keywords)
                for name in _may_be(node.func, *node.args, *node.keywords):
                    calls.setdefault(name, set()).update(given)
                called.update((part, given) for part in (node.func, *node.args))
            if isinstance(node, ast.Assign):
                lambdas[node.value] = _may_be(*node.targets)
            for target, values in _bindings(node):
                self._note(_targets(target), _may_be(*values))
        for node in nodes:
            if isinstance(node, _FUNCTIONS):
                names = lambdas.get(node, set()) if isinstance(node, ast.Lambda) else {node.name}
                given = {one for name in names for one in calls.get(name, ())}
                self._note_parameters(node, given | called.get(node, set()))

    def _note_parameters(self, function: _Function, given: set[str]) -> None:
        arguments = function.args
        defaults = [d for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]
        taken = {node.arg for node in walk(arguments) if isinstance(node, ast.arg)}
        self._note(taken - _OWN, given | _may_be(*defaults))
        if not isinstance(function, ast.Lambda):
            returned = (node.value for node in walk(function) if isinstance(node, ast.Return))
            self._note({f"{function.name}()"}, _may_be(*(value for value in returned if value)))


def _set_by(call: ast.Call, setters: set[str]) -> Sequence[ast.AST]:
    """What a call may set attributes of."""
    given: list[ast.AST] = [*call.args, *call.keywords]
    function = call.func
    is_patch = isinstance(function, ast.Attribute) and _last(function.value) == "patch"
    if _last(function) in setters or is_patch:
        return call.args[:1] or given
    # `partial(setattr, x)`, `getattr(x, "__dict__")`
    is_handed = any(_last(argument) in setters for argument in call.args)
    is_named = any(isinstance(a, ast.Constant) and a.value in WHOLE for a in call.args)
    return given if is_handed or is_named else ()


def _bindings(node: ast.AST) -> Iterator[tuple[ast.AST, list[ast.expr]]]:
    """What a node binds, or puts things into, and the things."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, [value]) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, [value]
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield target, [value]
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            yield node.target, [node.iter]
        case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
            yield target, [value]
        case ast.Match(subject=subject, cases=cases):
            yield from ((case.pattern, [subject]) for case in cases)
        case ast.keyword(arg=str(name), value=value):  # `Namespace(name=x)`
            yield ast.Name(name), [value]
        case ast.Call(func=ast.Attribute(value=owner)):  # `some.append(x)`
            yield owner, [*node.args, *(keyword.value for keyword in node.keywords)]


def _targets(target: ast.AST) -> set[str]:
    """The names by which what is put into a target may be found again."""
    if not isinstance(target, ast.pattern):
        return _may_be(target)
    found = (getattr(node, "name", None) or getattr(node, "rest", None) for node in walk(target))
    return {name for name in found if name is not None}


def _may_be(*nodes: ast.AST) -> set[str]:
    """Names for what some expressions may be, or may hold: the last ones of dotted names.

    `f()` for what a function returns.
    """
    found: set[str] = set()
    todo: list[ast.AST | None] = [*nodes]
    while todo:
        match todo.pop():
            case ast.Name(id=name):
                found.add(name)
            case ast.Attribute(value=owner, attr=name):
                found.add(name)
                todo += [owner] if name in HELD else []  # the function of a jit function
            case ast.Call(func=ast.Subscript()):
                pass  # a launch, which returns nothing
            case ast.Call(func=function, args=args, keywords=keywords):
                todo += [*args, *keywords]
                if _last(function):
                    found.add(f"{_last(function)}()")
                else:
                    todo.append(function)
                if _last(function) == "getattr" and isinstance(args[-1], ast.Constant):
                    found.add(str(args[-1].value))
            case ast.keyword(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
                todo.append(value)
            case ast.Await(value=value) | ast.Yield(value=value) | ast.YieldFrom(value=value):
                todo.append(value)
            case ast.NamedExpr(target=target, value=value):
                todo += [target, value]
            case ast.IfExp(body=one, orelse=other):
                todo += [one, other]
            case ast.BoolOp(values=parts) | ast.Dict(values=parts):
                todo += parts
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                todo += parts
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() as made:
                todo += [made.elt, *(generator.iter for generator in made.generators)]
            case ast.DictComp(value=value, generators=generators):
                todo += [value, *(generator.iter for generator in generators)]
    return found - _OWN


def _last(expression: ast.AST) -> str:
    """`c` of `a.b.c`."""
    match expression:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""

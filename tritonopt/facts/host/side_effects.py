"""What running host code may change, and whether an expression gives the same before and after.

Only what is known to change nothing is taken to change nothing: Python's own arithmetic, functions
of torch and triton, methods of tensors, launches, and functions of the same file whose bodies are
made of these. A call of anything else may run any code. That code cannot bind a local name of
another function, and cannot change a number; it may change whatever else a name holds: the sizes
of a tensor, an attribute, an element, a variable of the module.

Reading an attribute or an element is taken to be just that, unless the file defines a property or
a method of its own for it. It is not taken to give the same twice, but for the sizes of tensors:
only methods like `t_()`, an assigned `.data` and code that is not known change these.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tritonopt.facts.host import torch_api
from tritonopt.source.decorators import is_identity
from tritonopt.source.module import Module
from tritonopt.source.names import Scope
from tritonopt.source.trees import children, walk

_Definition = ast.FunctionDef | ast.AsyncFunctionDef
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom, ast.ClassDef, ast.Import, ast.ImportFrom)
_HARMLESS_BUILTINS = frozenset(
    ["abs", "bool", "divmod", "enumerate", "float", "id", "int", "isinstance", "issubclass", "len"]
    + ["max", "min", "pow", "print", "range", "repr", "reversed", "round", "slice", "str", "tuple"]
    + ["type", "zip", "hasattr"]
) | {name for name in dir(builtins) if name.endswith(("Error", "Warning"))}
_NUMBERS = frozenset({"int", "len", "min", "max", "abs", "round", "bool", "float"}) | {
    *("triton.cdiv", "triton.next_power_of_2", "math.ceil", "math.floor", "math.prod"),
    *("math.sqrt", "math.log2", "math.log", "math.gcd"),
}
"""Functions that make numbers from numbers, and do nothing else."""
_CONSUMING = frozenset(
    ["enumerate", "max", "min", "reversed", "tuple", "zip", "math.prod", "math.gcd"]
)
"""Functions that may go through an iterator, which runs its code and leaves it empty."""
_ITERATED = frozenset({"range", "enumerate", "zip", "reversed"})


@dataclass(frozen=True)
class Changes:
    """What may be other after some code has run."""

    bound: frozenset[str] = frozenset()
    """Names that it binds."""
    mutated: frozenset[str] = frozenset()
    """Names of what it changes in place: `x[i] = 0`, `x.add_(1)`, `x += 1`. Others may hold it."""
    reshaped: bool = False
    """Whether some tensor may get other sizes."""
    anything: bool = False
    """Whether code runs that is not known."""

    def __or__(self, other: Changes) -> Changes:
        return Changes(
            self.bound | other.bound,
            self.mutated | other.mutated,
            self.reshaped or other.reshaped,
            self.anything or other.anything,
        )

    @property
    def nothing(self) -> bool:
        return self == Changes()


_NOTHING = Changes()
_ANYTHING = Changes(anything=True)


class HostEffects:
    """The effects of the host code of one file."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._launches = {launch.call for launch in module.launches}
        self._own_members = _own_members(module)
        self._known: dict[ast.AST, Changes] = {}
        self._called: dict[_Definition, Changes] = {}

    def changes(self, nodes: Iterable[ast.AST]) -> Changes:
        """What running some statements or expressions may change."""
        found = _NOTHING
        for node in nodes:
            if node not in self._known:
                self._known[node] = self._whole(node)
            found |= self._known[node]
        return found

    def may_change_tensors(self, call: ast.Call) -> bool:
        """Whether a call may give what it gets other sizes or memory, its arguments apart.

        What an import brings and what is launched like a kernel (`k[grid](x)`) is a kernel.
        """
        match call.func:
            case ast.Subscript(value=launched):
                if self._module.resolve(launched):
                    return False
        changes = self._own(call)
        return changes.anything or changes.reshaped

    def _whole(self, node: ast.AST) -> Changes:
        found = self._own(node)
        if isinstance(node, _INNER):
            # Its body runs when it is called.
            inside = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
            return found | self.changes(inside)
        for child in children(node):
            found |= self._whole(child)
        return found

    def _own(self, node: ast.AST) -> Changes:
        """What a node does itself, without what is inside it."""
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                return Changes(bound=frozenset({name}))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                decorated = any(not is_identity(self._module, d) for d in node.decorator_list)
                return Changes(bound=frozenset({name}), anything=decorated)
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                return Changes(bound=frozenset({name}))
            case ast.MatchStar(name=str()) | ast.MatchMapping() | ast.MatchClass():
                return _ANYTHING
            case ast.AugAssign(target=target):
                return Changes(mutated=_base(target), anything=not _base(target))
            case ast.Attribute(attr=attribute):
                return self._attribute(node, attribute)
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                own = bool(self._own_members & {"__setitem__", "__delitem__"})
                return Changes(mutated=_base(value), anything=own or not _base(value))
            case ast.Subscript():
                return _ANYTHING if "__getitem__" in self._own_members else _NOTHING
            case ast.With(items=items) | ast.AsyncWith(items=items):
                known = all(self._is_torch(item.context_expr) for item in items)
                return Changes(anything=not known or isinstance(node, ast.AsyncWith))
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                return Changes(anything=not self._is_counted(iterated))
            case ast.Call():
                return self._call(node)
        return Changes(anything=isinstance(node, (*_SUSPENDING, ast.AsyncFor)))

    def _attribute(self, node: ast.Attribute, name: str) -> Changes:
        if name in torch_api.RESHAPING:
            return Changes(reshaped=True)
        if isinstance(node.ctx, ast.Load):
            return Changes(anything=name in self._own_members)
        return Changes(reshaped=name == "data", anything=name != "data")

    def _is_torch(self, expression: ast.expr) -> bool:
        called = expression.func if isinstance(expression, ast.Call) else expression
        return torch_api.is_plain_function(self._module.resolve(called))

    def _is_counted(self, iterated: ast.expr) -> bool:
        """Whether what a loop goes over runs no code of its own."""
        if isinstance(iterated, ast.Call):
            return self._module.builtin(iterated.func) in _ITERATED and all(
                self._is_counted(a) or is_pure(self._module, a) for a in iterated.args
            )
        return isinstance(iterated, (ast.Tuple, ast.List, ast.Constant))

    # Calls

    def _call(self, node: ast.Call) -> Changes:
        if node in self._launches:
            return _NOTHING
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if any(self._is_function(argument) for argument in arguments):
            return _ANYTHING  # which may be called
        module = self._module
        name = module.resolve(node.func)
        if _consumes(module, node):
            return _ANYTHING
        builtin = module.builtin(node.func)
        if f"__{builtin}__" in self._own_members:
            return _ANYTHING  # `len(x)` calls the `__len__` of a class of the file
        if builtin in _HARMLESS_BUILTINS or name in _NUMBERS:
            return _NOTHING
        if torch_api.is_plain_function(name):
            out = any(k.arg in ("out", "inplace", None) for k in node.keywords)
            return Changes(reshaped=out, anything=out)
        if name or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return _ANYTHING
        if isinstance(node.func, ast.Attribute):
            return self._method(node.func)
        definition = definition_of(module, node.func)
        return _ANYTHING if definition is None else self._function(definition)

    def _is_function(self, argument: ast.expr) -> bool:
        if isinstance(argument, ast.Starred):
            argument = argument.value
        return isinstance(argument, ast.Lambda) or (
            isinstance(argument, ast.Name) and definition_of(self._module, argument) is not None
        )

    def _method(self, method: ast.Attribute) -> Changes:
        name = method.attr
        if name in self._own_members:
            return _ANYTHING
        if name in torch_api.METHODS or name in torch_api.RESHAPING:
            return _NOTHING  # reading a name of the latter already counts
        if name in ("append", "extend") or torch_api.is_in_place(name):
            base = _base(method.value)
            return Changes(mutated=base, anything=not base)
        return _ANYTHING

    def _function(self, definition: _Definition) -> Changes:
        """What a call of a function of this file changes outside of it."""
        if definition not in self._called:
            self._called[definition] = _ANYTHING  # until it is known: it may call itself
            inside = self.changes(definition.body)
            named = (n for n in walk(definition) if isinstance(n, (ast.Global, ast.Nonlocal)))
            outer = {name for statement in named for name in statement.names}
            decorated = any(not is_identity(self._module, d) for d in definition.decorator_list)
            self._called[definition] = Changes(
                inside.bound & outer,
                inside.mutated,  # by the names of the function itself
                inside.reshaped,
                inside.anything or decorated,
            )
        return self._called[definition]


@lru_cache(maxsize=8)
def effects_of(module: Module) -> HostEffects:
    return HostEffects(module)


def definition_of(module: Module, name: ast.expr) -> _Definition | None:
    """The function of this file that a name stands for, if it is bound to nothing else."""
    if not isinstance(name, ast.Name):
        return None
    home = module.names.scope_of.get(name, module.names.module).find(name.id)
    bindings = home.bindings[name.id] if home is not None else []
    only = bindings[0] if len(bindings) == 1 else None
    return only if isinstance(only, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _consumes(module: Module, call: ast.Call) -> bool:
    """Whether a call may go through an iterator that a name holds."""
    name = module.builtin(call.func) or module.resolve(call.func)
    if name not in _CONSUMING or (name in ("min", "max", "math.gcd") and len(call.args) > 1):
        return False
    return not all(_is_display(argument) for argument in call.args)


def _is_display(expression: ast.expr) -> bool:
    match expression:
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_display(value)
        case ast.Call(func=ast.Attribute(attr=attribute)):
            return attribute in torch_api.SIZES
        case ast.Call(func=ast.Name(id=name)):
            return name in _ITERATED
        case ast.Attribute(attr=attribute):
            return attribute == "shape"
    return isinstance(expression, (ast.Tuple, ast.List, ast.ListComp))


def is_pure(module: Module, expression: ast.expr, given: str = "") -> bool:
    """Whether evaluating it does nothing else, and again gives the same as long as nothing changes.

    A name, a number, a size of a tensor, and arithmetic on these. `given` is the name of a
    dictionary of which that is known too.
    """
    match expression:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value, attr=attribute):
            if attribute in torch_api.SIZES:
                return is_pure(module, value, given) or _is_path(value)
            return bool(module.resolve(expression))
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant()) if given:
            return name == given
        case ast.Subscript(value=ast.Attribute(attr="shape") as shape, slice=index):
            return is_pure(module, shape, given) and is_pure(module, index, given)
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="size" | "stride")) as sizes):
            return is_pure(module, sizes, given) and is_pure(module, expression.slice, given)
        case ast.Call(func=called, args=arguments, keywords=[]):
            if any(isinstance(a, ast.Starred) for a in arguments) or _consumes(module, expression):
                return False
            is_size = isinstance(called, ast.Attribute) and called.attr in torch_api.SIZES
            known = {module.resolve(called), module.builtin(called)} & _NUMBERS
            if not (known or (is_size and is_pure(module, called, given))):
                return False
            return all(is_pure(module, argument, given) for argument in arguments)
        case ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare() | ast.IfExp() | ast.Tuple():
            parts = (part for part in children(expression) if isinstance(part, ast.expr))
            return all(is_pure(module, part, given) for part in parts)
    return False


def _is_path(expression: ast.expr) -> bool:
    """Whether it is `self.weight`, of whose sizes is asked: an attribute that holds a tensor."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return isinstance(expression, ast.Name)


class Evaluation:
    """Whether expressions of one function give the same before and after other code of it."""

    def __init__(self, module: Module, scope: Scope, given: str = "") -> None:
        self._module = module
        self._scope = scope
        self._given = given
        self._effects = effects_of(module)

    def is_pure(self, expression: ast.expr) -> bool:
        """Whether it does nothing else, and gives the same again as long as nothing changes."""
        plain = is_pure(self._module, expression, self._given)
        return plain and self._effects.changes([expression]).nothing

    def gives_the_same(self, expression: ast.expr, between: Iterable[ast.AST]) -> bool:
        """Whether a pure expression comes to the same before and after some code has run."""
        if not self.is_pure(expression):
            return False
        changes = self._effects.changes(between)
        if changes.nothing:
            return True
        for node in walk(expression):
            if isinstance(node, ast.Attribute) and node.attr in torch_api.SIZES:
                if changes.reshaped or changes.anything:
                    return False
            elif isinstance(node, ast.Attribute) and not self._is_constant(node):
                if changes.anything or changes.mutated:
                    return False
            elif isinstance(node, ast.Name) and self._may_change(node, expression, changes):
                return False
        return True

    def _is_constant(self, attribute: ast.Attribute) -> bool:
        """Whether it is something of torch's, triton's or math's; other modules have variables."""
        return self._module.resolve(attribute).partition(".")[0] in ("torch", "triton", "math")

    def may_be_another(self, expression: ast.expr, between: Iterable[ast.AST]) -> bool:
        """Whether what an expression names may be other things before and after some code.

        Of a tensor it is asked whether it is the same tensor, whatever its elements are.
        """
        changes = self._effects.changes(between)
        if changes.nothing:
            return False
        for node in walk(expression):
            if isinstance(node, ast.Attribute) and node.attr in torch_api.SIZES:
                if changes.reshaped or changes.anything:
                    return True
            elif isinstance(node, ast.Name):
                home = self._module.names.scope_of.get(node, self._scope).find(node.id)
                if node.id in changes.bound:
                    return True
                if changes.anything and home is not None and self._may_be_bound(home, node.id):
                    return True
        return False

    def may_swap(self, one: ast.expr, other: ast.expr) -> bool:
        """Whether two expressions come to the same in either order."""
        if self.is_pure(other):
            return self.gives_the_same(other, [one])
        return self.gives_the_same(one, [other])

    def _may_change(self, name: ast.Name, around: ast.expr, changes: Changes) -> bool:
        """Whether what a name stands for may be another, or another number."""
        if name.id in changes.bound:
            return True
        scope = self._module.names.scope_of.get(name, self._scope)
        home = scope.find(name.id)
        if home is None or self._is_fixed(home, name.id):
            return False
        if self._may_be_bound(home, name.id):
            return changes.anything or bool(changes.mutated)
        if not (changes.anything or changes.mutated) or self._is_number(home, name.id):
            return False
        # A tensor may hold another number; that it is the same tensor is enough for its sizes.
        return not _only_sized(around, name.id)

    def _may_be_bound(self, home: Scope, name: str) -> bool:
        """Whether another function may bind a name."""
        if self._is_fixed(home, name):
            return False
        return home.node is not self._scope.function or name in _shared(home.node)

    def _is_fixed(self, home: Scope, name: str) -> bool:
        """Whether it is a name of the module that is bound once, to what never changes."""
        names = self._module.names
        if home is not names.module or name in names.declared_global:
            return False
        bindings = home.bindings[name]
        kinds = (str, ast.Constant, ast.FunctionDef, ast.ClassDef)
        return len(bindings) == 1 and isinstance(bindings[0], kinds)

    def _is_number(self, home: Scope, name: str, depth: int = 0) -> bool:
        """Whether a local name only ever holds numbers of Python's own."""
        if not isinstance(home.node, (ast.FunctionDef, ast.AsyncFunctionDef)) or depth > 8:
            return False
        unpacked = _numbers_unpacked(home.node)
        arguments = home.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        typed = {a.arg for a in every if _is_int(a.annotation)}
        left = list(home.bindings[name])
        for _ in range(unpacked.get(name, 0) + (name in typed)):
            if None in left:
                left.remove(None)
        return all(
            isinstance(value, ast.expr) and self._is_numeric(value, home, depth) for value in left
        )

    def _is_numeric(self, value: ast.expr, home: Scope, depth: int) -> bool:
        match value:
            case ast.Constant(value=number):
                return isinstance(number, (int, float))
            case ast.Name(id=name):
                return name in home.bindings and self._is_number(home, name, depth + 1)
            case ast.Subscript(value=ast.Attribute(attr="shape"), slice=index):
                return not isinstance(index, ast.Slice)
            case ast.Call(func=ast.Attribute(attr=attribute), args=[]) if attribute != "numel":
                return attribute in ("dim", "element_size")
            case ast.Call(func=ast.Attribute(attr="size" | "stride" | "numel")):
                return True
            case ast.Call(func=called, args=arguments):
                if self._module.builtin(called) in ("int", "len"):
                    return True
                if not {self._module.resolve(called), self._module.builtin(called)} & _NUMBERS:
                    return False
                return len(arguments) > 0 and all(
                    self._is_numeric(a, home, depth) for a in arguments
                )
            case ast.BinOp() | ast.UnaryOp() | ast.IfExp():
                parts = [p for p in children(value) if isinstance(p, ast.expr)]
                if isinstance(value, ast.IfExp):
                    parts.remove(value.test)
                return all(self._is_numeric(part, home, depth) for part in parts)
        return False


def _base(expression: ast.expr) -> frozenset[str]:
    """The name that an expression is about; empty where there is none."""
    while isinstance(expression, (ast.Attribute, ast.Subscript, ast.Starred)):
        expression = expression.value
    return frozenset({expression.id}) if isinstance(expression, ast.Name) else frozenset()


def _only_sized(expression: ast.expr, name: str) -> bool:
    """Whether an expression asks nothing of a name but the sizes of what it holds."""
    sized = {
        node.value
        for node in walk(expression)
        if isinstance(node, ast.Attribute) and node.attr in torch_api.SIZES
    }
    reads = (n for n in walk(expression) if isinstance(n, ast.Name) and n.id == name)
    return all(read in sized for read in reads)


def _shared(function: ast.AST) -> set[str]:
    """The names that other functions may bind."""
    named = (n for n in walk(function) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return {name for statement in named for name in statement.names}


def _numbers_unpacked(function: ast.AST) -> dict[str, int]:
    """How often names are bound by `m, n = x.shape` and the like."""
    found: dict[str, int] = {}
    for node in walk(function):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)],
                value=ast.Attribute(attr="shape")
                | ast.Call(func=ast.Attribute(attr="size" | "stride"), args=[]),
            ):
                for target in targets:
                    if isinstance(target, ast.Name):
                        found[target.id] = found.get(target.id, 0) + 1
    return found


def _is_int(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "int"


def _own_members(module: Module) -> frozenset[str]:
    """Names of methods and properties that classes of this file define."""
    found: set[str] = set()
    for node in _classes(module):
        for member in node.body:
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.add(member.name)
    return frozenset(found)


def _classes(module: Module) -> Iterator[ast.ClassDef]:
    return (node for node in module.names.scopes if isinstance(node, ast.ClassDef))

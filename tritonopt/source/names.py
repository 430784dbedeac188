"""What a name means: scopes, and dotted names through a file's own imports.

One walk over the tree notes, for every scope, what each name is bound to, and
for every name that is read, the scope it is read in. Nothing is resolved until
somebody asks.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from functools import cached_property

from tritonopt.source.trees import fields_of, walk

TRITON = "triton"
LANGUAGE = "triton.language"
LIBDEVICE = "triton.language.extra.libdevice"

# Projects re-export triton under these names from modules of their own, often with a stand-in for
# machines without it (`from vllm.triton_utils import tl, triton`).
_CONVENTIONAL = {
    "triton": TRITON,
    "tl": LANGUAGE,
    "tl_math": "triton.language.math",
    "tldevice": LIBDEVICE,
    "libdevice": LIBDEVICE,
    "tl_extra_shim": LIBDEVICE,
}
# `import tensorly as tl` is no triton, so a local name alone must be one that nothing else has.
_UNMISTAKABLE = frozenset({"tl_math", "tldevice", "libdevice", "tl_extra_shim"})

# Names that `triton.language` and `triton` offer under their own roof.
_HOMES = {
    "triton.language.core": LANGUAGE,
    "triton.language.standard": LANGUAGE,
    "triton.runtime.jit": TRITON,
    "triton.runtime.autotuner": TRITON,
    "triton.runtime": TRITON,
}
_BUILTINS = frozenset(dir(builtins))

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


Binding = str | ast.stmt | ast.expr | None
"""A dotted name (import), a definition, the value of a plain assignment, or None (anything)."""


class Scope:
    """A module, class, function, lambda or comprehension, and the names it binds."""

    __slots__ = ("_elsewhere", "bindings", "node", "parent")

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node = node
        self.parent = parent
        self.bindings: dict[str, list[Binding]] = {}
        self._elsewhere: dict[str, Scope] = {}

    def bind(self, name: str, what: Binding) -> None:
        self._elsewhere.get(name, self).bindings.setdefault(name, []).append(what)

    def declare(self, names: Iterable[str], home: Scope) -> None:
        """`global` and `nonlocal`: the names are bound in another scope."""
        for name in names:
            self._elsewhere[name] = home

    def find(self, name: str) -> Scope | None:
        """The scope in which a name that is read here is bound; None for builtins."""
        home = self._elsewhere.get(name)
        if home is not None:
            return home if name in home.bindings else None
        scope: Scope | None = self
        while scope is not None:
            # The names of a class body are not seen from the functions inside it.
            visible = scope is self or not isinstance(scope.node, ast.ClassDef)
            if visible and name in scope.bindings:
                return scope
            scope = scope.parent
        return None

    @property
    def function(self) -> Function | None:
        """The innermost `def` around."""
        scope: Scope | None = self
        while scope is not None:
            if isinstance(scope.node, _FUNCTIONS):
                return scope.node
            scope = scope.parent
        return None


class Names:
    """The scopes of one tree and what its names resolve to."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.scopes: dict[ast.AST, Scope] = {tree: self.module}
        """By the node that opens the scope."""
        self.functions: list[tuple[Function, Scope]] = []
        """Every `def` with the scope that it is defined in, in source order."""
        self.scope_of: dict[ast.Name, Scope] = {}
        """Of every name that is read, the scope it is read in."""
        self.parents: dict[ast.AST, ast.AST] = {}
        """Of every expression, the expression, keyword or statement right around it."""
        self.stars: list[str] = []
        """Modules of `from m import *`."""
        self.before_stars: set[str] = set()
        """Names of the module that a later `from m import *` may bind again."""
        self.declared_global: set[str] = set()
        """Names of the module that some function may bind."""
        self._resolved: dict[tuple[Scope, str], str] = {}
        _Walk(self).body(tree.body, self.module)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The statement that an expression stands in."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def resolve(self, expression: ast.expr) -> str:
        """The dotted name of `a.b.c` through the imports; "" where it has none."""
        tail: list[str] = []
        while isinstance(expression, ast.Attribute):
            tail.append(expression.attr)
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return ""
        root = self.resolve_name(expression.id, self.scope_of.get(expression, self.module))
        if not root:
            return ""
        return canonical(".".join([root, *reversed(tail)]))

    def builtin(self, expression: ast.expr) -> str:
        """The name of the builtin that the expression reads; "" where it reads anything else."""
        if self._imports_builtins:
            module, _, name = self.resolve(expression).rpartition(".")
            if module == "builtins" and name in _BUILTINS:
                return name
        if not isinstance(expression, ast.Name) or expression.id not in _BUILTINS:
            return ""
        if self.scope_of.get(expression, self.module).find(expression.id) is not None:
            return ""
        return "" if self._resolve_unbound(expression.id) else expression.id

    @cached_property
    def _imports_builtins(self) -> bool:
        every = (scope.bindings.values() for scope in self.scopes.values())
        bound = (binding for values in every for bindings in values for binding in bindings)
        return any(isinstance(name, str) and name.startswith("builtins") for name in bound)

    def resolve_name(self, name: str, scope: Scope) -> str:
        home = scope.find(name)
        if home is None:
            return self._resolve_unbound(name)
        key = (home, name)
        if key not in self._resolved:
            self._resolved[key] = ""  # an alias of itself ends here
            self._resolved[key] = self._resolve_bindings(home.bindings[name])
        return self._resolved[key]

    def alternatives(self, name: str) -> Sequence[Binding]:
        """What each branch of one statement of the module binds to a name that nothing else binds.

        `if FAST: def exp(x): ...` `else: def exp(x): ...`. Empty where it is bound in another way.
        """
        bindings = self.module.bindings.get(name, [])
        assert isinstance(self.module.node, ast.Module)
        if len(bindings) < 2 or self.stars or any(map(is_none, bindings)):
            return ()
        for statement in self.module.node.body:
            branches = _branches(statement)
            # As many as there are bindings, so that there is none in any other place.
            if len(branches) == len(bindings) and all(
                any(_binds(inner, name) for inner in branch) for branch in branches
            ):
                return bindings
        return ()

    def _resolve_unbound(self, name: str) -> str:
        if LANGUAGE in self.stars and name not in _CONVENTIONAL:
            return f"{LANGUAGE}.{name}"
        # Bound nowhere: from `import *`, or the text is a fragment of a module.
        return _CONVENTIONAL.get(name, "")

    def _resolve_bindings(self, bindings: Sequence[Binding]) -> str:
        for module in (TRITON, LANGUAGE, f"{TRITON}.jit"):
            # Whatever stands in for it where triton is not installed, nothing is compiled there.
            if module in bindings:
                return module
        names: list[str] = []
        for binding in bindings:
            if isinstance(binding, str):
                names.append(binding)
            elif isinstance(binding, (ast.Name, ast.Attribute)):
                names.append(self.resolve(binding))
            elif not is_none(binding):
                return ""
        if len(set(names)) == 1:
            return names[0]
        # One function that versions of triton offer in different places.
        own = bool(names) and all(name.startswith(f"{LANGUAGE}.") for name in names)
        if own and len({name.rpartition(".")[2] for name in names}) == 1:
            return names[0]
        return ""


def canonical(name: str) -> str:
    """The name under which triton documents what a dotted name stands for."""
    head, _, last = name.rpartition(".")
    home = _HOMES.get(head)
    if home is None or last.startswith("_") or name in _HOMES:
        return name
    return f"{home}.{last}"


def words_of(dotted: str) -> tuple[str, ...]:
    """Words, of which every file has one in which something stands for what is outside of it."""
    library = dotted.partition(".")[0]
    return (library, *_CONVENTIONAL) if library == TRITON else (library,)


def _imported(module: str, name: str, local: str) -> str:
    """The dotted name behind `from module import name as local`."""
    if module.partition(".")[0] != TRITON:
        conventional = _CONVENTIONAL.get(name)
        if conventional is None and local in _UNMISTAKABLE:
            conventional = _CONVENTIONAL[local]
        if conventional is not None:
            return conventional
    return canonical(f"{module}{'' if module.endswith('.') else '.'}{name}")


def is_none(binding: Binding) -> bool:
    """Whether `None` is bound, in place of something that is not installed."""
    return isinstance(binding, ast.Constant) and binding.value is None


def _branches(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Of which just one comes to its end: those of an `if` with an `else`, or of a `try`."""
    match statement:
        case ast.If(body=body, orelse=[ast.If() as other]):
            rest = _branches(other)
            return [body, *rest] if rest else []
        case ast.If(body=body, orelse=[_, *_] as other):
            return [body, other]
        case ast.Try(body=body, handlers=[_, *_] as handlers, orelse=[], finalbody=[]):
            return [body, *(handler.body for handler in handlers)]
    return []


def _binds(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is a definition, an assignment or an import of that name."""
    match statement:
        case ast.FunctionDef():
            return statement.name == name
        case ast.Assign(targets=[ast.Name(id=target)]):
            return target == name
        case ast.ImportFrom(names=names):
            return any((alias.asname or alias.name) == name for alias in names)
    return False


def _parts(value: ast.expr | None, count: int) -> Sequence[ast.expr | None]:
    """What each of `count` targets gets; `a, *b = 1, 2` and the like say nothing."""
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
        return [None if isinstance(part, ast.Starred) else part for part in value.elts]
    return [None] * count


def _global_by_text(target: ast.expr, *, is_module: bool) -> str:
    """The name in `globals()["name"]`; of a module's own statements `vars()` is the same."""
    match target:
        case ast.Subscript(
            value=ast.Call(func=ast.Name(id=called), args=[], keywords=[]),
            slice=ast.Constant(value=str(name)),
        ) if called == "globals" or (is_module and called in ("locals", "vars")):
            return name
    return ""


class _Walk:
    """The one walk over the tree that fills `Names`."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._parents = names.parents
        self._scope_of = names.scope_of

    # Statements

    def body(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        for stmt in body:
            self._statement(stmt, scope)

    def _statement(self, stmt: ast.stmt, scope: Scope) -> None:
        if isinstance(stmt, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            self._assignment(stmt, scope)
        elif isinstance(stmt, ast.Expr):
            self._expression(stmt.value, stmt, scope)
        elif isinstance(stmt, _FUNCTIONS):
            self._function(stmt, scope)
        elif isinstance(stmt, ast.ClassDef):
            self._class(stmt, scope)
        elif isinstance(stmt, (ast.If, ast.While)):
            self._expression(stmt.test, stmt, scope)
            self.body(stmt.body, scope)
            self.body(stmt.orelse, scope)
        elif isinstance(stmt, (ast.For, ast.AsyncFor)):
            self._expression(stmt.iter, stmt, scope)
            self._target(stmt.target, stmt, scope, None)
            self.body(stmt.body, scope)
            self.body(stmt.orelse, scope)
        elif isinstance(stmt, (ast.With, ast.AsyncWith)):
            for item in stmt.items:
                self._expression(item.context_expr, stmt, scope)
                if item.optional_vars is not None:
                    self._target(item.optional_vars, stmt, scope, None)
            self.body(stmt.body, scope)
        elif isinstance(stmt, (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
            self._declaration(stmt, scope)
        elif isinstance(stmt, ast.Match):
            self._expression(stmt.subject, stmt, scope)
            for case in stmt.cases:
                self._pattern(case.pattern, stmt, scope)
                if case.guard is not None:
                    self._expression(case.guard, stmt, scope)
                self.body(case.body, scope)
        elif isinstance(stmt, ast.Delete):
            for target in stmt.targets:
                if not isinstance(target, ast.Name):
                    self._target(target, stmt, scope, None)
        elif hasattr(stmt, "handlers"):  # Try, and TryStar where there is one
            self._try(stmt, scope)
        else:  # Return, Raise, Assert, TypeAlias, Pass, ...
            for child in ast.iter_child_nodes(stmt):
                if isinstance(child, ast.expr):
                    self._expression(child, stmt, scope)

    def _assignment(self, stmt: ast.Assign | ast.AugAssign | ast.AnnAssign, scope: Scope) -> None:
        if isinstance(stmt, ast.AnnAssign):
            self._expression(stmt.annotation, stmt, scope)
        if stmt.value is not None:
            self._expression(stmt.value, stmt, scope)
        if isinstance(stmt, ast.Assign):
            # What also goes into an object is not only known by its names.
            shared = any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in stmt.targets)
            for target in stmt.targets:
                self._target(target, stmt, scope, None if shared else stmt.value)
        else:
            value = stmt.value if isinstance(stmt, ast.AnnAssign) else None
            self._target(stmt.target, stmt, scope, value)

    def _declaration(
        self, stmt: ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal, scope: Scope
    ) -> None:
        if isinstance(stmt, ast.Import):
            for alias in stmt.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                scope.bind(alias.asname or name, name)
        elif isinstance(stmt, ast.ImportFrom):
            self._import_from(stmt, scope)
        elif isinstance(stmt, ast.Global):
            scope.declare(stmt.names, self._names.module)
            self._names.declared_global.update(stmt.names)
        else:
            for name in stmt.names:
                home = scope.parent.find(name) if scope.parent is not None else None
                scope.declare([name], home or self._names.module)

    def _import_from(self, stmt: ast.ImportFrom, scope: Scope) -> None:
        module = "." * stmt.level + (stmt.module or "")
        for alias in stmt.names:
            if alias.name == "*":
                self._names.stars.append(module)
                if not module.startswith(TRITON):
                    self._names.before_stars.update(self._names.module.bindings)
                continue
            local = alias.asname or alias.name
            scope.bind(local, _imported(module, alias.name, local))

    def _try(self, stmt: ast.stmt, scope: Scope) -> None:
        for field in ("body", "orelse", "finalbody"):
            self.body(getattr(stmt, field), scope)
        for handler in getattr(stmt, "handlers"):  # noqa: B009  (absent from the type of `stmt`)
            if handler.type is not None:
                self._expression(handler.type, stmt, scope)
            if handler.name is not None:
                scope.bind(handler.name, None)
            self.body(handler.body, scope)

    def _function(self, node: Function, scope: Scope) -> None:
        self._names.functions.append((node, scope))
        for decorator in node.decorator_list:
            self._expression(decorator, node, scope)
        scope.bind(node.name, node)
        inner = self._arguments(node.args, node, scope)
        if node.returns is not None:
            self._expression(node.returns, node, scope)
        self._type_parameters(node, inner)
        self.body(node.body, inner)

    def _arguments(self, args: ast.arguments, node: ast.AST, scope: Scope) -> Scope:
        """Opens the scope of a function; defaults and annotations belong to the one around it."""
        inner = Scope(node, scope)
        self._names.scopes[node] = inner
        for default in [*args.defaults, *args.kw_defaults]:
            if default is not None:
                self._expression(default, node, scope)
        every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        for arg in every:
            if arg is None:
                continue
            inner.bind(arg.arg, None)
            if arg.annotation is not None:
                self._expression(arg.annotation, node, scope)
        return inner

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        for expression in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self._expression(expression, node, scope)
        scope.bind(node.name, node)
        inner = Scope(node, scope)
        self._names.scopes[node] = inner
        self._type_parameters(node, inner)
        self.body(node.body, inner)

    def _type_parameters(self, node: ast.AST, inner: Scope) -> None:
        for parameter in getattr(node, "type_params", ()):
            inner.bind(parameter.name, None)

    def _pattern(self, pattern: ast.pattern, stmt: ast.stmt, scope: Scope) -> None:
        for node in walk(pattern):
            if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
                scope.bind(node.name, None)
            elif isinstance(node, ast.MatchMapping) and node.rest is not None:
                scope.bind(node.rest, None)
            elif isinstance(node, (ast.MatchValue, ast.MatchClass)):
                value = node.value if isinstance(node, ast.MatchValue) else node.cls
                self._expression(value, stmt, scope)

    def _target(
        self,
        target: ast.expr,
        parent: ast.AST,
        scope: Scope,
        value: ast.expr | None,
    ) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = _parts(value, len(target.elts))
            for element, part in zip(target.elts, parts, strict=True):
                self._target(element, parent, scope, part)
        elif isinstance(target, ast.Starred):
            self._target(target.value, parent, scope, None)
        else:  # x.y = ..., x[i] = ...: reads x and i
            self._expression(target, parent, scope)
            name = _global_by_text(target, is_module=scope is self._names.module)
            if name:
                self._names.module.bind(name, None)

    # Expressions

    def _expression(self, root: ast.expr, parent: ast.AST, scope: Scope) -> None:
        parents = self._parents
        parents[root] = parent
        stack: list[ast.AST] = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name):
                self._scope_of[node] = scope
            elif isinstance(node, ast.Constant):
                continue
            elif isinstance(node, ast.Lambda):
                inner = self._arguments(node.args, node, scope)
                self._expression(node.body, node, inner)
            elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
                self._comprehension(node, scope)
            else:
                if isinstance(node, ast.NamedExpr):
                    self._walrus(node, scope)
                for field in fields_of(node):
                    value = getattr(node, field, None)
                    if value.__class__ is list:
                        for item in value:
                            if isinstance(item, (ast.expr, ast.keyword)):
                                parents[item] = node
                                stack.append(item)
                    elif isinstance(value, ast.expr):
                        parents[value] = node
                        stack.append(value)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        """`:=` binds in the scope around its comprehensions."""
        home = scope
        while isinstance(home.node, ast.expr) and not isinstance(home.node, ast.Lambda):
            if home.parent is None:
                break
            home = home.parent
        home.bind(node.target.id, None)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope
    ) -> None:
        inner = Scope(node, scope)
        self._names.scopes[node] = inner
        for generator in node.generators:
            self._expression(generator.iter, node, inner)
            self._target(generator.target, node, inner, None)
            for condition in generator.ifs:
                self._expression(condition, node, inner)
        if isinstance(node, ast.DictComp):
            self._expression(node.key, node, inner)
            self._expression(node.value, node, inner)
        else:
            self._expression(node.elt, node, inner)

"""The functions of a file that launch its kernels, and which of them a caller would call."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from tritonopt import source
from tritonopt.source.decorators import JIT, canonical_decorator
from tritonopt.source.trees import names_in, told_apart
from tritonopt.verification.errors import VerificationError

# The arguments of a function that takes any number, `def f(*args, **kwargs)`: what it unpacks.
#
# Of `**kwargs` these are options that have a plain default: `kwargs.get("approximate", "none")`.


def unpacked(function: ast.FunctionDef) -> tuple[ast.arg, ...]:
    """A parameter for each place of `*args` that the function reads, called as it calls it there.

    Nothing where there is no `*args`, where it is only passed on, or where a parameter that has
    to be named stands behind it.
    """
    arguments = function.args
    if arguments.vararg is None or len(arguments.kwonlyargs) > len(
        [d for d in arguments.kw_defaults if d is not None]
    ):
        return ()
    packed = arguments.vararg.arg
    given: dict[int, set[str]] = {}
    count = 0
    for node in ast.walk(function):
        count = max(count, _least(node, packed))
        for place in _places(node, packed):
            given.setdefault(place, set())
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for place, name in _named(target, node.value, packed):
                    given.setdefault(place, set()).add(name)
    count = max(count, max(given, default=-1) + 1, -min(given, default=0))
    own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    found: list[ast.arg] = []
    for place in range(count):
        # What is counted from the end is the one place or the other.
        names = (given.get(place, set()) | given.get(place - count, set())) - own
        name = names.pop() if len(names) == 1 else f"{packed}_{place}"
        found.append(ast.arg(name))
        own.add(name)
    return tuple(found)


def options(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What the function looks up in its `**kwargs`, with its defaults, but for None.

    Names of its parameters, and of what it unpacks, are passed as these.
    """
    packed = function.args.kwarg
    given = function.args
    own = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, *unpacked(function))}
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function) if packed is not None else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value=str(key)), ast.Constant(value=default) as plain],
            ) if packed is not None and name == packed.arg and default is not None:
                if key not in own:
                    found.setdefault(key, plain)
    return found


def _least(node: ast.AST, packed: str) -> int:
    """How many there are where the function asks for them: `len(args) >= 2`, `for x in args`."""
    if isinstance(node, ast.For) and _is(node.iter, packed):
        return 1
    match node:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
            ops=[ast.GtE() | ast.Eq() | ast.Gt() as test],
            comparators=[ast.Constant(value=int() as number)],
        ) if name == packed:
            return number + isinstance(test, ast.Gt)
    return 0


def _places(node: ast.AST, packed: str) -> Iterator[int]:
    """`args[1]`, `args[-1]`."""
    if isinstance(node, ast.Subscript) and _is(node.value, packed):
        match node.slice:
            case ast.Constant(value=int() as place):
                yield place
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place)):
                yield -place


def _named(target: ast.expr, value: ast.expr, packed: str) -> Iterator[tuple[int, str]]:
    """What `x = args[0]`, `x, y = args` and `x = args[0] if args else None` call a place."""
    if isinstance(value, ast.IfExp):
        yield from _named(target, value.body, packed)
        yield from _named(target, value.orelse, packed)
    elif isinstance(target, ast.Name):
        yield from ((place, target.id) for place in _places(value, packed))
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for part, own in zip(target.elts, value.elts, strict=False):
            yield from _named(part, own, packed)
    elif isinstance(target, ast.Tuple) and _is(value, packed):
        for place, part in enumerate(target.elts):
            if not isinstance(part, ast.Name):
                return
            yield place, part.id


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


_COMMENT = re.compile(r"#\s*tritonopt:\s*(?P<args>\S.*)$")


@dataclass(frozen=True, eq=False)
class Launcher:
    """A function, or an autograd function, that a caller would call."""

    name: str
    """What it is called in the module."""
    function: ast.FunctionDef
    """Whose parameters are the arguments: for an autograd function its `forward`."""
    definition: ast.stmt
    """The statement at module level: the function or the class."""
    autograd: bool
    """Whether it is called as `Class.apply`."""
    backward: bool
    """Whether gradients go through a kernel of the file as well."""
    decorated: bool = False
    """Whether it is a kernel of which a decorator makes a function that is called like any other.
    """

    @property
    def definition_name(self) -> str:
        """The function or the class, where an alias is what callers call."""
        assert isinstance(self.definition, (ast.FunctionDef, ast.ClassDef))
        return self.definition.name

    @cached_property
    def packed(self) -> tuple[ast.arg, ...]:
        """What it takes from `*args`."""
        return unpacked(self.function)

    @cached_property
    def options(self) -> Mapping[str, ast.expr]:
        """What it looks up in `**kwargs`, by name, with its default."""
        return options(self.function)

    @property
    def by_position(self) -> bool:
        """Whether it is called without the names of its parameters."""
        return self.autograd or self.decorated or bool(self.packed)

    @property
    def parameters(self) -> tuple[ast.arg, ...]:
        arguments = self.function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        named = [ast.arg(name) for name in self.options]
        if self.packed:
            return (*positional[self.autograd :], *self.packed, *named)
        return (*positional[self.autograd :], *arguments.kwonlyargs, *named)

    @property
    def defaults(self) -> Mapping[str, ast.expr]:
        arguments = self.function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        count = len(arguments.defaults)
        found = {
            a.arg: d
            for a, d in zip(positional[len(positional) - count :], arguments.defaults, strict=True)
        }
        for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                found[a.arg] = default
        return found | dict(self.options)


class Launchers:
    """All launchers of a file, and what each of them reaches."""

    def __init__(self, module: source.Module, imported: frozenset[str] = frozenset()) -> None:
        """`imported` names kernels of another file, where launches of those count."""
        self.module = module
        self._reached: dict[str, frozenset[str]] = {}
        self.definitions = definitions_of(module)
        self.aliases = dict(self._aliases())
        """`name = Class.apply`: name to class."""
        self._meanings = self._meant()
        jitted = {id(k.node) for k in module.kernels}
        own = {name for name, node in self.definitions.items() if id(node) in jitted}
        kernels = own | set(self._jitted())
        launched = kernels | {k.name for k in module.kernels} | imported
        self.launching = {
            name
            for name, node in self.definitions.items()
            if name not in kernels and (self._launches(node) or self._launches_one(launched, node))
        }
        self.found = {launcher.name: launcher for launcher in self._launchers(kernels)}
        self.found |= {launcher.name: launcher for launcher in self._decorated()}

    # A file is asked for them by everything that calls something of it.
    @staticmethod
    @lru_cache(maxsize=8)
    def of(module: source.Module) -> Launchers:
        return Launchers(module)

    def _aliases(self) -> Iterator[tuple[str, str]]:
        for node in statements(self.module.tree.body):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Attribute)
                and node.value.attr == "apply"
                and isinstance(node.value.value, ast.Name)
                and isinstance(node.targets[0], ast.Name)
            ):
                yield node.targets[0].id, node.value.value.id

    def _launches(self, node: ast.stmt) -> bool:
        inside = {id(n) for n in ast.walk(node)}
        if any(id(launch.call) in inside for launch in self.module.launches):
            return True
        # A decorator above the jit may make a function of it that launches by itself.
        used = names_in(node)
        return any(k.name in used and len(k.decorators) > 1 for k in self.module.kernels)

    def _jitted(self) -> Iterator[str]:
        """`k = triton.jit(f)`: both names."""
        for node in statements(self.module.tree.body):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            for call in (n for n in ast.walk(node.value) if isinstance(n, ast.Call)):
                name = canonical_decorator(self.module.resolve(call.func))
                jit = name in (JIT, "triton.runtime.jit.jit")
                if jit and call.args and isinstance(call.args[0], ast.Name):
                    yield node.targets[0].id
                    yield call.args[0].id

    def _launches_one(self, kernels: set[str], node: ast.stmt) -> bool:
        """Whether it launches one of several kernels: `f = a if g else b`, then `f[grid](...)`."""
        names = set(kernels)
        inside = [n for n in ast.walk(node) if isinstance(n, ast.Assign)]
        for given in (*statements(self.module.tree.body), *inside):
            if isinstance(given, ast.Assign) and _may_be(given.value, names):
                names |= {target.id for target in given.targets if isinstance(target, ast.Name)}
        called = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
        return any(isinstance(f, ast.Subscript) and _may_be(f.value, names) for f in called)

    def _meant(self) -> dict[str, set[str]]:
        """The definitions that a name may stand for: its own, and those it was assigned."""
        found: dict[str, set[str]] = {}
        for key in self.definitions:
            found.setdefault(key.partition("#")[0], set()).add(key)
        for node in statements(self.module.tree.body):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                inside = (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
                own = found.setdefault(node.targets[0].id, set())
                own.update(*(found.get(name, ()) for name in inside))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                # `add_func.register_complex(kernel=add_complex)`: the one may run the other.
                called = node.value.func
                if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
                    inside = (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
                    own = found.setdefault(called.value.id, set())
                    own.update(*(found.get(name, ()) for name in inside))
        return found

    def references(self, node: ast.AST) -> set[str]:
        """Definitions of the file that a piece of code names, through other names of theirs."""
        names = names_in(node)
        if isinstance(node, ast.FunctionDef):
            # Inside, a parameter is no definition of its name.
            outside = (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults)
            bound = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
            kept = (n for part in outside if part is not None for n in ast.walk(part))
            names -= bound - {n.id for n in kept if isinstance(n, ast.Name)}
        return set().union(*(self._meanings.get(name, ()) for name in names))

    def reached(self, name: str) -> frozenset[str]:
        """Everything of the file that runs when a definition does, itself included."""
        if name in self._reached:
            return self._reached[name]
        found: set[str] = set()
        waiting = [name]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.references(self.definitions[at])
        return self._reached.setdefault(name, frozenset(found))

    def function_called(self, called: ast.expr) -> tuple[ast.FunctionDef, list[str]] | None:
        """The function of the file that a call enters, and what it calls its arguments in order."""
        name = ast.unparse(called)
        if isinstance(called, ast.Attribute):
            name = ast.unparse(called.value) if called.attr == "apply" else ""
        found = self.definitions.get(self.aliases.get(name, name))
        function = method(found, "forward") if isinstance(found, ast.ClassDef) else found
        if function is None or any(function is kernel.node for kernel in self.module.kernels):
            return None
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        return function, names if function is found else names[1:]  # the context

    def _launchers(self, kernels: set[str]) -> Iterator[Launcher]:
        for name, node in self.definitions.items():
            if name in kernels or "#" in name or not self.reached(name) & self.launching:
                continue
            if isinstance(node, ast.FunctionDef):
                if not _has_parameters(node):
                    # A demonstration or a test that brings its own inputs.
                    continue
                functions = self._autograd_reached(name)
                yield Launcher(name, node, node, False, any(map(_has_backward, functions)))
            elif self._is_autograd(node) and (forward := method(node, "forward")) is not None:
                public = next((a for a, c in self.aliases.items() if c == name), name)
                yield Launcher(public, forward, node, True, _has_backward(node))

    def _decorated(self) -> Iterator[Launcher]:
        """Kernels that nothing calls, whose decorators make functions of others that are called."""
        kernels = [k for k in self.module.kernels if self.definitions.get(k.name) is k.node]
        nodes = {k.node for k in self.module.kernels}
        hosts = [node for node in self.definitions.values() if node not in nodes]
        calls = (n.func for host in hosts for n in ast.walk(host) if isinstance(n, ast.Call))
        called = {function.id for function in calls if isinstance(function, ast.Name)}
        making = {_decorators(k) for k in kernels if len(k.decorators) > 1 and k.name in called}
        named = names_in(self.module.tree)
        for kernel in kernels:
            if _decorators(kernel) in making and kernel.name not in named:
                yield Launcher(kernel.name, kernel.node, kernel.node, False, False, decorated=True)

    def _autograd_reached(self, name: str) -> list[ast.ClassDef]:
        nodes = (self.definitions[n] for n in self.reached(name))
        return [n for n in nodes if isinstance(n, ast.ClassDef) and self._is_autograd(n)]

    def _is_autograd(self, node: ast.ClassDef) -> bool:
        bases = [self.module.resolve(b) or ast.unparse(b) for b in node.bases]
        return any(b.endswith("autograd.Function") or b == "Function" for b in bases)

    def outermost(self) -> list[Launcher]:
        """Launchers that no other launcher of the file calls."""
        called: set[str] = set()
        for launcher in self.found.values():
            name = self.definition_of(launcher)
            called |= self.references(self.definitions[name]) - {name}
        return [
            launcher
            for launcher in self.found.values()
            if self.definition_of(launcher) not in called
        ]

    def reaching(self, kernel: str) -> list[Launcher]:
        """The outermost launchers that run a kernel, which is given by its qualified name."""
        top = kernel.partition(".")[0]
        outermost = self.outermost()
        return [x for x in outermost if top in self.reached(self.definition_of(x))]

    def definition_of(self, launcher: Launcher) -> str:
        return self.aliases.get(launcher.name, launcher.name)

    def named(self, name: str) -> Launcher:
        if name in self.found:
            return self.found[name]
        for launcher in self.found.values():
            if self.definition_of(launcher) == name:
                return launcher
        known = ", ".join(sorted(self.found)) or "none"
        near = difflib.get_close_matches(name, self.found, n=1)
        hint = f" Did you mean `--launcher {near[0]}`?" if near else ""
        raise VerificationError(
            f"--launcher: {self.module.path} has no launcher `{name}`.{hint} "
            f"Launchers (functions at the top of the file that launch a kernel): {known}."
        )


def _decorators(kernel: source.Kernel) -> tuple[str, ...]:
    """What stands above a kernel, without its arguments."""
    written = kernel.node.decorator_list
    return tuple(ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in written)


def _may_be(value: ast.expr, names: set[str]) -> bool:
    """Whether an expression may be one of the named things itself."""
    if isinstance(value, ast.Name):
        return value.id in names
    if isinstance(value, ast.IfExp):
        return _may_be(value.body, names) or _may_be(value.orelse, names)
    if isinstance(value, ast.BoolOp):
        return any(_may_be(part, names) for part in value.values)
    if isinstance(value, ast.Subscript):
        return _may_be(value.value, names)
    if isinstance(value, ast.Dict):
        return any(_may_be(part, names) for part in value.values)
    if isinstance(value, (ast.List, ast.Tuple)):
        return any(_may_be(part, names) for part in value.elts)
    return False


def method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == name), None)


def _has_parameters(node: ast.FunctionDef) -> bool:
    arguments = node.args
    named = arguments.posonlyargs or arguments.args or arguments.kwonlyargs
    return bool(named or unpacked(node))


def _has_backward(node: ast.ClassDef) -> bool:
    backward = method(node, "backward")
    if backward is None:
        return False
    # A body that only raises says that there are no gradients.
    return not all(isinstance(s, (ast.Raise, ast.Expr)) for s in backward.body)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements at module level, those under `if` and `try` included."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            for name in ("body", "orelse", "finalbody"):
                yield from statements(getattr(statement, name, []))
        for handler in getattr(statement, "handlers", []):
            yield from statements(handler.body)


def changed_definitions(original: source.Module, rewritten: source.Module) -> set[str] | None:
    """Names whose definition differs; None where the module itself (a constant) does."""

    def rest(module: source.Module) -> list[str]:
        nodes = (n for n in module.tree.body if not isinstance(n, (ast.FunctionDef, ast.ClassDef)))
        return [ast.dump(n) for n in nodes]

    if rest(original) != rest(rewritten):
        return None
    return differing_definitions(original, rewritten)


def differing_definitions(original: source.Module, rewritten: source.Module) -> set[str]:
    """Names of functions and classes of the module that only one has, or that differ."""

    def dumped(module: source.Module) -> dict[str, str]:
        return {name: ast.dump(node) for name, node in definitions_of(module).items()}

    old, new = dumped(original), dumped(rewritten)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


def definitions_of(module: source.Module) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """The functions and classes of the module; see `told_apart` for names bound twice."""
    nodes = statements(module.tree.body)
    return told_apart(n for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef)))


@dataclass(frozen=True)
class Comment:
    """The arguments in a `# tritonopt: x: f32[m, n]` comment, and where they begin."""

    text: str
    line: int
    column: int
    """From 0."""


def comment_of(module: source.Module, launcher: Launcher) -> Comment | None:
    """The comment above or inside the launcher, or beside its alias."""
    lines = module.lines.texts
    for number in _lines_about(module, launcher, lines):
        if found := _COMMENT.search(lines[number]):
            return Comment(found["args"], number + 1, found.start("args"))
    return None


def _lines_about(module: source.Module, launcher: Launcher, lines: list[str]) -> Iterator[int]:
    """Numbers, from 0, of the lines where a comment about the launcher may stand."""
    for node in (launcher.definition, launcher.function):
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        above = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 2
        while above >= 0 and lines[above].lstrip().startswith("#"):
            yield above
            above -= 1
    for node in statements(module.tree.body):
        # Above or beside `layer_norm = LayerNorm.apply`.
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == launcher.name:
            yield from range(max(node.lineno - 2, 0), node.lineno)
    yield from range(launcher.function.lineno - 1, launcher.function.end_lineno or 0)


# What of the rewritten file answers to the original's launchers, and what no launcher reaches.


def check_counterpart(launcher: Launcher, new: source.Module) -> None:
    """Raise VerificationError where the rewritten file cannot be called as the original is."""
    bound = set(_bound(new))
    if launcher.name not in bound and "*" not in bound:
        near = difflib.get_close_matches(launcher.name, bound, n=1)
        hint = f" Did you mean `{near[0]}`? " if near else " "
        raise VerificationError(
            f"{new.path}: there is no `{launcher.name}`, which the original has."
            f"{hint}Use the original's name and parameters, or give a launcher that both "
            "files have with --launcher."
        )
    function = _function(launcher, new)
    if function is None:
        return
    other = Launcher(launcher.name, function, function, launcher.autograd, False)
    ours, theirs = _names(launcher), _names(other)
    added = [n for n in theirs[len(ours) :] if n not in other.defaults]
    # An autograd function is called by position, whatever the names are.
    same = len(theirs) >= len(ours) if launcher.by_position else theirs[: len(ours)] == ours
    if not same or added:
        raise VerificationError(
            f"{new.path}:{function.lineno}:{function.col_offset + 1}: `{launcher.name}` takes "
            f"({', '.join(theirs)}), and the original's takes ({', '.join(ours)}): callers "
            "of one cannot call the other. Keep the parameters, their names and their "
            "order; add new ones last, with a default."
        )


def left_out(old: Launchers, new: source.Module, verified: Iterable[str]) -> list[str]:
    """Kernels, and what launches some, that differ although nothing verified reaches them.

    Verified are launchers, or kernels, by their names.
    """
    others = Launchers.of(new)
    covered: set[str] = set()
    for name in verified:
        for launchers in (old, others):
            definition = launchers.aliases.get(name, name)
            if definition in launchers.definitions:
                covered |= launchers.reached(definition)
    # Of a kernel in a class it is the class.
    kernels = {k.qualname.partition(".")[0] for k in old.module.kernels}
    found = differing_definitions(old.module, new) & old.definitions.keys() - covered
    plain = ((n.partition("#")[0], n) for n in found)
    return sorted(name for name, n in plain if name in kernels or _launches(old, n))


def _launches(launchers: Launchers, name: str) -> bool:
    node = launchers.definitions[name]
    if isinstance(node, ast.FunctionDef) and name not in launchers.found:
        # A demonstration that brings its own inputs: what it shows is nobody's result.
        return False
    return bool(launchers.reached(name) & launchers.launching)


def _names(launcher: Launcher) -> list[str]:
    return [p.arg for p in launcher.parameters]


def _function(launcher: Launcher, new: source.Module) -> ast.FunctionDef | None:
    """The function whose parameters are the arguments, where the file shows it."""
    nodes = [n for n in statements(new.tree.body) if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    found = [n for n in nodes if n.name == launcher.definition_name]
    if len(found) != 1:
        return None
    node = found[0]
    if isinstance(node, ast.ClassDef):
        return method(node, "forward") if launcher.autograd else None
    return None if launcher.autograd or node.args.vararg or node.args.kwarg else node


def _bound(module: source.Module) -> Iterator[str]:
    """Every name that a statement of the module gives a meaning; `*` for those of others."""
    for statement in statements(module.tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from ((a.asname or a.name).partition(".")[0] for a in statement.names)
        else:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id


# Kernels that no function of their own file launches: functions of the same package that do.


def in_its_package(module: source.Module) -> source.Module:
    """The file as a part of its package, where nothing in it launches its kernels.

    Of the package only the files count that name it and one of its kernels.
    """
    if not module.kernels or Launchers.of(module).found:
        return module
    home = Path(module.path).resolve()
    names = "|".join(re.escape(kernel.name) for kernel in module.kernels)
    mentions = re.compile(rf"\b{re.escape(home.stem)}\b(?s:.*)\b(?:{names})\b")
    paths = [path for path in _package_of(home) if path != home and _matches(mentions, path)]
    if not paths:
        return module
    return source.read(module.text, module.path, source.Program([Path(module.path), *paths]))


def _package_of(path: Path) -> Iterator[Path]:
    """The files of the outermost package around a file; of its folder, where there is none."""
    top = path.parent
    if not (top / "__init__.py").is_file():
        return iter(sorted(top.glob("*.py")))
    while (top.parent / "__init__.py").is_file():
        top = top.parent
    return iter(sorted(top.rglob("*.py")))


def _matches(mentions: re.Pattern[str], path: Path) -> bool:
    try:
        return bool(mentions.search(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        return False


@dataclass(frozen=True)
class Elsewhere:
    """A function of another file."""

    launchers: Launchers
    """All of its file."""
    launcher: Launcher
    kernels: frozenset[str]
    """That it reaches."""


def launched_elsewhere(module: source.Module) -> list[list[Elsewhere]]:
    """Of the functions of other files as few as launch every kernel that any of them launches.

    Each with others that launch as much of what the ones before do not, for not all can be called
    everywhere. What takes few parameters comes first, for it is found out most easily how to call
    that.
    """
    names: dict[str, tuple[source.Module, dict[str, str]]] = {}
    for kernel in module.kernels:
        for launch in module.uses_elsewhere(kernel).launches:
            function = launch.call.func
            base = function.value if isinstance(function, ast.Subscript | ast.Attribute) else None
            if isinstance(base, ast.Name):
                other = names.setdefault(launch.module.path, (launch.module, {}))
                other[1][base.id] = kernel.name
    candidates = []
    for other_module, imported in names.values():
        launchers = Launchers(other_module, frozenset(imported))
        for launcher in launchers.outermost():
            reached = launchers.reached(launchers.definition_of(launcher))
            nodes = [launchers.definitions[name] for name in reached]
            used = {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}
            kernels = frozenset(imported[name] for name in used & imported.keys())
            candidates.append(Elsewhere(launchers, launcher, kernels))
    chosen: list[list[Elsewhere]] = []
    covered: frozenset[str] = frozenset()
    candidates.sort(key=lambda c: len(c.launcher.parameters))
    for candidate in candidates:
        new = candidate.kernels - covered
        if new:
            others = (c for c in candidates if c is not candidate and new <= c.kernels)
            chosen.append([candidate, *others])
            covered |= candidate.kernels
    return chosen

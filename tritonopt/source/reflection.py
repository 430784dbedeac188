"""Kernels that are reached by their name in a text, or through the module that holds them.

`sys.modules[__name__].k`, `import thisfile; thisfile.k`, `globals()["k"]`, `getattr(x, "k")`,
`eval("k[(1,)](x)")`, `attrgetter("k")`: whoever does that may launch the kernel, and no launch of
it is seen. Which module an import brings is told by the file's own name; without one it may be the
file itself. Code that walks over all that the module holds reaches every kernel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tritonopt.source.kernels import Kernel
    from tritonopt.source.module import Module
    from tritonopt.source.names import Binding, Scope

_READING_NAMES = frozenset(
    ["globals", "locals", "vars", "eval", "exec", "attrgetter", "methodcaller", "import_module"]
    + ["__import__"]
)
_READING_ATTRIBUTES = frozenset(
    ["attrgetter", "methodcaller", "__dict__", "__getattribute__", "__globals__", "f_globals"]
    + ["getmembers"]
)
"""What finds something by its name in a text, whichever text that is."""
_FINDING_MODULES = frozenset({"sys.modules", "importlib.import_module", "inspect.getmodule"})
_NAMESPACES = frozenset({"globals", "locals", "vars", "dir"})
_BY_NAME = ("getattr", "setattr")
_LOGGING = frozenset({"debug", "info", "warning", "error", "exception", "log", "warn"})
_WORDS = re.compile(r"\w+")
ANY_WAY = re.compile(
    r"\b(?:globals|locals|vars|dir|eval|exec|getattr|setattr|attrgetter|methodcaller|getmembers"
    r"|import_module|__import__|modules|getmodule|__dict__|__getattribute__|__globals__|f_globals"
    r")\b"
)
"""One of these words stands in every file that finds something by a text, or takes all it has."""
_OTHERS = frozenset(
    ["torch", "triton", "numpy", "math", "os", "functools", "itertools", "operator", "logging"]
    + ["typing", "warnings", "collections", "contextlib", "dataclasses", "enum", "time", "random"]
)
"""Packages of which this file is none."""


def find_hidden_uses(module: Module) -> Iterator[tuple[Kernel, ast.expr]]:
    """Every use of a kernel that does not go by a plain name of the file."""
    names = {kernel.name for kernel in module.kernels}
    found: dict[str, list[ast.expr]] = {name: [] for name in names}
    for name, place in _Search(module, names).find():
        found[name].append(place)
    for kernel in module.kernels:
        for place in found[kernel.name]:
            yield kernel, place


def find_hidden_names(module: Module) -> frozenset[str]:
    """Globals that the file may bind again, or read, other than by their plain names."""
    return frozenset(name for name, _ in _Search(module, {*module.names.module.bindings}).find())


class _Search:
    def __init__(self, module: Module, kernels: set[str]) -> None:
        self._module = module
        self._kernels = kernels
        known = {kernel.name for kernel in module.kernels}
        self._constants = kernels - known
        self._paths = [*(kernel.qualname for kernel in module.kernels), *self._constants]
        self._parents = module.names.parents
        self._stem = PurePath(module.path).stem
        self._may_read_texts = ANY_WAY.search(module.text) is not None
        self._finds_itself = self._may_read_texts and any(map(self._is_finding, self._parents))

    def find(self) -> Iterator[tuple[str, ast.expr]]:
        yield from self._imported()
        reads_text = self._may_read_texts and any(map(self._reads_text, self._parents))
        for node in self._parents:
            if isinstance(node, ast.Attribute) and node.attr in self._kernels:
                is_read = isinstance(node.ctx, ast.Load) and node.attr in self._constants
                if not is_read and any(map(self._may_hold_all, self._owners(node))):
                    yield node.attr, node
            elif not self._may_read_texts:
                continue
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if self._names_something(node) or (reads_text and not self._is_said_only(node)):
                    for word in sorted(self._kernels & set(_WORDS.findall(node.value))):
                        yield word, node
            elif isinstance(node, ast.expr) and self._takes_all(node):
                for name in sorted(self._kernels):
                    yield name, node

    # Texts

    def _reads_text(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and self._module.builtin(node.func) in _BY_NAME:
            return len(node.args) < 2 or not isinstance(node.args[1], ast.Constant)
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        if self._module.builtin(node) in _READING_NAMES:
            return True
        if isinstance(node, ast.Name):
            return node.id in _READING_NAMES
        return node.attr in _READING_ATTRIBUTES or self._is_finding(node)

    def _names_something(self, node: ast.Constant) -> bool:
        """Whether it is the text of `getattr(x, "k")` or `globals()["k"]`."""
        around = self._parents[node]
        if isinstance(around, ast.Call):
            return isinstance(around.func, ast.Name) and around.func.id in _BY_NAME
        owner = around.value if isinstance(around, ast.Subscript) else None
        return isinstance(owner, ast.Call) and self._module.builtin(owner.func) in _NAMESPACES

    def _is_said_only(self, node: ast.Constant) -> bool:
        """Whether a text only documents, is printed or raised, or is one of `__all__`."""
        around = self._parents[node]
        while isinstance(around, (ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.List)):
            around = self._parents[around]
        if isinstance(around, (ast.Expr, ast.Raise, ast.Assert)):
            return True
        if isinstance(around, ast.Assign):
            target = around.targets[0]
            return isinstance(target, ast.Name) and target.id == "__all__"
        if isinstance(around, ast.keyword):
            around = self._parents[around]
        if not isinstance(around, ast.Call):
            return False
        called = around.func
        builtin = self._module.builtin(called)
        return (
            (isinstance(called, ast.Attribute) and called.attr in _LOGGING)
            or builtin == "print"
            or builtin.endswith(("Error", "Warning"))
        )

    # The module itself

    def _imported(self) -> Iterator[tuple[str, ast.expr]]:
        """`from thisfile import k as other`: a name for it that is no name of the kernel."""
        found: dict[tuple[Scope, str], str] = {}
        for scope in self._module.names.scopes.values():
            for name, bindings in scope.bindings.items():
                for binding in bindings:
                    source, dot, last = (
                        binding.rpartition(".") if isinstance(binding, str) else ("",) * 3
                    )
                    if scope is self._module.names.module and last == name:
                        continue  # it goes by its plain name
                    if dot and last in self._kernels and self._may_be_this(source):
                        found[scope, name] = last
        for read, scope in self._module.names.scope_of.items() if found else ():
            home = scope.find(read.id)
            if home is not None and (home, read.id) in found:
                yield found[home, read.id], read

    def _may_be_this(self, dotted: str) -> bool:
        """Whether an import may bring this file, or a package that passes on what it holds."""
        parts = dotted.split(".")
        if parts[0] in _OTHERS:
            return False
        if self._stem in ("", "<string>", "<stdin>", "-", "__init__", "__main__"):
            return True
        return parts[-1] in (self._stem, "", *PurePath(self._module.path).parts[:-1])

    def _may_hold_all(self, owner: ast.expr) -> bool:
        """Whether an expression may be the module that this file is."""
        dotted = self._module.names.resolve(owner)
        if dotted:
            return self._may_be_this(dotted)
        bound: Sequence[Binding] = ()
        if isinstance(owner, ast.Name):
            home = self._module.names.scope_of[owner].find(owner.id)
            bound = home.bindings[owner.id] if home is not None else ()
        if any(isinstance(binding, str) and self._may_be_this(binding) for binding in bound):
            return True
        is_class = bool(bound) and all(isinstance(binding, ast.ClassDef) for binding in bound)
        return self._finds_itself and not is_class

    def _owners(self, node: ast.Attribute) -> Iterator[ast.expr]:
        """What would be the module if the attribute were a kernel: `m` of `m.k` and `m.Class.k`."""
        for path in self._paths:
            owner: ast.expr = node
            for part in reversed(path.split(".")):
                if not isinstance(owner, ast.Attribute) or owner.attr != part:
                    break
                owner = owner.value
            else:
                yield owner

    def _is_finding(self, node: ast.AST) -> bool:
        """`sys.modules`, `importlib.import_module`, `__import__`: a way to this very module."""
        if isinstance(node, ast.Attribute) and node.attr in ("__globals__", "f_globals"):
            return True
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        builtin = self._module.builtin(node)
        return builtin == "__import__" or self._module.names.resolve(node) in _FINDING_MODULES

    def _takes_all(self, node: ast.expr) -> bool:
        """Whether it gives whatever the module holds, or runs a text that nobody can read."""
        around = self._parents[node]
        match node:
            case ast.Attribute(attr="__dict__", value=owner):
                return self._may_hold_all(owner)
            case ast.Subscript(value=modules) if (
                self._module.names.resolve(modules) == "sys.modules"
            ):
                return not isinstance(around, (ast.Attribute, ast.Assign))
            case ast.Call(func=called, args=arguments):
                name = self._module.builtin(called) or self._module.names.resolve(called)
                if name in ("eval", "exec"):
                    return len(arguments) == 1 and not isinstance(arguments[0], ast.Constant)
                if name in (*_BY_NAME, "vars", "dir", "inspect.getmembers") and arguments:
                    is_known = len(arguments) > 1 and isinstance(arguments[1], ast.Constant)
                    return not is_known and self._may_hold_all(arguments[0])
                is_module = self._module.names.scope_of.get(_name(called)) is (
                    self._module.names.module
                )
                if name == "globals" or (name in _NAMESPACES and is_module):
                    return not _asks_for_one(node, around, self._parents)
        return False


def _name(expression: ast.expr) -> ast.Name:
    return expression if isinstance(expression, ast.Name) else ast.Name("", ast.Load())


def _asks_for_one(call: ast.Call, around: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """`globals()["k"]`, `globals().get("k")`, `"k" in globals()`: the text says which."""
    match around:
        case ast.Subscript(slice=ast.Constant()) | ast.Compare():
            return True
        case ast.Attribute(attr="get" | "setdefault" | "pop"):
            user = parents[around]
            first = user.args[0] if isinstance(user, ast.Call) and user.args else None
            return isinstance(first, ast.Constant)
    return False

"""Names that a file may replace in other modules without an assignment to `module.name`.

By a text (`exec("module.name = ...")`), through the globals of one of the module's functions
(`function.__globals__["name"] = ...`), or through a module that is found by a computed name
(`sys.modules[function.__module__].name = ...`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.source.module import Module

_NAMESPACES = frozenset({"__globals__", "f_globals"})
_MODULES = frozenset({"sys.modules", "sys.modules.get"})
_FINDING = frozenset({"importlib.import_module", "inspect.getmodule"})
_READING = frozenset({"get", "keys", "values", "items", "copy", "__getitem__", "__contains__"})
_COPYING = frozenset({"dict", "len", "list", "sorted", "set"})
"""What only reads of what it is given, as `update` does."""
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class Ways:
    """The names that a file may replace in modules that it does not have to name."""

    names: frozenset[str] = frozenset()
    any: bool = False
    """Whether it may replace any name."""


def find_ways(module: Module) -> Ways:
    """What a file may replace so."""
    found: set[str | None] = set()
    for node in module.names.parents:
        if isinstance(node, ast.expr):
            found.update(_replaced_at(node, module))
    return Ways(frozenset(name for name in found if name is not None), None in found)


def _replaced_at(node: ast.expr, module: Module) -> Iterable[str | None]:
    """Names that an expression may replace; None for any."""
    if isinstance(node, (ast.Name, ast.Attribute)) and module.builtin(node) in ("exec", "eval"):
        return _by_text(node, module)
    if isinstance(node, ast.Attribute) and node.attr in _NAMESPACES:
        return _by_namespace(node, module)
    if isinstance(node, ast.Constant) and node.value in _NAMESPACES:
        return (None,)
    if isinstance(node, (ast.Call, ast.Subscript)) and _is_computed_module(node, module):
        return _by_module(node, module)
    return ()


def _by_text(function: ast.expr, module: Module) -> Iterator[str | None]:
    call = module.names.parents[function]
    if not isinstance(call, ast.Call) or call.func is not function or not call.args:
        yield None  # it is handed on
        return
    text = call.args[0]
    if isinstance(text, ast.Call) and module.builtin(text.func) == "compile" and text.args:
        text = text.args[0]
    yield from _words_in(text)
    if not isinstance(text, ast.Constant):
        yield None


def _by_namespace(node: ast.expr, module: Module) -> Iterable[str | None]:
    around = module.names.parents[node]
    match around:
        case ast.Subscript(value=value, ctx=context) if value is node:
            return () if isinstance(context, ast.Load) else _key(around.slice)
        case ast.Attribute(attr=name) if name in _READING:
            return ()
        case ast.Attribute():
            call = module.names.parents[around]
            is_called = isinstance(call, ast.Call) and call.func is around
            return _given(call) if isinstance(call, ast.Call) and is_called else (None,)
        case ast.Call(func=ast.Attribute(attr="update")):
            return ()
        case ast.Call(func=called) if module.builtin(called) in _COPYING:
            return ()
        case ast.Call(func=called) if module.builtin(called) in ("exec", "eval"):
            return ()  # which its text answers
        case ast.Call():
            return _given(around)
        case ast.Compare() | ast.Expr():
            return ()
    return (None,)


def _given(call: ast.Call) -> Iterable[str | None]:
    """What a call that gets a namespace may replace: names in its texts, and of its keywords."""
    keywords = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    return keywords | _words_in(*call.args) or (None,)


def _key(key: ast.expr) -> Iterable[str | None]:
    return _words_in(key) if isinstance(key, ast.Constant) else (None,)


def _is_computed_module(node: ast.Call | ast.Subscript, module: Module) -> bool:
    """`sys.modules[name]`, `import_module(name)`, and a function's module."""
    way = node.func if isinstance(node, ast.Call) else node.value
    dotted = module.names.resolve(way)
    if dotted not in _MODULES | _FINDING and module.builtin(way) != "__import__":
        return False
    if isinstance(node, ast.Call):
        return not (node.args and isinstance(node.args[0], ast.Constant))
    return isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Constant)


def _by_module(node: ast.expr, module: Module) -> Iterable[str | None]:
    around = module.names.parents[node]
    match around:
        case ast.Attribute(attr=name, ctx=context):
            return () if isinstance(context, ast.Load) and name != "__dict__" else (name,)
        case ast.Expr() | ast.Compare():
            return ()
        case ast.Call(func=function):
            name = module.builtin(function)
            if name == "setattr" and around.args[1:]:
                return _key(around.args[1])
            return () if name in ("getattr", "hasattr") else _given(around)
    return _stored_anywhere(module)


def _stored_anywhere(module: Module) -> Iterator[str | None]:
    """What a file sets of anything, for what it has by a name."""
    for node in module.names.parents:
        match node:
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
                if not (isinstance(owner, ast.Name) and owner.id in ("self", "cls")):
                    yield name
            case ast.Call(func=function, args=[_, key, *_]):
                if module.builtin(function) == "setattr":
                    yield from _key(key)


def _words_in(*nodes: ast.expr) -> set[str]:
    """The words of all texts in some code."""
    texts = (
        node.value
        for root in nodes
        for node in walk(root)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {word for text in texts for word in _WORDS.findall(text)}

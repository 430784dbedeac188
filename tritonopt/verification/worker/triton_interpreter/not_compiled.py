"""What Triton's interpreter runs, for it is Python, and the compiler refuses.

Read in the text of kernels, with the values that their names have: statements that the language
does not have, numbers of the module that are no constants of the language, functions of Python.
The interpreter's word is taken for what it ran: a branch that is not taken may never be compiled.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tritonopt.source.parsing import parsed
from tritonopt.source.trees import names_in
from tritonopt.verification.worker.autotuner import layers_of

_WORDS = {
    ast.Break: "`break`", ast.Continue: "`continue`", ast.Try: "`try`", ast.Raise: "`raise`",
    ast.Import: "`import`", ast.ImportFrom: "`import`", ast.Global: "`global`",
    ast.Nonlocal: "`nonlocal`", ast.Delete: "`del`", ast.Lambda: "`lambda`", ast.Dict: "a dict",
    ast.Set: "a set", ast.DictComp: "a dict", ast.SetComp: "a set",
    ast.GeneratorExp: "a generator", ast.NamedExpr: "`:=`", ast.Yield: "`yield`",
}  # fmt: skip
_PLAIN = (bool, int, float, str, bytes, tuple, list, dict, set, type(None))
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)


def refused_lines(tree: ast.Module, module: types.ModuleType) -> dict[int, str]:
    """Lines of the file's kernels that do not compile, by the first line of the statement."""
    generator: Any = importlib.import_module("triton.compiler.code_generator").CodeGenerator
    interpreter: Any = importlib.import_module("triton.runtime.interpreter")
    known: Mapping[str, Any] = getattr(generator, "builtin_namespace", {})
    if not known:
        return {}
    launched: Any = importlib.import_module("triton.runtime.jit").KernelInterface
    wrapped = launched, interpreter.InterpretedFunction
    kernels = {
        (layer.fn.__code__.co_name, layer.fn.__code__.co_firstlineno)
        for value in vars(module).values()
        if isinstance(value, wrapped)
        for layer in layers_of(value)
        if isinstance(layer, interpreter.InterpretedFunction)
        and getattr(layer.fn, "__module__", "") == module.__name__
    }
    found: dict[int, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if (node.name, first) in kernels:
                for line, text in _refused(node, module, generator, known):
                    found.setdefault(line, f"line {line}: {text}")
    return found


def _refused(
    kernel: ast.FunctionDef, module: types.ModuleType, generator: Any, known: Mapping[str, Any]
) -> Iterator[tuple[int, str]]:
    bound = {a.arg for a in ast.walk(kernel.args) if isinstance(a, ast.arg)}
    names = [n for n in ast.walk(kernel) if isinstance(n, ast.Name)]
    bound |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
    for line, node, looped in _parts(kernel.body, looped=False):
        word = _WORDS.get(type(node))
        if word is not None and not hasattr(generator, f"visit_{type(node).__name__}"):
            yield line, f"{word}, which the language does not have"
        elif isinstance(node, ast.Return) and looped:
            yield line, "`return` in a loop"
        elif isinstance(node, ast.Name) and node.id not in bound | known.keys():
            text = _name(node.id, module)
            if text:
                yield line, text


def _name(name: str, module: types.ModuleType) -> str:
    """What is wrong with a name that a kernel does not bind."""
    if name not in vars(module):
        return f"`{name}` of Python" if hasattr(builtins, name) else ""
    value = vars(module)[name]
    if type(value) in _PLAIN and "constexpr" not in str(_annotation(module, name)):
        return f"`{name}`, a value of the module that is no `tl.constexpr`"
    home = getattr(value, "__module__", None) or ""
    known = home.startswith("triton") or hasattr(value, "__triton_builtin__")
    if type(value) in _FUNCTIONS and not known:
        return f"`{name}`, a function without `@triton.jit`"
    return ""


def _annotation(module: types.ModuleType, name: str) -> object:
    return getattr(module, "__annotations__", {}).get(name, "")


def _parts(body: list[ast.stmt], *, looped: bool) -> Iterator[tuple[int, ast.AST, bool]]:
    """Every node of what runs, with the line of its statement, and whether that is in a loop."""
    for statement in body:
        yield statement.lineno, statement, looped
        inner = looped or (isinstance(statement, (ast.For, ast.While)) and not _unrolled(statement))
        for name, value in ast.iter_fields(statement):
            if name in ("body", "orelse", "finalbody"):
                yield from _parts(value, looped=inner)
            elif name not in ("handlers", "annotation", "cases"):
                for part in value if isinstance(value, list) else [value]:
                    nodes = ast.walk(part) if isinstance(part, ast.AST) else ()
                    yield from ((statement.lineno, node, looped) for node in nodes)


def _unrolled(loop: ast.For | ast.While) -> bool:
    return isinstance(loop, ast.For) and "static_range" in ast.unparse(loop.iter)


def check_ranges(kernel: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raises where the compiler refuses a range of no elements, though no program may come to it.

    A launch of no programs compiles its kernel as well.
    """
    names, ends = _ranges_of(kernel)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    for name in ends:
        end = getattr(given.get(name), "value", given.get(name))
        if type(end) is int and end <= 0:
            raise ValueError(f"arange(0, {name}) in {kernel.__name__} has no elements: {end}")


@lru_cache(maxsize=256)
def _ranges_of(kernel: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parameters of a kernel, and those that end a range from 0 that is always compiled."""
    try:
        tree = parsed(textwrap.dedent(inspect.getsource(kernel)))
    except (OSError, TypeError, SyntaxError):
        return (), ()
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return (), ()
    parameters = [*function.args.posonlyargs, *function.args.args]
    constants = {
        a.arg for a in parameters if a.annotation and "constexpr" in ast.unparse(a.annotation)
    }
    inside = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    stored = {n.id for n in inside if isinstance(n.ctx, ast.Store)}
    ends: list[str] = []
    for statement in function.body:
        if isinstance(statement, ast.Return):
            break
        if isinstance(statement, ast.If):
            names = names_in(statement.test)
            is_known = names <= constants or names & stored
            if is_known and any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                break  # the compiler may know that it returns here
        elif isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr)):
            for node in ast.walk(statement):
                match node:
                    case ast.Call(
                        func=ast.Attribute(attr="arange"),
                        args=[ast.Constant(value=0), ast.Name(id=end)],
                    ) if end in constants - stored:
                        ends.append(end)
    return tuple(a.arg for a in parameters), tuple(ends)

"""What functions that choose settings return: `BLOCK, num_warps = calculate_settings(n)`.

    def calculate_settings(n):
        BLOCK = triton.next_power_of_2(n)
        if BLOCK > LARGEST:
            raise RuntimeError("too long")
        return BLOCK, 4 if BLOCK < 2048 else 8

A tile of that many elements holds a row, so a loop over the tiles of one takes a single turn. To
show that, the file is read with what is returned in place of the call. The function may stand in
another file of the same package: both versions import it from there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from tritonopt import source
from tritonopt.source.parsing import parsed

_MADE_OF = (
    ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Constant, ast.expr_context,
    ast.Add, ast.Sub, ast.Mult, ast.FloorDiv,
)  # fmt: skip


@lru_cache(maxsize=4)
def with_results(module: source.Module, place: str) -> source.Module | None:
    """The file with the results of such functions in place of calls; None where it has none.

    Every line stays where it was. It is to be read only: what cannot be told is asked of the
    function again. `place` is the path that the file is imported at, wherever it is written.
    """
    lines = module.text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text, found = module.text.encode(), False
    assigned = (n for n in ast.walk(module.tree) if isinstance(n, ast.Assign))
    calls = [n.value for n in assigned if isinstance(n.value, ast.Call)]
    for call in sorted(calls, key=lambda c: (c.lineno, c.col_offset), reverse=True):
        result = _result(module, call, Path(place).resolve().parent)
        if result is None:
            continue
        begin = starts[call.lineno - 1] + call.col_offset
        end = starts[(call.end_lineno or 0) - 1] + (call.end_col_offset or 0)
        kept = b"\n" * text[begin:end].count(b"\n")
        text, found = text[:begin] + b"(" + result.encode() + kept + b")" + text[end:], True
    return source.read(text.decode(), module.path) if found else None


def _result(module: source.Module, call: ast.Call, folder: Path) -> str | None:
    """What a call comes to, written with its arguments."""
    if not isinstance(call.func, ast.Name) or call.keywords:
        return None
    home, function = _defined(module, call.func.id, folder)
    if home is None or function is None or function.decorator_list:
        return None
    arguments = function.args
    plain = [a.arg for a in arguments.args]
    others = (*arguments.posonlyargs, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    if any(others) or starred or len(plain) != len(call.args):
        return None
    given = {name: f"({ast.unparse(a)})" for name, a in zip(plain, call.args, strict=True)}
    returns = [n for n in _inside(function) if isinstance(n, ast.Return)]
    if len(returns) != 1 or function.body[-1] is not returns[0]:
        return None
    value = returns[0].value
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    bound = _bound_once(home, function)
    texts = [
        None if part is None else _written(part, given, bound, (home, module)) for part in parts
    ]
    if not any(texts):
        return None
    again = ast.unparse(call)
    if not isinstance(value, ast.Tuple):
        return texts[0]
    return ", ".join(t or f"{again}[{at}]" for at, t in enumerate(texts)) + ","


def _written(
    node: ast.expr,
    given: Mapping[str, str],
    bound: Mapping[str, ast.expr],
    modules: tuple[source.Module, source.Module],
) -> str | None:
    """An expression of a function with the arguments in it; None where it is made of more."""
    home, module = modules
    if not all(isinstance(part, _MADE_OF) for part in ast.walk(node)):
        return None
    if isinstance(node, ast.Constant):
        return repr(node.value) if type(node.value) is int else None
    if isinstance(node, ast.Name):
        if node.id in given:
            return given[node.id]
        rest = {name: value for name, value in bound.items() if name != node.id}
        return _written(bound[node.id], given, rest, modules) if node.id in bound else None
    if isinstance(node, ast.BinOp):
        sides = [_written(side, given, bound, modules) for side in (node.left, node.right)]
        operator = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}.get(type(node.op), "//")
        return None if None in sides else f"({sides[0]} {operator} {sides[1]})"
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    name = ast.unparse(node.func)
    called = parsed(name, mode="eval").body
    means = home.resolve(node.func) or home.builtin(node.func)
    same = means and means in (_meaning(module, called), "min", "max")
    inner = [_written(a, given, bound, modules) for a in node.args]
    return None if not same or None in inner else f"{name}({', '.join(map(str, inner))})"


def _meaning(module: source.Module, called: ast.expr) -> str:
    """What a dotted name means at the top of a file."""
    first, _, rest = ast.unparse(called).partition(".")
    for node in module.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name) == first:
                    return f"{alias.name}.{rest}" if rest else alias.name
    return ""


def _bound_once(home: source.Module, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Names that a function binds once, in a statement of its own, before it may do anything.

    An import, a definition and `except ... as` bind a name too.
    """
    nodes = list(_inside(function))
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    bindings = home.names.scopes[function].bindings
    return {
        node.targets[0].id: node.value
        for node in function.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and stored.count(node.targets[0].id) == len(bindings[node.targets[0].id]) == 1
        and node.targets[0].id not in {a.arg for a in function.args.args}
        and not set(stored) & {a.arg for a in function.args.args}
    }


def _inside(function: ast.FunctionDef) -> Iterator[ast.AST]:
    return (node for statement in function.body for node in ast.walk(statement))


def _defined(
    module: source.Module, name: str, folder: Path
) -> tuple[source.Module | None, ast.FunctionDef | None]:
    """The function of a name, and the file that it stands in."""
    if not module.is_bound_once(name):
        return None, None
    own = _function(module, name)
    if own is not None:
        return module, own
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _imported(folder, node, alias.name)
    return None, None


def _imported(
    folder: Path, node: ast.ImportFrom, name: str
) -> tuple[source.Module | None, ast.FunctionDef | None]:
    if node.level:
        for _ in range(node.level - 1):
            folder = folder.parent
    else:
        while (folder / "__init__.py").is_file() and folder != folder.parent:
            folder = folder.parent
    path = folder.joinpath(*(node.module or "").split(".")).with_suffix(".py")
    if (path.with_suffix("") / "__init__.py").is_file():
        return None, None  # a package of that name comes first
    try:
        home = source.read(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError, source.SourceError):
        return None, None
    known = home.is_bound_once(name)
    return (home, _function(home, name)) if known else (None, None)


def _function(module: source.Module, name: str) -> ast.FunctionDef | None:
    body = module.tree.body
    return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)

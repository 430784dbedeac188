"""What one version alone asks of its surroundings, or refuses: no call that is made shows the rest.

A file that queries the device may do something else there. It is read here, since nothing that is
run can tell: it says the same thing in every call of a verification.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from tritonopt import source
from tritonopt.verification.coverage.text_differences import Body, Comparison, Statement, Version

_ASKS = frozenset((
    "os.environ", "os.getenv", "os.getpid", "os.getcwd", "sys.modules", "sys.argv",
    "sys._getframe", "sys.gettrace", "sys.getprofile", "inspect.stack", "inspect.currentframe",
    "traceback.extract_stack", "traceback.walk_stack", "gc.get_objects", "gc.get_referrers",
    "triton.knobs", "triton.runtime.interpreter", "time.time", "time.monotonic",
    "time.perf_counter", "platform", "__file__", "__name__", "__spec__", "__loader__", "open",
    "os.path.exists", "os.path.isfile", "os.path.isdir", "os.access", "os.stat", "os.listdir",
    "os.uname", "os.cpu_count", "socket", "datetime", "sys.version_info", "sys.platform",
    "sys.path", "torch.version", "torch.__version__", "triton.__version__",
    "torch.cuda.get_device_name", "torch.cuda.device_count", "torch.cuda.mem_get_info",
))  # fmt: skip
"""Names of what says where, when and by whom a file is run."""
_KINDS = ("type", "isinstance", "hasattr", "getattr", "id", "vars", "dir", "repr", "str")
"""Functions of Python that tell a kernel that is compiled from one that is interpreted."""


def asked_elsewhere(compared: Comparison, reached: set[str]) -> list[tuple[int, str]]:
    """Lines of the rewritten version that ask where it runs, and what they ask, where the original
    has no such line. `reached` are the functions that run; what runs on import is looked at too."""
    old = {key for _, key, _ in _questions(compared.old, None)}
    new = _questions(compared.new, reached)
    return list(dict.fromkeys((line, what) for line, key, what in new if key not in old))


def decided_beside(compared: Comparison, folders: tuple[Path, Path]) -> list[tuple[int, str]]:
    """Imports of the rewritten version, of files beside it that decide something which those of
    the original do not: what runs there is not followed. `folders` are those of the versions."""
    own, other = folders
    known = {path.name: text for _, path, text in _beside(compared.old, [own])}
    found = []
    for line, path, text in _beside(compared.new, [other, own]):
        modules = (source.read(t, path.name) for t in (known.get(path.name, ""), text))
        bodies = Comparison.of(*modules).new.bodies.values()
        if any(_decides(s.node) for body in bodies for s in body.statements if s.concerned):
            found.append((line, path.name))
    return found


def _beside(version: Version, folders: list[Path]) -> Iterator[tuple[int, Path, str]]:
    """The files that a version imports from the first of these folders that has them."""
    for node in ast.walk(version.module.tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names, levels = [alias.name for alias in node.names], 0
        if isinstance(node, ast.ImportFrom):
            levels = max(node.level - 1, 0)
            names = names if node.module is None else [node.module]
        for name in names:
            places = (Path(f, *[".."] * levels, *name.split(".")) for f in folders)
            files = (place.with_suffix(".py") for place in places)
            if (path := next((p for p in files if p.is_file()), None)) is not None:
                yield node.lineno, path, path.read_text(encoding="utf-8-sig")


def _decides(node: ast.stmt) -> bool:
    if isinstance(node, (ast.If, ast.While, ast.Match, ast.Try)):
        return True
    return any(isinstance(n, (ast.IfExp, ast.BoolOp, ast.Compare)) for n in ast.walk(node))


def _questions(version: Version, reached: set[str] | None) -> Iterator[tuple[int, str, str]]:
    """Line, text of the expression, and what it asks."""
    kernels = {kernel.name for kernel in version.module.kernels}
    parts = list(_parts(version, reached))
    # A logger is named like the module.
    calls = (n for n in parts if isinstance(n, ast.Call) and "getLogger" in ast.unparse(n.func))
    named = {argument for call in calls for argument in call.args}
    for node in parts:
        name = version.module.resolve(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
        asked = accumulate(name.split("."), "{}.{}".format)
        asks = node not in named and not _ASKS.isdisjoint(asked)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            of_kernel = {
                n.id for a in node.args[:1] for n in ast.walk(a) if isinstance(n, ast.Name)
            }
            asks = node.func.id in _KINDS and bool(of_kernel & kernels)
        if asks:
            yield node.lineno, ast.dump(node), ast.unparse(node)


def _parts(version: Version, reached: set[str] | None) -> Iterator[ast.expr]:
    for body in version.bodies.values():
        if reached is None or body.name.partition(".")[0] in reached:
            yield from _expressions(part for s in body.statements for part in s.head)
    outside = (
        node
        for node in version.module.tree.body
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If))
    )
    yield from _expressions(outside)


def _expressions(parts: Iterator[ast.AST] | Iterator[ast.stmt]) -> Iterator[ast.expr]:
    for part in parts:
        yield from (node for node in ast.walk(part) if isinstance(node, ast.expr))


def notes_on_refusals(compared: Comparison, reached: tuple[set[str], set[str]]) -> list[str]:
    """Notes on tests that end in an error in one version, and do not stand in the other."""
    found = []
    for title, version, other, names in (
        ("original", compared.old, compared.new, reached[0]),
        ("rewritten", compared.new, compared.old, reached[1]),
    ):
        known = {key for body in other.bodies.values() for _, key in _refusals(body.statements)}
        for body in version.bodies.values():
            if body.name.partition(".")[0] in names:
                found += [
                    "only one version rejects these calls, which were not compared: "
                    f"line {s.line} of the {title} version ({key})"
                    for s, key in _refusals(body.statements)
                    if key not in known
                ]
    return found


def _refusals(statements: list[Statement]) -> Iterator[tuple[Statement, str]]:
    """Assertions, and branches that end in an error, by what they ask."""
    for statement in statements:
        node = statement.node
        if isinstance(node, ast.Assert):
            yield statement, f"assert {ast.unparse(node.test)}"
        elif isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
            yield statement, f"if {ast.unparse(node.test)}"


# Offsets that one version computes in 64 bits, and the other no longer does.
#
# Where they go wrong takes more than 2**31 elements, which few calls can have: what cannot be run
# is read here. An offset is what the address of a load or a store is computed from, by name.

_ACCESSES = tuple(
    f"triton.language.{name}"
    for name in ("load", "store", "make_block_ptr", "make_tensor_descriptor")
)
_ATOMIC = "triton.language.atomic_"
_WIDE = ("triton.language.int64", "triton.language.uint64")


def narrowed_offsets(compared: Comparison) -> list[int]:
    """Lines of the original in which an offset becomes 64 bits long, and no longer does.

    By kernel: a conversion may be written elsewhere, so as many of them are as good.
    """
    found = []
    kernels = {k.node for k in compared.old.module.kernels}
    for name, ours in compared.old.bodies.items():
        theirs = compared.new.bodies.get(name)
        if ours.node not in kernels or theirs is None:
            continue
        lines = [s.line for s in _widening(compared.old.module, ours) if s.differs]
        if len(lines) > sum(s.differs for s in _widening(compared.new.module, theirs)):
            found += lines
    return found


def _widening(module: source.Module, body: Body) -> Iterator[Statement]:
    """The statements that convert part of an offset to 64 bits, once for each conversion."""
    needed = _offsets(module, body)
    for statement in body.statements:
        calls = [n for n in statement.nodes if isinstance(n, ast.Call)]
        of_offset = statement.binds & needed or any(_pointer(module, c) for c in calls)
        yield from (statement for call in calls if of_offset and _is_wide(module, call))


def _offsets(module: source.Module, body: Body) -> set[str]:
    """Names that addresses are computed from."""
    pointers = (_pointer(module, node) for s in body.statements for node in s.nodes)
    return body.computed_from(
        {n.id for p in pointers if p is not None for n in ast.walk(p) if isinstance(n, ast.Name)}
    )


def _pointer(module: source.Module, node: ast.AST) -> ast.expr | None:
    """What an access is given for its address."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = module.resolve(node.func)
    return node.args[0] if name in _ACCESSES or name.startswith(_ATOMIC) else None


def _is_wide(module: source.Module, call: ast.Call) -> bool:
    """Whether it is `x.to(tl.int64)`, or `tl.cast(x, tl.int64)`."""
    converts = isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cast")
    given = [*call.args, *(k.value for k in call.keywords)]
    return converts and any(module.resolve(value) in _WIDE for value in given)

"""A launcher for a kernel that has none, written from `--grid` and `--args`.

    --kernel scale --grid 'cdiv(n, BLOCK), m' \\
        --args 'x: f32[m, n], y: f32[m, n], n: n, stride: x.stride(0), BLOCK: 16|64'

becomes a function that takes what is drawn and launches the kernel with what is computed:

    def launch_scale(x, y, BLOCK):
        m, n = x.shape
        scale[(cdiv(n, BLOCK), m)](x=x, y=y, n=n, stride=x.stride(0), BLOCK=BLOCK)

It stands at the end of both versions' text, so everything else goes its usual way.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tritonopt import source
from tritonopt.source.parsing import parsed
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import (
    FUNCTIONS,
    Argument,
    FormulaArgument,
    Origin,
    Signature,
    SizeArgument,
    check_formula,
    parse,
)
from tritonopt.verification.signature.kernel_pointers import pointers

_TUNERS = ("tune", "heuristic")
"""In the name of a decorator that adds constants: Triton's own, and those that libraries make."""


@dataclass(frozen=True)
class KernelCall:
    """A launcher's text, and what is drawn for it."""

    launcher: str
    text: str
    signature: Signature


def write_launcher(module: source.Module, kernel: str, grid: str | None, args: str) -> KernelCall:
    """The launcher of a kernel of the file; VerificationError points at what is wrong."""
    found = _named(module, kernel)
    if not args or not grid:
        raise VerificationError(_suggestion(found, module, bool(args), bool(grid)))
    given = parse(args)
    scope = _Scope.of(given)
    passed = {**_named_sizes(found, scope), **{a.name: a for a in given.arguments}}
    _check_parameters(found, given, passed)
    for argument in given.arguments:
        if isinstance(argument, FormulaArgument):
            start = given.origin.text.index(argument.text, given.columns[argument.name])
            scope.check(check_formula(argument.text, given.origin), given.origin, start)
    drawn = [a for a in given.arguments if not isinstance(a, (FormulaArgument, SizeArgument))]
    name = f"launch_{found.name}"
    values = {
        parameter.name: _value(passed[parameter.name])
        for parameter in found.parameters
        if parameter.name in passed
    }
    lines = [
        f"def {name}({', '.join(a.name for a in drawn)}):",
        "    from triton import cdiv, next_power_of_2",
        *(f"    {line}" for line in scope.unpacking),
        f"    {found.name}[{_grid(grid, found, scope, passed)}]("
        + ", ".join(f"{n}={v}" for n, v in values.items())
        + ")",
    ]
    return KernelCall(name, "\n".join(lines) + "\n", replace(given, arguments=tuple(drawn)))


def with_launcher(module: source.Module, call: KernelCall) -> source.Module:
    """The file with the launcher at its end."""
    return source.read(f"{module.text}\n\n{call.text}", module.path)


@dataclass(frozen=True)
class _Scope:
    """The names that a formula may use."""

    names: frozenset[str]
    unpacking: tuple[str, ...]
    """Statements that give the sizes their names."""

    @staticmethod
    def of(given: Signature) -> _Scope:
        names = {
            a.name for a in given.arguments if not isinstance(a, (FormulaArgument, SizeArgument))
        }
        unpacking = []
        for tensor in given.tensors:
            for axis, size in enumerate(tensor.shape):
                if isinstance(size, str) and size.isidentifier() and size not in names:
                    names.add(size)
                    axis -= len(tensor.shape) if "..." in tensor.shape else 0
                    unpacking.append(f"{size} = {tensor.name}.shape[{axis}]")
        return _Scope(frozenset(names), tuple(unpacking))

    def check(self, tree: ast.expr, origin: Origin, start: int = 0) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id not in {*self.names, *FUNCTIONS}:
                # The expression was read in brackets, hence one less.
                raise origin.error(
                    start + node.col_offset - 1,
                    f"`{node.id}` is neither a size nor an argument that is drawn; there are "
                    f"{', '.join(sorted(self.names))}",
                )


def _named(module: source.Module, name: str) -> source.Kernel:
    found = module.kernel(name)
    if found is not None and any(node is found.node for node in ast.walk(module.tree)):
        if found.qualname == found.name:
            return found
        raise VerificationError(
            f"--kernel: `{found.qualname}` is defined inside of something; write a launcher for it"
        )
    known = [k.name for k in module.kernels]
    listed = ", ".join(known) or "none"
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean `--kernel {near[0]}`?" if near else ""
    raise VerificationError(
        f"--kernel: {module.path} has no kernel `{name}`.{hint} Kernels: {listed}."
    )


def _named_sizes(kernel: source.Kernel, scope: _Scope) -> dict[str, Argument]:
    """Parameters that are called as a size is, and need not be written."""
    names = (p.name for p in kernel.parameters)
    return {name: SizeArgument(name, (name,)) for name in names if name in scope.names}


def _check_parameters(kernel: source.Kernel, given: Signature, passed: dict[str, Argument]) -> None:
    names = [p.name for p in kernel.parameters]
    used = {n.id for a in given.arguments if isinstance(a, FormulaArgument) for n in _names(a.text)}
    for argument in given.arguments:
        if argument.name not in names and argument.name not in used:
            raise given.error(
                argument.name,
                f"`{kernel.name}` has no parameter `{argument.name}`; it has {', '.join(names)}",
            )
    tuned = any(word in d.lower() for word in _TUNERS for d in kernel.decorators)
    missing = [
        p.name
        for p in kernel.parameters
        if p.name not in passed and p.default is None and not (tuned and p.constexpr)
    ]
    if missing:
        raise given.origin.error(
            len(given.origin.text),
            f"`{kernel.name}` also needs {', '.join(missing)}; write for example "
            + ", ".join(f"`{name}: 16`" for name in missing),
        )


def _names(text: str) -> Iterator[ast.Name]:
    return (n for n in ast.walk(parsed(text.strip(), mode="eval")) if isinstance(n, ast.Name))


def _value(argument: Argument) -> str:
    if isinstance(argument, FormulaArgument):
        return argument.text
    if isinstance(argument, SizeArgument):
        text = ", ".join(map(str, argument.sizes))
        return f"({text},)" if argument.as_tuple else text
    return argument.name


def _grid(grid: str, kernel: source.Kernel, scope: _Scope, passed: dict[str, Argument]) -> str:
    """The grid as a tuple; a function of the constants where the autotuner chooses them."""
    origin = Origin("--grid", grid)
    tree = check_formula(grid, origin)
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    chosen = {p.name for p in kernel.parameters if p.constexpr and p.name not in passed}
    known = _Scope(scope.names | chosen, ())
    known.check(tree, origin)
    if not 1 <= len(parts) <= 3:
        raise origin.error(0, "a grid has one to three sizes, separated by commas")
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & chosen
    texts = [ast.unparse(_FromMeta(used).visit(part)) for part in parts]
    text = f"({', '.join(texts)},)"
    return f"lambda meta: {text}" if used else text


class _FromMeta(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        return ast.Subscript(ast.Name("meta", ast.Load()), ast.Constant(node.id), ast.Load())


def _suggestion(
    kernel: source.Kernel, module: source.Module, has_args: bool, has_grid: bool
) -> str:
    """What to write, made of the kernel's parameters."""
    loaded = pointers(kernel)
    parts = []
    for parameter in kernel.parameters:
        if parameter.default is not None:
            continue
        if parameter.name in loaded:
            parts.append(f"{parameter.name}: f32[n]")
        else:
            parts.append(f"{parameter.name}: {'64' if parameter.constexpr else 'n'}")
    missing = " and ".join(
        name for name, given in (("--args", has_args), ("--grid", has_grid)) if not given
    )
    block = next((p.name for p in kernel.parameters if p.constexpr), "64")
    return (
        f"--kernel {kernel.name} needs {missing}. Write for example:\n"
        f"  --kernel {kernel.name} --grid 'cdiv(n, {block})' --args '{', '.join(parts)}'"
    )

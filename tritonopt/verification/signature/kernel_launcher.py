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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain

from tritonopt import facts, source
from tritonopt.facts import Effect, EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import Param, ProgramId
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import names_in
from tritonopt.verification.errors import VerificationError
from tritonopt.verification.signature.argument_language import (
    FUNCTIONS,
    Argument,
    FormulaArgument,
    Origin,
    Signature,
    SizeArgument,
)
from tritonopt.verification.signature.argument_parser import check_formula, parse

_ACCESSES = (EffectKind.LOAD, EffectKind.STORE, EffectKind.ATOMIC)


# Every launch of a kernel asks again.
@lru_cache(maxsize=64)
def pointers(kernel: source.Kernel) -> dict[str, str | None]:
    """Parameters that a kernel loads from or stores to, with what bounds them.

    The bound is known where every access is to an element below the same parameter, as its mask
    and the branches around it show, or to the element of the program on an axis of the grid, which
    is called `program 0`.
    """
    known = facts.of(kernel)
    found: dict[str, str | None] = dict.fromkeys(_written_as_pointers(kernel))
    bounded: set[str] = set()
    for effect in known.effects:
        if effect.kind in _ACCESSES:
            bound = _bound(known, effect)
            for base in sorted(known.bases(effect) or ()):
                found[base] = bound if base not in bounded or found[base] == bound else None
                bounded.add(base)
    return found


@lru_cache(maxsize=64)
def index_pointers(kernel: source.Kernel) -> frozenset[str]:
    """Parameters that a kernel loads from what becomes a part of an address: whole numbers."""
    known = facts.of(kernel)
    loads = {effect.loaded: effect for effect in known.effects if effect.loaded is not None}
    found: set[str] = set()
    for effect in known.effects:
        if effect.kind in _ACCESSES and effect.pointer is not None:
            for value in _parts(effect.pointer):
                if value in loads:
                    found |= known.bases(loads[value]) or set()
    return frozenset(found)


def _parts(value: Value) -> Iterator[Value]:
    """What a number is computed from, but for conditions."""
    seen: set[Value] = set()
    left = [value]
    while left:
        part = left.pop()
        if part in seen or part.op in COMPARISONS:
            continue
        seen.add(part)
        yield part
        if part.op is Op.WHERE:
            left += (part.then, part.other)
        elif part.op is Op.LOAD:
            left.append(part.pointer)
        else:
            left += part.operands


def _written_as_pointers(kernel: source.Kernel) -> Iterator[str]:
    """The parameters that addresses begin with: facts need not know which operand is a number."""
    names = {p.name for p in kernel.parameters}
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assigned.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(kernel.node):
        if isinstance(node, ast.Call) and node.args:
            called = kernel.module.resolve(node.func).removeprefix("triton.language.")
            if called in ("load", "store") or called.startswith("atomic_"):
                base = _base(node.args[0], assigned, names)
                if base is not None:
                    yield base


def _base(
    pointer: ast.expr, assigned: Mapping[str, list[ast.expr]], names: set[str], depth: int = 6
) -> str | None:
    while isinstance(pointer, ast.BinOp) and isinstance(pointer.op, (ast.Add, ast.Sub)):
        pointer = pointer.left
    if not isinstance(pointer, ast.Name) or depth == 0:
        return None
    if pointer.id in names:
        return pointer.id
    for value in assigned.get(pointer.id, []):
        found = _base(value, assigned, names, depth - 1)
        if found is not None:
            return found
    return None


def _bound(known: KernelFacts, access: Effect) -> str | None:
    assert access.pointer is not None
    base, offset = known.forms.address(access.pointer)
    if base is None:
        return None
    try:
        ends = tuple(_ends(known, access, offset))
    except TooLarge:
        return None
    names = {name for end in ends if (name := _parameter(known, end))}
    if len(names) == 1:
        return names.pop()
    place = offset.sole_atom
    if isinstance(place, ProgramId) and not names:
        return f"program {place.axis.constant_value}"
    return None


def _ends(known: KernelFacts, access: Effect, offset: Polynomial) -> Iterator[Polynomial]:
    """What the element of an access is below, by the conditions under which it comes about."""
    conditions = [guard.condition for guard in access.guards if guard.holds]
    if access.mask is not None:
        conditions.append(access.mask)
    for condition in chain.from_iterable(map(_conjuncts, conditions)):
        if condition.op in (Op.LT, Op.LE, Op.GT, Op.GE):
            below, above = map(known.forms.of, (condition.left, condition.right))
            if condition.op in (Op.GT, Op.GE):
                below, above = above, below
            yield offset + above - below + int(condition.op in (Op.LE, Op.GE))


def _conjuncts(condition: Value) -> Iterator[Value]:
    """The conditions that all hold where one does."""
    if condition.op in (Op.AND, Op.BOTH):
        for side in condition.operands:
            yield from _conjuncts(side)
    else:
        yield condition


def _parameter(known: KernelFacts, form: Polynomial) -> str:
    """The parameter that a form is, a number; "" for anything else."""
    atom = form.sole_atom
    return atom.name if isinstance(atom, Param) and atom.name not in known.pointers else ""


# Which parameters of kernels are results: memory that a kernel only stores to.


def results_of(old: source.Module, new: source.Module) -> tuple[tuple[str, str], ...]:
    """Kernels and those of their parameters that are a result in the old version.

    That is what it stores to, and never loads or adds to, if the new version does not either.
    What a kernel reads back is how it goes about its work: partial sums, locks, tickets.
    Where a kernel is not understood, none of its parameters is known to be a result.
    """
    found = []
    for kernel in old.kernels:
        other = new.kernel(kernel.qualname)
        here, there = _uses(kernel), None if other is None else _uses(other)
        if here is not None and there is not None:
            found += [(kernel.name, p) for p in sorted(here.stored - here.read - there.read)]
    return tuple(found)


@dataclass
class _Uses:
    stored: set[str] = field(default_factory=set)
    read: set[str] = field(default_factory=set)


def _uses(kernel: source.Kernel) -> _Uses | None:
    """What a kernel does with the memory behind its parameters; None where it is not clear."""
    known = facts.of(kernel)
    found = _Uses()
    for effect in known.effects:
        if effect.pointer is None and effect.kind is not EffectKind.CALL:
            continue
        bases = known.bases(effect)
        if bases is None:
            return None
        (found.stored if effect.kind is EffectKind.STORE else found.read).update(bases)
    return found


LAUNCH = "launch_"
"""Begins the name of a launcher that is written here."""
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
    name = f"{LAUNCH}{found.name}"
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
    used = names_in(tree) & chosen
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

"""Sizes that the text of two versions singles out."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from tritonopt import source
from tritonopt.verification.coverage.text_differences import Comparison

LARGEST = 2**17
"""Numbers beyond that are no sizes of anything that is run here."""
_MOST_BITS = 20
LARGE = 6e4
"""Beyond that float16 has no number, and what is beyond stands for inf."""
_TWICE_IN_FLOAT32 = 1.6e38
_EXACT = {"float16": 2**11, "bfloat16": 2**8, "int8": 2**7, "uint8": 2**8, "int16": 2**15}
"""Whole numbers up to which a narrow type holds all; offsets may be counted in it by mistake."""
_WHOLE_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}


def _asks_for_none(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[ast.Lt() | ast.GtE()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.Compare(comparators=[ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))]):
            return True
    return False


@dataclass(frozen=True)
class Numbers:
    """What two versions mention that a size may be compared with, or a tile grow with."""

    singled_out: Sequence[int] = ()
    """Numbers in what differs, those beside them, and what a remainder picks."""
    limits: Sequence[int] = ()
    """Numbers that the files' tests compare something with."""
    changed: Sequence[int] = ()
    """Numbers in what differs."""
    divisors: Sequence[int] = ()
    """Numbers that the files divide something by, rounded up or down."""
    whole_types: bool = False
    """Whether what differs names a type of whole numbers, which not all of them fit."""
    compared: Sequence[float] = ()
    """Numbers that floats may be compared with, those in what differs first."""
    large: Sequence[float] = ()
    """Numbers in what differs that floats hardly come to, by themselves."""
    fractions: Sequence[float] = ()
    """Numbers in what differs that are no whole ones, or written as floats."""
    left_free: bool = False
    """Whether a kernel asks whether something is below 0, or -1: an index that is none."""

    @staticmethod
    def of(compared: Comparison, home: Sequence[source.Module] = ()) -> Numbers:
        """`home` is the launcher's file, if that is another one."""
        modules = compared.old.module, compared.new.module, *home
        limits = limits_of(modules)
        changed = sorted(_changed(compared))
        nodes = list(_changed_nodes(compared))
        whole_types = any(isinstance(n, ast.Attribute) and n.attr in _WHOLE_TYPES for n in nodes)
        singled_out, values = _singled_out(compared), _compared(compared)
        floats = (
            abs(n.value) for n in nodes if isinstance(n, ast.Constant) and type(n.value) is float
        )
        fractions = [n for n in dict.fromkeys(floats) if 0 < n < LARGE]
        large = _large(nodes)
        asked = (n for m in modules for k in m.kernels for n in ast.walk(k.node))
        return Numbers(
            singled_out,
            sorted(limits),
            changed,
            divisors_of(modules),
            whole_types,
            values,
            large,
            fractions,
            any(map(_asks_for_none, asked)),
        )

    @property
    def growing(self) -> list[int]:
        """Beyond which a tile may have a second element.

        It may grow with numbers in what differs, or that something is divided by, as
        `triton.cdiv(m, 1024)` does, or `m // 1024`, for which it has to be twice the number.
        """
        return [n for number in (*self.changed, *self.divisors) for n in (number, 2 * number)]


def _singled_out(compared: Comparison) -> list[int]:
    """Numbers in what differs, those beside them, and what a remainder picks."""
    found: dict[int, None] = {}
    for version in (compared.new, compared.old):
        for body in version.bodies.values():
            for statement in body.statements:
                if statement.differs:
                    found.update(dict.fromkeys(_sizes_in(statement.head)))
    found.update(dict.fromkeys(_sizes_in(_rules(compared))))
    return list(found)


def _rules(compared: Comparison) -> list[ast.AST]:
    """What one version alone asks in the decorators of its functions: rules for constants."""
    found: list[dict[str, ast.AST]] = []
    for version in (compared.new, compared.old):
        decorators = (d for b in version.bodies.values() for d in b.node.decorator_list)
        rules = (n for d in decorators for n in ast.walk(d) if isinstance(n, ast.Lambda))
        found.append({ast.dump(rule): rule for rule in rules})
    theirs, ours = found
    shared = theirs.keys() & ours.keys()
    return [rule for text, rule in (theirs | ours).items() if text not in shared]


def _compared(compared: Comparison) -> list[float]:
    """Numbers in comparisons, those in what differs first, and what the files give names to."""
    versions = (compared.new, compared.old)
    statements = [s for v in versions for body in v.bodies.values() for s in body.statements]
    heads = [part for s in sorted(statements, key=lambda s: not s.differs) for part in s.head]
    parts: list[ast.AST] = [n for h in heads for n in ast.walk(h) if isinstance(n, ast.Compare)]
    parts += [n.value for v in versions for n in v.module.tree.body if isinstance(n, ast.Assign)]
    numbers = [n.value for p in parts for n in ast.walk(p) if isinstance(n, ast.Constant)]
    return list(dict.fromkeys(abs(n) for n in numbers if isinstance(n, (int, float))))


def _large(nodes: Iterable[ast.AST]) -> list[float]:
    """Numbers that float32 has twice, and values that are drawn do not come to."""
    numbers = [n.value for n in nodes if isinstance(n, ast.Constant)]
    found = (abs(float(n)) for n in numbers if isinstance(n, (int, float)))
    return [n for n in dict.fromkeys(found) if LARGE <= n < _TWICE_IN_FLOAT32]


def _changed_nodes(compared: Comparison) -> Iterator[ast.AST]:
    """All that stands in what differs."""
    return (
        node
        for version in (compared.new, compared.old)
        for body in version.bodies.values()
        for statement in body.statements
        if statement.differs
        for part in statement.head
        for node in ast.walk(part)
    )


def _changed(compared: Comparison) -> list[int]:
    """Whole numbers in what differs."""
    nodes = [n for n in _changed_nodes(compared) if isinstance(n, (ast.Constant, ast.BinOp))]
    numbers = (number for node in nodes for number in _computed(node, {}))
    return list(dict.fromkeys(n for n in numbers if 2 < n <= LARGEST))


def limits_of(modules: Iterable[source.Module]) -> list[int]:
    """Numbers with which tests of functions compare something: `n < 4096 * 8`, `n > LIMIT`.

    Beyond such a size a launcher may well take another kernel.
    """
    found: dict[int, None] = {}
    for module in modules:
        names = _constants(module)
        tests = (
            n.test for n in ast.walk(module.tree) if isinstance(n, (ast.If, ast.IfExp, ast.While))
        )
        compares = (n for test in tests for n in ast.walk(test) if isinstance(n, ast.Compare))
        sides = [side for n in compares for side in (n.left, *n.comparators)]
        # `min(LIMIT, triton.next_power_of_2(n))`: beyond it a tile no longer holds all.
        calls = (n for n in ast.walk(module.tree) if isinstance(n, ast.Call))
        sides += [a for c in calls if ast.unparse(c.func) in ("min", "max") for a in c.args]
        for side in sides:
            for number in _computed(side, names):
                if 2 < number <= LARGEST:
                    found[number] = None
    return list(found)


def divisors_of(modules: Iterable[source.Module]) -> list[int]:
    """The numbers of `n // 64` and `triton.cdiv(n, 64)`, with names for numbers as well."""
    found: dict[int, None] = {}
    for module in modules:
        names = _constants(module)
        for node in ast.walk(module.tree):
            match node:
                case ast.BinOp(op=ast.FloorDiv(), right=by):
                    found.update(dict.fromkeys(_computed(by, names)))
                case ast.Call(args=[_, by]) if ast.unparse(node.func).rpartition(".")[2] == "cdiv":
                    found.update(dict.fromkeys(_computed(by, names)))
    return sorted(n for n in found if 2 < n <= LARGEST)


def _constants(module: source.Module) -> dict[str, list[int]]:
    """Whole numbers that the module names: of `A if x else B` either, and so of branches."""
    found: dict[str, list[int]] = {}
    bound: list[str] = []
    for names, branch in _bindings(module.tree.body):
        for name, value in names.items():
            numbers = list(_computed(value, found))
            found[name] = [*found.get(name, ()), *numbers] if branch else numbers
            bound += [] if branch and name in bound else [name]
    return {name: numbers for name, numbers in found.items() if bound.count(name) == 1}


def _bindings(body: Sequence[ast.stmt]) -> Iterator[tuple[dict[str, ast.expr], bool]]:
    """What statements name, one after the other, and whether one stands in a branch."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield {node.targets[0].id: node.value}, False
        elif isinstance(node, ast.If):
            for names, _ in (*_bindings(node.body), *_bindings(node.orelse)):
                yield names, True


def _computed(node: ast.expr, names: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """What a whole number may come to that the text computes."""
    if isinstance(node, ast.Name):
        yield from names.get(node.id, ())
    elif isinstance(node, ast.IfExp):
        yield from _computed(node.body, names)
        yield from _computed(node.orelse, names)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        pairs = product(_computed(node.left, names), _computed(node.right, names))
        for left, right in pairs:
            if max(abs(left), abs(right)) > LARGEST or right < 0:
                continue
            if isinstance(node.op, (ast.Pow, ast.LShift)) and right > _MOST_BITS:
                continue
            if isinstance(node.op, ast.FloorDiv) and not right:
                continue
            yield int(_OPERATORS[type(node.op)](left, right))
    elif (number := _number(node)) is not None:
        yield number


def _sizes_in(parts: Iterable[ast.AST]) -> Iterator[int]:
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Compare):
                yield from _of_remainder(node)
        for node in ast.walk(part):
            if isinstance(node, ast.Attribute) and node.attr in _EXACT:
                yield 2 * _EXACT[node.attr] + 3
            computed = _computed(node, {}) if isinstance(node, (ast.Constant, ast.BinOp)) else ()
            for number in (n for n in computed if 2 < n <= LARGEST):
                # An index is above a number where the size is two more.
                yield from (number, number + 1, number - 1, number + 2)


def _of_remainder(node: ast.Compare) -> Iterator[int]:
    """Sizes for which `n % a == b` holds, beyond the first."""
    left, right = node.left, _number(node.comparators[0])
    if right is None or not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod):
        return
    modulus = _number(left.right)
    if modulus is not None and 0 < modulus <= LARGEST:
        yield from (modulus + right, 2 * modulus + right)


def _number(node: ast.AST) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def whole_numbers(module: source.Module) -> set[int]:
    """Every whole number that a file mentions."""
    return {n for node in ast.walk(module.tree) if (n := _number(node)) is not None}


def block_sizes(numbers: Iterable[int]) -> set[int]:
    """What looks like a block size: powers of two, 8 and more."""
    return {n for n in numbers if 8 <= n <= 2**16 and n & (n - 1) == 0}

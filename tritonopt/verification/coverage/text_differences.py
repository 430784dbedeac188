"""Which statements of two versions differ, and what depends on them: both must have run.

Statements are aligned function by function, by what they say and how deep they stand. What
differs makes the names that it binds suspect; a statement that reads a suspect name depends on
it, as does all under a test that does, and so on through calls of functions of the same file,
until nothing is added. Memory is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from tritonopt import source
from tritonopt.source.single_numbers import (
    LARGEST,
    computed,
    constants_of,
    divisors_of,
    number_of,
)
from tritonopt.source.trees import blocks_of, names_in, told_apart, walk
from tritonopt.verification.inputs.examples import Limits
from tritonopt.verification.signature.argument_language import DTYPES

Function = ast.FunctionDef | ast.AsyncFunctionDef
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(eq=False)
class Statement:
    """A statement of a function, without the statements inside it."""

    node: ast.stmt
    parents: tuple[Statement, ...]
    """What it stands in, the outermost first."""
    key: tuple[int, str]
    differs: bool = False
    depends: bool = False

    @property
    def concerned(self) -> bool:
        return self.differs or self.depends

    @property
    def line(self) -> int:
        return self.node.lineno

    @cached_property
    def head(self) -> list[ast.AST]:
        """The parts of it that are no statements."""
        found: list[ast.AST] = []
        for name, value in ast.iter_fields(self.node):
            if name not in _BLOCKS:
                found += [v for v in (value if isinstance(value, list) else [value])
                          if isinstance(v, ast.AST)]  # fmt: skip
        return found

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All that stands in these parts."""
        return [n for part in self.head for n in walk(part)]

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names whose values it uses."""
        names = (n for n in self.nodes if isinstance(n, ast.Name))
        found = frozenset(n.id for n in names if isinstance(n.ctx, ast.Load))
        own = self.node.target if isinstance(self.node, ast.AugAssign) else None
        return found | {own.id} if isinstance(own, ast.Name) else found

    @cached_property
    def binds(self) -> frozenset[str]:
        names = (n for n in self.nodes if isinstance(n, ast.Name))
        return frozenset(n.id for n in names if isinstance(n.ctx, ast.Store))


@dataclass(eq=False)
class Body:
    """A function of one version."""

    name: str
    node: Function
    statements: list[Statement] = field(default_factory=list)
    nested: list[Body] = field(default_factory=list)

    @property
    def parameters(self) -> set[str]:
        arguments = self.node.args
        return {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}

    def computed_from(self, names: set[str]) -> set[str]:
        """These names, and all that they are computed from."""
        needed, before = set(names), -1
        while before != len(needed):
            before = len(needed)
            for statement in self.statements:
                if statement.binds & needed:
                    needed |= statement.reads
        return needed


class Version:
    """The functions of one file, by their dotted name; see `told_apart` for names bound twice."""

    def __init__(self, module: source.Module) -> None:
        self.module = module
        self.bodies: dict[str, Body] = {}
        self._collect(module.tree.body, "")
        self.called = self._called()

    def _collect(self, nodes: Iterable[ast.AST], prefix: str) -> None:
        for name, node in told_apart(_definitions(nodes)).items():
            if not isinstance(node, ast.ClassDef):
                body = self.bodies[prefix + name] = Body(prefix + name, node)
                self._fill(body, node.body, ())
            self._collect(node.body, f"{prefix}{name}.")

    def _called(self) -> dict[str, list[Body]]:
        """What a name may stand for where it is called or launched, other names included."""
        found: dict[str, list[Body]] = {}
        for body in self.bodies.values():
            name = ".".join(part.partition("#")[0] for part in body.name.split("."))
            found.setdefault(name, []).append(body)
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                inside = (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
                bodies = [b for name in inside for b in found.get(name, ())]
                known = found.setdefault(node.targets[0].id, [])
                known += [b for b in bodies if b not in known]
        return found

    def _fill(self, body: Body, block: Iterable[ast.stmt], parents: tuple[Statement, ...]) -> None:
        for node in block:
            if isinstance(node, (*_NESTED, ast.Pass, ast.Global, ast.Nonlocal)):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            statement = Statement(node, parents, (len(parents), ""))
            heads = [type(node).__name__, *map(ast.dump, statement.head)]
            statement.key = (len(parents), " ".join(heads))
            body.statements.append(statement)
            for inner in blocks_of(node):
                self._fill(body, inner, (*parents, statement))


@dataclass
class Comparison:
    """Two versions, with every statement marked that differs or depends on what does."""

    old: Version
    new: Version
    suspects: set[str] = field(default_factory=set)
    """Names of the module, and functions, whose values differ or depend on what does."""
    local: dict[str, set[str]] = field(default_factory=dict)
    """The same within each function."""
    _handed_on: dict[Body, set[tuple[str, str, str]]] = field(default_factory=dict)
    """What each function passes to others."""

    # What is asked of one launcher of the two is asked more than once.
    @staticmethod
    @lru_cache(maxsize=2)
    def of(old: source.Module, new: source.Module) -> Comparison:
        found = Comparison(Version(old), Version(new))
        found.suspects = _module_names(old, new)
        for name in dict.fromkeys([*found.old.bodies, *found.new.bodies]):
            found._align(name)
        found._spread()
        return found

    def other_defaults(self, name: str) -> frozenset[str]:
        """Parameters of a function whose defaults differ, or depend on what does."""
        ours, theirs = self.old.bodies.get(name), self.new.bodies.get(name)
        if ours is None or theirs is None:
            return frozenset()
        found = {parameter for parameter, _ in _defaults(ours.node) ^ _defaults(theirs.node)}
        for parameter, default in _default_values(theirs.node):
            read = () if default is None else ast.walk(default)
            if {n.id for n in read if isinstance(n, ast.Name)} & self.suspects:
                found.add(parameter)
        return frozenset(found)

    def _align(self, name: str) -> None:
        ours, theirs = self.old.bodies.get(name), self.new.bodies.get(name)
        left = ours.statements if ours else []
        right = theirs.statements if theirs else []
        suspects = self.local[name] = _changed_parameters(ours, theirs)
        matcher = SequenceMatcher(None, [s.key for s in left], [s.key for s in right], False)
        for kind, i, j, k, m in matcher.get_opcodes():
            if kind == "equal":
                continue
            for statement in (*left[i:j], *right[k:m]):
                statement.differs = True
                suspects |= statement.binds
        if ours and theirs and _decorators(ours) != _decorators(theirs):
            for statement in (*left[:1], *right[:1]):
                statement.differs = True

    def _spread(self) -> None:
        """Mark what depends, until nothing is added."""
        changed = True
        while changed:
            changed = False
            for version in (self.old, self.new):
                for body in version.bodies.values():
                    for statement in body.statements:
                        changed |= self._mark(version, body, statement)

    def _mark(self, version: Version, body: Body, statement: Statement) -> bool:
        suspects = self.local[body.name]
        before = len(suspects), len(self.suspects), statement.depends
        under = any(
            p.concerned and not isinstance(p.node, (ast.With, ast.Try)) for p in statement.parents
        )
        read = statement.reads
        if under or read & suspects or (read & self.suspects) - body.parameters:
            statement.depends = True
        if statement.concerned:
            suspects |= statement.binds
            if isinstance(statement.node, ast.Return):
                self.suspects.add(body.name)
            spread = self._into_calls(version, body, statement)
        else:
            spread = False
        return spread or before != (len(suspects), len(self.suspects), statement.depends)

    def _into_calls(self, version: Version, body: Body, statement: Statement) -> bool:
        """Parameters that get a suspect value, of functions of the file and launched kernels."""
        other = self.new if version is self.old else self.old
        counterpart = other.bodies.get(body.name)
        passed = self._passed_by(other, counterpart)
        found = False
        for part in statement.head:
            for callee, name, value in _passed_values(version, part):
                suspects = self.local[callee.name]
                used = names_in(value)
                new = (callee.name, name, ast.dump(value)) not in passed
                if name not in suspects and (new or used & (self.local[body.name] | self.suspects)):
                    suspects.add(name)
                    found = True
        return found

    def _passed_by(self, version: Version, body: Body | None) -> set[tuple[str, str, str]]:
        if body is None:
            return set()
        if body not in self._handed_on:
            self._handed_on[body] = set(_passed(version, body.node))
        return self._handed_on[body]


def _definitions(
    nodes: Iterable[ast.AST],
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes of one scope, in their order."""
    for node in nodes:
        if isinstance(node, _NESTED):
            yield node
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _definitions(ast.iter_child_nodes(node))


def _passed(version: Version, node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """What is passed in a piece of code: function, parameter, and the value as text."""
    for callee, name, value in _passed_values(version, node):
        yield callee.name, name, ast.dump(value)


def _passed_values(version: Version, node: ast.AST) -> Iterator[tuple[Body, str, ast.expr]]:
    """The arguments of calls of functions of the file, and of launches of its kernels."""
    for call in (n for n in ast.walk(node) if isinstance(n, ast.Call)):
        function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        for callee in version.called.get(ast.unparse(function), ()):
            arguments = callee.node.args
            positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
            for name, value in zip(positional, call.args, strict=False):
                yield callee, name, value
            for keyword in call.keywords:
                if keyword.arg in callee.parameters:
                    yield callee, str(keyword.arg), keyword.value


def _decorators(body: Body) -> list[str]:
    return [ast.dump(d) for d in body.node.decorator_list]


def _changed_parameters(ours: Body | None, theirs: Body | None) -> set[str]:
    """Parameters that only one version has, that have another default, or stand in another order:
    a launch that passes them by their places passes others then."""
    if ours is None or theirs is None:
        return set()
    left, right = ([name for name, _ in _default_values(body.node)] for body in (ours, theirs))
    both = set(left) & set(right)
    pairs = zip((n for n in left if n in both), (n for n in right if n in both), strict=True)
    moved = {name for pair in pairs if len(set(pair)) > 1 for name in pair}
    return moved | {name for name, _ in _defaults(ours.node) ^ _defaults(theirs.node)}


def _defaults(node: Function) -> set[tuple[str, str]]:
    return {(name, "" if d is None else ast.dump(d)) for name, d in _default_values(node)}


def _default_values(node: Function) -> list[tuple[str, ast.expr | None]]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    values: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = [
        *zip(positional, [*values, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return [(a.arg, default) for a, default in pairs]


def _module_names(old: source.Module, new: source.Module) -> set[str]:
    """Names that statements of the module bind which only one version has."""

    def simple(module: source.Module) -> dict[str, ast.stmt]:
        nodes = (n for n in module.tree.body if not isinstance(n, _NESTED))
        return {ast.dump(n): n for n in nodes}

    ours, theirs = simple(old), simple(new)
    differing = [n for d, n in (*ours.items(), *theirs.items()) if (d in ours) != (d in theirs)]
    found = {n.id for s in differing for n in ast.walk(s) if isinstance(n, ast.Name)
             and isinstance(n.ctx, ast.Store)}  # fmt: skip
    for statement in differing:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).partition(".")[0] for a in statement.names}
    return found


# Sizes that the text of two versions singles out.

LARGE = 6e4
"""Beyond that float16 has no number, and what is beyond stands for inf."""
_TWICE_IN_FLOAT32 = 1.6e38
_ROUNDING = ("round", "rint", "floor", "ceil", "trunc")
_LARGEST_OF = {"int8": 2.0**7 - 1, "uint8": 2.0**8 - 1}
_EXACT = {"float16": 2**11, "bfloat16": 2**8, "int8": 2**7, "uint8": 2**8, "int16": 2**15}
"""Whole numbers up to which a narrow type holds all; offsets may be counted in it by mistake."""
_WHOLE_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def asks_for_none(node: ast.AST) -> bool:
    """Whether it asks if a number is below 0, or -1: an index that is none."""
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
    bytes: bool = False
    """Whether what differs names one of 8 bits, in which a count wraps."""
    compared: Sequence[float] = ()
    """Numbers that floats may be compared with, those in what differs first."""
    large: Sequence[float] = ()
    """Numbers in what differs that floats hardly come to, by themselves."""
    fractions: Sequence[float] = ()
    """Numbers in what differs that are no whole ones, or written as floats."""
    scales: Sequence[float] = ()
    """Numbers that a quotient has, or the largest of 8 bits, in files that round."""
    left_free: bool = False
    """Whether a kernel asks whether something is below 0, or -1: an index that is none."""
    infinite: bool = False
    """Whether what differs mentions inf: rows of which a mask leaves nothing."""

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
            divisors_of(module.tree for module in modules),
            whole_types,
            any(isinstance(n, ast.Attribute) and n.attr in _WHOLE_TYPES[:2] for n in nodes),
            values,
            large,
            fractions,
            scales_of(modules),
            any(map(asks_for_none, asked)),
            any(isinstance(n, ast.Constant) and n.value in ("inf", "-inf") for n in nodes),
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


def scales_of(modules: Iterable[source.Module]) -> list[float]:
    """What the largest value of a row may be scaled to before it is rounded: `amax / 127`."""
    found: dict[float, None] = {}
    rounds = False
    for module in modules:
        named = {
            n.targets[0].id: n.value
            for n in module.tree.body
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
        }
        for node in ast.walk(module.tree):
            name = _called(node)
            rounds |= any(word in name for word in _ROUNDING)
            if name in _LARGEST_OF:
                rounds, found = True, found | {_LARGEST_OF[name]: None}
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                sides = (named.get(s.id, s) if isinstance(s, ast.Name) else s
                         for s in (node.left, node.right))  # fmt: skip
                numbers = (s.value for s in sides if isinstance(s, ast.Constant))
                found |= {float(n): None for n in numbers if isinstance(n, (int, float))}
    return [n for n in found if 2 <= n <= LARGE] if rounds else []


def _called(node: ast.AST) -> str:
    """The last part of a dotted name, or a name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _changed_nodes(compared: Comparison) -> Iterator[ast.AST]:
    """All that stands in what differs."""
    return (
        node
        for version in (compared.new, compared.old)
        for body in version.bodies.values()
        for statement in body.statements
        if statement.differs
        for node in statement.nodes
    )


def _changed(compared: Comparison) -> list[int]:
    """Whole numbers in what differs."""
    nodes = [n for n in _changed_nodes(compared) if isinstance(n, (ast.Constant, ast.BinOp))]
    numbers = (number for node in nodes for number in computed(node, {}))
    return list(dict.fromkeys(n for n in numbers if 2 < n <= LARGEST))


def limits_of(modules: Iterable[source.Module]) -> list[int]:
    """Numbers with which tests of functions compare something: `n < 4096 * 8`, `n > LIMIT`.

    Beyond such a size a launcher may well take another kernel.
    """
    found: dict[int, None] = {}
    for module in modules:
        names = constants_of(module.tree)
        tests = (
            n.test for n in ast.walk(module.tree) if isinstance(n, (ast.If, ast.IfExp, ast.While))
        )
        compares = (n for test in tests for n in ast.walk(test) if isinstance(n, ast.Compare))
        sides = [side for n in compares for side in (n.left, *n.comparators)]
        # `min(LIMIT, triton.next_power_of_2(n))`: beyond it a tile no longer holds all.
        calls = (n for n in ast.walk(module.tree) if isinstance(n, ast.Call))
        sides += [a for c in calls if ast.unparse(c.func) in ("min", "max") for a in c.args]
        for side in sides:
            for number in computed(side, names):
                if 2 < number <= LARGEST:
                    found[number] = None
    return list(found)


def _sizes_in(parts: Iterable[ast.AST]) -> Iterator[int]:
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Compare):
                yield from _of_remainder(node)
        for node in ast.walk(part):
            if isinstance(node, ast.Attribute) and node.attr in _EXACT:
                yield 2 * _EXACT[node.attr] + 3
            found = computed(node, {}) if isinstance(node, (ast.Constant, ast.BinOp)) else ()
            for number in (n for n in found if 2 < n <= LARGEST):
                # An index is above a number where the size is two more.
                yield from (number, number + 1, number - 1, number + 2)


def _of_remainder(node: ast.Compare) -> Iterator[int]:
    """Sizes for which `n % a == b` holds, beyond the first."""
    left, right = node.left, number_of(node.comparators[0])
    if right is None or not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod):
        return
    modulus = number_of(left.right)
    if modulus is not None and 0 < modulus <= LARGEST:
        yield from (modulus + right, 2 * modulus + right)


def whole_numbers(module: source.Module) -> set[int]:
    """Every whole number that a file mentions."""
    return {n for node in ast.walk(module.tree) if (n := number_of(node)) is not None}


def block_sizes(numbers: Iterable[int]) -> set[int]:
    """What looks like a block size: powers of two, 8 and more."""
    return {n for n in numbers if 8 <= n <= 2**16 and n & (n - 1) == 0}


def limits_on(backend: str, modules: Sequence[source.Module]) -> Limits:
    """How large calls are on a backend, and what sizes the files mention."""
    numbers = {number for module in modules for number in whole_numbers(module)}
    types = frozenset(DTYPES)
    blocks, counts = block_sizes(numbers), tuple(sorted(numbers))
    if backend == "interpreter":
        few = tuple(sorted(b for b in blocks if b <= 2**12))
        return Limits(_interpreted_elements(few), 8, types, few, counts)
    # Nothing is run by `compile`: sizes matter only as far as the compiler is told of them.
    elements, rows = (2**14, 8) if backend == "compile" else (2**22, 2**12)
    return Limits(elements, rows, types, tuple(sorted(blocks)), counts)


def _interpreted_elements(blocks: tuple[int, ...]) -> int:
    """How large a tensor may be on the interpreter, where every operation takes 0.1 ms.

    Enough for two tiles of the largest block, and not too many tiles of the smallest.
    """
    if not blocks:
        return 2**10
    return min(2**13, max(2**9, 12 * blocks[0], 2 * blocks[-1] + 64))

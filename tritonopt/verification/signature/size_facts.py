"""Sizes that are computed from others (`2 * n`), and facts about sizes (`n % 16 == 0`)."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from types import CodeType
from typing import Any

from tritonopt.source.parsing import parsed

CALLS: Mapping[str, Callable[..., int]] = {
    "cdiv": lambda a, b: -(-a // b),
    "next_power_of_2": lambda n: 1 << max(n - 1, 0).bit_length(),
    "min": min,
    "max": max,
}
_NODES = (
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.Name, ast.BinOp,
    ast.UnaryOp, ast.BoolOp, ast.Compare,
)  # fmt: skip
_GROWING = (ast.Add, ast.Mult)
_NEAR = 40
"""How far from a wanted size one is looked for of which the facts hold."""
_ROUND = (1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
_MOST_SIZES = 3
"""For so many sizes that one fact is about, all combinations are tried."""
_ROUNDS = 4
"""So often sizes are changed for all facts: for one of them may undo what was done for another."""


@lru_cache(maxsize=1024)
def names_in(expression: str) -> tuple[str, ...]:
    """The sizes that an expression is made of, in their order."""
    nodes = list(ast.walk(_tree(expression)))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    names = [n for n in nodes if isinstance(n, ast.Name) and id(n) not in called]
    return tuple(dict.fromkeys(n.id for n in sorted(names, key=lambda n: n.col_offset)))


def value_of(expression: str, sizes: Mapping[str, int]) -> int:
    """A number for given sizes, not below 0; what cannot be divided gives 0."""
    try:
        return max(int(_evaluated(expression, sizes)), 0)
    except ZeroDivisionError:
        return 0


def is_comparison(expression: str) -> bool:
    return isinstance(_tree(expression), (ast.Compare, ast.BoolOp))


def strange(expression: str) -> tuple[int, str] | None:
    """What has no place in an expression of sizes, and its column from 0; None if all has."""
    try:
        tree = _tree(expression)
    except SyntaxError as error:
        return max((error.offset or 1) - 2, 0), error.msg
    for node in ast.walk(tree):
        if isinstance(node, _NODES):
            continue
        if isinstance(node, ast.Constant) and type(node.value) is int:
            continue
        called = getattr(getattr(node, "func", None), "id", "")
        if isinstance(node, ast.Call) and not node.keywords and called in CALLS:
            continue
        found = f"`{ast.unparse(node)}` is not computed from sizes"
        return max(getattr(node, "col_offset", 1) - 1, 0), found
    return None


@lru_cache(maxsize=1024)
def _tree(expression: str) -> ast.expr:
    # In brackets, because it may begin with a space.
    return parsed(f"({expression})", mode="eval").body


@lru_cache(maxsize=1024)
def _code(expression: str) -> CodeType:
    """Facts are asked of many sizes: what is compiled once takes a twentieth of the time."""
    return compile(ast.Expression(_tree(expression)), "<sizes>", "eval")


def _evaluated(expression: str, sizes: Mapping[str, int]) -> Any:
    return eval(_code(expression), {"__builtins__": {}, **CALLS}, sizes)


@dataclass(frozen=True)
class Fact:
    """What holds of the sizes of every call: `n % 16 == 0`, `m <= n`."""

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> tuple[str, ...]:
        return names_in(self.text)

    def made_to_hold(self, sizes: Mapping[str, int], *, smaller: bool) -> Mapping[str, int] | None:
        """The sizes with one or two of them changed; None where there is no simple way to it.

        Two sizes that are drawn are seldom such as `b == 2 * d` or `c % groups == 0` ask for, and
        a search near them finds round ones alone, which have no tails. With `smaller` none is made
        larger, so that there is room for it; else the larger one is kept as it is, if that can be.
        """
        if not set(self.names) <= set(sizes):
            return None
        divided, computed = _divided(self.text), _computed(self.text)
        if divided is not None:
            return {**sizes, **divided.made_to_hold(sizes, smaller)}
        return None if computed is None else {**sizes, **computed.made_to_hold(sizes, smaller)}

    def asked_of(self, name: str, sizes: Mapping[str, int]) -> int | None:
        """What this size has to be beside others, or nearly; None where it says no such thing."""
        computed = _computed(self.text)
        if computed is None or {*self.names} - {name} - {*sizes}:
            return None
        if name == computed.size:
            return value_of(computed.formula, sizes)
        return computed.fitting(sizes) if name == computed.free else None

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether it does; a fact about sizes that are not known yet may."""
        if not all(name in sizes for name in self.names):
            return True
        try:
            return bool(_evaluated(self.text, sizes))
        except ZeroDivisionError:
            return False


@dataclass(frozen=True)
class _Divided:
    """`c % groups == 0`."""

    size: str
    divisor: str

    def made_to_hold(self, sizes: Mapping[str, int], smaller: bool) -> dict[str, int]:
        size, divisor = sizes[self.size], max(sizes[self.divisor], 1)
        if not size:
            return {self.divisor: divisor}
        if smaller:
            divisor = min(divisor, size)
            return {self.size: size - size % divisor, self.divisor: divisor}
        if size < divisor:
            return {self.size: divisor, self.divisor: divisor}
        return {self.divisor: next(n for n in range(divisor, 0, -1) if size % n == 0)}


@dataclass(frozen=True)
class _Computed:
    """`b == 2 * d`: what grows with each size in it."""

    size: str
    formula: str
    free: str
    """The size in the formula that may be changed."""

    def made_to_hold(self, sizes: Mapping[str, int], smaller: bool) -> dict[str, int]:
        fitting, free = self.fitting(sizes), sizes[self.free]
        found = {self.free: min(fitting, free) if smaller else max(fitting, free)}
        return {**found, self.size: value_of(self.formula, {**sizes, **found})}

    def fitting(self, sizes: Mapping[str, int]) -> int:
        """The largest that the free size may be for the other one not to become larger."""

        def result(free: int) -> int:
            return value_of(self.formula, {**sizes, self.free: free})

        size = sizes[self.size]
        return max(bisect_right(range(size + 1), size, key=result) - 1, 0)


@lru_cache(maxsize=1024)
def _divided(fact: str) -> _Divided | None:
    match _tree(fact):
        case ast.Compare(
            ast.BinOp(ast.Name(size), ast.Mod(), ast.Name(divisor)),
            [ast.Eq()],
            [ast.Constant(0)],
        ) if size != divisor:
            return _Divided(size, divisor)
    return None


@lru_cache(maxsize=1024)
def _computed(fact: str) -> _Computed | None:
    match _tree(fact):
        case ast.Compare(ast.Name(size), [ast.Eq()], [ast.BinOp() as right]):
            formula, nodes = ast.unparse(right), list(ast.walk(right))
            names = names_in(formula)
            grows = all(isinstance(n, _GROWING) or not isinstance(n, ast.operator) for n in nodes)
            if names and size not in names and grows:
                return _Computed(size, formula, names[-1])
    return None


def fitted(
    facts: Sequence[Fact], sizes: Mapping[str, int], *, smaller: bool = False
) -> dict[str, int]:
    """The sizes, changed as little as the facts ask for; others where that is not enough.

    With `smaller` they are as large as may be, and larger ones are the last resort. Where none are
    found of which all facts hold, sizes of which some do.
    """
    return dict(_fitted(tuple(facts), tuple(sizes.items()), smaller)) if facts else dict(sizes)


@lru_cache(maxsize=4096)
def _fitted(
    facts: tuple[Fact, ...], known: tuple[tuple[str, int], ...], smaller: bool
) -> Mapping[str, int]:
    sizes = dict(known)
    near = _changed(facts, sizes, smaller)
    others = (_changed(facts, dict.fromkeys(sizes, size), smaller) for size in _ROUND)
    return next((found for found in chain([near], others) if hold(facts, found)), near)


def hold(facts: Iterable[Fact], sizes: Mapping[str, int]) -> bool:
    """Whether all of them do."""
    return all(fact.holds(sizes) for fact in facts)


def _changed(facts: Sequence[Fact], sizes: Mapping[str, int], smaller: bool) -> dict[str, int]:
    """The sizes, changed for one fact after the other, until all of them hold."""
    found = dict(sizes)
    for _ in range(_ROUNDS):
        found = _changed_once(facts, found, smaller)
        if hold(facts, found):
            break
    return found


def _changed_once(facts: Sequence[Fact], sizes: Mapping[str, int], smaller: bool) -> dict[str, int]:
    found = dict(sizes)
    for fact in facts:
        if fact.holds(found):
            continue
        names = [n for n in fact.names if n in found]
        others = [f for f in facts if not set(f.names) - set(names)]
        made = fact.made_to_hold(found, smaller=smaller)
        if made is not None and hold((fact, *others), made):
            found = dict(made)
            continue
        if len(names) > _MOST_SIZES:
            continue
        around = _NEAR if len(names) == 1 else 0
        ranges = [_near(found[name], around) for name in names]
        for values in product(*ranges):
            changed = {**found, **dict(zip(names, values, strict=True))}
            if fact.holds(changed) and hold(others, changed):
                found = changed
                break
    return found


def _near(size: int, around: int) -> list[int]:
    """Sizes, the nearest first; an empty one for an empty one only, or else at the end."""
    known = {size, *_ROUND, *range(max(size - around, 0), size + around)}
    return sorted(known, key=lambda n: (n == 0 < size, abs(n - size)))

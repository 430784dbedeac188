"""Sizes that are computed from others (`2 * n`), and facts about sizes (`n % 16 == 0`)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from types import CodeType
from typing import Any

from tritonopt.source.parsing import parsed

_CALLS: Mapping[str, Callable[..., int]] = {
    "cdiv": lambda a, b: -(-a // b),
    "next_power_of_2": lambda n: 1 << max(n - 1, 0).bit_length(),
    "min": min,
    "max": max,
}
_NODES = (
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.Name, ast.BinOp,
    ast.UnaryOp, ast.BoolOp, ast.Compare,
)  # fmt: skip
_NEAR = 40
"""How far from a wanted size one is looked for of which the facts hold."""
_ROUND = (1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
_MOST_SIZES = 3
"""For so many sizes that one fact is about, all combinations are tried."""


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
        if isinstance(node, ast.Call) and not node.keywords and called in _CALLS:
            continue
        found = f"`{ast.unparse(node)}` is nothing that is made of sizes"
        return max(getattr(node, "col_offset", 1) - 1, 0), found
    return None


def _tree(expression: str) -> ast.expr:
    # In brackets, because it may begin with a space.
    return parsed(f"({expression})", mode="eval").body


@lru_cache(maxsize=1024)
def _code(expression: str) -> CodeType:
    """Facts are asked of many sizes: what is compiled once takes a twentieth of the time."""
    return compile(ast.Expression(_tree(expression)), "<sizes>", "eval")


def _evaluated(expression: str, sizes: Mapping[str, int]) -> Any:
    return eval(_code(expression), {"__builtins__": {}, **_CALLS}, sizes)


@dataclass(frozen=True)
class Fact:
    """What holds of the sizes of every call: `n % 16 == 0`, `m <= n`."""

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> tuple[str, ...]:
        return names_in(self.text)

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Whether it does; a fact about sizes that are not known yet may."""
        if not all(name in sizes for name in self.names):
            return True
        try:
            return bool(_evaluated(self.text, sizes))
        except ZeroDivisionError:
            return False


def fitted(facts: Sequence[Fact], sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes, changed as little as the facts ask for; others where that is not enough.

    Where none are found of which all facts hold, sizes of which some do.
    """
    return dict(_fitted(tuple(facts), tuple(sizes.items()))) if facts else dict(sizes)


@lru_cache(maxsize=4096)
def _fitted(facts: tuple[Fact, ...], known: tuple[tuple[str, int], ...]) -> Mapping[str, int]:
    sizes = dict(known)
    near = _changed(facts, sizes)
    others = (_changed(facts, dict.fromkeys(sizes, size)) for size in _ROUND)
    return next((found for found in chain([near], others) if hold(facts, found)), near)


def hold(facts: Iterable[Fact], sizes: Mapping[str, int]) -> bool:
    """Whether all of them do."""
    return all(fact.holds(sizes) for fact in facts)


def _changed(facts: Sequence[Fact], sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes, changed for one fact after the other."""
    found = dict(sizes)
    for fact in facts:
        if fact.holds(found):
            continue
        names = [n for n in fact.names if n in found]
        others = [f for f in facts if not set(f.names) - set(names)]
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

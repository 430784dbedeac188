"""Atomics that add to the same addresses for every tile: one sum in registers, one atomic."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from tritonopt.facts import Assumption, KernelFacts
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import function
from tritonopt.facts.values import is_integer
from tritonopt.rewriting.checklist import Checklist
from tritonopt.rewriting.writing import NotExpressible, Writer, names_bound
from tritonopt.source.trees import walk
from tritonopt.transforms.tile_body import TileBody

_TENSORS = frozenset({"load", "reduce", "cast"})
"""Operations whose result is a tensor also where it is a scalar."""
_SUMMED_AS = {"fp16": "float32", "bf16": "float32", "fp32": "float32", "fp64": "float64"} | {
    f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (32, 64)
}
"""For memory of a type, one in which a sum over tiles keeps all that the atomics would have."""
_SHORT_NAMES = {"float32": "fp32", "float64": "fp64"}


@dataclass(frozen=True)
class TileSum:
    """An atomic that adds to the same addresses for every tile."""

    statement: ast.Expr
    call: ast.Call
    added: ast.expr
    cast: str
    """Code for the type that what is added must be cast to, as the atomic does; or ""."""
    is_whole: bool
    """Whether it is a sum of integers, which no order of addition changes."""
    zero: str
    """Code for what the sum begins with."""
    name: str


@dataclass(frozen=True)
class TileSums:
    """Those that were found, and the atomics that stay in the loop."""

    sums: tuple[TileSum, ...] = ()
    left: Mapping[int, str] = field(default_factory=dict)
    """By line, why they stay."""


def find_sums(body: TileBody, writer: Writer, checklist: Checklist) -> TileSums:
    """The atomics of the body that can be done once for all tiles of a program."""
    return _Finder(body, writer).find(checklist)


class _Finder:
    def __init__(self, body: TileBody, writer: Writer) -> None:
        self.body = body
        self.facts: KernelFacts = body.facts
        self.kernel = body.kernel
        self.writer = writer

    def find(self, checklist: Checklist) -> TileSums:
        sums: list[TileSum] = []
        left: dict[int, str] = {}
        evidence: dict[str, Assumption | None] = {}
        for statement in self.body.looped:
            effect = self._atomic_add(statement)
            if effect is None:
                continue
            assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            try:
                found = self._sum(statement, statement.value, effect)
                evidence.update(self._apart(effect))
                sums.append(found)
            except NotExpressible as why:
                left[statement.lineno] = str(why)
        if sums:
            detail = "; ".join(evidence) or "nothing else touches memory"
            given = [fact for fact in evidence.values() if fact is not None]
            checklist.prove("sums-are-not-read", detail, given)
            if None in evidence.values():
                checklist.assume(
                    "no-other-launches", "files that were not given launch it in no other way"
                )
        return TileSums(tuple(sums), left)

    def _atomic_add(self, statement: ast.stmt) -> Effect | None:
        """The effect of a statement that is an atomic addition and nothing else."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        effects = [e for e in self.facts.effects if e.node is call]
        if len(effects) != 1 or effects[0].name != "atomic_add" or effects[0].inlined:
            return None
        return effects[0]

    def _apart(self, effect: Effect) -> dict[str, Assumption | None]:
        """Why nothing but other such additions touches what is added to, and what is given."""
        statements = [s for s in walk(self.kernel.node) if isinstance(s, ast.Expr)]
        additions = [self._atomic_add(statement) for statement in statements]
        evidence: dict[str, Assumption | None] = {}
        for other in self.facts.effects:
            if other.pointer is None or other in additions:
                continue
            if self.facts.may_alias(effect, other):
                touches = f"the {other.name} in line {other.line} may touch the same memory"
                raise NotExpressible(touches)
            for mine, theirs in product(self._bases(effect), self._bases(other)):
                _, why, given = self.facts.why_disjoint(mine, theirs)
                evidence[why] = given
        return evidence

    def _bases(self, effect: Effect) -> list[str]:
        return sorted(self.facts.bases(effect) or ())

    def _sum(self, statement: ast.Expr, call: ast.Call, effect: Effect) -> TileSum:
        given = dict(zip(("pointer", "val", "mask"), call.args, strict=False))
        given.update((k.arg, k.value) for k in call.keywords if k.arg is not None)
        if function(self.kernel.module.resolve(call.func)) != "atomic_add":
            raise NotExpressible("it is a method of its address")
        if len(call.args) > 3 or set(given) - {"pointer", "val", "mask"}:
            raise NotExpressible("it asks for an order of memory")
        pointer, added, mask = given["pointer"], given["val"], given.get("mask")
        earlier = [guard for guard in self.body.guards if guard.lineno < statement.lineno]
        if not all(self.body.asks_for_tile(guard.test) for guard in earlier):
            raise NotExpressible("it may be that no tile comes to it")
        where = [pointer] if mask is None else [pointer, mask]
        inside = {node for part in where for node in walk(part)}
        if any(map(self.body.depends_on_tile, where)):
            raise NotExpressible("each tile adds somewhere else")
        if any(e.node in inside for e in self.facts.effects):
            raise NotExpressible("its address is loaded")
        bases = self._bases(effect)
        type_, dtype = self._type_of_sum(effect, bases)
        value = self.facts.values[added]
        if value.shape is None:
            raise NotExpressible("the shape of what it adds is not known")
        types = self.facts.types.of(value)
        is_cast = not (dtype and types.complete and types.seen == {dtype})
        is_literal = _fits(value.constant, dtype)
        if not value.shape and is_cast and not is_literal and value.op not in _TENSORS:
            raise NotExpressible("what it adds may be a plain number, of a type that is not known")
        before = self.facts.before[self.body.looped[0]]
        shape = ", ".join(
            self.writer.find_form(self.facts.forms.of(extent), before) for extent in value.shape
        )
        zero = f"{self.writer.language('zeros')}([{shape}], dtype={type_})"
        if not value.shape and dtype in ("fp32", "int32"):
            zero = "0.0" if dtype == "fp32" else "0"
        base = re.sub(r"_?ptrs?$", "", bases[0].lower()) if len(bases) == 1 else ""
        name = self.writer.fresh(f"{base}_sum" if base else "sum_of_tiles")
        cast = type_ if is_cast and not is_literal else ""
        return TileSum(statement, call, added, cast, is_integer(dtype), zero, name)

    def _type_of_sum(self, effect: Effect, bases: Sequence[str]) -> tuple[str, str]:
        """Code for the type to sum in, and Triton's short name of it where it is known.

        The atomic casts what it adds to the type of the memory. A sum in that type, or for
        narrow floats in fp32, overflows no earlier and rounds no worse.
        """
        memory = self.facts.types.behind(effect)
        wide = {_SUMMED_AS.get(dtype, "") for dtype in memory.seen} if memory.complete else set()
        if len(wide) == 1 and "" not in wide:
            name = wide.pop()
            return self.writer.language(name), _SHORT_NAMES.get(name, name)
        if len(bases) != 1 or any(bases[0] in names_bound(s) for s in self.body.hoisted):
            raise NotExpressible("the type of what it adds to is not known")
        return f"{bases[0]}.dtype.element_ty", ""


def _fits(constant: object, dtype: str) -> bool:
    """Whether a number of the source takes on the type when it is added to it."""
    match constant:
        case bool():
            return False
        case int():
            return dtype in ("int32", "int64", "fp32", "fp64") and abs(constant) < 2**31
        case float():
            return dtype in ("fp32", "fp64")
    return False

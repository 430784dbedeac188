"""drop-redundant-where: a `tl.where` that clears lanes which are clear already goes."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import block_of, comments_in
from tritonopt.facts import EffectKind, KernelFacts, Value
from tritonopt.facts.dtypes import BOOLEANS, FLOATS, INTEGERS, is_number
from tritonopt.facts.language import function
from tritonopt.facts.memory.masked_off_value import NotKnown, Padding, same_number
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.uses import may_be_contracted, users
from tritonopt.rewriting.model import Bits, Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, Remove, ReplaceExpression
from tritonopt.source.trees import walk

LINE_LENGTH = 88
_WIDE = frozenset({"int32", "int64"})
_SHOWING = (EffectKind.CALL, EffectKind.PRINT)
_SEEN_THROUGH = ELEMENTWISE | {Op.INSERT_AXES, Op.BROADCAST_TO, Op.PHI}


@dataclass(frozen=True)
class DropRedundantWhere(Pass):
    """Remove a `tl.where` whose inactive lanes already hold the value it writes.

    ## What it does

    `tl.where(mask, e, 0.0)` becomes `e` where the masks and `other=` of its loads already make `e`
    0 on inactive lanes, for example a product of two loads with `other=0.0`. Other constants and
    `tl.where(cols >= N, 0.0, e)` likewise. The statement `x = tl.where(mask, x, 0.0)` is removed.

    ## Why

    The code is easier to read, and one select instruction is saved. The compiler may contract the
    remaining `a * b` with an addition.

    ## Conditions

    - Every load in `e` has an `other=`, without which inactive lanes are undefined, and a mask that
      implies the condition of the `tl.where`. If index arithmetic is needed for this, we assume
      that it does not overflow int32 (`no-int32-overflow`).
    - On inactive lanes `e` equals the constant bit for bit, including the sign of zero, by
      operations that are exact in every type: arithmetic on zeros, integers up to 127 and
      infinities, minimum, maximum, comparisons, casts, `exp(-inf)`. The pass declines `x - mean`
      (which is -mean there), `x * scale` (NaN for an infinite scale, -0.0 for a negative one) and
      `log(1 + x)` (0 only if the hardware's logarithm is exact).
    - Shape and type do not change: in a `tl.where` a float constant makes an integer `e` fp32, and
      an integer constant makes a boolean `e` int32. The type is known from a cast, an annotation,
      float arithmetic or a launch. If it is unknown, `--safety assumption` assumes that the data
      has the type of `other=`, and is float if the constant is. The type rules are those of Triton
      3.6 and 3.7.

    ## Numerics

    `exact`, or `assumption` where the type is assumed. Bits `contraction` where a remaining product
    is added to something, else `same`.

    ## Example

    ```python
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(Y + cols, mask=mask, other=0.0).to(tl.float32)
    # Lanes past the end must not count.
    xy = tl.where(mask, x * y, 0.0)
    var = tl.sum(xy, axis=0)
    ```

    becomes

    ```python
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(Y + cols, mask=mask, other=0.0).to(tl.float32)
    # Lanes past the end must not count.
    xy = x * y
    var = tl.sum(xy, axis=0)
    ```

    ## Measured

    1.01x to 1.03x: noise.

    One H200, Triton 3.6, `examples/cosine_similarity.py`, 4096 rows of 1024 and 16384, fp16: one
    select per element of a memory-bound kernel.
    """

    name: ClassVar[str] = "drop-redundant-where"
    summary: ClassVar[str] = "drop a tl.where whose inactive lanes already have its value"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for node in facts.kernel.nodes:
            if not isinstance(node, ast.Call) or node not in facts.values:
                continue
            found = _Clearing.of(facts, node)
            if found is not None:
                yield found.site()


@dataclass(frozen=True)
class _Clearing:
    """A `tl.where` of an expression and a number."""

    facts: KernelFacts
    call: ast.Call
    condition: ast.expr
    kept: ast.expr
    """The expression that would stay."""
    cleared: ast.expr
    """What takes its place on some lanes."""
    where_true: bool
    """Whether these are the lanes where the condition is true."""

    @classmethod
    def of(cls, facts: KernelFacts, call: ast.Call) -> _Clearing | None:
        """The call as a clearing of masked-off lanes; None where it is something else."""
        if function(facts.kernel.module.resolve(call.func)) != "where":
            return None
        given = dict(zip(("condition", "x", "y"), call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
        if set(given) != {"condition", "x", "y"} or facts.values[call].op is not Op.WHERE:
            return None
        condition, x, y = given["condition"], given["x"], given["y"]
        for kept, cleared, where_true in ((x, y, False), (y, x, True)):
            if _number(facts.values[cleared]) is None:
                continue
            loads = _masked_loads(facts.values[kept])
            parts = set(facts.values[condition].walk())
            # `tl.where(x > 0, x, 0)` is no clearing of lanes that were not loaded.
            if loads and not any(load in parts for load in loads):
                return cls(facts, call, condition, kept, cleared, where_true)
        return None

    def site(self) -> Site:
        with Attempt() as attempt:
            self._check(attempt)
            attempt.changes = (self._change(),)
        cleared = self.facts.kernel.module.text_of(self.cleared)
        done = (
            "dropped a tl.where that changes nothing: inactive lanes are already "
            f"{cleared}, by the other= of the loads"
        )
        bits = Bits.CONTRACTION if self._may_contract else Bits.SAME
        left = "kept the tl.where"
        return Site.of(attempt, self.call, done, left, bits=bits)

    # Conditions

    def _check(self, attempt: Attempt) -> None:
        """Raises Declined at the first condition that does not hold."""
        values = self.facts.values
        padding = Padding(self.facts, values[self.condition], self.where_true)
        self._check_lanes(attempt, padding)
        self._check_shape(attempt)
        self._check_type(attempt, padding)
        self._check_text(attempt)

    def _check_lanes(self, attempt: Attempt, padding: Padding) -> None:
        claim = "masked-off-lanes-add-nothing"
        wanted = _number(self.facts.values[self.cleared])
        assert wanted is not None
        try:
            number = padding.of(self.facts.values[self.kept])
        except NotKnown as reason:
            raise unknown(claim, reason.reason, reason.detail) from None
        if not same_number(number, wanted):
            differs = f"where the mask is off it is {number!r}, and not {wanted!r}"
            raise refuted(claim, "other-value", differs)
        lines = [self.facts.interpretation.loads[n].line for n in sorted(padding.loads)]
        loads = " and ".join(str(line) for line in dict.fromkeys(lines))
        attempt.prove(claim, f"it is {number!r} there, by the other= of the loads in line {loads}")
        if padding.by_arithmetic:
            attempt.assume("no-int32-overflow", "index arithmetic does not overflow 32 bits")

    def _check_shape(self, attempt: Attempt) -> None:
        before, after = self.facts.values[self.call].shape, self.facts.values[self.kept].shape
        if before is None or after is None:
            raise unknown("shape-stays", "shapes-differ", "its shape is not known")
        if before != after:
            detail = "the condition or the other branch gives it more axes or lanes"
            raise refuted("shape-stays", "shape-changes", detail)
        attempt.prove("shape-stays", "the condition and the number give it no more lanes")

    def _check_type(self, attempt: Attempt, padding: Padding) -> None:
        claim = "type-stays"
        types = self.facts.types.of(self.facts.values[self.kept])
        cleared = self.facts.values[self.cleared]
        if cleared.op is Op.FULL:
            own = self.facts.types.of(cleared)
            known = own.complete and len(own.seen) == 1 and own.seen == types.seen
            if not (known and types.complete and not types.by_launch):
                raise unknown(claim, "type-is-unknown", "the types of the branches may differ")
            attempt.prove(claim, f"both branches are {', '.join(own.seen)}")
            return
        if not is_number(self.facts, self.cleared):
            # A name that is assigned a number is a tensor: fp32, or int32.
            tensors = frozenset({"fp32", "fp64"} if cleared.dtype == "float" else FLOATS | _WIDE)
            if not (types.all_in(tensors) and not types.by_launch):
                detail = (
                    f"{self.facts.kernel.module.text_of(self.cleared)} is a tensor, and no number"
                )
                raise unknown(claim, "type-is-unknown", detail)
            attempt.prove(claim, types.where)
            return
        if cleared.dtype == "float":
            changed, kept = INTEGERS | BOOLEANS, FLOATS
            becomes = "fp32 by the float in the other branch"
        else:
            changed, kept = BOOLEANS, FLOATS | INTEGERS
            becomes = "int32 by the integer in the other branch"
        if types.some_in(changed):
            detail = f"it is {types.where}, and becomes {becomes}"
            raise refuted(claim, "type-changes", detail)
        if types.all_in(kept):
            attempt.prove(claim, types.where)
            if types.by_launch:
                attempt.assume_no_other_launches()
        elif self._is_only_cast_to_fp32:
            attempt.prove(claim, "in any case it becomes fp32")
        else:
            data = "integers or booleans" if cleared.dtype == "float" else "booleans"
            # A cast to a type that is not known says nothing of it; else `other=` does.
            parts = _lane_by_lane(self.facts.values[self.kept])
            others = {load.other.dtype for load in padding.loads.values()}
            others |= {"" for part in parts if part.op is Op.CAST and part.dtype is None}
            if not others or not others <= {"float", *(("int",) if cleared.dtype == "int" else ())}:
                detail = f"the data may be {data}, which would become {becomes}"
                raise unknown(claim, "type-is-unknown", detail)
            attempt.need(Safety.ASSUMPTION)
            attempt.assume(claim, f"we assume the type of other=; {data} would become {becomes}")
        if any(_is_infinite(load.other) for load in padding.loads.values()):
            attempt.assume("type-has-infinities", "the data is not of a type such as fp8e4nv")

    @property
    def _is_only_cast_to_fp32(self) -> bool:
        """Whether all that is done with the result is a cast to fp32, exact or rounded once."""
        result = self.facts.values[self.call]
        using = users(self.facts.interpretation).get(result.serial, [])
        returns = any(isinstance(n, ast.Return) and n.value for n in self.facts.kernel.nodes)
        if returns or any(e.kind in _SHOWING for e in self.facts.effects):
            return False
        casts = all(user.op is Op.CAST and user.dtype == "fp32" for user in using)
        return bool(using) and casts and result not in self._ends

    @property
    def _ends(self) -> set[Value | None]:
        """Values that are used as they are, rather than computed with."""
        ends: set[Value | None] = set()
        for effect in self.facts.effects:
            ends |= {effect.pointer, effect.mask, effect.other, effect.stored}
            ends |= {guard.condition for guard in effect.guards}
        for loop in self.facts.loops:
            ends |= {loop.start, loop.stop, loop.step, loop.condition}
            ends |= {*loop.initial.values(), *loop.following.values()}
        return ends

    def _check_text(self, attempt: Attempt) -> None:
        claim, text = "nothing-else-is-lost", self.facts.kernel.module.text_of
        if comments_in(text(self.call)) > comments_in(text(self.kept)):
            raise refuted(claim, "comment-inside", "a comment inside would be lost")
        lost = {n for side in (self.condition, self.cleared) for n in walk(side)}
        if any(e.node in lost for e in self.facts.effects) or any(
            isinstance(n, ast.NamedExpr) for n in lost
        ):
            raise refuted(claim, "effect-inside", "the condition has an effect")
        statement = self._self_assignment
        if statement is not None and "#" in self._behind(statement):
            raise refuted(claim, "comment-inside", "a trailing comment would be lost")
        if statement is not None and len(block_of(self.facts.kernel.node, statement)) == 1:
            raise refuted(claim, "not-expressible", "its block would be empty")

    def _behind(self, statement: ast.stmt) -> str:
        """What stands behind a statement in its last line."""
        assert statement.end_lineno is not None
        line = self.facts.kernel.module.lines.texts[statement.end_lineno - 1]
        return line.encode()[statement.end_col_offset :].decode()

    # The edit

    @property
    def _self_assignment(self) -> ast.stmt | None:
        """`x = tl.where(mask, x, 0.0)`, which would become `x = x`."""
        statement = self.facts.kernel.module.names.parents.get(self.call)
        match statement, self.kept:
            case (
                ast.Assign(targets=[ast.Name(id=target)])
                | ast.AnnAssign(target=ast.Name(id=target), value=ast.expr()),
                ast.Name(id=name),
            ) if target == name:
                assert isinstance(statement, ast.stmt)
                return statement
        return None

    def _change(self) -> Change:
        statement = self._self_assignment
        if statement is not None:
            return Remove(statement)
        return ReplaceExpression(self.call, self._kept_text)

    @property
    def _kept_text(self) -> str:
        """On one line where it fits: it was indented for the call that goes."""
        text = self.facts.kernel.module.text_of(self.kept)
        line = ast.unparse(self.kept)
        fits = self.call.col_offset + len(line) <= LINE_LENGTH
        return line if "\n" in text and fits and not comments_in(text) else text

    @property
    def _may_contract(self) -> bool:
        """Whether a product is left that may be added to something, here or in a caller."""
        values, interpretation = self.facts.values, self.facts.interpretation
        product, result = values[self.kept], values[self.call]
        elsewhere = any(e.kind is EffectKind.CALL for e in self.facts.effects) or any(
            self._is_lost_at(node) for node, value in values.items() if value is result
        )
        return may_be_contracted(interpretation, product, result, elsewhere=elsewhere)

    def _is_lost_at(self, node: ast.expr) -> bool:
        """Whether the value goes where its uses are not seen: to a caller, or with new axes."""
        module = self.facts.kernel.module
        match module.names.parents.get(node):
            case ast.Return() | ast.Subscript() | ast.Tuple():
                return True
            case ast.Attribute(attr=method):
                return method != "to"
            case ast.Call(func=called):
                return function(module.resolve(called)) in ("", "expand_dims")
        return False


def _number(value: Value) -> float | None:
    """The number that a branch is on all lanes: a constant, or `tl.zeros` and its kin."""
    if value.op is Op.FULL:
        value = value.operand
    constant = value.constant
    if isinstance(constant, (int, float)) and not isinstance(constant, bool):
        return float(constant)
    return None


def _is_infinite(value: Value) -> bool:
    number = _number(value)
    return number is not None and math.isinf(number)


def _masked_loads(value: Value) -> list[Value]:
    """The masked loads that a value is computed from lane by lane."""
    return [p for p in _lane_by_lane(value) if p.op is Op.LOAD and not p.mask.is_none]


def _lane_by_lane(value: Value) -> Iterator[Value]:
    """What a value is computed from lane by lane, itself included."""
    todo, seen = [value], {value.serial}
    while todo:
        part = todo.pop()
        yield part
        for operand in part.operands if part.op in _SEEN_THROUGH else ():
            if operand.serial not in seen:
                seen.add(operand.serial)
                todo.append(operand)

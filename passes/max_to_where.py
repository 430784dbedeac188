"""max-to-where: `tl.maximum` with a constant is written as the comparison that it is."""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.writing import Writer, comments_in
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.dtypes import BOOLEANS, FLOATS, INTEGERS, Types
from tritonopt.facts.language import function
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.facts.uses import users
from tritonopt.rewriting.model import Safety, Site
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import ReplaceExpression

_NARROW = frozenset({"fp16", "bf16"})
_FP8 = frozenset({"fp8", "fp8e4nv", "fp8e5"})
_SMALLEST, _LARGEST = 2.0**-126, (2 - 2.0**-23) * 2.0**127
"""Of the normal numbers of fp32: beyond them, Triton makes a constant fp64."""


@dataclass(frozen=True)
class MaxToWhere(Pass):
    """Write `tl.maximum(x, c)` as `tl.where(x > c, x, c)`, and `tl.minimum` likewise.

    ## What it does

    The constant may also be the first operand, or a name bound to a number. The reduction `tl.max`
    is not rewritten.

    ## Why

    The pass makes code uniform, and helps a compiler that recognizes only one form. Current Triton
    compiles both forms alike.

    ## Conditions

    - `x` is a name and the constant a number or a name, so no operation is computed twice.
    - `propagate_nan` is absent or `tl.PropagateNan.NONE`. A call with two variable operands is
      declined: if the second is NaN, `tl.maximum` returns the first, but `tl.where` returns NaN.
    - The constant is zero, inf or a normal fp32 number (others become fp64), not NaN or -0.0.
    - The result keeps its type, or no use of it depends on the type (`tl.maximum` of fp16 and a
      Python float returns fp32). One of these holds, in Triton 3.6 and 3.7:

      - a cast, an annotation or a launch shows that `x` is fp32;
      - it shows that `x` is fp64, and the constant is exact in fp32;
      - the constant is exact in fp16 and bf16, and the result is only stored, cast, or compared
        with such a constant;
      - with `--safety assumption`, the type is unknown, and we assume fp32. Not if `x` is computed
        from a narrower float, nor if the constant is an integer and `x` may be one.

    ## Numerics

    Safety `exact`, or `assumption` if the type is unknown; compiled results keep their bits. For
    NaN both forms return the constant, and for `tl.maximum(-0.0, 0.0)` both return 0.0.
    `tl.minimum(-0.0, 0.0)` is -0.0 on NVIDIA GPUs (the language does not define it), which `1 / x`
    makes visible, so the minimum with 0 uses `<=`.

    For unknown types, we compared both forms on an H200 for all values of fp16, bf16 and 8-bit
    types and random values of other types, stored as eleven types. They differ only for an integer
    and a float constant if the result overflows the stored integer type, which is undefined in
    both.

    ## Example

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    var = tl.maximum(x, 0.0)
    ```

    becomes

    ```python
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    var = tl.where(x > 0.0, x, 0.0)
    ```

    ## Measured

    1.00x to 1.01x: noise.

    One H200, Triton 3.6 (`examples/cosine_similarity.py`, 4096 rows of 1024 and 16384, fp16).
    Compiled by Triton 3.7 for sm_90, both forms are one `max.f32`, `min.f32` or `max.f64`; the
    minimum with 0 takes a `setp` and a `selp`.
    """

    name: ClassVar[str] = "max-to-where"
    summary: ClassVar[str] = "write tl.maximum and tl.minimum with a constant as tl.where"
    safety: ClassVar[frozenset[Safety]] = frozenset({Safety.ASSUMPTION})

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        for node in facts.kernel.nodes:
            if not isinstance(node, ast.Call) or node not in facts.values:
                continue
            name = function(facts.kernel.module.resolve(node.func))
            if name in ("maximum", "minimum"):
                yield _Extremum(facts, node, name).site()


# The rewrite


class _Extremum:
    """One `tl.maximum` or `tl.minimum`, condition by condition."""

    def __init__(self, facts: KernelFacts, call: ast.Call, name: str) -> None:
        self._facts = facts
        self._call = call
        self._name = name
        self._attempt = Attempt()

    def site(self) -> Site:
        old, new = self._text(self._call), ""
        with self._attempt:
            new = self._rewritten()
        done = f"replaced {old} by {new}; measured: equally fast"
        changes = (ReplaceExpression(self._call, new),)
        return Site.of(self._attempt, self._call, done, f"kept {old}", changes=changes)

    def _rewritten(self) -> str:
        """The new expression. Raises Declined at the first condition that does not hold."""
        x, y = self._operands()
        number = self._number(y)
        if number is None:
            x, y, number = y, x, self._number(x)
        if number is None:
            both = "no operand is a known constant: tl.maximum and tl.where differ on NaN and -0.0"
            raise unknown("constant-is-plain", "no-constant", both)
        self._check_constant(number)
        if not _is_plain(y):
            twice = f"{self._text(y)} would be written twice"
            raise refuted("constant-is-plain", "computed-twice", twice)
        if not isinstance(x, ast.Name):
            twice = f"{self._text(x)} would be computed twice"
            raise refuted("constant-is-plain", "computed-twice", twice)
        self._check_type(x, number)
        if comments_in(self._facts.kernel.module.text_of(self._call)):
            lost = "a comment inside would be lost"
            raise refuted("nothing-else-is-lost", "comment-inside", lost)
        comparison = ">" if self._name == "maximum" else "<" if number else "<="
        operand, constant = x.id, self._text(y)
        where = Writer(self._facts).language("where")
        return f"{where}({operand} {comparison} {constant}, {operand}, {constant})"

    def _operands(self) -> tuple[ast.expr, ast.expr]:
        """Both operands, once it is known that a NaN is dropped."""
        claim = "arguments-are-understood"
        names = ("x", "y", "propagate_nan")
        spread = any(isinstance(a, ast.Starred) for a in self._call.args)
        given = dict(zip(names, self._call.args, strict=False))
        given |= {k.arg: k.value for k in self._call.keywords if k.arg is not None}
        if spread or len(given) != len(self._call.args) + len(self._call.keywords):
            raise unknown(claim, "arguments-are-not-seen", "an argument is hidden behind * or **")
        if not {"x", "y"} <= set(given) <= set(names):
            raise unknown(claim, claim, "an argument of another name")
        nan = given.get("propagate_nan")
        if nan is not None:
            mode = self._facts.kernel.module.resolve(nan)
            if function(mode) != "PropagateNan.NONE":
                detail = f"propagate_nan={self._text(nan)} may return the NaN"
                raise refuted("nan-is-dropped", "nan-is-propagated", detail)
        self._attempt.prove("nan-is-dropped", "a NaN in the operand gives the constant")
        return given["x"], given["y"]

    def _number(self, node: ast.expr) -> int | float | None:
        constant = self._facts.values[node].constant
        return constant if isinstance(constant, (int, float)) else None

    def _check_constant(self, number: int | float) -> None:
        claim = "constant-is-plain"
        if isinstance(number, bool):
            raise refuted(claim, "type-changes", f"{number} is not a number")
        if math.isnan(number):
            raise refuted(claim, "constant-is-special", "with NaN the result would always be NaN")
        if number == 0 and math.copysign(1.0, number) < 0:
            zeros = (
                "for -0.0 and 0.0 a comparison picks the second operand, the hardware the larger"
            )
            raise refuted(claim, "constant-is-special", zeros)
        ordinary = number == 0 or math.isinf(number) or _SMALLEST <= abs(number) <= _LARGEST
        if not ordinary or (isinstance(number, int) and _rounded("f", number) != number):
            detail = f"{number} is not in fp32, so tl.{self._name} computes in another type"
            raise refuted(claim, "type-changes", detail)
        self._attempt.prove(claim, "it is neither NaN nor -0.0, and in the range of fp32")

    # The type

    def _check_type(self, x: ast.Name, number: int | float) -> None:
        claim = "type-stays"
        value = self._facts.values[x]
        types = self._facts.types.of(value)
        self._refute_integers(value, types, claim)
        exact = _rounded("f", number) == number
        if types.all_in(frozenset({"fp32"})):
            self._prove_type(claim, types)
        elif types.some_in(frozenset({"fp64"})) and not exact:
            detail = f"{x.id} is fp64, and tl.{self._name} rounds {number} to fp32"
            raise refuted(claim, "type-changes", detail)
        elif exact and types.all_in(frozenset({"fp32", "fp64"})):
            self._prove_type(claim, types)
        elif exact and self._facts.precision.is_wide(value):
            self._attempt.prove(claim, f"{x.id} is fp32 or fp64")
        elif _is_in_all_types(number) and self._is_only_stored:
            detail = f"{number} is exact in all types, and the result is only stored or cast"
            self._attempt.prove("type-stays", detail)
        elif types.some_in(_NARROW | _FP8):
            wide = f"{x.id} is {types.where}, for which tl.{self._name} returns fp32"
            raise refuted(claim, "type-changes", wide)
        elif isinstance(number, int) and not (types.all_in(FLOATS) or _is_cleared_by_float(value)):
            detail = f"{x.id} may be an integer, as {number} is"
            raise unknown(claim, "type-is-unknown", detail)
        elif self._is_made_of_narrow(value):
            detail = f"{x.id} is computed from fp16, bf16 or fp8, and may be of such a type itself"
            raise unknown(claim, "type-is-unknown", detail)
        else:
            returned = f"tl.{self._name} would return fp32 where it is fp16 or bf16"
            self._attempt.assume(claim, f"{x.id} is assumed to be fp32; {returned}")
            self._attempt.need(Safety.ASSUMPTION)

    def _refute_integers(self, value: Value, types: Types, claim: str) -> None:
        if value.op is Op.CONSTEXPR or value.constant is not None:
            raise refuted(claim, "type-changes", "the compiler computes it")
        counts = not types.seen and self._facts.forms.is_integer(self._facts.forms.of(value))
        if counts or types.some_in(INTEGERS | BOOLEANS):
            raise refuted(claim, "type-changes", "it is an integer")

    def _is_made_of_narrow(self, value: Value) -> bool:
        """Whether a narrow type is seen in what a value is computed from, before it is widened."""
        todo, seen = [value], {value.serial}
        while todo:
            part = todo.pop()
            if self._facts.types.of(part).some_in(_NARROW | _FP8):
                return True
            for operand in () if self._facts.precision.is_wide(part) else part.operands:
                if operand.serial not in seen:
                    seen.add(operand.serial)
                    todo.append(operand)
        return False

    def _prove_type(self, claim: str, types: Types) -> None:
        self._attempt.prove(claim, types.where)
        if types.by_launch:
            self._attempt.assume_no_other_launches()

    @cached_property
    def _is_only_stored(self) -> bool:
        """Whether the result is only stored, cast, or compared with what is exact in all types."""
        facts = self._facts
        result = facts.values[self._call]
        for user in users(facts.interpretation).get(result.serial, ()):
            compared = user.op in COMPARISONS and any(
                isinstance(o.constant, (int, float)) and _is_in_all_types(o.constant)
                for o in user.operands
            )
            if not compared and not (user.op is Op.CAST and user.dtype not in _FP8):
                return False
        for loop in facts.loops:
            if result in (*loop.initial.values(), *loop.following.values()):
                return False
        nodes = [n for n in facts.kernel.nodes if isinstance(n, ast.expr)]
        return all(self._is_harmless(n) for n in nodes if facts.values.get(n) is result)

    def _is_harmless(self, node: ast.expr) -> bool:
        """Whether what stands around an expression does not ask for its type."""
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            return True
        parent = self._facts.kernel.module.names.parents.get(node)
        match parent:
            case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
                return True
            case ast.Compare():
                return True
            case ast.Attribute(attr="to"):
                return True
            case ast.Call(func=called):
                return function(self._facts.kernel.module.resolve(called)) in ("store", "cast")
            case ast.keyword():
                call = self._facts.kernel.module.names.parents.get(parent)
                return isinstance(call, ast.Call) and (
                    function(self._facts.kernel.module.resolve(call.func)) in ("store", "cast")
                )
        return False

    def _text(self, node: ast.expr) -> str:
        return Writer(self._facts).text(node)


def _is_cleared_by_float(value: Value) -> bool:
    """Whether a value is loaded, with a float for the lanes that are masked off."""
    return value.op is Op.LOAD and not value.mask.is_none and value.other.dtype == "float"


def _is_plain(node: ast.expr) -> bool:
    """Whether a constant can be written twice and compared: no effects, and no looser operators."""
    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute(value=inside) | ast.UnaryOp(operand=inside):
            return _is_plain(inside)
        case ast.BinOp(left=left, right=right):
            return _is_plain(left) and _is_plain(right)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant()], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="constexpr"), args=[inside], keywords=[]):
            return _is_plain(inside)
    return False


def _rounded(code: str, number: int | float) -> float:
    """A number in fp32 ("f") or fp16 ("e"); inf where it is too large."""
    try:
        (rounded,) = struct.unpack(code, struct.pack(code, number))
    except OverflowError:
        return math.inf
    return float(rounded)


def _is_in_all_types(number: int | float) -> bool:
    """Whether a constant is exact in fp16 and bf16, and if it is an integer, in all integers."""
    if isinstance(number, bool):
        return False
    if isinstance(number, int):
        return 0 <= number <= 127
    (bits,) = struct.unpack("I", struct.pack("f", _rounded("f", number)))
    in_bf16 = bits & 0xFFFF == 0 and _rounded("f", number) == number
    return in_bf16 and _rounded("e", number) == number

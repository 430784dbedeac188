"""What an expression is on masked-off lanes, against an evaluation with numpy where it is known."""

from __future__ import annotations

import math

import pytest

from tests.facts.support import body
from tritonopt.facts.memory.masked_off_value import (
    Expression,
    NotKnown,
    Number,
    Padding,
    Undefined,
    Unknown,
    masked_off_value,
    same_number,
)

SETUP = """
cols = tl.arange(0, B)
rows = tl.program_id(0)
mask = cols < N
zero = tl.load(X + rows * N + cols, mask=mask, other=0.0)
also = tl.load(Y + cols, mask=mask, other=0.0)
one = tl.load(X + cols, mask=mask, other=1)
low = tl.load(X + cols, mask=mask, other=float("-inf"))
bare = tl.load(X + cols, mask=mask)
free = tl.load(X + cols)
narrow = tl.load(X + cols, mask=mask & (cols != 3) & (tl.load(Y) > 0), other=0)
"""


def padding(expression: str, condition: str = "mask") -> float:
    facts = body(f"{SETUP}\nvalue = {expression}\ncondition = {condition}\n")
    after = facts.interpretation.after
    return Padding(facts, after["condition"]).of(after["value"])


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("zero * also", 0.0),
        ("zero * zero + also", 0.0),
        ("zero - also", 0.0),
        ("-zero", -0.0),
        ("-zero * also", -0.0),
        ("one + one * 3", 4.0),
        ("zero / 4", 0.0),
        ("low - 3.0", -math.inf),
        ("-low", math.inf),
        ("tl.exp(low)", 0.0),
        ("tl.exp2(low * 2.0)", 0.0),
        ("tl.abs(-zero)", 0.0),
        ("tl.sqrt(zero)", 0.0),
        ("tl.maximum(low, one)", 1.0),
        ("tl.minimum(zero, 6.0)", 0.0),
        ("tl.fma(zero, also, one)", 1.0),
        ("zero.to(tl.float16)", 0.0),
        ("(-zero).to(tl.int32)", 0.0),
        ("zero.to(Y.dtype.element_ty)", 0.0),
        ("zero[:, None] * also[:, None]", None),
        ("tl.where(rows > 3, zero, also)", 0.0),
        ("tl.where(mask, free, 5.0)", 5.0),
        ("narrow * zero", 0.0),
        ("tl.where(zero < 10.0, zero, 10.0)", 0.0),
        ("tl.where(zero > 0.0, also, 3.0)", 3.0),
        ("0.044715 * zero * zero * zero", 0.0),
        ("zero * -0.1", -0.0),
        ("tl.exp2(low * 1.44269504)", 0.0),
        ("one * 2", 2.0),
        ("tl.load(Y + cols, mask=cols < N, other=tl.zeros([B], tl.float32))", 0.0),
        ("tl.load(Y + cols, mask=cols + 1 <= N, other=2.0)", 2.0),
        ("tl.floor(one) + tl.ceil(one)", 2.0),
        ("one.to(tl.int1)", 1.0),
        ("one.to(M)", 1.0),
        ("zero * True", 0.0),
        ("low + one", -math.inf),
        ("zero - low", math.inf),
        ("low * -1.0", math.inf),
        ("tl.where(zero == 0.0, 1.0, free)", 1.0),
        ("tl.where(free > 0, 1.0, 1.0)", 1.0),
    ],
)
def test_known(expression: str, number: float | None) -> None:
    if number is None:
        assert padding(expression, "mask[:, None]") == 0.0
        return
    assert same_number(padding(expression), number)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("zero - N", "value-is-not-known"),
        ("zero * M", "value-is-not-known"),
        ("zero * tl.sum(also)", "value-is-not-known"),
        ("zero - one", "value-is-not-known"),
        ("one * 200", "value-is-not-known"),
        ("one * 0.5", "value-is-not-known"),
        ("zero * 1e6", "value-is-not-known"),
        ("low * 1e-6", "value-is-not-known"),
        ("tl.where(zero < M, zero, 10.0)", "value-is-not-known"),
        ("tl.where(zero < 0.1, zero, one)", "value-is-not-known"),
        ("zero + 0.5", "value-is-not-known"),
        ("tl.maximum(zero, -zero)", "value-is-not-known"),
        ("tl.where(rows > 3, zero, one)", "value-is-not-known"),
        ("one.to(tl.float8e5) * 3", None),
        ("low - low", "constant-is-special"),
        ("low * zero", "constant-is-special"),
        ("zero / also", "constant-is-special"),
        ("one / 3", "function-is-rounded"),
        ("zero / low", "function-is-rounded"),
        ("tl.exp(zero)", "function-is-rounded"),
        ("tl.log(one)", "function-is-rounded"),
        ("tl.sqrt(one)", "function-is-rounded"),
        ("tl.cos(zero)", "function-is-rounded"),
        ("bare * zero", "no-other"),
        ("free * zero", "load-is-not-masked"),
        ("tl.load(Y + cols, mask=cols < M, other=0.0)", "different-mask"),
        ("tl.load(Y + cols, mask=cols <= N, other=0.0)", "different-mask"),
        ("tl.load(Y + cols, mask=mask | (rows > 0), other=0.0)", "different-mask"),
        ("zero[None, :]", None),
        ("low.to(tl.int32)", "value-is-not-known"),
        ("low.to(tl.float8e4nv)", "value-is-not-known"),
        ("zero.to(tl.float32, bitcast=True)", "value-is-not-known"),
        ("tl.load(Y + cols, mask=mask, other=-1)", "value-is-not-known"),
        ("tl.load(Y + cols, mask=mask, other=M)", "value-is-not-known"),
        ("low / 2", "function-is-rounded"),
        ("tl.exp(-low)", "function-is-rounded"),
        ("tl.log(zero)", "function-is-rounded"),
        ("tl.sqrt(-one)", "value-is-not-known"),
        ("zero ** 2", "value-is-not-known"),
        ("cols * zero", "value-is-not-known"),
        ("tl.cumsum(zero)", "value-is-not-known"),
        ("tl.where(tl.sum(zero) > 0, one, zero)", "value-is-not-known"),
        ("low + free", "load-is-not-masked"),
        ("one // 2", "value-is-not-known"),
    ],
)
def test_not_known(expression: str, reason: str | None) -> None:
    condition = "mask[:, None]" if "None" in expression else "mask"
    with pytest.raises(NotKnown) as raised:
        padding(expression, condition)
    assert reason in (None, raised.value.reason)


@pytest.mark.parametrize(
    ("condition", "known"),
    [
        ("N > cols", True),
        ("cols < N + 1", False),
        ("mask | (cols == 0)", True),
        ("mask & (rows < M)", False),
    ],
)
def test_conditions(condition: str, known: bool) -> None:
    if known:
        assert padding("zero * also", condition) == 0.0
        return
    with pytest.raises(NotKnown):
        padding("zero * also", condition)


def test_a_long_chain_is_left_alone() -> None:
    with pytest.raises(NotKnown):
        padding(" + ".join(["zero"] * 400))


OUTCOMES = {
    "zero": "Number 0.0",
    "one + one": "Number 2.0",
    "-zero": "Number -0.0",
    "low": "Number -inf",
    "tl.exp(low - 1.0)": "Number 0.0",
    "zero.to(tl.float16)": "Number 0.0 of fp16",
    "low.to(tl.float32)": "Number -inf of fp32",
    "tl.where(mask, free, 3.0)": "Number 3.0",
    "tl.where(mask, bare, 0.0)": "Number 0.0",
    "tl.full([B], 7, tl.int32)": "Number 7.0 of int32",
    "filled": "Expression M",
    "+filled": "Expression M",
    "summed": "Expression M + N",
    "filled_otherwise": "Unknown different-mask",
    "bare": "Undefined",
    "bare * zero": "Undefined",
    "tl.exp(bare)": "Undefined",
    "tl.where(cols < 3, bare, zero)": "Undefined",
    "free": "Unknown load-is-not-masked",
    "zero + free": "Unknown load-is-not-masked",
    "filled + zero": "Unknown value-is-not-known",
    "tl.exp(zero)": "Unknown function-is-rounded",
    "tenth": "Unknown value-is-not-known",
    "zero / zero": "Unknown constant-is-special",
    "cols": "Unknown value-is-not-known",
}


def outcome(expression: str) -> str:
    more = (
        "filled = tl.load(X + cols, mask=mask, other=M)\n"
        "summed = tl.load(X + cols, mask=mask, other=M + N)\n"
        "filled_otherwise = tl.load(X + cols, mask=cols < M, other=M)\n"
        "tenth = tl.load(X + cols, mask=mask, other=0.1)\n"
    )
    facts = body(f"{SETUP}\n{more}value = {expression}\n")
    after = facts.interpretation.after
    match masked_off_value(facts, after["value"], after["mask"]):
        case Number(number, dtype):
            return f"Number {number}" + (f" of {dtype}" if dtype else "")
        case Expression(form):
            return f"Expression {form.readable}"
        case Undefined():
            return "Undefined"
        case Unknown(reason):
            return f"Unknown {reason}"


def test_four_answers_are_told_apart() -> None:
    assert {expression: outcome(expression) for expression in OUTCOMES} == OUTCOMES


def test_what_is_used_twice_is_computed_once() -> None:
    doubled = "value = zero" + "\nvalue = value + value" * 60
    facts = body(f"{SETUP}\n{doubled}\n")
    after = facts.interpretation.after
    assert masked_off_value(facts, after["value"], after["mask"]) == Number(0.0, None)

"""No hint is ever false: offsets drawn from a grammar, and every number that a fact allows.

What a hint promises is checked on the values themselves, computed here by Python, so nothing of
the pass's own reasoning is used to judge it. The same for remarks: what a remark shows to be false
must be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from types import CodeType

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.layers import number
from tritonopt import rewrite_source
from tritonopt.rewriting.model import Condition, RemarkKind
from tritonopt.rewriting.pipeline import RewriteResult

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, N, M, S, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    offs = {offsets}
    src = {wrapped}
    tl.store(Y + lanes, tl.load(X + src))
"""

STARTS = [
    "pid * BLOCK",
    "pid * BLOCK + BLOCK",
    "pid * (2 * BLOCK)",
    "pid * 16",
    "pid * M",
    "pid * M * BLOCK",
    "(pid % 3) * BLOCK",
    "(pid // 2) * BLOCK + 16",
    "pid * BLOCK - BLOCK",
    "pid * BLOCK - pid % 16",
    "pid * BLOCK + S",
    "S",
    "M - M",
    "pid * 8 + BLOCK",
    "(pid * 16) % M",
    "(pid * BLOCK) % N",
]
LENGTHS = ["N", "(N * M)", "(N + M)", "(N - S)", "(2 * N)", "(N // M)", "64", "M"]
FACTS = [
    "N % BLOCK == 0",
    "N % 16 == 0",
    "N % 8 == 0",
    "M % 16 == 0",
    "M % BLOCK == 0",
    "S % BLOCK == 0",
    "S % 16 == 0",
    "S >= 0",
    "BLOCK <= N",
    "M <= N",
    "(N + M) % BLOCK == 0",
    "N % M == 0",
    "BLOCK % 16 == 0",
    "BLOCK % M == 0",
    "N == BLOCK",
]
NUMBERS = {
    "N": (0, 1, 3, 8, 16, 20, 24, 32, 48, 64, 96, 100, 112, 128),
    "M": (1, 2, 3, 8, 16, 24, 32, 64),
    "S": (-32, -16, -5, -1, 0, 1, 4, 8, 16, 32, 64),
    "BLOCK": (4, 16, 32, 64),
    "pid": (0, 1, 2, 3, 5),
}

SETTINGS = settings(
    max_examples=number(30, 80),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def truncated(a: int, b: int) -> int:
    """`a % b` as compiled code computes it."""
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


class Number(int):
    """An integer with the division of compiled code."""

    def __mod__(self, other: int) -> Number:
        return Number(truncated(self, other))

    def __floordiv__(self, other: int) -> Number:
        return Number(abs(int(self)) // abs(other) * (1 if (self < 0) == (other < 0) else -1))

    def __add__(self, other: int) -> Number:
        return Number(int(self) + other)

    def __sub__(self, other: int) -> Number:
        return Number(int(self) - other)

    def __mul__(self, other: int) -> Number:
        return Number(int(self) * other)

    __rmul__ = __mul__


@cache
def code_of(expression: str) -> CodeType:
    """What is evaluated for many numbers, compiled once."""
    return compile(expression, "<property>", "eval")


def worlds(facts: list[str]) -> Iterator[dict[str, Number]]:
    """Every choice of numbers that the facts allow."""
    for chosen in product(*NUMBERS.values()):
        plain = dict(zip(NUMBERS, chosen, strict=True))
        try:
            if all(eval(code_of(fact), {}, plain) for fact in facts):
                yield {name: Number(number) for name, number in plain.items()}
        except ZeroDivisionError:
            continue


def values(offsets: str, wrapped: str, numbers: dict[str, Number]) -> list[int] | None:
    found = []
    for lane in range(numbers["BLOCK"]):
        names: dict[str, object] = {**numbers, "lanes": Number(lane)}
        try:
            names["offs"] = eval(code_of(offsets), {}, names)
            found.append(
                int(eval(code_of(wrapped), {"where": lambda c, a, b: a if c else b}, names))
            )
        except ZeroDivisionError:
            return None
    return found


def is_true(lanes: list[int], hint: int) -> bool:
    if hint > len(lanes):
        return False
    return all(
        lanes[i] == lanes[i - 1] + 1 if i % hint else lanes[i] % hint == 0
        for i in range(len(lanes))
    )


@SETTINGS
@given(
    start=st.sampled_from(STARTS),
    length=st.sampled_from(LENGTHS),
    form=st.sampled_from(["offs % {}", "where(offs < {}, offs, 0)", "where({} <= offs, 0, offs)"]),
    facts=st.lists(st.sampled_from(FACTS), max_size=3, unique=True),
    least=st.sampled_from([2, 16]),
)
def test_hints_are_true(start: str, length: str, form: str, facts: list[str], least: int) -> None:
    offsets, wrapped = f"{start} + lanes", form.format(length)
    text = KERNEL.format(offsets=offsets, wrapped=wrapped.replace("where", "tl.where"))
    result = rewrite_source(text, f"contiguity-hints{{least={least}}}", assume=facts)
    assert not result.failed, [remark.failure for remark in result.remarks]
    if not result.changed:
        return
    hint = re.findall(r"tl\.multiple_of\(src, (\w+)\)", result.text)[0]
    sizes = {"N", "M"} if any(c.claim == "sizes-are-positive" for c in conditions(result)) else ()
    for numbers in worlds(facts):
        if any(numbers[name] < 1 for name in sizes):
            continue
        lanes = values(offsets, wrapped, numbers)
        if lanes is not None:
            width = numbers["BLOCK"] if hint == "BLOCK" else int(hint)
            assert is_true(lanes, width), (offsets, wrapped, facts, hint, numbers, lanes)


def conditions(result: RewriteResult) -> Iterator[Condition]:
    for remark in result.remarks:
        yield from remark.conditions


@SETTINGS
@given(
    start=st.sampled_from(STARTS),
    length=st.sampled_from(["N", "(N * M)", "(2 * N)", "(N // M)"]),
    hint=st.sampled_from(["BLOCK", "16"]),
    facts=st.sampled_from([(), ("N % 16 == 0",), ("N % BLOCK == 0", "S >= 0")]),
)
def test_remarks_are_true(start: str, length: str, hint: str, facts: tuple[str, ...]) -> None:
    """A hint that a remark calls false is false for the numbers that it shows."""
    offsets, wrapped = f"{start} + lanes", f"offs % {length}"
    call = f"tl.max_contiguous(tl.multiple_of({wrapped}, {hint}), {hint})"
    text = KERNEL.format(offsets=offsets, wrapped=call)
    result = rewrite_source(text, "contiguity-hints", assume=list(facts))
    notes = [r for r in result.remarks if r.kind is RemarkKind.ANALYSIS]
    if not notes:
        return
    message = notes[0].message
    numbers = {name: Number(n) for name, n in re.findall(r"(\w+)=(-?\d+)", message)}
    program = re.search(r"of program (\d+)", message)
    numbers.setdefault("pid", Number(program[1]) if program else Number(0))
    for name in ("M", "S", "N"):
        numbers.setdefault(name, Number(0))
    shown = {name: int(number) for name, number in numbers.items()}
    assert all(eval(fact, {}, shown) for fact in facts), message
    lanes = values(offsets, wrapped, numbers)
    width = numbers["BLOCK"] if hint == "BLOCK" else int(hint)
    assert lanes is not None and not is_true(lanes, width), message

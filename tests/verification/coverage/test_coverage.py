"""No yes where the code that changed never ran: loops in several tiles, branches, strange sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.layers import everything, few, number
from tritonopt import source
from tritonopt.source.single_numbers import divisors_of
from tritonopt.verification import Verdict
from tritonopt.verification.comparison.checker import Checker
from tritonopt.verification.coverage.demands import VARIES, axes_of_many, demands
from tritonopt.verification.coverage.never_chosen import always_run
from tritonopt.verification.coverage.requirements import Observed, kept_guards
from tritonopt.verification.coverage.sized_calls import meeting
from tritonopt.verification.coverage.text_differences import (
    Comparison,
    Numbers,
    Version,
    limits_of,
)
from tritonopt.verification.inputs.examples import (
    Example,
    Limits,
    PlainValue,
    TensorRecipe,
    plain_example,
    rising,
)
from tritonopt.verification.inputs.strategies import drawn
from tritonopt.verification.process.messages import Coverage
from tritonopt.verification.signature.argument_parser import parse

_HEAD = """
import torch
import triton
import triton.language as tl
"""

ATTENTION = f"""{_HEAD}
@triton.jit
def attention_kernel(q, k, v, out, scale, S, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    offset = tl.program_id(1) * S * D
    at = rows[:, None] * D + d[None, :]
    x = tl.load(q + offset + at, mask=rows[:, None] < S, other=0.0)
    largest = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for start in range(0, S, BN):
        cols = start + tl.arange(0, BN)
        other = cols[:, None] * D + d[None, :]
        y = tl.load(k + offset + other, mask=cols[:, None] < S, other=0.0)
        s = tl.dot(x, tl.trans(y)) * scale
        s = tl.where(cols[None, :] < S, s, -float("inf"))
        above = tl.maximum(largest, tl.max(s, axis=1))
        p = tl.exp(s - above[:, None])
        alpha = tl.exp(largest - above)
        total = total * alpha + tl.sum(p, axis=1)
        z = tl.load(v + offset + other, mask=cols[:, None] < S, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, z)
        largest = above
    tl.store(out + offset + at, acc / total[:, None], mask=rows[:, None] < S)


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    H, S, D = q.shape
    assert k.shape == q.shape and v.shape == q.shape and D in (16, 32)
    assert q.is_contiguous() and k.is_contiguous() and v.is_contiguous()
    assert q.dtype == torch.float32
    out = torch.empty_like(q)
    grid = (triton.cdiv(S, 64), H)
    attention_kernel[grid](q, k, v, out, D**-0.5, S, D=D, BM=64, BN=64)
    return out
"""

MATMUL = (Path(__file__).parents[1] / "subjects" / "matmul.py").read_text()
MATMUL = MATMUL.replace("# tritonopt: a: f16[m, 20], b: f16[20, n]", "# tritonopt: a: f32[m, k], b: f32[k, n]")  # fmt: skip # noqa: E501
MATMUL = MATMUL.replace("BK=16", "BK=64")

SCALED = f"""{_HEAD}
@triton.jit
def scaled_kernel(x, y, scale, n, HAS_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + cols, mask=cols < n, other=0.0)
        if HAS_SCALE:
            v = v * tl.load(scale + cols, mask=cols < n, other=0.0)
        tl.store(y + row * n + cols, v, mask=cols < n)


def scaled(x: torch.Tensor, scale=None):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scaled_kernel[(m,)](
        x, y, scale if scale is not None else x, n, HAS_SCALE=scale is not None, BLOCK=32
    )
    return y
"""

ADD = f"""{_HEAD}
@triton.jit
def add_kernel(x, y, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < size)
    w = tl.load(y + at, mask=at < size)
    tl.store(out + at, v + w, mask=at < size)


# tritonopt: x: f32[m, n], y: f32[m, n]
def add(x: torch.Tensor, y: torch.Tensor):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out
"""

COLUMNS = f"""{_HEAD}
@triton.jit
def columns_kernel(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros([BN], tl.float32)
    for start in range(0, m, BM):
        rows = start + tl.arange(0, BM)
        mask = (rows[:, None] < m) & (cols[None, :] < n)
        v = tl.load(x + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
        total += tl.sum(v, axis=0)
    tl.store(y + cols, total, mask=cols < n)


# tritonopt: x: f32[..., n]
def columns(x: torch.Tensor):
    x = x.contiguous().view(-1, x.shape[-1])
    m, n = x.shape
    y = torch.empty(n, device=x.device)
    columns_kernel[(triton.cdiv(n, 16),)](x, y, m, n, BM=256, BN=16)
    return y
"""

UNSEEN = {
    "attention without its rescaling": (ATTENTION, "acc * alpha[:, None] +", "acc +"),
    "one tile of keys": (ATTENTION, "range(0, S, BN)", "range(0, BN, BN)"),
    "one tile of K": (MATMUL, "range(tl.cdiv(K, BK))", "range(1)"),
    "a size that is singled out": (
        SCALED,
        "tl.store(y +",
        "v = v + (n == 333)\n        tl.store(y +",
    ),
    "a remainder": (SCALED, "v, mask=cols < n)", "v, mask=(cols < n) & (n % 128 != 71))"),
    "tiles of leading dimensions": (COLUMNS, "range(0, m, BM)", "range(0, BM, BM)"),
    "a product of sizes": (ADD, "v + w,", "v + w + (size == 331),"),
    "a remainder of a product": (ADD, "v + w,", "v + w + (size % 128 == 71),"),
    "zero and zero": (ADD, "v + w,", "v + w + ((v == 0) & (w == 0)),"),
    "a size at most": (SCALED, "range(0, n, BLOCK)", "range(0, min(n, 512), BLOCK)"),
}


@pytest.mark.parametrize("name", few(UNSEEN, 3, 6, 7, 9))
def test_sizes_are_drawn_by_what_the_kernel_does(
    name: str, of_texts: Callable[..., Verdict]
) -> None:
    text, old, new = UNSEEN[name]
    assert old in text
    verdict = of_texts(text, text.replace(old, new), max_examples=2)
    assert verdict.verdict == "counterexample", verdict


def test_a_branch_that_never_ran_is_no_yes(of_texts: Callable[..., Verdict]) -> None:
    wrong = SCALED.replace("v = v * tl.load(scale", "v = v + tl.load(scale")
    verdict = of_texts(SCALED, wrong, args="x: f32[m, n]", max_examples=4)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None
    for part in ("line 13 of the original version never ran", "--args 'x: f32[m, n]'", "scale"):
        assert part in verdict.reason
    verdict = of_texts(SCALED, wrong, args="x: f32[m, n], scale: f32[n]|None", max_examples=4)
    assert verdict.verdict == "counterexample", verdict


def test_a_loop_that_takes_one_turn_only_is_no_yes(of_texts: Callable[..., Verdict]) -> None:
    same = SCALED.replace("v = v * tl.load(scale + cols,", "v = tl.load(scale + cols,").replace(
        "other=0.0)\n        tl.store", "other=0.0) * v\n        tl.store"
    )
    given = "x: f32[3, 17], scale: f32[17]|None"
    verdict = of_texts(SCALED, same, args=given, max_examples=4)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "never had a second iteration" in verdict.reason
    verdict = of_texts(SCALED, same, args="x: f32[3, n], scale: f32[n]|None", max_examples=4)
    assert verdict.verdict == "identical", verdict


def test_sizes_that_cannot_be_ragged_are_not_asked_for(of_texts: Callable[..., Verdict]) -> None:
    whole = SCALED.replace(
        "    x = x.contiguous()", "    assert n % 32 == 0\n    x = x.contiguous()"
    )
    same = whole.replace("v, mask=cols < n)", "v * 1, mask=cols < n)")
    verdict = of_texts(whole, same, args="x: f32[m, n], scale: f32[n]|None", max_examples=8)
    assert verdict.verdict == "identical", verdict
    assert any("no size was found" in note for note in verdict.notes)


def test_the_launcher_has_to_run_as_well(of_texts: Callable[..., Verdict]) -> None:
    one = SCALED.replace("    y = torch", "    if m > 10**9:\n        x = x * 1\n    y = torch")
    other = one.replace("x = x * 1", "x = x * 2")
    verdict = of_texts(one, other, max_examples=3)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "never ran: `x = x * 1`" in verdict.reason


DEMANDED = {
    "what reads what differs": ("    a = x + 1", "    a = x + 2", {4, 5, 6}),
    "nothing differs": ("    a = x + 1", "    a = x + 1", set()),
    "the last line alone": ("    return c", "    return c + 0", {10}),
    "under a test that differs": ("    if a > 2:", "    if a > 3:", {5, 6}),
}
_FUNCTION = """
import triton

def f(x):
    a = x + 1
    if a > 2:
        b = 1
    else:
        raise ValueError("too small")
    c = x
    return c
"""


def test_programs_that_store_nothing_do_not_count(of_texts: Callable[..., Verdict]) -> None:
    one = SCALED.replace("scaled_kernel[(m,)](", "scaled_kernel[(m + 1,)](").replace(
        "    for start",
        "    if row >= tl.num_programs(0) - 1:\n        n = 0 * row + 0\n    for start",
    )
    verdict = of_texts(
        one, one.replace("n = 0 * row + 0", "n = 0 * row"), args="x: f32[m, n]", max_examples=3
    )
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "never ran: `n = 0 * row" in verdict.reason


@pytest.mark.parametrize("name", DEMANDED)
def test_lines_that_have_to_run(name: str) -> None:
    old, new, lines = DEMANDED[name]
    text = _FUNCTION.lstrip("\n")
    both = (source.read(t, "f.py") for t in (text, text.replace(old, new)))
    found = demands(*both, reached=({"f"}, {"f"}))
    assert {d.line for d in found if d.kind == "line"} == lines


def test_a_loop_keeps_the_types_of_what_it_carries(of_texts: Callable[..., Verdict]) -> None:
    text = f"""{_HEAD}
@triton.jit
def sum_kernel(x, y, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x + cols, mask=cols < n, other=0.0)
    tl.store(y, tl.sum(total, axis=0))


# tritonopt: x: f32[n]
def total(x):
    y = torch.empty(1, dtype=x.dtype, device=x.device)
    sum_kernel[(1,)](x, y, x.numel(), BLOCK=16)
    return y
"""
    wrong = text.replace("total += tl.load(x + cols, mask=cols < n, other=0.0)",
                         "total += tl.load(x + cols, mask=cols < n, other=0.0).to(tl.float64)")  # fmt: skip # noqa: E501
    verdict = of_texts(text, wrong, max_examples=3)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "does not compile: the loop in line 9 leaves `total` as" in verdict.counterexample


def test_what_a_loop_binds_first_is_gone_after_it(of_texts: Callable[..., Verdict]) -> None:
    """So another loop may bind the same name to a tile of another shape."""
    text = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        mask = start + tl.arange(0, BLOCK) < n
        total += tl.load(x + start + tl.arange(0, BLOCK), mask=mask, other=0.0)
    mean = tl.sum(total, axis=0) / n
    for start in range(0, n, 2 * BLOCK):
        mask = start + tl.arange(0, 2 * BLOCK) < n
        tl.store(y + start + tl.arange(0, 2 * BLOCK), mean, mask=mask)


# tritonopt: x: f32[n]
def means(x):
    y = torch.empty_like(x)
    kernel[(1,)](x, y, x.numel(), BLOCK=16)
    return y
"""
    verdict = of_texts(text, text.replace("/ n", "/ n + 0.0"), max_examples=3)
    assert verdict.verdict in ("identical", "equivalent"), verdict


DRAWN = {
    "a tensor that is None by default": (SCALED, "v = v * tl.load(scale", "v = v + tl.load(scale"),
    "None where the code asks for it": (
        SCALED.replace("scale=None", "scale: torch.Tensor").replace(
            "        tl.store", "        else:\n            v = v * 3.0\n        tl.store"
        ),
        "v * 3.0",
        "v * 4.0",
    ),
    "both values of a flag": (
        SCALED.replace("scale=None", "scale=None, negated: bool = False").replace(
            "    return y", "    if negated:\n        y = -y\n    return y"
        ),
        "y = -y",
        "y = y + 1",
    ),
    "strings that are matched": (
        SCALED.replace("scale=None", 'scale=None, mode="none"').replace(
            "    return y",
            '    match mode:\n        case "none":\n            return y\n'
            '        case "mean" | "sum":\n            return y.sum()\n    return None',
        ),
        "return y.sum()",
        "return y.sum() + 1",
    ),
    "strings that are keys": (
        SCALED.replace("scale=None", 'scale=None, mode="none"').replace(
            "    return y", '    return y * {"none": 1, "twice": 2}[mode]'
        ),
        '"twice": 2',
        '"twice": 3',
    ),
    "strings that a kernel tells apart": (
        SCALED.replace("scale=None", 'scale=None, mode="none"')
        .replace("HAS_SCALE: tl", "MODE: tl.constexpr, HAS_SCALE: tl")
        .replace("n, HAS_SCALE=", "n, MODE=mode, HAS_SCALE=")
        .replace(
            "        tl.store",
            '        if MODE == "relu":\n            v = v + 1\n        tl.store',
        ),
        "v = v + 1",
        "v = v + 2",
    ),
}


@pytest.mark.parametrize("name", few(DRAWN, 0, 2))
def test_what_has_a_default_is_drawn(name: str, of_texts: Callable[..., Verdict]) -> None:
    text, old, new = DRAWN[name]
    assert old in text
    verdict = of_texts(text, text.replace(old, new), max_examples=4)
    assert verdict.verdict == "counterexample", verdict


def _of_compiled(text: str, seen: Coverage) -> Coverage:
    """What is left of a call's coverage where its kernels are compiled: the launcher's own."""
    kernels = [k.node for k in source.read(text, "f.py").kernels]
    inside = {n for k in kernels for n in range(k.lineno, (k.end_lineno or 0) + 1)}
    tests = frozenset(t for t in seen.tests if t[0][0] not in inside)
    loops = {line: loop for line, loop in seen.loops.items() if line not in inside}
    return replace(seen, lines=seen.lines - inside, tests=tests, loops=loops)


@pytest.fixture
def like_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verification takes its workers for those of a GPU, which do not tell what ran."""

    class Told(Observed):
        """What compiled kernels and the scouts tell of two texts."""

        def __init__(self, texts: tuple[str, str]) -> None:
            super().__init__()
            self.texts = texts

        def covers(self, coverage: tuple[Coverage, Coverage]) -> None:
            ours, theirs = map(_of_compiled, self.texts, coverage)
            super().covers((ours, theirs))

        def saw(self, example: Example, coverage: tuple[Coverage, Coverage]) -> None:
            self.seen[example] = coverage
            super().covers(coverage)

    class Silent(Checker):
        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **{**named, "interpreted": False})  # type: ignore[arg-type]
            workers = self.versions.original, self.versions.rewritten
            self.observed = Told((workers[0].spec.text, workers[1].spec.text))

    monkeypatch.setattr("tritonopt.verification.comparison.checker.Checker", Silent)


@pytest.fixture
def blind_scouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter cannot run these kernels."""
    monkeypatch.setattr(
        "tritonopt.verification.coverage.requirements.Scouts.run", lambda scouts, example: None
    )


@pytest.mark.usefixtures("like_a_gpu")
def test_on_a_gpu_the_interpreter_is_asked_what_ran(of_texts: Callable[..., Verdict]) -> None:
    same = SCALED.replace("v, mask=cols < n)", "v * 1, mask=cols < n)")
    verdict = of_texts(SCALED, same, args="x: f32[m, n], scale: f32[n]|None", max_examples=2)
    assert verdict.verdict == "identical", verdict
    verdict = of_texts(SCALED, same, args="x: f32[m, 9], scale: f32[9]|None", max_examples=2)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "never had a second iteration" in verdict.reason


TUNED = """
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    n = x.numel()
    kernel[lambda META: (min(triton.cdiv(n, META["BLOCK"]), 3),)](x, out, n)
    return out
"""


@pytest.mark.usefixtures("like_a_gpu")
def test_on_a_gpu_calls_that_were_made_before_are_asked_too(
    of_texts: Callable[..., Verdict],
) -> None:
    same = TUNED.replace("tl.cdiv(n, BLOCK),", "(n + BLOCK - 1) // BLOCK,")
    assert same != TUNED
    verdict = of_texts(TUNED, same, args="x: f32[n]", max_examples=4)
    assert verdict.verdict == "identical", verdict


@pytest.mark.usefixtures("like_a_gpu")
def test_what_the_interpreter_cannot_say_of_a_gpu_is_no_yes(
    of_texts: Callable[..., Verdict], blind_scouts: None
) -> None:
    same = SCALED.replace("v, mask=cols < n)", "v * 1, mask=cols < n)")
    verdict = of_texts(SCALED, same, args="x: f32[m, n]", max_examples=2)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None
    for part in ("which lines ran is unknown", "line 14 of the original", "--assume-covered"):
        assert part in verdict.reason
    verdict = of_texts(SCALED, same, args="x: f32[m, n]", max_examples=2, assume_covered=True)
    assert verdict.verdict == "identical", verdict
    assert any("(--assume-covered)" in note for note in verdict.notes)


@pytest.mark.usefixtures("like_a_gpu")
def test_what_another_verification_has_seen_run_is_not_asked_of_the_interpreter(
    of_texts: Callable[..., Verdict], blind_scouts: None
) -> None:
    same = SCALED.replace("v, mask=cols < n)", "v * 1, mask=cols < n)")
    other = SCALED.replace("v, mask=cols < n)", "v * 3, mask=cols < n)")
    options = {"max_examples": 2, "covered_elsewhere": True}
    verdict = of_texts(SCALED, same, args="x: f32[m, n]", **options)
    assert verdict.verdict == "identical" and verdict.examples, verdict
    verdict = of_texts(SCALED, other, args="x: f32[m, n]", **options)
    assert verdict.verdict == "counterexample", verdict


@pytest.mark.usefixtures("like_a_gpu")
def test_what_every_program_runs_needs_no_interpreter(
    of_texts: Callable[..., Verdict], blind_scouts: None
) -> None:
    helped = ADD.replace("v + w,", "plus(v, w),").replace(
        "@triton.jit", "@triton.jit\ndef plus(a, b):\n    return a + b\n\n\n@triton.jit"
    )
    for one, other in ((ADD, "w + v,"), (helped, "b + a")):
        same = one.replace("v + w,", other).replace("a + b", other)
        assert one != same
        verdict = of_texts(one, same, max_examples=2)
        assert verdict.verdict == "identical", verdict


STRAIGHT = """
import triton

@triton.jit
def helper(x):
    if x > 2:
        x = 3
    return x

@triton.jit
def kernel(p, n, B):
    a = helper(n)
    for i in range(3):
        a += i
    for i in range(n):
        a += 2
    if a:
        a = 4
    c = 5
    if c:
        return
    d = 6
"""


def test_lines_that_every_program_runs() -> None:
    version = Version(source.read(STRAIGHT.lstrip("\n"), "f.py"))
    assert set(always_run(version)) == {5, 7, 11, 12, 13, 14, 16, 18, 19}
    twice = STRAIGHT + "\nclass Other:\n    def kernel(self):\n        pass\n"
    # Which of the two a launch was of is not told.
    assert not set(always_run(Version(source.read(twice, "f.py")))) & set(range(12, 24))


@pytest.mark.thorough(instead="test_a_guard_that_no_program_takes")
def test_a_guard_that_ends_a_program_counts(of_texts: Callable[..., Verdict]) -> None:
    guarded = (
        SCALED.replace("y, scale, n, HAS", "y, scale, m, n, HAS")
        .replace(
            "row = tl.program_id(0)\n", "row = tl.program_id(0)\n    if row >= m:\n        return\n"
        )
        .replace("scaled_kernel[(m,)](", "scaled_kernel[(m + 2,)](")
        .replace("is not None else x, n, HAS", "is not None else x, m, n, HAS")
    )
    same = guarded.replace("row >= m:", "row > m - 1:")
    assert guarded != same
    verdict = of_texts(guarded, same, max_examples=3)
    assert verdict.verdict == "identical", verdict


def test_a_guard_that_ends_every_program_of_a_call_counts(
    of_texts: Callable[..., Verdict],
) -> None:
    guarded = (
        SCALED.replace("y, scale, n, HAS", "y, scale, m, n, HAS")
        .replace(
            "row = tl.program_id(0)\n", "row = tl.program_id(0)\n    if m == 1:\n        return\n"
        )
        .replace("is not None else x, n, HAS", "is not None else x, m, n, HAS")
        .replace("empty_like", "zeros_like")
    )
    same = guarded.replace("m == 1:", "1 == m:")
    assert guarded != same
    verdict = of_texts(guarded, same, max_examples=3)
    assert verdict.verdict == "identical", verdict


def test_a_block_size_that_differs_takes_the_kernel_along() -> None:
    new = SCALED.replace("BLOCK=32", "BLOCK=64")
    both = (source.read(t, "f.py") for t in (SCALED, new))
    found = demands(*both, reached=({"scaled", "scaled_kernel"},) * 2)
    assert {"turns", "ragged"} <= {d.kind for d in found}
    # What is passed as before asks for nothing.
    assert all("tl.program_id" not in d.text for d in found)


def test_what_only_the_original_calls_has_not_to_run_in_the_other() -> None:
    text = "import triton\n\ndef f(x):\n    return g(x + 1)\n\ndef g(y):\n    return y * 2\n"
    new = text.replace("g(x + 1)", "(x + 1) * 2")
    both = (source.read(t, "f.py") for t in (text, new))
    found = demands(*both, reached=({"f", "g"}, {"f"}))
    lines = {(d.title, d.line) for d in found}
    assert lines == {("original", 4), ("original", 7), ("rewritten", 4)}


@pytest.mark.thorough(instead="test_sizes_beyond_which_another_kernel_is_taken")
def test_a_tile_that_holds_every_row_up_to_a_limit(of_texts: Callable[..., Verdict]) -> None:
    grown = SCALED.replace("BLOCK=32", "BLOCK=min(2**16, triton.next_power_of_2(n))")
    wrong = grown.replace("cols < n)\n\n", "cols < n - (start > 0))\n\n")
    assert grown != wrong
    verdict = of_texts(grown, wrong, args="x: f32[m, n]", max_examples=2)
    assert verdict.verdict == "counterexample", verdict
    # Without the limit there is no such row.
    free = SCALED.replace("BLOCK=32", "BLOCK=triton.next_power_of_2(n)")
    same = free.replace("cols < n)\n\n", "cols < n - 0)\n\n")
    verdict = of_texts(free, same, args="x: f32[m, n]", max_examples=2)
    assert verdict.verdict == "identical", verdict
    assert any("never had a second iteration" in note for note in verdict.notes)


_GUARD = "    if pid >= tiles:\n        return\n"
GUARDED = (
    ADD.replace(
        "    at = tl.program_id(0) * BLOCK",
        f"    pid = tl.program_id(0)\n{_GUARD}    at = pid * BLOCK",
    )
    .replace("size, BLOCK", "size, tiles, BLOCK")
    .replace("x.numel(), BLOCK", "x.numel(), triton.cdiv(x.numel(), 256), BLOCK")
)
_BODY = GUARDED.partition(_GUARD)[2].partition("\n\n\n")[0]
_WRAPPED = GUARDED.replace(
    f"{_GUARD}{_BODY}",
    "    if not (pid >= tiles):\n" + "\n".join(f"    {line}" for line in _BODY.splitlines()),
)

_LOOPED = GUARDED.replace(
    f"    pid = tl.program_id(0)\n{_GUARD}{_BODY}",
    "    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):\n        pid = tile\n"
    "        if not (pid >= tiles):\n" + "\n".join(f"        {s}" for s in _BODY.splitlines()),
).replace("[(triton.cdiv(x.numel(), 256),)]", "[(min(2, triton.cdiv(x.numel(), 256)),)]")

_TUNED = GUARDED.replace(
    "@triton.jit",
    '@triton.autotune([triton.Config({}, num_warps=2)], key=["size"])\n@triton.jit',
    1,
)

KEPT = {
    "of a tuned kernel": (_TUNED, _TUNED.replace("pid >= tiles", "tiles <= pid"), "identical"),
    "around all": (GUARDED, _WRAPPED, "identical"),
    "over another value": (
        GUARDED,
        GUARDED.replace("pid = tl.program_id(0)", "pid = tl.program_id(0).to(tl.int64)"),
        "identical",
    ),
    "written otherwise": (
        GUARDED,
        GUARDED.replace("pid >= tiles:", "(tl.program_id(0) + 0) >= tiles:"),
        "identical",
    ),
    "in a loop that shows that it is of integers": (GUARDED, _LOOPED, "identical"),
    "in a loop that ends before it": (
        GUARDED,
        _LOOPED.replace("(0), tiles, tl", "(0), tiles - (tiles > 10**6), tl"),
        "unsupported",
    ),
    "as a return that ends later turns as well": (
        GUARDED,
        _LOOPED.replace(
            "        if not (pid >= tiles):",
            "        if pid >= tiles:\n            return\n        if True:",
        ),
        "unsupported",
    ),
    "of a float": (
        GUARDED,
        GUARDED.replace("pid >= tiles", "pid >= (tiles + 0).to(tl.float32)"),
        "unsupported",
    ),
    "of parameters that changed places": (
        GUARDED,
        GUARDED.replace("size, tiles, BLOCK", "tiles, size, BLOCK").replace(
            "x.numel(), triton.cdiv(x.numel(), 256),", "triton.cdiv(x.numel(), 256), x.numel(),"
        ),
        "unsupported",
    ),
    "in a loop over something else": (
        GUARDED,
        _LOOPED.replace("if not (pid", "if not (tile + pid"),
        "counterexample",
    ),
    "the same words over another value": (
        GUARDED,
        GUARDED.replace(
            "pid = tl.program_id(0)", "pid = tl.program_id(0) + tiles * 0 + (size > 0)"
        ).replace("at = pid * BLOCK", "at = tl.program_id(0) * BLOCK"),
        "counterexample",
    ),
    "the same words over a value that is larger seldom": (
        GUARDED,
        GUARDED.replace("    if pid", "    tiles = tiles - (size == 10**9)\n    if pid"),
        "unsupported",
    ),
    "the same words over another argument": (
        GUARDED,
        GUARDED.replace("x.numel(), triton.cdiv", "x.numel(), 1 + triton.cdiv"),
        "unsupported",
    ),
    "left away": (GUARDED, GUARDED.replace(_GUARD, ""), "unsupported"),
    "with another condition": (
        GUARDED,
        GUARDED.replace("pid >= tiles:", "pid > tiles:"),
        "unsupported",
    ),
    "the other way round": (
        GUARDED,
        _WRAPPED.replace("not (pid >= tiles)", "pid >= tiles"),
        "counterexample",
    ),
    "with a store before it": (
        GUARDED,
        GUARDED.replace(
            "    if pid", "    tl.store(out, 0.0, mask=pid >= tiles)\n    if (pid)"
        ).replace("pid = tl.program_id(0)", "pid = tl.program_id(0) + 0"),
        "unsupported",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_whether_both_have_the_guard(name: str) -> None:
    old, new, answer = KEPT[name]
    compared = Comparison.of(*(source.read(text, "f.py") for text in (old, new)))
    assert bool(kept_guards(compared)) == (answer == "identical")


# What follows from that is the same for all of them; that it is no yes where a line never ran is
# tested above.
_FOLLOWS = ("around all", "the other way round")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in _FOLLOWS else pytest.mark.thorough, id=n) for n in KEPT],
)
def test_a_guard_that_no_program_takes(name: str, of_texts: Callable[..., Verdict]) -> None:
    old, new, answer = KEPT[name]
    assert old != new
    verdict = of_texts(old, new, max_examples=3)
    assert verdict.verdict == answer, verdict
    if answer == "identical":
        assert any("has the same guard" in note for note in verdict.notes), verdict


def test_a_loop_over_one_tile_needs_no_second_turn() -> None:
    one = SCALED.replace("range(0, n, BLOCK)", "range(0, BLOCK, BLOCK)")
    both = (source.read(t, "f.py") for t in (one, one.replace("v, mask", "v * 1, mask")))
    found = demands(*both, reached=({"scaled", "scaled_kernel"},) * 2)
    assert found and not {"turns", "ragged"} & {d.kind for d in found}


_ASSEMBLY = "tl.inline_asm_elementwise('add.f32 $0, $1, $2;', '=f,f,f', [{}], tl.float32, True, 1)"


@pytest.mark.gpu
def test_on_a_gpu_what_the_interpreter_refuses(of_texts: Callable[..., Verdict]) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU: the cuda backend was NOT tested")
    one, other = (
        ADD.replace("v + w,", f"{_ASSEMBLY.format(order)},") for order in ("v, w", "w, v")
    )
    verdict = of_texts(one, other, backend="cuda", max_examples=4)
    # Every program runs all of it.
    assert verdict.verdict == "identical", verdict
    one, other = (
        COLUMNS.replace("total += tl.sum(v, axis=0)", f"total = {_ASSEMBLY.format(order)}")
        for order in ("total, tl.sum(v, axis=0)", "tl.sum(v, axis=0), total")
    )
    verdict = of_texts(one, other, backend="cuda", max_examples=4)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "--assume-covered" in verdict.reason
    verdict = of_texts(one, other, backend="cuda", max_examples=4, assume_covered=True)
    assert verdict.verdict == "identical", verdict


MANY_ROWS = SCALED.replace("def scaled(", "LIMIT = 2**4 * 16\n\n\ndef scaled(").replace(
    "    scaled_kernel[(m,)](",
    "    if m >= 2 * LIMIT:\n        rows_kernel[(triton.cdiv(m, 64),)](x, y, m, n, BM=64, BN=16)\n"
    "        return y\n    scaled_kernel[(m,)](",
).replace("@triton.jit\n", """@triton.jit
def rows_kernel(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    at = rows[:, None] * n + cols[None, :]
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    tl.store(y + at, tl.load(x + at, mask=mask) * 2, mask=mask)


@triton.jit
""", 1)  # fmt: skip


def test_sizes_beyond_which_another_kernel_is_taken(of_texts: Callable[..., Verdict]) -> None:
    answers = (("* 3, mask", "counterexample"), ("* (1 + 1), mask", "identical"))
    for change, answer in answers[: number(1, 2)]:
        other = MANY_ROWS.replace("* 2, mask", change)
        assert other != MANY_ROWS
        verdict = of_texts(MANY_ROWS, other, args="x: f32[m, n]", max_examples=2)
        assert verdict.verdict == answer, verdict


def test_sizes_beyond_what_no_text_shows(of_texts: Callable[..., Verdict]) -> None:
    long = SCALED.replace(
        "    for start in",
        "    if n > LIMIT:\n        x += 0\n    for start in",
    ).replace("n, HAS_SCALE: tl", "n, LIMIT, HAS_SCALE: tl").replace(
        "else x, n, HAS", "else x, n, int('3000'), HAS"
    ).replace("BLOCK=32", "BLOCK=256")  # fmt: skip
    other = long.replace("x += 0", "x += 1 - 1")
    assert long != other
    verdict = of_texts(long, other, args="x: f32[m, n], scale: f32[n]|None", max_examples=2)
    assert verdict.verdict == "identical", verdict


def test_a_test_over_another_value_asks_for_both_outcomes() -> None:
    text = "import triton\n\ndef f(n):\n    m = n\n    if m > 5:\n        n = 7\n    return n\n"
    moved = text.replace("    m = n\n", "    m = n + 1\n    if True:\n        m = n\n")
    new = moved.replace(
        "    if m > 5:\n        n = 7\n", "    if n:\n        if m > 5:\n            n = 7\n"
    )
    both = (source.read(t, "f.py") for t in (text, new))
    found = demands(*both, reached=({"f"}, {"f"}))
    asked = {(d.title, d.kind) for d in found if d.text == "if m > 5"}
    assert asked == {(t, k) for t in ("original", "rewritten") for k in ("true", "false")}


def test_a_limit_asks_for_both_outcomes() -> None:
    text = "import triton\n\nMOST = 5\n\ndef f(n):\n    return n\n"
    new = text.replace("return n", "return max(min(n, MOST), 1)")
    both = (source.read(t, "f.py") for t in (text, new))
    found = demands(*both, reached=({"f"}, {"f"}))
    asked = {d.kind for d in found if d.text == "min(n, MOST) is MOST"}
    assert asked == {"holds", "fails"}


@pytest.mark.parametrize(
    ("new", "asked"),
    [
        ("    warps = min(n, 16)\n    k[(n,)](n, num_warps=warps)", set()),
        ("    k[(n,)](n, num_stages=max(n, 4))", set()),
        # What says how many warps there are is used elsewhere as well.
        ("    warps = min(n, 16)\n    k[(warps,)](n, num_warps=warps)", {"min(n, 16) is 16"}),
        ("    if min(n, 16) < 9:\n        k[(min(n, 16),)](n)", {"min(n, 16) is 16"}),
    ],
)
def test_limits_that_the_text_settles(new: str, asked: set[str]) -> None:
    """No result depends on a number of warps; a test is asked for both outcomes itself."""
    before = "    k[(n,)](n, num_warps=4)"
    text = f"import triton\n\n@triton.jit\ndef k(n):\n    pass\n\ndef f(n):\n{before}\n"
    both = [source.read(t, "f.py") for t in (text, text.replace(before, new))]
    found = demands(both[0], both[1], reached=({"f"}, {"f"}))
    limits = [d for d in found if d.number is not None and d.kind != VARIES]
    assert {d.text for d in limits} == asked
    assert len({d.line for d in limits}) == len(asked)


def test_more_programs_than_a_limit_allows(of_texts: Callable[..., Verdict]) -> None:
    new = FLAT.replace(
        "(triton.cdiv(x.numel(), 16),)", "lambda meta: (min(triton.cdiv(n, 16), 64),)"
    )
    verdict = of_texts(FLAT, new, max_examples=3)
    assert verdict.verdict == "counterexample", verdict
    unseen = FLAT.replace("at < n)\n", "at < tl.minimum(n, 1000000))\n")
    assert of_texts(FLAT, unseen, max_examples=3).verdict == "unsupported"


FLAT = f"""{_HEAD}
@triton.jit
def flat_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


def flat(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    flat_kernel[(triton.cdiv(x.numel(), 16),)](x, y, n, BLOCK=16)
    return y
"""


def test_numbers_that_tests_compare_with() -> None:
    text = (
        "A = 3\nB = A * 2\nC = 1\nC = 5\n\ndef f(n):\n    if n < B << 4 or n > C:\n        return\n"
    )
    assert limits_of([source.read(f"import triton\n{text}", "f.py")]) == [96]


def test_rows_whose_index_is_the_one_that_is_ignored() -> None:
    signature = parse("x: f32[m, n], target: i64[m] in 0..n, ignore: -100|1|40")
    example = plain_example(signature, rising)
    found = [dict(change(example).arguments) for change in meeting(signature)]
    assert [f["ignore"] for f in found] == [PlainValue(n) for n in (1, 1, 40, 40)]
    targets = [f["target"] for f in found if isinstance(f["target"], TensorRecipe)]
    # By itself, and beside another one; 40 is none of them.
    assert [(t.low, t.high) for t in targets] == [(1, 1), (0, 1), (0, 4), (0, 4)]


def test_numbers_beyond_which_a_tile_does_not_hold_all() -> None:
    text = "\n\ndef f(n):\n    block = min(LIMIT, power(n))\n"
    for limit in (
        "LIMIT = 4096 if wide() else 65536 // 2",
        "if wide():\n    LIMIT = 4096\nelse:\n    LIMIT = 65536 // 2",
    ):
        assert limits_of([source.read(f"import triton\n{limit}{text}", "f.py")]) == [4096, 32768]


def test_numbers_that_tiles_grow_with() -> None:
    text = "PARTS = 2048\n\ndef f(n):\n    return power(n // 1024), cdiv(n, PARTS), n // 2\n"
    divisors = divisors_of([source.read(f"import triton\n{text}", "f.py").tree])
    assert divisors == [1024, 2048]
    assert Numbers(changed=[64], divisors=divisors).growing == [64, 128, 1024, 2048, 2048, 4096]


def test_numbers_of_the_files_are_drawn_beside_other_sizes() -> None:
    limits = Limits(2**10, 8, frozenset({"f32"}), (), (333,))
    found = drawn(parse("x: f32[n]"), limits, backward=False, count=100, seed=0)
    assert {332, 333, 334} & {e.tensors["x"].shape[0] for e in found}


PLANES = f"""{_HEAD}
@triton.jit
def planes_kernel(x, y, A, B, N, BLOCK: tl.constexpr):
    total = 0.0
    for a in range(A):
        for b in range(B):
            for start in range(0, N, BLOCK):
                cols = start + tl.arange(0, BLOCK)
                v = tl.load(x + (a * B + b) * N + cols, mask=cols < N, other=0.0)
                d = v * 1.0
                d = d + 0.0
                d = d * 1.0
                d = d + 0.0
                total += tl.sum(d, axis=0)
    tl.store(y, total)


# tritonopt: x: f32[a, b, n]
def planes(x: torch.Tensor):
    a, b, n = x.shape
    y = torch.zeros(1, device=x.device)
    planes_kernel[(1,)](x.contiguous(), y, a, b, n, BLOCK=16)
    return y
"""


@pytest.mark.thorough(instead="test_sizes_are_drawn_by_what_the_kernel_does")
def test_a_size_that_is_singled_out_in_loops_inside_of_others(
    of_texts: Callable[..., Verdict],
) -> None:
    other = PLANES.replace("(y, total)", "(y, tl.where(B == 133, 0.0, total))")
    verdict = of_texts(PLANES, other, max_examples=3)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None and ", 133, " in verdict.counterexample


FIRST_ROW = f"""{_HEAD}
@triton.jit
def first_row_kernel(x, y, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + cols, tl.load(x + cols, mask=cols < n), mask=cols < n)


# tritonopt: x: f32[m, n]
def first_row(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x[0])
    first_row_kernel[(triton.cdiv(n, 16),)](x.contiguous(), y, n, BLOCK=16)
    return y
"""


def test_what_is_read_of_a_tensor_has_nan(of_texts: Callable[..., Verdict]) -> None:
    value = "tl.load(x + cols, mask=cols < n)"
    other = FIRST_ROW.replace(value, f"tl.where({value} == {value}, {value}, 0.0)")
    verdict = of_texts(FIRST_ROW, other, max_examples=3)
    assert verdict.verdict == "counterexample", verdict


def test_one_program_alone_is_no_yes(
    of_texts: Callable[..., Verdict],
) -> None:
    """What was found to pass for `rows` lets the original stay within its memory."""
    old = SCALED.replace("(x: torch.Tensor, scale=None)", "(x: torch.Tensor, rows=1, scale=None)")
    old = old.replace("    m, n = x.shape\n", "    (n,) = x.shape\n").replace("[(m,)]", "[(rows,)]")
    other = old.replace("(y + row * n + cols, v", "(y + row * n + cols, v * (row != 1)")
    verdict = of_texts(old, other, max_examples=3)
    assert verdict.verdict == "unsupported", verdict
    assert verdict.reason is not None and "only one program" in verdict.reason
    args = "x: f32[n], scale: f32[n]|None"
    if everything():
        verdict = of_texts(old, other, args=args, max_examples=3)
        assert verdict.verdict == "identical", verdict
        assert any("only one program" in note for note in verdict.notes)


GRIDS = {
    "(m,)": {0},
    "(1,)": set(),
    "(m, triton.cdiv(n, 32))": {0, 1},
    "(m, triton.cdiv(n, triton.next_power_of_2(n)))": {0},
    "(triton.cdiv(n, min(64, triton.next_power_of_2(n))),)": {0},
    "(x.numel() // n,)": {0},
    "((x.numel() + 31) // 32,)": {0},
    "lambda meta: (m * x.shape[0], 4)": {0, 1},
    "rows": {0},
    "tiles": {0},
    "grid_of(x)": set(),
}


@pytest.mark.parametrize("grid", GRIDS)
def test_axes_along_which_there_are_several_programs(grid: str) -> None:
    text = SCALED.replace("scaled_kernel[(m,)]", f"scaled_kernel[{grid}]")
    text = text.replace(
        "    row = tl.program_id(0)", "    row = tl.program_id(0) + tl.program_id(1)"
    )
    text = text.replace("    y = torch", "    rows = (m,)\n    tiles = (count, 1)\n"
                        "    count = triton.cdiv(n, 32)\n    y = torch")  # fmt: skip
    module = source.read(text, "f.py")
    launcher = module.launches[0].launcher
    assert set(axes_of_many(module, module.kernels[0], [launcher])) == GRIDS[grid]
    assert not axes_of_many(module, module.kernels[0], [])


FOR_A_TILE = {
    "triton.cdiv(n, meta['BLOCK'])": {0},
    "(n + meta['BLOCK'] - 1) // meta['BLOCK']": {0},
    "triton.cdiv(n, triton.next_power_of_2(n))": set(),
}


@pytest.mark.parametrize("count", FOR_A_TILE)
def test_tiles_of_a_length_that_another_file_chooses(count: str) -> None:
    text = SCALED.replace("scaled_kernel[(m,)]", f"scaled_kernel[lambda meta: ({count},)]")
    text = text.replace("@triton.jit", "@triton.heuristics(tiles['scaled'])\n@triton.jit")
    module = source.read("from settings import tiles\n" + text, "f.py")
    launcher = module.launches[0].launcher
    assert set(axes_of_many(module, module.kernels[0], [launcher])) == FOR_A_TILE[count]

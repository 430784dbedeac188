"""What only numbers beyond a limit lead to, or no number that is an index."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import MagicMock

import pytest

from tests.layers import everything
from tritonopt.verification import Verdict
from tritonopt.verification.comparison import far_calls
from tritonopt.verification.comparison.compare import Difference
from tritonopt.verification.comparison.far_calls import calls_beyond_numbers
from tritonopt.verification.comparison.search import AimedCalls
from tritonopt.verification.coverage.demands import Demand
from tritonopt.verification.inputs.examples import Example, sized_example
from tritonopt.verification.signature.argument_parser import parse
from tritonopt.verification.worker.triton_interpreter.corrected import _some

TABLE = """import torch
import triton
import triton.language as tl

@triton.jit
def count(x_ptr, table_ptr, n, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(table_ptr + x, 1, mask=(at < n) & (x < size))

@triton.jit
def count_all(x_ptr, table_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(table_ptr + x, 1, mask=at < n)

def counts(x: torch.Tensor):
    assert x.dim() == 1 and x.dtype == torch.int64
    x, size = x.abs(), min(900, 1000)
    n = x.numel()
    table = torch.zeros(size, dtype=torch.int64)
    grid = (triton.cdiv(n, 16),)
    count[grid](x, table, n, size, BLOCK=16)
    largest = int(x.max()) + 1
    if largest <= size:
        return table[:largest]
    table = torch.zeros(largest, dtype=torch.int64)
    count_all[grid](x, table, n, BLOCK=16)
    return table
"""


def test_numbers_beyond_a_limit_are_in_the_tensor(of_texts: Callable[..., Verdict]) -> None:
    renamed = TABLE.replace("at = tl.program_id(0)", "at = 1 * tl.program_id(0)")
    verdict = of_texts(TABLE, renamed)
    assert verdict.verdict in ("identical", "equivalent"), verdict.reason
    wrong = renamed.replace("table_ptr + x, 1, mask=at < n)", "table_ptr + x, 2, mask=at < n)")
    assert of_texts(TABLE, wrong).verdict == "counterexample"
    # The same wherever numbers are small.
    large = TABLE.replace("int(x.max()) + 1", "int(x.max() * 1.01) + 1")
    assert of_texts(TABLE, large).verdict == "counterexample"


SCALED = """import torch
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row * n + cols, x * factor, mask=cols < n)

def scaled(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    block = triton.next_power_of_2(n)
    factor = 2.0
    scale[(m,)](x.contiguous(), y, n, factor, BLOCK=block)
    return y
"""


def test_of_a_call_beyond_a_number_some_programs_show_it(of_texts: Callable[..., Verdict]) -> None:
    given = {"args": "x: f32[m, n]", "max_examples": 2, "algebra": False}
    wrong = SCALED.replace("factor = 2.0", "factor = (m * n > 3000000 and 4.0) or 2.0")
    verdict = of_texts(SCALED, wrong, **given)
    assert verdict.verdict == "counterexample"
    assert "of 24 programs" in str(verdict.counterexample), verdict.counterexample
    if everything():
        longer = "triton.next_power_of_2(n) * (2 if m * n > 3000000 else 1)"
        right = SCALED.replace("triton.next_power_of_2(n)", longer)
        verdict = of_texts(SCALED, right, **given)
        assert verdict.verdict == "identical", verdict


NORMED = """import torch
import triton
import triton.language as tl

@triton.jit
def shares(x_ptr, y_ptr, n, factor, BLOCK: tl.constexpr):
    row, total = tl.program_id(0), 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=-float("inf"))
        total += tl.sum(tl.exp(x * factor))
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + cols, mask=cols < n, other=0.0)
        tl.store(y_ptr + row * n + cols, tl.exp(x * factor) / total, mask=cols < n)

def normed(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    factor = 0.5
    shares[(m,)](x.contiguous(), y, n, factor, BLOCK=128)
    return y
"""


@pytest.mark.thorough(instead="test_what_covers_a_number")
def test_rows_of_one_element_show_nothing_of_a_number(of_texts: Callable[..., Verdict]) -> None:
    given = {"args": "x: f32[m, n]", "max_examples": 2, "algebra": False}
    wrong = NORMED.replace("factor = 0.5", "factor = {True: 1.0}.get(m * n > 3000000, 0.5)")
    verdict = of_texts(NORMED, wrong, **given)
    assert verdict.verdict == "counterexample", verdict


@pytest.mark.parametrize(
    ("differs", "covering"),
    [
        (lambda sizes: False, [(3000002, 2), (2, 3000002)]),
        (lambda sizes: sizes["n"] == 2, []),
    ],
    ids=["nowhere", "once"],
)
def test_what_covers_a_number(
    differs: Callable[[dict[str, int]], bool],
    covering: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call with rows of one element does not, nor does any after one that differed."""
    checker, covered, asked = MagicMock(), list[tuple[int, int]](), list[tuple[int, int]]()

    def run(checker: object, example: Example) -> tuple[Difference | None, str | None]:
        m, n = example.tensors["x"].shape
        asked.append((m, n))
        return (Difference("other"), None) if differs({"m": m, "n": n}) else (None, "all")

    monkeypatch.setattr(far_calls, "_of_some_programs", run)
    checker.tally.skips.return_value = False
    checker.observed.fills = lambda example, _: covered.append(example.tensors["x"].shape)
    demand = Demand("rewritten", 1, "true", "if m * n > 3000000")
    monkeypatch.setattr(far_calls, "_number_of", lambda demand: 3000000)
    calls_beyond_numbers(checker, parse("x: f32[m, n]"), lambda: [demand])
    assert (1, 3000002) in asked
    assert [shape for shape in covered if shape in covering or min(shape) == 1] == covering


def test_which_programs_run_of_many() -> None:
    assert _some(100, 6).tolist() == [0, 1, 2, 50, 98, 99]
    some = _some(30_000, 24)
    assert len({*some.tolist()}) == 24 and some.max() == 29_999


RUNS = """import torch
import triton
import triton.language as tl

@triton.jit
def add_up(x_ptr, seg_ptr, y_ptr, n, ROWS: tl.constexpr):
    for i in range(0, ROWS):
        row = tl.program_id(0) * ROWS + i
        if row < n:
            s = tl.load(seg_ptr + row)
            tl.atomic_add(y_ptr + s, tl.load(x_ptr + row))

def sums(x: torch.Tensor, segments: torch.Tensor, count: int):
    assert segments.shape == x.shape and x.dim() == 1
    y = torch.zeros(count, dtype=torch.float32)
    add_up[(triton.cdiv(x.numel(), 4),)](x, segments, y, x.numel(), ROWS=4)
    return y
"""
TOGETHER = RUNS.replace(
    "    for i", "    total, last = 0.0, tl.full((), -1, tl.int64)\n    for i"
).replace(
    "            tl.atomic_add(y_ptr + s, tl.load(x_ptr + row))\n",
    """            if s != last:
                if last >= 0:
                    tl.atomic_add(y_ptr + last, total)
                total, last = 0.0, s
            total += tl.load(x_ptr + row)
    if last >= 0:
        tl.atomic_add(y_ptr + last, total)
""",
)


def test_work_is_left_out_only_where_an_index_is_none(of_texts: Callable[..., Verdict]) -> None:
    given = {"args": "x: f32[n], segments: i64[n] in 0..n, count: n", "algebra": False}
    verdict = of_texts(RUNS, TOGETHER, max_examples=4, **given)
    assert verdict.verdict in ("identical", "equivalent"), verdict
    assert any(
        "except where the original accesses memory out of bounds" in note for note in verdict.notes
    )
    wrong = TOGETHER.replace("    if last >= 0:\n        tl", "    if last > 0:\n        tl")
    verdict = of_texts(RUNS, wrong, **given)
    assert verdict.verdict == "counterexample", verdict


def test_what_runs_first_with_an_optional_tensor_runs_without_it() -> None:
    """An `out` that a launcher takes for two results holds the second of them alone."""
    signature = parse("x: f32[m, n], out: f32[m] | None")
    aimed = sized_example(signature, {"m": 9, "n": 2})
    checker, aiming, met = MagicMock(), MagicMock(signature=signature), list[Example]()
    checker.tally.skips.return_value, checker.tally.hangs = False, 0
    checker.try_out = met.append
    checker.certain = lambda e: None if "out" in e.tensors else Difference("other")
    aiming.examples.return_value, aiming.unmet = [aimed], lambda: [] if met else ["a demand"]
    calls = AimedCalls(checker, [aiming], MagicMock(), MagicMock(), lambda phase: None, False)
    found = calls.run()
    assert found is not None and [*found[0].tensors] == ["x"]
    assert [[*e.tensors] for e in met] == [["x", "out"], ["x"]]

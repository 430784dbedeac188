"""What a usual kernel costs: counted, for a busy machine changes no count."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.layers import few
from tritonopt.verification import Verdict
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.messages import Outcome, RunOptions
from tritonopt.verification.worker.reference import InFloat64, Work

SUBJECTS = Path(__file__).parent / "subjects"

DROPOUT = """
import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x, y, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    keep = tl.rand(seed, at) > p
    tl.store(y + at, tl.where(keep, v / (1 - p), 0.0), mask=at < n)


def dropout(x: torch.Tensor, p: float = 0.5, seed: int = 1):
    x = x.contiguous()
    y = torch.empty_like(x)
    dropout_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), p, seed, BLOCK=128)
    return y
"""
REWRITES = {
    "softmax": ("mask = cols < n", "mask = n > cols"),
    "layer_norm": ("        squares += d * d", "        squares = squares + d * d"),
    "matmul": ("acc = tl.dot(left, right, acc)", "acc += tl.dot(left, right)"),
    "dropout": ("tl.where(keep, v / (1 - p), 0.0)", "tl.where(~keep, 0.0, v / (1 - p))"),
}
# Statements of kernels that are executed, and elements of the tensors that are passed, in all
# runs of both versions together: half as much again as when this was written. Of dropout any
# number of dimensions is drawn, and `tl.rand` costs more than all else.
MOST = {
    "softmax": (14_000, 90_000),
    "layer_norm": (65_000, 100_000),
    "matmul": (38_000, 200_000),
    "dropout": (110_000, 250_000),
}


@pytest.fixture
def elements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many each run is passed."""
    found, send = [0], VersionWorker.send

    def sent(worker: VersionWorker, example: Example, options: tuple[RunOptions, ...]) -> None:
        found.append(len(options) * sum(r.elements for r in example.tensors.values()))
        send(worker, example, options)

    monkeypatch.setattr(VersionWorker, "send", sent)
    return found


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many each run executes."""
    found, receive = [0], VersionWorker.receive

    def received(
        worker: VersionWorker, count: int, seconds: float | None = None
    ) -> tuple[Outcome, ...]:
        outcomes = receive(worker, count, seconds)
        found.extend(outcome.coverage.work for outcome in outcomes)
        return outcomes

    monkeypatch.setattr(VersionWorker, "receive", received)
    return found


@pytest.mark.parametrize("name", few(REWRITES, 0))
def test_a_usual_kernel_costs_little(
    name: str, of_texts: Callable[..., Verdict], statements: list[int], elements: list[int]
) -> None:
    text = DROPOUT if name == "dropout" else (SUBJECTS / f"{name}.py").read_text()
    verdict = of_texts(text, text.replace(*REWRITES[name]))
    assert verdict.verdict in ("identical", "equivalent")
    most = MOST[name]
    assert sum(statements) <= most[0]
    assert sum(elements) <= most[1]


_SESSION = SimpleNamespace(depth=1, only_whole=False, options=SimpleNamespace(moving=False))


@pytest.mark.parametrize(
    "mode",
    [InFloat64, lambda: Work(_SESSION, __file__)],
    ids=["float64", "work"],
)
def test_a_mode_imports_no_compiler(
    mode: Callable[[], TorchDispatchMode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch would, to keep it out, in each worker anew: two seconds."""
    monkeypatch.setitem(sys.modules, "torch._dynamo", None)
    with mode():
        assert (torch.ones(2) + 1).sum() == 4


def test_a_compiler_that_is_there_is_kept_out_of_a_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    kept_out: list[object] = []

    def disable(function: object) -> object:
        kept_out.append(function)
        return function

    monkeypatch.setitem(sys.modules, "torch._dynamo", SimpleNamespace(disable=disable))
    with InFloat64():
        assert torch.ones(2).dtype == torch.float64
    assert kept_out == [InFloat64.__torch_dispatch__]


IN_VAIN = """
import torch
import triton
import triton.language as tl


@triton.jit
def total_kernel(x, y, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x + i)
    tl.store(y + tl.program_id(0), total)


def total(x: torch.Tensor, k: int, way: str = "one"):
    # tritonopt: x: f32[m, n], k: 1|2|3|4|5, way: 'one'|'two'|'three'
    m, n = x.shape
    y = torch.empty(m * n, device=x.device)
    total_kernel[(m * n,)](x, y, 40)
    if m > 8:
        raise ValueError("too many")
    return y * k
"""


def test_calls_that_fail_after_a_while_cost_little(
    of_texts: Callable[..., Verdict], statements: list[int]
) -> None:
    of_texts(IN_VAIN, IN_VAIN.replace("total += tl", "total = total + tl"), max_examples=4)
    assert sum(statements) <= 250_000  # it was 580,000 as long as only what succeeds was counted


TWO_LAUNCHERS = """
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n, BLOCK):
        o = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + o, mask=o < n)
        if n > 9000:
            v += 1
        tl.store(y + row * n + o, v * 2, mask=o < n)


def double(x: torch.Tensor):
    # tritonopt: x: f32[m, n]
    m, n = x.shape
    y = torch.empty_like(x)
    double_kernel[(m,)](x, y, n, BLOCK=32)
    return y


def double_of_few(x: torch.Tensor):
    # tritonopt: x: f32[m, n], n < 60
    m, n = x.shape
    y = torch.empty_like(x)
    double_kernel[(m,)](x, y, n, BLOCK=32)
    return y
"""


@pytest.mark.thorough(instead="test_a_usual_kernel_costs_little")
def test_what_ran_from_one_launcher_is_not_aimed_at_from_the_next(
    of_texts: Callable[..., Verdict], statements: list[int]
) -> None:
    changed = TWO_LAUNCHERS.replace("v += 1", "v = v + 1").replace("v * 2", "2 * v")
    verdict = of_texts(TWO_LAUNCHERS, changed, max_examples=4)
    assert verdict.verdict == "identical", (verdict.reason, verdict.counterexample)
    assert sum(statements) <= 260_000  # it was 520,000 when each launcher had to show all of it

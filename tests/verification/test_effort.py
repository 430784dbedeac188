"""What a usual kernel costs: counted, for a busy machine changes no count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.verification import Verdict
from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process.client import VersionWorker
from tritonopt.verification.process.messages import Outcome, RunOptions

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
    "matmul": (28_000, 160_000),
    "dropout": (110_000, 250_000),
}


@pytest.mark.parametrize("name", REWRITES)
def test_a_usual_kernel_costs_little(
    name: str, of_texts: Callable[..., Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    statements, elements = [0], [0]
    send, receive = VersionWorker.send, VersionWorker.receive

    def sent(worker: VersionWorker, example: Example, options: tuple[RunOptions, ...]) -> None:
        elements.append(len(options) * sum(r.elements for r in example.tensors.values()))
        send(worker, example, options)

    def received(
        worker: VersionWorker, count: int, seconds: float | None = None
    ) -> tuple[Outcome, ...]:
        outcomes = receive(worker, count, seconds)
        statements.extend(outcome.coverage.work for outcome in outcomes)
        return outcomes

    monkeypatch.setattr(VersionWorker, "send", sent)
    monkeypatch.setattr(VersionWorker, "receive", received)
    text = DROPOUT if name == "dropout" else (SUBJECTS / f"{name}.py").read_text()
    verdict = of_texts(text, text.replace(*REWRITES[name]))
    assert verdict.verdict in ("identical", "equivalent")
    most = MOST[name]
    assert sum(statements) <= most[0]
    assert sum(elements) <= most[1]

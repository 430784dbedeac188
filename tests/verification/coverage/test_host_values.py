"""What a launcher decides on the host, in whatever spelling: one outcome alone is no evidence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.layers import few
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.coverage.demands import VARIES, demands, watched
from tritonopt.verification.process.messages import Coverage
from tritonopt.verification.worker.probes import RECORDER, install, instrumented

LIMITED = """
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    for i in range(start, LIMIT):
        tl.store(y + i, tl.load(x + i))

def launch(x, y):
    kernel[(x.numel() // 8,)](x, y, x.numel(), BLOCK=8)
"""
LAUNCHER = """
import torch


def scaled(n, factor=1.0):
    rows, cols = n, 2 * n
    assert rows > 0
    out = rows * factor
    return out
"""
SHAPES = (3, 5, 16)
LARGE = {
    "and, or": "factor * ((rows * cols > 3000000 and 2.0) or 1.0)",
    "or alone": "factor * (rows // 5000 or 1.0)",
    "choice": "factor * (2.0 if rows > 5000 else 1.0)",
    "index": "factor * (1.0, 2.0)[rows > 5000]",
    "table": "factor * {True: 2.0}.get(rows > 5000, 1.0)",
    "table of quotients": "factor * {7: 2.0}.get(rows // 5000, 1.0)",
    "shift": "factor * (1.0 + (cols >> 16))",
    "quotient": "factor + rows // 4096",
    "remainder": "factor * (rows % 65536 == rows)",
    "maximum": "max(factor, rows / 5000.0)",
    "sum of comparisons": "factor + sum(size > 5000 for size in (rows, cols))",
    "text": "factor + len(str(rows)[4:])",
    "method": "factor * (1 + rows.__gt__(5000))",
    "bits": "factor * (1 + (rows.bit_length() > 12))",
    "rounded": "factor * (1 + round(rows / 5000))",
    "not": "factor * (1 + (not rows < 5000))",
    "sum of a remainder": "factor + (rows - rows % 65536)",
    "product or": "factor * (2.0 if rows // 5000 * cols else 1.0)",
    "slice": "factor + len(range(rows)[5000:])",
    "lambda": "(lambda k: factor + (k >> 14))(rows)",
}
HARMLESS = {
    "sum": "rows + factor",
    "remainder": "rows % 2 + factor",
    "both outcomes": "factor * (1.0, 2.0)[rows > 4]",
    "product": "[rows * (240 // rows)]",
    "limits": "min(rows, 4) * factor",
    "a type": "rows * factor if isinstance(rows, int) and rows > 3 else factor",
    "constants alone": "rows * factor * (2 ** 10 // 512)",
}


def unmet(line: str, sizes: tuple[int, ...] = SHAPES) -> list[str]:
    """What was not seen to come to more than one value, of a launcher with another line."""
    text = LAUNCHER.replace("rows * factor\n", f"{line}\n")
    old, new = source.read(LAUNCHER, "a.py"), source.read(text, "b.py")
    asked = demands(old, new, ({"scaled"}, {"scaled"}))
    install()
    space: dict[str, Callable[[int], float]] = {}
    tree = instrumented(text, "b.py", watched(asked, "rewritten").items())
    exec(compile(tree, "b.py", "exec"), space)
    seen = Coverage()
    for size in sizes:
        RECORDER.begin()
        space["scaled"](size)
        seen = seen.merged(RECORDER.coverage())
    every = [d for d in asked if d.title == "rewritten" and d.kind in (VARIES, "true", "false")]
    return [d.text for d in every if not d.met_by(seen)]


@pytest.mark.parametrize("name", LARGE)
def test_one_outcome_is_none(name: str) -> None:
    assert unmet(LARGE[name])


@pytest.mark.parametrize("name", LARGE)
def test_sizes_that_lead_to_the_other_outcome(name: str) -> None:
    assert not unmet(LARGE[name], (3, 5, 5002, 35001, 65536))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_decides_nothing_else(name: str) -> None:
    found = unmet(HARMLESS[name])
    assert not [text for text in found if "isinstance" not in text], found


def test_a_device_is_the_same_in_every_call() -> None:
    """Whatever it says; how many multiprocessors there are only shares the work."""
    ask = "factor * {10: 2.0}.get(torch.cuda.get_device_capability()[0], 1.0)"
    count = "factor + torch.cuda.get_device_properties(0).multi_processor_count"
    for line, asked in ((ask, True), (count, False)):
        text = LAUNCHER.replace("rows * factor\n", f"{line}\n")
        old, new = source.read(LAUNCHER, "a.py"), source.read(text, "b.py")
        found = demands(old, new, ({"scaled"}, {"scaled"}))
        of_device = [d for d in found if d.span is not None and d.span in d.parts]
        assert bool(of_device) is asked


FILL = """
import torch
import triton
import triton.language as tl


@triton.jit
def exp_kernel(X, Y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + at, mask=at < n)
    tl.store(Y + at, tl.exp(x), mask=at < n)


def exponential(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x)
    n = x.numel()
    exp_kernel[(triton.cdiv(n, 16),)](x, y, n, BLOCK=16)
    return y
"""
SKIPS = {
    "any": "    if not x.any():\n        return y\n",
    "or": "    if x.abs().sum() == 0 or x.numel() == 0:\n        return y\n",
    "name": "    nothing = bool((x == 0).all())\n    if nothing:\n        return y\n",
}


@pytest.mark.parametrize("name", few(SKIPS, 1, 2))
def test_tensors_of_zeros(name: str, of_texts: Callable[..., Verdict]) -> None:
    """One without elements has none either, and says nothing of one that has."""
    changed = FILL.replace("    n = x.numel()\n", SKIPS[name] + "    n = x.numel()\n")
    verdict = of_texts(FILL, changed, args="x: f32[n]", max_examples=1)
    assert verdict.verdict == "counterexample", (verdict.verdict, verdict.reason)
    assert "outputs" in str(verdict.counterexample) or "returned" in str(verdict.counterexample)


def test_a_decision_that_was_not_seen_is_no_yes(of_texts: Callable[..., Verdict]) -> None:
    changed = FILL.replace("    return y", "    y *= 1 + (n >> 26)\n    return y")
    verdict = of_texts(FILL, changed, args="x: f32[n]", max_examples=1)
    assert verdict.verdict == "unsupported", verdict
    assert "had the same value in every call" in str(verdict.reason)


def test_a_limit_is_a_number_more_than_something() -> None:
    old, new = (
        source.read(LIMITED.replace("LIMIT", limit), "kernel.py")
        for limit in ("n", "tl.minimum(n, start + 1000)")
    )
    reached = {"kernel", "launch"}
    found = [d for d in demands(old, new, (reached, reached)) if d.kind in ("holds", "fails")]
    assert [(d.number, d.text) for d in found] == [
        (1000, "tl.minimum(n, start + 1000) is start + 1000")
    ] * 2

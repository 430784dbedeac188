"""Cases beyond a plain call: tuned kernels, gradients, far rows, past failures, kernels alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tritonopt.verification import Verdict, verify
from tritonopt.verification.comparison import search


def test_one_configuration_of_several_is_wrong(against: Callable[..., Verdict]) -> None:
    verdict = against("tuned", ("x * factor", "x * factor + (BLOCK == 64) * 1.0"))
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "autotuned kernels take their configuration 2" in verdict.counterexample
    # The fourth configuration is pruned away.
    assert any("each of 3 configurations" in note for note in verdict.notes)


def test_measuring_must_restore(against: Callable[..., Verdict]) -> None:
    verdict = against("tuned", ('    restore_value=["x_ptr"],\n', ""), max_examples=24)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "on the first call" in verdict.counterexample


def test_an_expanded_gradient(against: Callable[..., Verdict]) -> None:
    verdict = against("autograd", ("        dy = dy.contiguous()\n", ""), max_examples=24)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "expanded from one number" in verdict.counterexample


def test_offsets_beyond_31_bits(against: Callable[..., Verdict]) -> None:
    narrow = ("tl.program_id(0).to(tl.int64)", "tl.program_id(0)")
    verdict = against("rows", narrow)
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    assert "offsets exceed 2**31" in verdict.counterexample


def test_a_past_failure_is_tried_first(
    against: Callable[..., Verdict], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITONOPT_CACHE_DIR", str(tmp_path / "cache"))
    # What calls made on purpose find is found by them again, and not kept.
    monkeypatch.setattr(search.AimedCalls, "run", lambda _: None)
    monkeypatch.setattr(search.EdgeCaseCalls, "run", lambda _: None)
    rare = ("-x, mask=cols < n", "-x, mask=cols < n - (n % 7 == 3)")
    first = against("rows", rare, max_examples=80, seed=0)
    assert first.verdict == "counterexample", first
    again = against("rows", rare, max_examples=1, seed=5)
    assert again.verdict == "counterexample" and again.examples == 1, again


def test_a_kernel_alone(of_texts: Callable[..., Verdict]) -> None:
    text = (Path(__file__).parent / "subjects" / "rows.py").read_text().partition("def negate")[0]
    args = "x_ptr: f32[m, n], y_ptr: f32[m, n], y_stride: n, x_stride: x_ptr.stride(0), BLOCK: 16"
    same = of_texts(text, text, kernel="_negate", grid="m", args=args, max_examples=6)
    assert same.verdict == "identical", same


def test_a_launcher_of_one_number_has_no_sizes(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(
        "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def kernel(x, y, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n"
        "    tl.store(y + cols, 2 * tl.load(x + cols, mask=cols < 1), mask=cols < 1)\n\n\n"
        "def f(x):\n    y = torch.empty_like(x)\n    kernel[(1,)](x, y, BLOCK=16)\n    return y\n"
    )
    text = file.read_text().replace("BLOCK=16", "BLOCK=64")
    found = verify(file, file, text=text, args="x: f32[]", max_examples=4)
    assert found.verdict == "identical", found


def test_a_tensor_of_one_number_has_one_layout(of_texts: Callable[..., Verdict]) -> None:
    text = (
        "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def kernel(x, s, y, n, stride, BLOCK: tl.constexpr):\n"
        "    row = tl.program_id(0)\n    cols = tl.arange(0, BLOCK)\n"
        "    values = tl.load(x + row * stride + cols, mask=cols < n)\n"
        "    tl.store(y + row * n + cols, values * tl.load(s), mask=cols < n)\n\n\n"
        "def f(x, s):\n    m, n = x.shape\n    assert x.stride(1) == 1\n"
        "    y = x.new_empty(m, n)\n"
        "    kernel[(m,)](x, s, y, n, x.stride(0), BLOCK=triton.next_power_of_2(n))\n    return y\n"
    )
    found = of_texts(text, text, args="x: f32[m, n], s: f32[]", max_examples=4)
    assert found.verdict == "identical", found

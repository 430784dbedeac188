"""Launches of the user's own command: generalized, made again, and what stands in the way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.layers import few
from tritonopt.verification import VerificationError, verify
from tritonopt.verification.capture.generalize import (
    NotGeneral,
    Tiles,
    forms_of,
    generalize,
)

SUBJECTS = Path(__file__).parents[1] / "subjects"


def _tensor(shape: Sequence[int], strides: Sequence[int], at: int, **more: Any) -> dict[str, Any]:
    found = {"dtype": "float32", "shape": list(shape), "strides": list(strides)}
    return {**found, "memory": [at, 0], **more}


def _launch(m: int, n: int, gap: int = 0, block: int = 16) -> dict[str, Any]:
    return {
        "arguments": {
            "out": _tensor((m, n), (n, 1), 1),
            "x": _tensor((m, n), (n + gap, 1), 2),
            "stride_x": {"value": n + gap},
            "n": {"value": n},
            "eps": {"value": 1e-5},
            "BLOCK": {"value": block},
        },
        "grid": [-(-n // block), m],
    }


def test_sizes_strides_and_the_grid_are_named() -> None:
    found = generalize([_launch(3, 100), _launch(5, 40, gap=3), _launch(2, 7)])
    assert found.grid == "cdiv(n, BLOCK), m"
    assert found.args == (
        "out: f32[m, n], x: f32[m, n], stride_x: x.stride(0), n: n, eps: 1e-05, BLOCK: 16"
    )


def test_a_stride_that_is_a_size_everywhere_is_the_size() -> None:
    assert "stride_x: n, n: n" in generalize([_launch(3, 100), _launch(5, 40)]).args


def test_a_tile_that_was_as_long_as_a_row_may_be_one_or_follow_one_or_neither() -> None:
    def said(*launches: dict[str, Any], tiles: Tiles | None = None) -> list[str]:
        known = tiles or Tiles(frozenset({"BLOCK"}))
        found = (form.args.rpartition(", BLOCK: ")[2] for form in forms_of(launches, known))
        return list(dict.fromkeys(found))

    assert said(_launch(3, 64, block=64)) == ["next_power_of_2(n)", "64", "n"]
    # What the file shows is believed.
    names = frozenset({"BLOCK"})
    assert said(_launch(3, 64, block=64), tiles=Tiles(names, fixed=names)) == ["64", "n"]
    follows = said(_launch(3, 64, block=64), tiles=Tiles(names, following=names))
    assert follows == ["next_power_of_2(n)", "n"]
    # Launches that tell it leave nothing to try.
    several = _launch(3, 60, block=64), _launch(3, 100, block=128)
    assert said(*several) == ["next_power_of_2(n)"]
    assert said(_launch(3, 64, block=64), _launch(3, 128, block=32)) == ["64|32"]


def test_indices_stay_below_the_size_that_they_were_below() -> None:
    launches = [_launch(3, 100), _launch(5, 40)]
    for launch, high in zip(launches, (2, 4), strict=True):
        index = _tensor((6,), (1,), 3, dtype="int64", values=[0, high])
        launch["arguments"]["index"] = index
    assert "index: i64[6] in 0..m" in generalize(launches).args


def test_the_same_memory_is_the_same_argument() -> None:
    launches = [_launch(3, 100), _launch(5, 40)]
    for launch in launches:
        launch["arguments"]["x"]["memory"] = [1, 0]
    assert "x: =out" in generalize(launches).args


def test_what_varies_at_one_size_is_no_size() -> None:
    launches = [_launch(3, 100) for _ in range(6)] + [_launch(5, 40)]
    for number, launch in enumerate(launches):
        launch["arguments"]["ignored"] = {"value": -100 + number**2}
    assert "ignored: -100|-99|-96|-91|-84|-75|-64" in generalize(launches).args


def test_what_varies_without_a_formula_is_not_generalized() -> None:
    launches = [_launch(3, 100), _launch(5, 40)]
    launches[0]["grid"] = [77, 3]
    with pytest.raises(NotGeneral, match="the grid was 77, 3"):
        generalize(launches)


def test_the_grid_of_a_tuned_kernel_is_one_for_all_configurations() -> None:
    launches = [_launch(3, 100), _launch(5, 40)]
    for launch, n in zip(launches, (100, 40), strict=True):
        del launch["arguments"]["BLOCK"]
        launch["tuned"] = [
            {"constants": {"BLOCK": {"value": b}}, "grid": [-(-n // b), launch["grid"][1]]}
            for b in (16, 32)
        ]
        launch["grid"] = None
    found = generalize(launches)
    assert found.grid == "cdiv(n, BLOCK), m"
    assert "BLOCK" not in found.args and "n: n" in found.args


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A copy of the softmax subject, and a script that calls it three times."""
    (tmp_path / "kernel.py").write_text((SUBJECTS / "softmax.py").read_text())
    (tmp_path / "script.py").write_text(
        # As torch's default build does, whether this one does or not.
        "import importlib.util; importlib.util.find_spec('triton')\n"
        "import torch, kernel\n"
        "for m, n in ((3, 17), (4, 100), (7, 64)):\n"
        "    kernel.softmax(torch.randn(m, n))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    return [sys.executable, "script.py"]


def _changed(old: str, new: str) -> None:
    text = Path("kernel.py").read_text()
    assert old in text
    Path("rewritten.py").write_text(text.replace(old, new))


def test_launches_are_compared_and_others_like_them_drawn(command: list[str]) -> None:
    _changed("e / tl.sum(e, axis=0)", "e * (1.0 / tl.sum(e, axis=0))")
    verdict = verify(
        "kernel.py", "rewritten.py", command=command, backend="interpreter", max_examples=6
    )
    assert verdict.verdict == "equivalent", verdict
    assert verdict.examples > 3
    assert "recorded launches that were compared: _softmax 3x" in verdict.notes
    assert any("--grid 'm' --args 'out: f32[m, n], x: f32[m, n]" in n for n in verdict.notes)
    assert verdict.algebra is not None and verdict.algebra.is_same, verdict.algebra
    assert verdict.algebra.draws >= 4 and (verdict.algebra.bound or 1.0) < 1e-10


@pytest.mark.parametrize(
    ("factor", "answer", "said"),
    few([("1.0000005", "counterexample", "another function"), ("1.0", "identical", "")], 0),
)
def test_launches_have_to_be_the_same_algebra(
    command: list[str], factor: str, answer: str, said: str
) -> None:
    _changed("e / tl.sum(e, axis=0)", f"e / tl.sum(e, axis=0) * {factor}")
    verdict = verify(
        "kernel.py", "rewritten.py", command=command, backend="interpreter", max_examples=2,
        require="algebra",
    )  # fmt: skip
    assert verdict.verdict == answer, verdict
    assert said in (verdict.counterexample or "")


_HEADS = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, Y, D: tl.constexpr):
    at = tl.program_id(0) * D + tl.arange(0, D)
    tl.store(Y + at, tl.load(X + at) * 2.0)


def run(x):
    y = torch.empty_like(x)
    kernel[(x.shape[0],)](x, y, D=x.shape[1])
    return y
"""


@pytest.mark.parametrize(
    ("change", "answer"), few([("D * 1", "identical"), ("64", "counterexample")], 1)
)
def test_a_tile_that_is_a_row_is_drawn_in_other_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, answer: str
) -> None:
    (tmp_path / "kernel.py").write_text(_HEADS)
    (tmp_path / "script.py").write_text("import torch, kernel\nkernel.run(torch.randn(6, 64))\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    _changed("program_id(0) * D", f"program_id(0) * {change}")
    command = [sys.executable, "script.py"]
    verdict = verify("kernel.py", "rewritten.py", command=command, backend="interpreter")
    assert verdict.verdict == answer, verdict


def test_a_launch_that_differs_is_told(command: list[str]) -> None:
    _changed("mask=mask)\n\n\ndef", "mask=cols < n - (n == 100))\n\n\ndef")
    verdict = verify("kernel.py", "rewritten.py", command=command, backend="interpreter")
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    for part in ("_softmax was launched with", "f32[4, 100]", "grid = (4,)", ", 99]"):
        assert part in verdict.counterexample


def test_a_launch_that_fails_for_the_command_accuses_nobody(command: list[str]) -> None:
    with Path("script.py").open("a") as script:
        script.write("kernel._softmax[(1,)]()\n")
    _changed("e / tl.sum(e, axis=0)", "e * 1 / tl.sum(e, axis=0)")
    verdict = verify(
        "kernel.py", "rewritten.py", command=command, backend="interpreter", max_examples=2
    )
    assert verdict.verdict == "identical", verdict
    assert any("a launch of the command failed (TypeError" in n for n in verdict.notes)


@pytest.mark.thorough(instead="test_a_launch_that_differs_is_told")
def test_an_error_that_the_original_does_not_show(command: list[str]) -> None:
    _changed("e / tl.sum(e, axis=0)", "e / tl.sum(e, axis=0) * 1.00002")
    verdict = verify("kernel.py", "rewritten.py", command=command, backend="interpreter")
    assert verdict.verdict == "counterexample", verdict
    assert verdict.counterexample is not None
    for part in ("_softmax was launched with", "error is too large", "the float64 oracle"):
        assert part in verdict.counterexample


@pytest.mark.thorough(instead="test_launches_are_compared_and_others_like_them_drawn")
def test_a_tuned_kernel_is_compared_and_others_like_it_drawn(
    command: list[str], tmp_path: Path
) -> None:
    (tmp_path / "kernel.py").write_text(_TUNED)
    (tmp_path / "script.py").write_text(
        "import torch, kernel\nfor n in (17, 100, 300):\n    kernel.double(torch.randn(n))\n"
    )
    _changed("* 2.0", "+ v")
    verdict = verify(
        "kernel.py", "rewritten.py", command=command, backend="interpreter", max_examples=2
    )
    assert verdict.verdict == "identical", verdict
    assert any("--grid 'cdiv(n, BLOCK)' --args" in note for note in verdict.notes), verdict.notes


_TUNED = """
import torch
import triton
import triton.language as tl


def once(call, quantiles=None):
    # Triton's own needs a GPU.
    call()
    return [1.0, 1.0, 1.0]


@triton.autotune([triton.Config({"BLOCK": b}) for b in (16, 64)], key=["n"], do_bench=once)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + o, mask=o < n)
    tl.store(y + o, v * 2.0, mask=o < n)


def double(x):
    y = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y
"""


def test_a_command_that_launches_nothing(command: list[str]) -> None:
    _changed("row", "row")
    with pytest.raises(VerificationError, match="never launched a kernel of kernel.py"):
        verify("kernel.py", "rewritten.py", command=[sys.executable, "-c", "pass"])
    with pytest.raises(VerificationError, match="cannot be started"):
        verify("kernel.py", "rewritten.py", command=["./no-such-program"])


def test_a_launcher_that_changed_too(command: list[str]) -> None:
    _changed("x = x.contiguous()", "x = x.contiguous().clone()")
    with pytest.raises(VerificationError, match="softmax changed as well"):
        verify("kernel.py", "rewritten.py", command=command)


_PACKED = """\
import torch
import triton
import triton.language as tl


@triton.jit
def gate(x):
    return x * 2.0


@triton.jit
def kernel(Q, K, Out, stride, TYPE: tl.constexpr, GATE: tl.constexpr, D: tl.constexpr):
    at = tl.program_id(0) * stride + tl.arange(0, D)
    q, k = tl.load(Q + at), tl.load(K + at)
    tl.store(Out + tl.program_id(0) * D + tl.arange(0, D), (GATE(q) + k).to(TYPE))


def run(packed, rows):
    q, k, _ = packed.chunk(3, dim=1)
    out = torch.zeros(packed.shape[0], 4)
    kernel[(rows,)](q, k, out, packed.stride(0), tl.float32, gate, D=4, num_warps=1)
    return out
"""


@pytest.mark.parametrize(
    ("new", "answer"), [("GATE(q) + k", "identical"), ("k + k", "counterexample")]
)
def test_launches_that_nothing_is_drawn_like_are_made_again_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str, answer: str
) -> None:
    (tmp_path / "kernel.py").write_text(_PACKED)
    (tmp_path / "script.py").write_text(
        "import torch, kernel\n"
        "for rows, used in ((5, 3), (9, 2), (4, 4), (6, 1), (7, 5)):\n"
        "    kernel.run(torch.randn(rows, 12), used)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    _changed("(GATE(q) + k)", f"({new} + 0.0)")
    command = [sys.executable, "script.py"]
    verdict = verify("kernel.py", "rewritten.py", command=command, backend="interpreter")
    assert verdict.verdict == answer, verdict
    assert "recorded launches that were compared: kernel 5x" in verdict.notes
    assert any("not generalized" in note for note in verdict.notes), verdict.notes

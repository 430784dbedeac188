"""Several files are one program: what they import from each other, and where they launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt.cli.main import main

HEAD = "import torch\nimport triton\nimport triton.language as tl\n"
KERNEL = (
    HEAD
    + """

@triton.jit
def scale(X, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, 512, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        w = tl.load(W + row)
        x = tl.load(X + row * N + cols, mask=cols < N, other=0.0)
        tl.store(Y + row * N + cols, x * w, mask=cols < N)
"""
)
APART = """import torch
from kernel import scale


def run(x, w):
    y = torch.empty_like(x)
    scale[(x.shape[0],)](x, w, y, x.shape[1], BLOCK=128)
    return y
"""
IN_PLACE = """from kernel import scale


def run(x, w):
    scale[(x.shape[0],)](x, w, w, x.shape[1], BLOCK=128)
"""

HELPERS = """import triton
import triton.language as tl

SIZE = tl.constexpr(64)


@triton.jit
def pid(axis):
    return tl.program_id(axis)


@triton.jit
def other(axis):
    return tl.program_id(axis) // 2
"""
BY_HELPERS = (
    HEAD
    + """from helpers import SIZE, pid


@triton.jit
def copy(X, Y, N):
    cols = pid(0) * SIZE + tl.arange(0, SIZE)
    tl.store(Y + cols, tl.load(X + cols, mask=cols < N), mask=cols < N)


def run(x):
    y = torch.empty_like(x)
    copy[(triton.cdiv(x.numel(), 64),)](x, y, x.numel())
    return y
"""
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kernel.py").write_text(KERNEL)


def is_hoisted(*arguments: str, capsys: pytest.CaptureFixture[str]) -> bool:
    main(["rewrite", *arguments, "--isolated", "--passes", "licm", "--check"])
    return "+    w = tl.load(W + row)" in capsys.readouterr().out


def test_launches_in_another_file_show_that_buffers_are_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("run.py").write_text(APART)
    assert not is_hoisted("kernel.py", capsys=capsys)
    assert is_hoisted("kernel.py", "run.py", capsys=capsys)
    assert is_hoisted("run.py", "kernel.py", "--jobs", "2", capsys=capsys)
    assert is_hoisted("kernel.py", "--context", "run.py", capsys=capsys)


def test_a_launch_in_another_file_shows_that_they_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("kernel.py").write_text(KERNEL + APART.replace("from kernel import scale", ""))
    Path("run.py").write_text(IN_PLACE)
    assert is_hoisted("kernel.py", capsys=capsys)
    assert not is_hoisted("kernel.py", "run.py", capsys=capsys)
    assert not is_hoisted("run.py", "kernel.py", capsys=capsys)


def test_a_helper_of_another_file(capsys: pytest.CaptureFixture[str]) -> None:
    helper = HEAD + "\n\n@triton.jit\ndef twice(x):\n    return x * 2\n"
    Path("helper.py").write_text(helper)
    text = KERNEL.replace("x * w", "twice(x) * w").replace(
        "as tl\n", "as tl\nfrom helper import twice\n", 1
    )
    Path("kernel.py").write_text(text + APART.replace("from kernel import scale", ""))
    assert not is_hoisted("kernel.py", capsys=capsys)
    assert is_hoisted("kernel.py", "helper.py", capsys=capsys)
    Path("helper.py").write_text(helper.replace("return", "tl.debug_barrier()\n    return"))
    assert not is_hoisted("kernel.py", "helper.py", capsys=capsys)


def test_a_replaced_kernel_is_no_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.py").write_text(APART)
    Path("patch.py").write_text("import kernel\nkernel.scale = print\n")
    assert not is_hoisted("kernel.py", "run.py", "patch.py", capsys=capsys)


def test_a_launch_in_another_file_is_not_changed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.py").write_text(APART)
    passes = ["--passes", "grid-stride{programs=64}", "--isolated"]
    assert main(["rewrite", "kernel.py", "run.py", *passes, "--format", "json"]) == 0
    said = capsys.readouterr().out
    assert "launch-in-another-file" in said
    assert "the launch in line 7 of run.py would have to change with the kernel" in said


def test_what_is_suggested_is_applied_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run.py").write_text(APART)
    main(["suggest", "kernel.py", "run.py", "--isolated", "--passes", "licm"])
    out = capsys.readouterr().out
    assert "--context kernel.py --context run.py" in out


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ("import helpers\nprint(helpers.pid.fn, helpers.SIZE.value)\n", "tl.cdiv(N, 64)"),
        ("import helpers\nhelpers.pid.fn = helpers.other.fn\n", ""),
        ("import helpers\nexec('helpers.pid = helpers.other')\n", ""),
        ("from kernel import run\nrun.__globals__['pid'] = 3\n", ""),
        # The number of tiles is then not told by the size of one.
        ("from helpers import SIZE\nSIZE.value = 32\n", "num_tiles = triton.cdiv(x.numel(), 64)"),
    ],
)
def test_what_another_file_changes_is_not_believed(
    patch: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("helpers.py").write_text(HELPERS)
    Path("kernel.py").write_text(BY_HELPERS)
    Path("patch.py").write_text(patch)
    given = ["kernel.py", "--context", "helpers.py", "--context", "patch.py"]
    found = main(["rewrite", *given, "--isolated", "--passes", "grid-stride{programs=4}"])
    assert (expected in capsys.readouterr().out) if expected else (found == 0)

"""What else runs the code that a variant changes: such a variant of one launcher is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tritonopt import source
from tritonopt.tuning.dispatch.callers import kernels_used_elsewhere, other_callers
from tritonopt.tuning.dispatch.state import kept_state

FILE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x, part, n, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(part + tl.program_id(0), tl.sum(tl.load(x + cols, mask=cols < n, other=0.0)))


def partials(x):
    block = 64
    part = x.new_zeros(triton.cdiv(x.numel(), block))
    sum_kernel[(part.numel(),)](x, part, x.numel(), BLOCK=block)
    return part


def total(x):
    return partials(x).sum()
"""
CHANGED = ("block = 64", "block = 128")


def callers(file: str, program: source.Program | None = None, path: str = "f.py") -> list[str]:
    old, new = source.read(file, path), source.read(file.replace(*CHANGED), path)
    return [caller for _, caller in other_callers(old, new, "total", program)]


@pytest.mark.parametrize(
    "more, found",
    [
        ("", []),
        ("def again(x):\n    return total(x)\n", []),
        ("if __name__ == '__main__':\n    print(total(torch.ones(9)))\n", []),
        ("def sums(x):\n    return partials(x)\n", ["`sums`"]),
        ("def test_partials():\n    assert partials(torch.ones(64)) == 64\n", ["`test_partials`"]),
        ("__all__ = ['partials', 'total']\n", ["line 21"]),
        ("parts = partials\n", []),
        ("parts = partials\ndef sums(x):\n    return parts(x)\n", ["`sums`"]),
        ("if __name__ == '__main__':\n    print(partials(torch.ones(9)))\n", ["line 22"]),
    ],
)
def test_what_else_runs_a_function_that_differs(more: str, found: list[str]) -> None:
    assert callers(f"{FILE}{more}") == found


@pytest.mark.parametrize(
    "text, function, kernel",
    [
        ("from f import total\n", False, False),
        ("from f import partials\n", True, False),
        ("import f\n\n\ndef g(x):\n    return f.partials(x)\n", True, False),
        ("from f import sum_kernel\n\n\ndef g(x, y):\n    sum_kernel[(1,)](x, y, 9, 64)\n", 0, 1),
        ("def partials(x):\n    return x\n\n\nclass sum_kernel:\n    pass\n", False, False),
    ],
)
def test_what_other_files_use(tmp_path: Path, text: str, function: bool, kernel: bool) -> None:
    path, other = tmp_path / "f.py", tmp_path / "other.py"
    path.write_text(FILE)
    other.write_text(text)
    program = source.Program([path, other])
    assert callers(FILE, program, str(path)) == [str(other)] * function
    old = source.read(FILE, str(path))
    new = source.read(FILE.replace("other=0.0", "other=0"), str(path))
    assert kernels_used_elsewhere(old, new, "total", program) == (
        {"sum_kernel"} if kernel else set()
    )
    assert not kernels_used_elsewhere(old, new, "total", None)


@pytest.mark.parametrize(
    "kernel, number",
    [
        ("@triton.jit\ndef sum_kernel(x, part, n, BLOCK: tl.constexpr = 64)", "constexpr = 64"),
        (
            "@triton.autotune([triton.Config({'B': 64})], key=[])\n"
            "@triton.jit\ndef sum_kernel(x, B)",
            "64}",
        ),
    ],
)
def test_a_kernel_with_other_numbers_that_something_else_launches(kernel: str, number: str) -> None:
    start = FILE.index("@triton.jit")
    file = FILE[:start] + kernel + FILE[FILE.index(":\n", start) :]
    changed = number.replace("64", "128")
    for more, found in (
        ("", set()),
        ("def check(x, part):\n    sum_kernel[(4,)](x, part, 256)\n", {"sum_kernel"}),
        ("if __name__ == '__main__':\n    sum_kernel[(4,)](1, 2, 256)\n", {"sum_kernel"}),
    ):
        old, new = source.read(file + more), source.read(file.replace(number, changed) + more)
        assert kernels_used_elsewhere(old, new, "total", None) == found
        same = source.read(file.replace("other=0.0", "other=0") + more)
        assert not kernels_used_elsewhere(old, same, "total", None)


KEEPING = FILE.replace("def partials", "KEPT = {}\n\n\ndef partials")


@pytest.mark.parametrize(
    "statement, held",
    [
        ("KEPT[x.numel()] = part", "KEPT"),
        ("KEPT.setdefault(1, part)", "KEPT"),
        ("KEPT[0].append(part)", "KEPT"),
        ("total.kept = part", "total"),
        ("global LAST; LAST = part", "LAST"),
        ("KEPT.get(1)", ""),
        ("x.kept = part", ""),
        ("part[0] = 1", ""),
        ("torch.kept = part", ""),
        ("KEPT = {}; KEPT[0] = part", ""),
    ],
)
def test_what_a_function_that_differs_keeps_in_its_module(statement: str, held: str) -> None:
    file = KEEPING.replace("    return part\n", f"    {statement}\n    return part\n")
    old = source.read(file)
    found = {name for _, name in kept_state(old, source.read(file.replace(*CHANGED)), "total")}
    assert found == ({held} if held else set())
    options = source.read(file.replace("BLOCK=block", "BLOCK=block, num_warps=8"))
    assert not list(kept_state(old, options, "total"))

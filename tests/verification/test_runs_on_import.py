"""Files that call their own launchers while they are imported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.runs_on_import import left_out, runs_on_import

_FILE = """
import torch
import triton
import triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + o, tl.load(x + o, mask=o < n) * 2, mask=o < n)

def launch(x: torch.Tensor):
    y = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y

def check(n):
    x = torch.rand(n, device="cuda")
    return torch.allclose(launch(x), 2 * x)

class Doubled(torch.nn.Module):
    def forward(self, x):
        return launch(x)

"""


@pytest.mark.parametrize(
    ("added", "left"),
    [
        ("result = check(98432)\n", ["result = check(98432)"]),
        ("launch(torch.rand(3))\n", ["launch(torch.rand(3))"]),
        ("layer = Doubled()\n", ["layer = Doubled()"]),
        ("print(f'{check(7)}')\n", ["print(f'{check(7)}')"]),
        # What reads the result goes with it, and so on.
        (
            "x = torch.rand(3)\ny = launch(x)\nz = y + 1\nassert z.sum() > 0\n",
            ["y = launch(x)", "z = y + 1", "assert z.sum() > 0"],
        ),
        # A name of a function's own is another one.
        ("y = launch(torch.rand(3))\ndef f():\n    y = 1\n    return y\n", None),
        # Something else rests on it.
        ("table = launch(torch.arange(9))\ndef f():\n    return table\n", []),
        ("ok = check(3)\nif ok:\n    BLOCK = 64\n", []),
        ("SIZE = launch(torch.ones(1))\ndef f(n=SIZE):\n    return n\n", []),
        # No call of a launcher.
        ("pair = (launch, check)\n", []),
        ("torch.manual_seed(0)\nx = torch.rand(3)\n", []),
        ("def register():\n    print(launch)\nregister()\n", []),
        ('if __name__ == "__main__":\n    check(3)\n', []),
    ],
)
def test_which_are_left_out(added: str, left: list[str] | None) -> None:
    module = source.read(_FILE + added)
    found = [module.text_of(statement) for statement in runs_on_import(module)]
    assert found == (["y = launch(torch.rand(3))"] if left is None else left)


def test_what_stands_in_one_version_alone_runs() -> None:
    old, new = source.read(_FILE + "check(3)\n"), source.read(_FILE + "check(4)\ncheck(3)\n")
    assert left_out(old, new) == {"check(3)": len(_FILE.splitlines()) + 1}


def test_they_do_not_run(of_texts: Callable[..., Verdict]) -> None:
    # Without a GPU the one would fail, and the other take hours.
    text = _FILE + 'x = torch.rand(9, device="cuda")\ncheck(2**40)\n'
    changed = text.replace("* 2, mask", "+ tl.load(x + o, mask=o < n), mask")
    verdict = of_texts(text, changed, launcher="launch", max_examples=20)
    assert verdict.verdict == "identical"
    assert any("on import, skipped" in note for note in verdict.notes)
    wrong = changed + "raise ValueError('never')\n"
    verdict = of_texts(text, wrong, launcher="launch", max_examples=20)
    assert "cannot be imported" in verdict.counterexample

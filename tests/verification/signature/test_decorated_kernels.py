"""A kernel of which a decorator makes a function is called like that function."""

from __future__ import annotations

from collections.abc import Callable

from tests.layers import everything
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.signature.launchers import Launchers

POINTWISE = """import torch
import triton
import triton.language as tl

class pointwise:
    def __init__(self, function):
        self.function = function

    def __call__(self, *tensors):
        first = tensors[0]
        out = torch.empty_like(first)
        each[(first.numel(),)](*tensors, *tensors[:2 - len(tensors)], out, F=self.function)
        return out

@triton.jit
def each(x_ptr, y_ptr, out_ptr, F: tl.constexpr):
    at = tl.program_id(0)
    tl.store(out_ptr + at, F(tl.load(x_ptr + at), tl.load(y_ptr + at)))

@pointwise
@triton.jit
def forward(x, y):
    positive = x > 0
    return tl.where(positive, x, 0.0)

@pointwise
@triton.jit
def backward(x, dy):
    positive = x > 0
    return tl.where(positive, dy, 0.0)

def relu(x):
    return forward(x)
"""


def _launchers(text: str) -> set[str]:
    return {launcher.name for launcher in Launchers(source.read(text, "a.py")).outermost()}


def test_what_nothing_calls_is_called_if_others_like_it_are() -> None:
    assert _launchers(POINTWISE) == {"relu", "backward"}
    # Another decorator may make something else of it.
    other = POINTWISE.replace("@pointwise\n@triton.jit\ndef back", "@other\n@triton.jit\ndef back")
    other = other.replace("class pointwise", "def other(f):\n    return f\n\nclass pointwise")
    assert _launchers(other) == {"relu"}
    assert _launchers(POINTWISE + "\nnames = [backward]\n") == {"relu"}
    assert "backward" not in _launchers(POINTWISE.replace("return forward(x)", "return x"))


def test_it_is_verified_as_well(of_texts: Callable[..., Verdict]) -> None:
    renamed = POINTWISE.replace("positive", "above")
    if everything():
        verdict = of_texts(POINTWISE, renamed)
        assert verdict.verdict == "identical", verdict.reason
        assert any("backward was called with" in note for note in verdict.notes)
    wrong = renamed.replace("tl.where(above, dy, 0.0)", "tl.where(above, dy, dy)")
    assert of_texts(POINTWISE, wrong, max_examples=3).verdict == "counterexample"

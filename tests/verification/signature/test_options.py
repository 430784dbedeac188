"""What a launcher looks up in `**kwargs` is passed by that name."""

from __future__ import annotations

from collections.abc import Callable

from tests.layers import everything
from tritonopt import source
from tritonopt.verification import Verdict
from tritonopt.verification.signature.inference import read
from tritonopt.verification.signature.launchers import Launchers

BY_A_MODE = """import torch
import triton
import triton.language as tl

@triton.jit
def gelu(x_ptr, n, TANH: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    if TANH:
        y = 0.5 * x * x
    else:
        y = 0.25 * x
    tl.store(x_ptr + at, y, mask=at < n)

def gelu_(*args, **kwargs):
    x = args[0] if args else kwargs.get("x", None)
    mode = kwargs.get("approximate", "none")
    text = str(mode).lower()
    if text == "tanh":
        tanh = True
    elif text in ("none", "no"):
        tanh = False
    else:
        raise ValueError(mode)
    n = x.numel()
    gelu[(triton.cdiv(n, 16),)](x, n, TANH=tanh, BLOCK=16)
    return x
"""


def test_what_is_looked_up_by_name_is_an_argument() -> None:
    launchers = Launchers(source.read(BY_A_MODE, "a.py"))
    reading = read(launchers, launchers.named("gelu_"))
    known = [str(argument) for argument in reading.known]
    assert known == ["x: f32|f16|bf16[..., x_last]", "approximate: 'none'"]
    assert reading.evidence["approximate"].compared == ["tanh", "none", "no"]
    # What has no plain default says where a result lies, mostly; and what is unpacked has a place.
    other = BY_A_MODE.replace('"none")', "None)")
    launchers = Launchers(source.read(other, "a.py"))
    assert [p.arg for p in launchers.named("gelu_").parameters] == ["x"]


def test_all_its_values_are_passed(of_texts: Callable[..., Verdict]) -> None:
    if everything():
        verdict = of_texts(BY_A_MODE, BY_A_MODE.replace("0.5 * x * x", "x * (0.5 * x)"))
        assert verdict.verdict == "identical", verdict.reason
        assert any("approximate: 'none'|'tanh'" in note for note in verdict.notes), verdict.notes
    wrong = of_texts(BY_A_MODE, BY_A_MODE.replace("0.5 * x * x", "0.5 * x"))
    assert wrong.verdict == "counterexample"
    assert any("approximate: 'none'|'tanh'" in note for note in wrong.notes), wrong.notes

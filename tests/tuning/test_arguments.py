"""The arguments that are timed are of the types, shapes and strides that were seen."""

from __future__ import annotations

import pytest

from tritonopt.tuning.calls import Call
from tritonopt.verification.signature.argument_parser import parse

torch = pytest.importorskip("torch")


def test_complex_numbers_in_a_transposed_tensor() -> None:
    from tritonopt.tuning.arguments import build

    call = Call(parse("x: c64[m, n], y: f16[n]"), {"m": 3, "n": 4}, {"x": (1, 3)})
    found = build(call, device="cpu")
    assert (found["x"].dtype, found["x"].stride()) == (torch.complex64, (1, 3))
    assert (found["x"].real != 0).all() and (found["x"].imag != 0).all()
    assert found["y"].dtype == torch.float16

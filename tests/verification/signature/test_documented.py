"""Shapes that comments and docstrings name."""

from __future__ import annotations

from tritonopt import source
from tritonopt.verification.signature.documented import DocumentedShape, documented_shapes
from tritonopt.verification.signature.launchers import Launchers

TEXT = '''"""Shapes

up : [hidden_dim, DIM]
"""
import torch
import triton
import triton.language as tl

@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    pass

class Rotate(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx,
        q,
        cos,
        scale: torch.Tensor,  # scalar
        phi: torch.Tensor,  # [HC*C, ...] is no shape, and [HC*C, M] is
        index,
        up,
        logits,
        eps: float,  # (of a row)
        flag=True,
    ):
        """
        q size: (bsz, n_head, seq_len, head_dim)
        cos size: (3, bsz, seq_len, head_dim)
        index:   (T, K) int32, where experts are
        logits (torch.Tensor, optional): of the last layer, with shape (BT,), if any
        flag (bool, optional): nothing that is a shape
        where BT = T * K
        and K = number of experts
        """
        kernel[(1,)](q, 1, BLOCK=16)
'''


def test_shapes_that_stand_in_one_line() -> None:
    text = TEXT.replace("q size:", "logits: (B, W - 1), eps and index: (W,), q size:")
    module = source.read(text, "rotate.py")
    found = documented_shapes(module, Launchers(module).named("Rotate"))
    shapes = [found[name].shape for name in ("logits", "index", "q")]
    assert shapes == [("b", "w - 1"), ("w",), ("bsz", "n_head", "seq_len", "head_dim")]


def test_what_is_written_of_each_parameter() -> None:
    module = source.read(TEXT, "rotate.py")
    launchers = Launchers(module)
    found = documented_shapes(module, launchers.named("Rotate"))
    assert found == {
        "q": DocumentedShape(("bsz", "n_head", "seq_len", "head_dim")),
        "cos": DocumentedShape((3, "bsz", "seq_len", "head_dim")),
        "scale": DocumentedShape(()),
        "phi": DocumentedShape(("hc * c", "m")),
        "index": DocumentedShape(("t", "k"), ("i32",)),
        "up": DocumentedShape(("hidden_dim", "dim")),
        "logits": DocumentedShape(("t * k",)),
    }

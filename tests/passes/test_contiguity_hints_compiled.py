"""What the compiler makes of the hints: the widest load in the code for sm_90, without a GPU."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

from tritonopt import rewrite_source

HEAD = """\
import triton
import triton.language as tl


"""

WRAPPED = (
    HEAD
    + """\
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = offs % N
    tl.store(Y + offs, tl.load(X + source))
"""
)

SELECTED = (
    HEAD
    + """\
@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    for start in range(0, N, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        safe = tl.where(offs < N, offs, 0)
        tl.store(Y + offs, tl.load(X + safe))
"""
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))


def load_bits(text: str, *, dtype: str = "fp32", divisible: tuple[str, ...] = ()) -> int:
    """The bits of the widest load; BLOCK is 512, and pointers and `divisible` are known to be
    multiples of 16, as Triton specializes them."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    name = f"<kernel {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, object] = {}
    exec(compile(text, name, "exec"), namespace)
    kernel = namespace["kernel"]
    types = {"X": f"*{dtype}", "Y": f"*{dtype}", "N": "i32", "BLOCK": "constexpr"}
    aligned = [i for i, name in enumerate(types) if name in ("X", "Y", *divisible)]
    source = ASTSource(
        fn=kernel,
        signature=types,
        constexprs={(3,): 512},
        attrs={(i,): [["tt.divisibility", 16]] for i in aligned},
    )
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 2})
    loads = re.findall(r"ld\.global(?:\.v(\d))?\.b(\d+)", compiled.asm["ptx"])
    return max(int(lanes or 1) * int(bits) for lanes, bits in loads)


def hinted(text: str) -> str:
    result = rewrite_source(text, "contiguity-hints", assume=["N % BLOCK == 0"])
    assert result.changed, [remark.message for remark in result.remarks]
    return result.text


def test_loads_of_one_element_become_loads_of_four() -> None:
    assert load_bits(WRAPPED) == 32
    assert load_bits(hinted(WRAPPED)) == 128


def test_a_selection_hides_even_a_length_that_is_specialized() -> None:
    assert load_bits(SELECTED, divisible=("N",)) == 32
    assert load_bits(hinted(SELECTED), divisible=("N",)) == 128


def test_a_narrow_hint_takes_the_place_of_what_the_compiler_knows() -> None:
    """Why numbers below 16 are written only where someone asks for them."""
    narrow = WRAPPED.replace("offs % N", "tl.max_contiguous(tl.multiple_of(offs % N, 4), 4)")
    assert load_bits(narrow, dtype="fp16", divisible=("N",)) == 64
    assert load_bits(WRAPPED, dtype="fp16", divisible=("N",)) == 128
